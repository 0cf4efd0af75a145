import pytest

from winnow.columns.lazy import Lazy


class Workshop:
    """Makes values and counts how often."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.values = Lazy(
            {"ready": 1},
            {"late": lambda: self.make("late", 2), "never": lambda: self.make("never")},
        )

    def make(self, name: str, value: int | None = None) -> int | None:
        self.made.append(name)
        return value


def test_a_value_is_made_once_and_not_before_it_is_asked_for() -> None:
    shop = Workshop()
    assert shop.values["ready"] == 1
    assert shop.made == []
    assert (shop.values["late"], shop.values["late"]) == (2, 2)
    assert shop.made == ["late"]


def test_what_comes_out_as_none_is_not_there() -> None:
    shop = Workshop()
    assert shop.values.get("never") is None
    assert "never" not in shop.values
    assert shop.made == ["never"]
    with pytest.raises(KeyError):
        shop.values["other"]


def test_names_are_told_without_making_anything() -> None:
    shop = Workshop()
    assert set(shop.values.named()) == {"ready", "late", "never"}
    assert shop.made == []


def test_all_that_is_there_can_be_walked_through() -> None:
    shop = Workshop()
    assert dict(shop.values) == {"ready": 1, "late": 2}
    assert len(shop.values) == 2
