"""Labels with importance weights as a task: reading, scores, verdicts, comparisons and records."""

from __future__ import annotations

import math
import warnings
from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.baselines import weighted as optimum
from baserate.baselines.weighted import weighted_baseline
from baserate.core.observed import Rows, Weights
from baserate.data.engines import labels as engine
from baserate.exceptions import (
    BaserateError,
    InvalidFrameError,
    InvalidPredictionsError,
    UndefinedMeasureError,
)
from baserate.kinds.weighted.task import WEIGHTED_LABELS
from baserate.kinds.weighted.task import WEIGHTED_LABELS as TASK
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.measures.weighted import WeightedMeasure
from baserate.observed.weighted import WeightedJoint, WeightedLabels, joined
from baserate.verdicts.verdict import VERDICT_NUMBERS as NUMBERS
from weighted_cases import cases, weighted

mpl.use("Agg")
RNG = np.random.default_rng(20)
TRUTH = RNG.random(80) < 0.4
GOOD, FLIP = np.where(RNG.random(80) < 0.93, TRUTH, ~TRUTH), RNG.random(80) < 0.5
MODELS = {"good": GOOD, "flip": FLIP}
WEIGHTS = np.round(RNG.lognormal(0, 0.7, 80), 2) + 0.01
EVERY_KIND = pytest.mark.parametrize(
    "weights",
    [WEIGHTS, np.where(TRUTH, 3.0, 1.0), np.full(80, 2.5)],
    ids=["free", "class", "equal"],
)


LABELS = WeightedLabels.of_rows([1, 0, 1, 0], [1, 1, 0, 0], [1.0, 2.0, 3.0, 4.0])


def _asked(weights: Any) -> dict[str, Any]:
    return {"sample_weight": weights, "weights": "importance"}


@pytest.mark.parametrize("key", [key for key, each in TWO_CLASS_MEASURES.items() if each.sklearn])
def test_scores_equal_those_of_scikit_learn(key: str) -> None:
    """A weighted score is scikit-learn's with `sample_weight`."""
    measure = weighted(key)
    for case in cases(6, 10, seed=21):
        score, reason = measure.score_or_reason(case.labels)
        assert measure.sklearn is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = measure.sklearn.score(case.truth, case.first, case.floats)
        assert reason or score == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "weights", [[1.0, -1, 1, 1], [0.0, 0, 0, 0], [1.0, np.nan, 1, 1], [1.0, 2], [1, 2, 3, "x"]]
)
def test_bad_weights_raise(weights: list[object]) -> None:
    """Weights are finite numbers of 0 or more, one for each row, and not all 0."""
    with pytest.raises(BaserateError, match="sample_weight"):
        br.evaluate([1, 0, 1, 0], [1, 0, 1, 0], **_asked(weights))


@EVERY_KIND
def test_reports_are_written_and_read_again(weights: object) -> None:
    """Text, HTML, LaTeX, Markdown, frames and JSON work, and JSON gives the same report."""
    report = br.evaluate(TRUTH, MODELS, ["ACC", "F1", "MCC"], **_asked(weights))
    assert br.Report.from_json(report.to_json()) == report
    assert "80 observations" in str(report)
    for written in (report.to_html(), report.to_latex(), report.to_markdown()):
        assert "good" in written
    assert report.to_frame(full=True)["observations"].tolist() == [80] * 6
    assert {each.outcome.value for each in report["good"]} <= {"clears", "unsure"}
    axes = br.plots.NullDistributionDisplay.from_report(report["good"], "F1").ax_
    assert axes.patches or axes.lines or axes.collections
    with pytest.raises(BaserateError, match="importance weights"):
        br.plots.BaselineDisplay.from_report(report["good"], "F1")


@EVERY_KIND
def test_pairs_are_compared_and_written(weights: object) -> None:
    """Differences have limits, p-values and a record that gives the same table."""
    found = br.compare(TRUTH, MODELS, ["ACC", "F1", "MCC"], **_asked(weights))
    assert [each.winner for each in found] == ["good"] * 3
    assert all(each.low < each.difference < each.high for each in found)
    assert br.Comparison.from_json(found.to_json()) == found
    frame = pl.DataFrame({"y": TRUTH, **MODELS, "w": weights})
    asked = _asked("w") | {"truth": "y", "measures": ["ACC", "F1", "MCC"]}
    assert br.compare(frame, list(MODELS), **asked) == found


@pytest.mark.parametrize("weight", [1.0, 0.7])
def test_equal_weights_give_the_verdicts_without_weights(weight: float) -> None:
    """Scores, baselines, p-values and limits are those of unweighted labels."""
    measures = ["ACC", "BACC", "F1", "MCC", "KAPPA", "PPV", "G2"]
    ours = br.evaluate(TRUTH, MODELS, measures, **_asked(np.full(80, weight)))
    for one, other in zip(ours, br.evaluate(TRUTH, MODELS, measures), strict=True):
        for name in NUMBERS:
            mine, plain = getattr(one, name), getattr(other, name)
            assert mine == pytest.approx(plain, rel=1e-14, nan_ok=True), (one.measure, name)
        assert one.outcome is other.outcome
        assert one.exact


