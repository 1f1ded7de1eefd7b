"""What somebody meets who calls the library for the first time, and not quite as it is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
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


# What reports say.


def test_labels_at_a_threshold_fail_as_labels_do() -> None:
    """A model without F1 because it predicts no positives, in either way."""
    truth, scores = [1, 0] * 20, np.linspace(0, 1, 40)
    labels = br.evaluate(truth, [0] * 40, "F1")
    cut = br.evaluate(truth, scores, "F1", threshold=50.0)
    says = "model predicts no positives and does not beat the baseline of F1."
    for report in (labels, cut, br.Report.from_json(cut.to_json())):
        assert len(report.failures) == 1
        assert str(report).endswith(says)
    said = str(cut["model", "F1"])
    assert said == str(labels["model", "F1"])
    assert said == (
        "F1 of model is undefined: it needs P̂ > 0 (got predicted_positives = 0). It predicts no "
        "positives."
    )


def test_a_ranking_is_praised_even_if_its_threshold_is_not() -> None:
    """What AUC says of the scores is said beside what the labels at the threshold lack."""
    truth = [0] * 20 + [1] * 20
    report = br.evaluate(truth, np.arange(40.0), ["AUC", "F1"], threshold=50)
    assert [verdict.measure for verdict in report.failures] == ["F1"]
    said = " ".join(str(report).split())
    assert (
        "model predicts no positives; it clears 1 of 2 baselines (not beaten: F1); there is" in said
    )


def test_a_test_set_that_is_too_small() -> None:
    """It is the subject of its sentence."""
    said = " ".join(str(br.evaluate([1, 0, 1], [1, 0, 1], "F1")).split())
    assert "The test set is too small to show that a model learned: even a prediction" in said
    groups = br.evaluate(Y, P, "F1", by=["a", "b", *"c" * 28])
    assert "group a and group b are too small to show that a model learned: even" in " ".join(
        str(groups).split()
    )


def test_only_who_learned_something_has_a_remedy() -> None:
    """The others need none."""
    table = br.Confusion(tp=52, fp=41, fn=87, tn=123)
    report = br.evaluate(None, {"tree": table}, "all")
    assert {verdict.outcome for verdict in report} > {br.Outcome.LEARNED, br.Outcome.CLEARS}
    for verdict in report:
        assert bool(verdict.remedy) == (verdict.outcome is br.Outcome.LEARNED)
    for adjusted in br.evaluate(None, {"tree": table, "other": table}, "F1", adjust="holm"):
        assert bool(adjusted.remedy) == (adjusted.outcome is br.Outcome.LEARNED)


def test_a_missing_score_is_a_missing_value() -> None:
    """And no missing label."""
    scores = [0.9, 0.2, np.nan, 0.1, 0.3, 0.8] * 5
    report = br.evaluate(Y, scores, "AUC", missing="drop")
    assert "5 observations with a missing value left out." in str(report)
