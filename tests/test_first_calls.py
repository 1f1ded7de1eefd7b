"""What somebody meets who calls the library for the first time, and not quite as it is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import baserate as br
from baserate.exceptions import BaserateError, InvalidMeasureError, UnknownMeasureError

if TYPE_CHECKING:
    from collections.abc import Callable

Y = [1, 1, 0, 0, 0, 1] * 5
P = [1, 0, 0, 0, 1, 1] * 5
CLASSES = ["a", "b", "c"] * 20


def _said(call: Callable[[], object], error: type[BaserateError] = BaserateError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


# Names of measures.


@pytest.mark.parametrize(
    "name",
    ["precision@5%", "f1!", "accuracy%", "AUC?", "F1@", "AUC@0.1%", "RMSE*", "(F1)", "a.u.c"],
)
def test_a_sign_that_means_something_is_not_left_out(name: str) -> None:
    """A percentage of the scores is not that many of them."""
    said = _said(lambda: br.get_measure(name), UnknownMeasureError)
    assert said.startswith(f"unknown measure '{name}'")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Cohen\N{RIGHT SINGLE QUOTATION MARK}s kappa", "KAPPA"),
        ("Fowlkes\N{EN DASH}Mallows index", "FM"),
        ("R^2", "R2"),
        ("R²", "R2"),
        ("precision @ 5", "precision@5"),
        ("(Bookmaker) Informedness", "J"),
        ("AUC @ 0.1", "AUC@0.1"),
    ],
)
def test_what_people_vary_does_not_matter(name: str, key: str) -> None:
    """Case, spaces, hyphens, underscores and apostrophes; and @ is at."""
    assert br.get_measure(name).key == key


@pytest.mark.parametrize("strange", ["zzzzz", "kapa", 3])
def test_the_unknown_name_is_blamed(strange: object) -> None:
    """And not a measure that the first task does not know."""
    said = _said(
        lambda: br.evaluate(CLASSES, CLASSES, ["f1_macro", strange]),  # type: ignore[list-item]
        UnknownMeasureError,
    )
    assert said.startswith(f"unknown measure {strange!r}: ")


def test_where_all_names_are() -> None:
    """One list has not all of them."""
    said = _said(lambda: br.get_measure("qqqqqqqq"), UnknownMeasureError)
    assert "list(baserate.MEASURES) has those of two classes; CLASS_MEASURES, " in said
    for word in said.replace(",", " ").replace("baserate.", " ").replace(")", " ").split():
        assert not word.endswith("_MEASURES") or hasattr(br, word)


def test_two_names_of_one_measure() -> None:
    """It is said that both are the same one."""
    numbers = [1.5, 2.0, 3.0]
    said = _said(
        lambda: br.evaluate(numbers, numbers, ["rmse", "neg_root_mean_squared_error"]),
        InvalidMeasureError,
    )
    assert said == (
        "measures must have each measure once (got 'rmse' and 'neg_root_mean_squared_error', which "
        "are both RMSE)"
    )
    said = _said(lambda: br.compare(Y, {"a": P, "b": Y}, ["f1", "Dice"]), InvalidMeasureError)
    assert "got 'f1' and 'Dice', which are both F1" in said


def test_rankings_of_several_classes() -> None:
    """What there is instead is said plainly."""
    assert _said(lambda: br.get_measure("roc_auc_ovr")) == (
        "'roc_auc_ovr' ranks several classes, which is not here; log loss and Brier score their "
        "probabilities"
    )