@pytest.mark.parametrize(
    "change",
    [
        {"weights": [2.0, 1.0]},
        {"weights": [0.0, 1.0]},
        {"tp": [1]},
        {"tp": [1, -1]},
        {"tp": [1, 0.5]},
    ],
)
def test_bad_records_raise(change: dict[str, object]) -> None:
    """A record needs ascending weights above 0, and a count for each."""
    facts = WeightedLabels.of_rows([1, 1, 0], [1, 0, 1], [1.0, 2.0, 2.0]).facts
    with pytest.raises((ValueError, TypeError)):
        TASK.observed(facts | change)


def test_no_score_has_no_chance() -> None:
    """A model that predicts no positives has no precision, and no p-value of it."""
    found = br.evaluate([1, 0, 1, 0], [0, 0, 0, 0], "PPV", **_asked([1.0, 2.0, 3.0, 4.0]))
    assert found.verdicts[0].outcome is br.Outcome.UNDEFINED
    assert math.isnan(found.verdicts[0].p_value)
    assert "P̂ > 0" in found.verdicts[0].reason
    one_weight = br.evaluate([1, 0, 1, 0], [1, 0, 1, 0], "ACC", **_asked([2.0] * 4))
    assert one_weight.verdicts[0].p_value == pytest.approx(1 / 6)


