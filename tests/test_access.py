"""Who may do what: scopes, namespaces, secrets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.access import FULL, SECRET_MARK, Access, Scope, digest_of, make_secret
from winnow.errors import Forbidden

NAMES = st.text(min_size=1, max_size=5)
SCOPES = st.frozensets(st.sampled_from(Scope))


@given(SCOPES, st.sampled_from(Scope))
def test_a_scope_is_required_by_name_and_none_stands_for_another(
    scopes: frozenset[Scope], wanted: Scope
) -> None:
    if wanted in scopes:
        Access(scopes).require(wanted)
    else:
        with pytest.raises(Forbidden, match=f"needs the scope {wanted.value}"):
            Access(scopes).require(wanted)


@given(st.frozensets(NAMES), st.lists(NAMES))
def test_f25_what_is_visible_is_what_was_granted_even_if_that_is_nothing(
    granted: frozenset[str], names: list[str]
) -> None:
    bound = Access(frozenset(Scope), granted)
    assert bound.visible(names) == [name for name in names if name in granted]
    assert FULL.visible(names) == names
    for name in names:
        if name not in granted:
            with pytest.raises(Forbidden):
                bound.require_namespace(name)


def test_a_namespace_is_refused_in_the_same_words_whether_it_exists_or_not() -> None:
    with pytest.raises(Forbidden) as caught:
        Access(frozenset(Scope), frozenset({"a", "b"})).require_namespace("c")
    assert str(caught.value) == "the key does not reach the namespace 'c' (it reaches: 'a', 'b')"


def test_who_reaches_no_namespace_is_told_so() -> None:
    with pytest.raises(Forbidden, match="reaches no namespace"):
        Access(frozenset(Scope), frozenset()).own()


def test_what_concerns_the_whole_store_needs_all_namespaces() -> None:
    FULL.require_everything("to look")
    with pytest.raises(Forbidden, match=r"^to look needs a key for all namespaces$"):
        Access(frozenset(Scope), frozenset({"a"})).require_everything("to look")


def test_secrets_are_long_never_the_same_and_known_by_their_first_letters() -> None:
    secrets = {make_secret() for _ in range(100)}
    assert len(secrets) == 100
    assert all(one.startswith(SECRET_MARK) and len(one) >= 43 for one in secrets)


@given(st.text(), st.text())
def test_a_digest_tells_two_secrets_apart_and_is_none_of_them(one: str, other: str) -> None:
    assert (digest_of(one) == digest_of(other)) == (one == other)
    assert len(digest_of(one)) == 32
