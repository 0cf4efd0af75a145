"""Whatever is written is found by what people would type, in every script."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow.rank.analyse import (
    LONGEST_TERM,
    NO_LANGUAGE,
    Analyser,
    list_languages,
    split_text,
)
from winnow.rank.scripts import split_chunks
from winnow.rank.stopwords import STOP_WORDS

ENGLISH = Analyser()
ODD = "aB1_-.@'’#+:/ \0\n\"*()\u0301\u0316\u200b\u200d\u202eß\u0130设备เที่한🚀\ud800ก"
TEXTS = st.text() | st.text(ODD, max_size=40)


def is_found(query: str, text: str) -> bool:
    """Whether each term that the query looks for is one of the text's."""
    wanted = ENGLISH.query_terms(query)
    return bool(wanted) and set(wanted) <= set(ENGLISH.terms(text))


# --- words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("running", "She runs every day"),
        ("RUN", "she was running"),
        ("policies", "The Policy of the firm"),
        ("user", "the user's choice"),
        ("users’", "one user"),
        ("Where did she go?", "Caroline went to a parade"),
        ("what was written", "he is writing a book"),
        ("child", "both children"),
        ("café", "cafe\u0301 on the corner"),
        ("STRASSE", "die Straße"),
        ("école", "l'école et l’élève"),
        ("neil", "O'Neil's plan"),
        ("PDF", "two PDFs"),
        ("soft\u00adware", "software"),
    ],
)
def test_a_word_is_found_in_its_other_forms(query: str, text: str) -> None:
    assert is_found(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("don't", "I don't know"),
        ("pre-edit", "the pre-edit hook"),
        ("2026-03-14", "due 2026-03-14, at noon"),
        ("TODO: fix", "TODO: fix the build"),
        ("(python", "in (python) code"),
        ("foo AND bar", "foo AND bar"),
        ("C++", "written in C++, mostly"),
        ("NEAR(", "NEAR(a b)"),
        ("agentic-os", "an agentic-os note"),
        ('"gold tier"', "the gold tier"),
    ],
)
def test_the_signs_of_query_languages_are_plain_text(query: str, text: str) -> None:
    """F82"""
    assert is_found(query, text)


@pytest.mark.parametrize("query", ['"', "*", "", " ", "?!", "()", "--", "^:~", "\0", "\ud800"])
def test_a_query_without_a_word_looks_for_nothing_and_is_no_error(query: str) -> None:
    """F82"""
    assert ENGLISH.query_terms(query) == []


@pytest.mark.parametrize("end", ["", "?", "??", "!", ".", " ?"])
def test_a_question_mark_changes_nothing(end: str) -> None:
    """F83"""
    question = "Where did Caroline move to"
    assert ENGLISH.query_terms(question + end) == ["carolin", "move"]


def test_stop_words_are_dropped_unless_nothing_else_is_left() -> None:
    """F83"""
    assert ENGLISH.query_terms("what is the plan for it") == ["plan"]
    assert ENGLISH.query_terms("What was that") == ["what", "was", "that"]
    assert ENGLISH.query_terms("Who’s there, don’t") == ENGLISH.query_terms("who's there, don't")
    assert "the" in ENGLISH.terms("the plan")


def test_a_query_has_each_term_once_and_a_text_as_often_as_it_comes() -> None:
    assert ENGLISH.query_terms("plan, planning, plans") == ["plan"]
    assert ENGLISH.terms("plan, planning, plans") == ["plan"] * 3


