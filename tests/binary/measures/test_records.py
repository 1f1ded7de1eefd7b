"""The library's records are frozen and readable."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import pickle
from importlib import import_module

import pytest

import baserate as br
from baserate.core.measure import COUNT, SIGNED, UNIT, Codomain, Direction
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.measures.two_classes_record import ALWAYS, EVERYWHERE, NEVER

MODULES = (
    "core.measure core.baseline measures.two_classes_record null.hypergeometric "
    "kinds.two_classes.null baselines.dutch_draw"
)


@pytest.mark.parametrize("name", MODULES.split())
def test_records_are_frozen(name: str) -> None:
    """A measure, a law and a baseline cannot be changed."""
    module = import_module(f"baserate.{name}")
    records = [each for _, each in inspect.getmembers(module, dataclasses.is_dataclass)]
    own = [each for each in records if inspect.getmodule(each) is module and inspect.isclass(each)]
    assert own
    assert all(each.__dataclass_params__.frozen for each in own)


def test_codomains() -> None:
    """An infinite end is printed open."""
    assert [str(each) for each in (UNIT, SIGNED, COUNT)] == ["[0, 1]", "[-1, 1]", "[0, inf)"]
    assert str(Codomain(-float("inf"), 0)) == "(-inf, 0]"
    assert Codomain.of((2, 2)) == Codomain(2, 2)


def test_beta_is_named() -> None:
    """`get_measure("F1", 2)` is ambiguous, so it is an error."""
    with pytest.raises(TypeError, match="positional argument"):
        br.get_measure("fbeta", 2)  # type: ignore[misc]


def test_a_wrong_name_has_three_suggestions_at_most() -> None:
    """Suggestions are one name per measure, the nearest first."""
    with pytest.raises(br.exceptions.UnknownMeasureError) as caught:
        br.get_measure("false positiv rat")
    assert str(caught.value).count("'") == 2 + 2 * 3


def test_conditions() -> None:
    """ALWAYS holds on any test set; NEVER does not."""
    rate = br.BaseRate(positives=1, total=3)
    assert ALWAYS.holds(rate)
    assert not NEVER.holds(rate)


def test_records_print_what_a_reader_can_read() -> None:
    """A repr shows formulas, not the addresses of functions."""
    accuracy = br.get_measure("ACC")
    parts = (accuracy.definition, ALWAYS, EVERYWHERE, *br.get_measure("F1").requirements)
    for part in parts:
        assert "lambda" not in repr(part)
        assert "function" not in repr(part)


def test_f1_has_words_of_its_own() -> None:
    """Only F1 is the Dice score, a plain harmonic mean, and `f1_score`."""
    one, two = br.fbeta(1), br.fbeta(2)
    assert "Dice" in one.aliases
    assert two.aliases == ("f2_score",)
    assert one.meaning == "The harmonic mean of precision and recall."
    assert "recall counting 2 times as much" in two.meaning
    assert (str(one.sklearn), str(two.sklearn)) == (
        "f1_score(y_true, y_pred)",
        "fbeta_score(y_true, y_pred, beta=2.0)",
    )
    assert "Dice" not in br.fbeta(2**0.5).aliases


def test_directions_read_well() -> None:
    """A direction is an arrow in a table and a word in a sentence."""
    assert [each.arrow for each in Direction] == ["↑", "↓"]
    assert [each.better for each in Direction] == ["higher", "lower"]


def test_options_of_a_custom_measure_are_named() -> None:
    """The options of a custom measure are keyword-only."""
    with pytest.raises(TypeError, match="positional argument"):
        br.Measure.custom("cost", lambda tp, fp, fn, tn: fp, "minimize")  # type: ignore[misc]


def test_the_size_of_scores() -> None:
    """Rounding errors scale with the codomain, or with the largest score if it is infinite."""
    assert br.get_measure("MCC").magnitude(0.3) == 1
    assert br.get_measure("TP").magnitude(70.0) == 70
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp)
    assert cost.codomain == Codomain(-float("inf"), float("inf"))
    assert cost.magnitude(70.0) == 70


def test_the_name_of_a_custom_measure_is_its_key_by_default() -> None:
    """A custom measure is named by its key unless it has a name."""
    names = [br.Measure.custom("cost", lambda *_: 0.0, name=name).name for name in ("", "Price")]
    assert names == ["cost", "Price"]


def test_requirements_know_who_breaks_them() -> None:
    """The violations of P > 0 are all small tables without a positive, except the empty one."""
    (some_positives, _) = br.get_measure("F1").requirements
    tables = list(some_positives.violations())
    assert len(tables) == 8
    assert {(table.tp, table.fn) for table in tables} == {(0, 0)}
    assert min(table.total for table in tables) == 1
    assert some_positives.holds(br.Confusion(tp=1))


def test_the_prevalence_threshold_needs_rates_that_differ() -> None:
    """PT is undefined at TPR = FPR = 1/3."""
    with pytest.warns(br.exceptions.UndefinedMeasureWarning):
        assert math.isnan(br.get_measure("PT").score(br.Confusion(tp=2, fn=4, fp=1, tn=2)))


def test_a_call_prints_the_cell_that_it_takes() -> None:
    """Row and column of a confusion matrix."""
    assert (
        str(br.get_measure("FP").sklearn) == "confusion_matrix(y_true, y_pred, labels=[0, 1])[0, 1]"
    )


def test_an_optimum_has_the_intervals_of_the_paper() -> None:
    """All θ above (2M - 1)/2M round to θ* = 1."""
    (interval,) = br.baseline(br.BaseRate(positives=3, total=10), "F1").max.guesses.intervals
    assert str(interval) == "[19/20, 1]"


def _values() -> dict[str, object]:
    """A value of every kind that the library returns."""
    truth, scores = [0, 0, 1, 1, 1], [0.1, 0.6, 0.4, 0.8, 0.9]
    rate = br.BaseRate(positives=3, total=5)
    base, draw = br.baseline(rate, "F1"), br.DutchDraw(rate, 0.5)
    report = br.evaluate(truth, {"tree": [0, 1, 1, 1, 1]})
    curve = br.threshold_curve(truth, scores, "F1")
    cost = br.Measure.custom("cost", _cost, direction="minimize", codomain=(0, 100))
    return {
        "MEASURES": TWO_CLASS_MEASURES,
        "measure": br.get_measure("F1"),
        "fbeta": br.fbeta(0.3),
        "custom": cost,
        "base rate": rate,
        "table": br.Confusion.of(truth, [0, 1, 1, 1, 1]),
        "draw": draw,
        "null distribution": draw.score("F1"),
        "used null distribution": _used(draw.score(cost)),
        "baseline": base,
        "optimum": base.best,
        "thetas": base.guesses,
        "interval": base.best.guesses.intervals[0],
        "report": report,
        "verdict": report["tree", "F1"],
        "performance": report["tree", "F1"].performance,
        "outcome": report["tree", "F1"].outcome,
        "curve": curve,
        "cut-off": curve.best,
        "diagnosis": curve.diagnosis,
        "codomain": cost.codomain,
        "direction": cost.direction,
        "error": br.exceptions.InvalidCountError("no"),
    }


def _cost(tp: float, fp: float, fn: float, tn: float) -> float:
    return fp + 5 * fn


def _used(null: br.NullDistribution) -> br.NullDistribution:
    """Return a distribution that has filled its caches."""
    null.cdf(0)
    return null


@pytest.mark.parametrize("name", _values())
def test_everything_pickles_and_copies(name: str) -> None:
    """A pickle, a copy and a deep copy equal the original, so processes can share values."""
    value = _values()[name]
    for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(other) is type(value)
        assert repr(other) == repr(value)


def test_a_pickled_catalogue_is_the_catalogue() -> None:
    """The measures of a pickled catalogue are the same objects, so `is` works across processes."""
    assert pickle.loads(pickle.dumps(TWO_CLASS_MEASURES)) is TWO_CLASS_MEASURES
    assert copy.deepcopy(TWO_CLASS_MEASURES)["G2"] is br.get_measure("G2")
    assert repr(TWO_CLASS_MEASURES).startswith("<MEASURES: TP, TN, FN, FP, ")
    with pytest.raises(TypeError):
        TWO_CLASS_MEASURES["mine"] = TWO_CLASS_MEASURES["F1"]  # type: ignore[index]