def test_functions_of_one_s_own() -> None:
    """The lowest cost is the best of chance; a function may have no value somewhere."""
    truth = [1, 1, 1, 0, 0, 0]
    cost = br.Measure.custom(
        "cost", lambda tp, fp, fn, tn: fp + fn * (fn > 1), direction="minimize"
    )
    for weights in ([1.0, 2.0, 3.0, 1.5, 2.5, 4.0], [2.0, 2.0, 2.0, 1.0, 1.0, 1.0]):
        (verdict,) = br.evaluate(truth, truth, cost, **_asked(weights))
        assert verdict.p_value == pytest.approx(1 / 20)
    hits = br.Measure.custom("hits", lambda tp, fp, fn, tn: math.log(tp) if tp > 2 else math.nan)
    (verdict,) = br.evaluate([1, 0, 1, 0], [1, 1, 0, 0], hits, **_asked([1.0, 2.0, 3.0, 4.0]))
    assert math.isnan(verdict.score)
    (verdict,) = br.evaluate([1, 1, 0, 0], [1, 0, 1, 0], hits, **_asked([3.0, 1.0, 1.0, 2.0]))
    assert (verdict.score, math.isnan(verdict.p_value)) == (math.log(3), True)
    affine = br.Measure.custom("affine", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    (verdict,) = br.evaluate([1, 0, 0], [1, 0, 0], affine, **_asked([1.0, 2.0, 4.0]))
    assert (verdict.baseline, verdict.exact) == (5.0, True)


def _custom(function: Any, **options: Any) -> WeightedMeasure:
    return WeightedMeasure.by(br.Measure.custom("mine", function, **options))


def test_a_function_that_is_straight_only_for_symbols() -> None:
    """What adds and scales its counts, but not those of real tables, is no straight line."""

    def two_faced(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return tp**2 if isinstance(tp, float | np.ndarray) else tp

    base = WeightedLabels.of_rows([1, 0, 1], [1, 1, 0], [0.5, 2.5, 3.25]).test_set
    assert weighted_baseline(base, _custom(two_faced)).max.value == pytest.approx(3.75**2)


def test_a_search_of_many_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at some sizes, and then at those around the best: what every size would give."""
    truth, weights = RNG.random(150) < 0.3, RNG.lognormal(0, 1, 150)
    one, same = (WeightedLabels.of_rows(truth, truth, unit * weights).test_set for unit in (1, 2))
    measure = _custom(lambda tp, fp, fn, tn: np.minimum(tp / (tp + fn), tn / (tn + fp)))
    every = weighted_baseline(one, measure).best
    monkeypatch.setattr(optimum, "_EVERY", 100)
    monkeypatch.setattr(optimum, "_GRID", 12)
    some = weighted_baseline(same, measure).best
    assert some.value == pytest.approx(every.value, rel=0.01)
    assert next(iter(some.guesses)) == pytest.approx(0.5, abs=0.1)


def test_frames_with_too_many_kinds_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many leave an engine."""
    frame = pl.LazyFrame({"y": [1, 0, 1], "p": [1, 1, 0], "w": [1.0, 2.0, 3.0]})
    monkeypatch.setattr(engine, "MOST_ROWS", 2)
    with pytest.raises(InvalidFrameError, match="at most 2 different rows"):
        br.evaluate(frame, "p", truth="y", sample_weight="w", weights="importance")


def test_rows_without_weight_are_left_out_whatever_they_are() -> None:
    """Their labels may be missing, and they are not among those that were dropped for it."""
    truth, said, weights = [1, 0, 1, 0, None, None], [1, 1, 1, 0, 0, 1], [1, 2, 1, 3, 0, 0]
    given: Any = {"weights": "importance", "measures": "F1"}
    whole = br.evaluate(truth[:4], said[:4], sample_weight=weights[:4], **given)
    assert br.evaluate(truth, said, sample_weight=weights, **given) == whole
    for last, dropped in ((0, 0), (2, 1)):
        found = br.evaluate(
            truth, said, sample_weight=[*weights[:5], last], missing="drop", **given
        )
        assert (found.dropped, found.verdicts) == (dropped, whole.verdicts)


@pytest.mark.parametrize("rows", [4, 60])
def test_functions_that_have_no_value_at_all(rows: int) -> None:
    """They have no baseline, whether all draws are counted or some are drawn."""
    truth = np.arange(rows) % 2 == 0
    base = WeightedLabels.of_rows(truth, truth, np.arange(1.0, rows + 1)).test_set
    with pytest.raises(UndefinedMeasureError):
        weighted_baseline(base, _custom(lambda tp, fp, fn, tn: math.nan * tp * fn))


def test_the_ends_of_the_scale() -> None:
    """The baseline needs nothing of an oracle; what is perfect may be an end, or not known."""

    def ratio(tp: float, fp: float, fn: float, tn: float) -> float:
        return (tp + tn) / (tp + tn + fp + fn) if fp + fn else math.nan

    def whole(tp: Any, fp: Any, fn: Any, tn: Any) -> float:
        if fp != int(fp):
            raise ValueError
        return float(tp * tp - fp)

    base = LABELS.test_set
    assert WEIGHTED_LABELS.baseline(base, _custom(ratio, codomain=(0, 1))).scale.perfect == 1.0
    assert math.isnan(WEIGHTED_LABELS.baseline(base, _custom(ratio)).scale.perfect)
    assert math.isnan(WEIGHTED_LABELS.baseline(base, _custom(whole)).oracle_weight(8.5))
    assert WEIGHTED_LABELS.baseline(base, weighted("F1")).oracle_weight(4 / 7) == 0.0
    negatives = WeightedLabels.of_rows([0, 0, 0], [1, 0, 1], [1.0, 2.0, 4.0]).test_set
    assert WEIGHTED_LABELS.baseline(negatives, weighted("PPV")).scale.perfect == 0


def test_counted_labels() -> None:
    """They stand for themselves, in words and as records, and not beside other labels."""
    base = LABELS.test_set
    said = "(4 observations, 2 positive, total weight 10, 40.0% of it positive)"
    assert (repr(base), repr(LABELS)) == (f"WeightedBase{said}", f"WeightedLabels{said}")
    assert base.share == ("positive", "2 of 4 (40.0% by weight)")
    assert list(base.facts) == ["weights", "positives", "negatives"]
    assert LABELS.cells.counts == (1.0, 2.0, 3.0, 4.0)
    joint = WeightedJoint.of_rows([1], [1], [0], [2.0])
    assert not {base, LABELS, joint} & {1, "labels"}
    assert all(each != 1 for each in (base, LABELS, joint))
    assert TASK.takes_importance
    plain = TASK.count([1, 0, 1], [1, 1, 0])
    assert plain.counts == (1.0, 1.0, 1.0, 0.0)
    assert (
        TASK.test_set_of(plain) == TASK.test_set_of(plain.test_set) == TASK.test_set_of([1, 0, 1])
    )
    with pytest.raises(BaserateError):
        TASK.test_set_of(3)
    TASK.require_test_set("model", LABELS, None, None)
    for table, truth in ((LABELS, [1, 0, 1, 0]), (WeightedLabels.of_rows([], [], []), None)):
        with pytest.raises(InvalidPredictionsError, match=r"must be counted on|one observation"):
            TASK.require_test_set("model", table, truth, None)
    frame = pl.LazyFrame({"y": [1, 0, 1, 0], "w": [1.0, 2.0, 3.0, 4.0]})
    rows = Rows(weights=Weights("w", "importance"))
    assert TASK.count_column(frame, "y", rows) == (base, 0)


def test_many_weights_are_joined() -> None:
    """Neighbours are joined; counts and sums stay, and most of the spread."""
    weights = np.sort(np.random.default_rng(6).lognormal(0, 1, 5_000))
    sizes, values = joined(weights, np.ones(5_000, dtype=np.int64))
    assert (sizes.size <= 500, sizes.sum()) == (True, 5_000)
    assert sizes @ values == pytest.approx(weights.sum())
    assert sizes @ values**2 == pytest.approx((weights**2).sum(), rel=1e-3)