# --- compounds -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("2026.4.10", ["2026.4.10", "2026", "4", "10"]),
        ("v1.2", ["v1.2", "1.2", "v1", "1", "2"]),
        ("my_var", ["my_var", "my", "var"]),
        ("__init__", ["init"]),
        ("gen-itgc", ["gen-itgc", "gen", "itgc"]),
        ("getHTTPStatus", ["gethttpstatus", "get", "http", "status"]),
        ("PDFs", ["pdfs", "pdf"]),
        ("utf8Decoder", ["utf8decod", "utf8", "decod"]),
        ("ПриветМир", ["приветмир", "привет", "мир"]),
        ("MAT-2388.md", ["mat-2388.md", "mat-2388", "mat", "2388", "md"]),
        ("jo@ex.org", ["jo@ex.org", "jo", "ex.org", "ex", "org"]),
        ("2026-03-14", ["2026-03-14", "2026", "03", "14"]),
        (
            "2026-03-14T10:05Z",
            ["2026-03-14", "2026", "03", "14", "10:05z", "10", "05z"],
        ),
        ("C++", ["c++", "c"]),
        ("C#", ["c#", "c"]),
        (".NET", [".net", "net"]),
        ("node.js", ["node.js", "node", "js"]),
        ("R&D", ["r&d", "r", "d"]),
        ("issue#12", ["issue#12", "issu", "12"]),
        ("don't", ["don't"]),
    ],
)
def test_a_compound_is_found_whole_and_in_parts(text: str, terms: list[str]) -> None:
    """F87"""
    assert ENGLISH.terms(text) == terms
    assert ENGLISH.terms(f"({text}), {text}.") == terms * 2


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("2026.4.10", "fixed in 2026.4.10."),
        ('"a.b.c"', "module a.b.c"),
        ("my_var", "rename my_var to x"),
        ("var", "rename my_var to x"),
        ("snake case", "snake_case"),
        ("1.2.3", "released v1.2.3"),
        ("bm25.py", "see src/rank/bm25.py:12"),
        ("report_v2", "report_v2.final.pdf"),
        ("example.com", "mail jo.doe@example.com"),
        ("camel", "camelCase"),
        ("camelcase", "camelCase"),
        ("03/14/2026", "on 03/14/2026"),
        ("non‑compete", "the non-compete"),
        ("2026-03-14", "at 2026-03-14T10:00:00Z"),
    ],
)
def test_versions_names_and_files_are_found(query: str, text: str) -> None:
    """F87"""
    assert is_found(query, text)


def test_words_of_two_sentences_are_not_one_compound() -> None:
    assert ENGLISH.terms("one - two... three, x/y a--b") == [
        "one",
        "two",
        "three",
        "x",
        "y",
        "a",
        "b",
    ]


# --- scripts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("设备", "查看设备状态"),
        ("部署", "自动部署到服务器"),
        ("用户身份", "验证用户身份信息"),
        ("gen", "重跑gen-itgc后"),
        ("gen-itgc", "重跑gen-itgc后"),
        ("后", "重跑gen-itgc后"),
        ("備", "設備"),
        ("𠮷野", "𠮷野家に行く"),
        ("タワー", "東京タワーへ行く"),
        ("へ", "東京タワーへ行く"),
        ("ガ", "カ\u3099ス"),
        ("세계", "안녕하세요 세계"),
        ("녕", "안녕하세요 세계"),
        ("한", "\u1112\u1161\u11ab글"),
        ("เมือง", "เที่ยวเมืองไทย"),
        ("ພາສາ", "ພາສາລາວ"),
        ("ខ្មែរ", "ភាសាខ្មែរ"),
        ("ဘာသာ", "မြန်မာဘာသာ"),
    ],
)
def test_scripts_without_spaces_are_found_by_one_character_or_more(query: str, text: str) -> None:
    """F84"""
    assert is_found(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("мир", "Привет, МИР!"),
        ("ΣΊΣΥΦΟΣ", "ο Σίσυφος"),
        ("हिन्दी", "हिन्दी में किताबें"),
        ("كتاب", "هذا كتاب جديد"),
        ("שלום", "אמר: שלום!"),
        ("ספר", "בית־ספר"),
        ("میخواهم", "می\u200cخواهم"),
        ("abc", "\u202eabc\u202c"),
        ("🚀", "launch 🚀🔥"),
        ("❤", "with ❤\ufe0f"),
        ("👩", "👩🏽\u200d💻"),
        ("€", "for 5€"),
        ("العربية", "تعلم 'العربية'"),
    ],
)
def test_words_of_other_scripts_are_found(query: str, text: str) -> None:
    assert is_found(query, text)


def test_combining_marks_stay_with_their_letters() -> None:
    assert ENGLISH.terms("हिन्दी में") == ["हिन्दी", "में"]
    assert ENGLISH.terms("שָׁלוֹם كِتَابٌ") == [
        unicodedata.normalize("NFC", "שָׁלוֹם"),
        unicodedata.normalize("NFC", "كِتَابٌ"),
    ]
    assert ENGLISH.terms("ที่") == ["ที่"]


def test_characters_come_single_and_in_pairs_and_are_asked_for_in_pairs() -> None:
    """F84"""
    assert ENGLISH.terms("用户身") == ["用", "用户", "户", "户身", "身"]
    assert ENGLISH.query_terms("用户身") == ["用户", "户身"]
    assert ENGLISH.query_terms("用") == ["用"]


@given(st.text("设备状态東京タワーへ한국어", min_size=1), st.data())
def test_every_part_of_a_text_without_spaces_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assert is_found(text[start:end], text)


# --- any text --------------------------------------------------------------------------------


