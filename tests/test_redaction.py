"""Secrets: those of known shapes are replaced, and nothing that only looks a little like one."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.redaction import SHAPES, mark, redact, redact_json
from winnow.values import Json


def put(*parts: str) -> str:
    """Put an invented secret together, so that no scanner of this file takes it for a real one."""
    return "".join(parts)


KEY = put(
    "-----BEGIN RSA ", "PRIVATE KEY-----\nMIIEow\nIBAAKC==\n-----END RSA ", "PRIVATE KEY-----"
)
SECRETS = {
    "aws_key": put("AK", "IA", "Z2Y3X4W5V6U7T8S9"),
    "google_key": put("AI", "za", "SyA1" * 8, "abc"),
    "github_token": put("gh", "p_", "a1B2" * 9),
    "gitlab_token": put("gl", "pat-", "a1B2c3" * 4),
    "slack_token": put("xo", "xb-", "123456789012-ABCdef123"),
    "anthropic_key": put("sk-", "ant-", "api03-", "Ab1_" * 8),
    "openai_key": put("sk-", "proj-", "Ab1_" * 8),
    "stripe_key": put("sk_", "live_", "a1B2" * 6),
    "npm_token": put("np", "m_", "a1B2" * 9),
    "pypi_token": put("py", "pi-AgE", "a1B2" * 20),
    "huggingface_token": put("h", "f_", "aB1x" * 9),
    "sendgrid_key": put("S", "G.", "a1B2" * 5, ".", "c3D4" * 10),
    "jwt": put("ey", "JhbGciOiJIUzI1NiJ9", ".ey", "JzdWIiOiIxMjM0NSJ9", ".sflKxw"),
    "private_key": KEY,
}


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("around", ["{}", "see {}, please", "({})", '"{}"', "重跑{}后", "a: {}\nb"])
def test_f122_a_secret_is_found_wherever_it_stands(kind: str, around: str) -> None:
    """F122: also right beside characters of a script that has no spaces."""
    counts, text = Counter[str](), around.format(SECRETS[kind])
    cleaned = redact(text, counts)
    assert counts == {kind: 1}
    assert SECRETS[kind].split("\n")[-1] not in cleaned
    assert mark(kind) in cleaned
    assert cleaned.count("\n") == text.count("\n")


def test_every_shape_has_an_example_here() -> None:
    told = {shape.kind for shape in SHAPES} | {"private_key"}
    assert told - set(SECRETS) == {"slack_webhook", "url_password", "password"}


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("postgresql://bob:s3cr3t@db/x", "postgresql://bob:(redacted:url_password)@db/x"),
        ("https://:pw@host", "https://:(redacted:url_password)@host"),
        ("password=hunter2 and so on", "password=(redacted:password) and so on"),
        ("Password: Hunter2!", "Password: (redacted:password)"),
        ("DB_PASSWORD=correcthorse", "DB_PASSWORD=(redacted:password)"),
        ("api_key: 'abcd efgh'", "api_key: '(redacted:password)'"),
        ('{"client_secret": "abcdefgh"}', '{"client_secret": "(redacted:password)"}'),
        ("aws_secret_access_key = wJal/K7M+x", "aws_secret_access_key = (redacted:password)"),
        ("accessToken=abc1", "accessToken=(redacted:password)"),
        ("密码password：Hunter22，然后", "密码password：(redacted:password)，然后"),
        ("密码password:Hunter22。", "密码password:(redacted:password)。"),
        ("PASSWORD＝correcthorse", "PASSWORD＝(redacted:password)"),
        ("api_key：「abcd efgh」です", "api_key：「(redacted:password)」です"),
        ("token：“abcd-1234”、", "token：“(redacted:password)”、"),
    ],
)
def test_what_an_assignment_or_an_address_gives_away_is_replaced(text: str, cleaned: str) -> None:
    assert redact(text, Counter()) == cleaned


def test_a_key_that_is_never_closed_is_one_too() -> None:
    text = KEY.partition("\n-----END")[0] + "\n\nAnd, then."
    counts = Counter[str]()
    assert redact(text, counts).endswith(", then.")
    assert "MII" not in redact(text, counts)
    assert counts["private_key"] == 2


@pytest.mark.parametrize(
    "text",
    [
        "d41d8cd98f00b204e9800998ecf8427e",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "the password is required",
        "Password: required",
        "The secret: patience.",
        "the key: it was cold",
        "max_tokens=4096",
        "token=42",
        "token = next(stream)",
        "token: str",
        "def read(token: Token) -> None:",
        "secret_key=settings.SECRET_KEY",
        "password=${DB_PASSWORD}",
        "password=$PW",
        "password=<your password>",
        "password: ********",
        "api_key=os.environ['X']",
        "token=None",
        "monkey: banana",
        "PASSWORD_MIN_LENGTH=8",
        "sk-folding-cube-container-wrap",
        "task-list-item-checkbox-container",
        "hf_model_name_that_is_quite_long_indeed",
        "see http://example.com:8080/a@b",
        "https://example.com/a:b@c",
        "mailto:bob@example.com",
        "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMII\n-----END PUBLIC KEY-----",
        "12:30 at the key:board",
        "password：必填项目",
        "token：见下面的说明。",
        mark("password"),
        f"password={mark('password')}",
    ],
)
def test_what_is_none_stays(text: str) -> None:
    counts = Counter[str]()
    assert redact(text, counts) == text
    assert not counts


def test_in_json_values_are_cleaned_and_what_a_key_says_is_one_counts() -> None:
    counts = Counter[str]()
    given: Json = {
        "password": "abc",
        "note": SECRETS["aws_key"],
        "n": 5,
        "list": ["token=abc1", None],
    }
    whole: Json = {"a": given, "apiKey": "", "token": True}
    assert redact_json(whole, counts) == {
        "a": {
            "password": mark("password"),
            "note": mark("aws_key"),
            "n": 5,
            "list": [f"token={mark('password')}", None],
        },
        "apiKey": "",
        "token": True,
    }
    assert counts == {"password": 2, "aws_key": 1}


@given(st.lists(st.sampled_from([*SECRETS.values(), *' \n"a=:é：「」', "password"])))
def test_what_is_clean_stays_as_it_is(parts: list[str]) -> None:
    cleaned = redact("".join(parts), Counter())
    again = Counter[str]()
    redact(cleaned, again)
    assert not again


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "eyJaaaaaaaa.",
        "password=",
        "a://",
        "a://b:",
        "sk-",
        "x:",
    ],
)
def test_a_long_text_made_to_be_slow_comes_to_an_end(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert redact(text, Counter()).count("\n") == 0