@given(TEXTS)
@example("ʼ")
@example(".")
@example("\u0301")
@example("a\u0301" * 40)
@example("a'" * 5)
@example("İ.ŉ'S")
def test_any_text_is_found_by_itself_and_raises_nothing(text: str) -> None:
    """F82"""
    terms, wanted = ENGLISH.terms(text), ENGLISH.query_terms(text)
    assert set(wanted) <= set(terms)
    assert bool(wanted) == bool(terms)
    assert len(set(wanted)) == len(wanted)
    for term in terms:
        assert 0 < len(term) <= LONGEST_TERM
        term.encode()


@given(TEXTS)
def test_composed_and_decomposed_texts_have_the_same_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert ENGLISH.terms(composed) == ENGLISH.terms(decomposed)


@given(st.text("aZ9_-.@'&+#:/ \n(,", max_size=40))
def test_ascii_is_cut_in_the_same_way_beside_any_other_script(text: str) -> None:
    chunks = split_chunks(text)
    assert split_chunks(f"{text} é") == [*chunks, "é"]
    assert split_chunks(f"{text} 设") == [*chunks, "设"]


@given(st.text("abßÉс́ΣIi", max_size=12))
def test_the_case_of_a_word_does_not_matter(word: str) -> None:
    assert ENGLISH.query_terms(word.lower()) == ENGLISH.query_terms(word.lower().upper())


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "aB", "a-", "a_", "a.", "a@", "a'", "1/", "v1.", "C++", ".", "-", "_", "\0", " "),
        *("设备", "เที่", "हि", "🚀", "\u0301\u0316", "\u202e", "\u200b", "\ud800", "e\u0301"),
    ],
)
def test_a_long_run_of_one_thing_is_read(unit: str) -> None:
    text = unit * (150_000 // len(unit)) + " needle"
    assert "needl" in ENGLISH.terms(text)
    assert "needl" in ENGLISH.query_terms(text)


def test_a_word_far_into_a_text_is_found() -> None:
    assert is_found("needle", "lorem ipsum " * 2_000 + "needle")


def test_long_words_are_cut_and_still_found() -> None:
    assert ENGLISH.terms("x" * 500) == ["x" * LONGEST_TERM]
    assert is_found("y" * 500, "a " + "y" * 500)


# --- languages -------------------------------------------------------------------------------


def test_words_are_stemmed_in_the_language_that_is_given() -> None:
    assert Analyser("german").terms("Häuser") == Analyser("german").terms("häusern")
    assert Analyser("RUSSIAN").terms("книги") == Analyser("russian").terms("книга")
    assert Analyser("en").terms("running") == ["run"]


@pytest.mark.parametrize("language", list_languages())
def test_every_language_that_is_listed_has_rules_of_its_own(language: str) -> None:
    named = language in Analyser(language).identity.split()
    assert named == (language != NO_LANGUAGE)


@pytest.mark.parametrize("language", ["klingon", "", "none", "\ud800", "\0"])
def test_an_unknown_language_leaves_words_as_they_are(language: str) -> None:
    assert Analyser(language).terms("Running shoes") == ["running", "shoes"]


def test_analysers_that_make_other_terms_have_another_identity() -> None:
    names = ["english", "german", "klingon"]
    assert len({Analyser(name).identity for name in names}) == 3
    assert Analyser("klingon").identity == Analyser("elvish").identity
    assert Analyser("English").identity == Analyser().identity


def test_several_threads_may_share_an_analyser() -> None:
    texts = [f"running number{number} gen-itgc{number % 50}" for number in range(2_000)]
    shared = Analyser()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(shared.terms, texts))
    assert found == [ENGLISH.terms(text) for text in texts]


def test_stop_words_are_written_as_they_are_looked_up() -> None:
    assert all(word == word.casefold() and word.isascii() for word in STOP_WORDS)


@given(TEXTS)
def test_the_terms_of_a_text_are_those_of_its_parts(text: str) -> None:
    parts = [term for part in split_text(text) for term in ENGLISH.terms(part)]
    assert ENGLISH.terms(text) == parts


@given(TEXTS.filter(str.isascii))
def test_words_that_are_known_as_a_whole_have_the_terms_of_their_chunks(text: str) -> None:
    alone = [term for chunk in split_chunks(text) for term in Analyser().terms(chunk)]
    assert ENGLISH.terms(text) == alone


@given(st.from_regex(r"[a-z0-9]{0,80}[a-rt-z][a-z0-9]{0,3}[a-rt-z0-9]", fullmatch=True))
@example("v1")
def test_a_plain_word_has_the_terms_that_it_has_in_capitals(word: str) -> None:
    assert ENGLISH.terms(word) == ENGLISH.terms(word.upper())
