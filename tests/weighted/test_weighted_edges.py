"""Weighted labels at their edges: nothing to score, too much to count, and functions of a user."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate import Measure
from baserate.baselines import weighted as optimum
from baserate.baselines.weighted import weighted_baseline
from baserate.core.measure import Direction
from baserate.data.engines import labels as engine
from baserate.exceptions import InvalidFrameError, InvalidPredictionsError, UndefinedMeasureError
from baserate.kinds.weighted.intervals import swap_test
from baserate.kinds.weighted.task import WEIGHTED_LABELS
from baserate.kinds.weighted.task import WEIGHTED_LABELS as TASK
from baserate.measures.weighted import WeightedMeasure
from baserate.observed.weighted import WeightedBase, WeightedJoint, WeightedLabels
from baserate.task import Chance
from weighted_cases import weighted

RNG = np.random.default_rng(25)
LABELS = WeightedLabels.of_rows([1, 0, 1, 0], [1, 1, 0, 0], [1.0, 2.0, 3.0, 4.0])


def _custom(function: Any, **options: Any) -> WeightedMeasure:
    return WeightedMeasure.by(Measure.custom("mine", function, **options))


def test_a_test_set_in_words_and_as_facts() -> None:
    """It says how many are positive, and of what weight."""
    base = LABELS.test_set
    assert repr(base) == (
        "WeightedBase(4 observations, 2 positive, total weight 10, 40.0% of it positive)"
    )
    assert repr(LABELS) == repr(base).replace("Base", "Labels")
    assert base.share == ("positive", "2 of 4 (40.0% by weight)")
    assert WeightedBase(*map(np.array, base.facts.values())) == base


def test_equality_is_with_their_own_kind() -> None:
    """Counts are no test set and no joint counts."""
    joint = WeightedJoint.of_rows([1, 0], [1, 1], [0, 1], [2.0, 1.0])
    every: list[object] = [LABELS, LABELS.test_set, joint]
    for place, one in enumerate(every):
        assert [one == other for other in every] == [place == each for each in range(3)]
    assert joint == WeightedJoint.from_facts(joint.facts)
    assert joint.flat == {"observations": 2, "disagreements": 1}
    assert hash(joint) == hash(WeightedJoint.from_facts(joint.facts))


def test_cells_are_those_that_are_not_empty() -> None:
    """A table shows weights, with labels 0 and 1."""
    cells = WeightedLabels.of_rows([1, 0, 1], [1, 1, 1], [1.0, 2.0, 3.0]).cells
    assert list(zip(*cells, strict=True)) == [(1, 1, 4.0), (0, 1, 2.0)]


def test_measures_by_themselves_and_by_name() -> None:
    """A weighted measure stands for itself, alone or among names."""
    measure = weighted("F1")
    assert TASK.chosen(measure) == (measure,)
    assert TASK.chosen([measure, "ACC"]) == (measure, weighted("ACC"))
    assert TASK.named(measure) is TASK.named("F1") is measure
    assert TASK.named("no measure") is None
    assert TASK.weighted is TASK.about([measure]) is TASK
    assert "ACC" in TASK.nearest("ACCC")
    assert TASK.test_set_of(LABELS.test_set, None) is LABELS.test_set


def test_no_score_has_no_chance() -> None:
    """The law of no score is none, however it was found."""
    for rows in (4, 200):
        truth = np.arange(rows) % 3 == 0
        labels = WeightedLabels.of_rows(truth, truth, RNG.lognormal(0, 1, rows))
        law = TASK.null_of_guess(weighted("MCC"), labels.test_set, rows // 2)
        assert law.method == ("exact" if rows == 4 else "permutations")
        assert math.isnan(law.tail(math.nan, Direction.MAXIMIZE))
    none = WeightedLabels.of_rows([1, 0, 1, 0], [0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0])
    assert math.isnan(Chance(TASK, none).tails(weighted("PPV"), 0.5).better)
    one_weight = WeightedLabels.of_rows([1, 0, 1, 0], [1, 0, 1, 0], [2.0] * 4)
    assert Chance(TASK, one_weight).tails(weighted("ACC"), 1.0).better == pytest.approx(1 / 6)


def test_chances_of_costs_and_of_weights_by_class() -> None:
    """The best of luck is the lowest cost; with weights by class the law is that of counts."""
    truth = [1, 1, 1, 0, 0, 0]
    cost = _custom(lambda tp, fp, fn, tn: fp + fn * (fn > 1), direction="minimize")
    free = WeightedLabels.of_rows(truth, truth, [1.0, 2.0, 3.0, 1.5, 2.5, 4.0])
    assert Chance(TASK, free, (0.5, 1.0)).null_interval(cost)[0] == 0
    assert Chance(TASK, free, (0.0, 0.5)).null_interval(cost)[0] > 0
    by_class = WeightedLabels.of_rows(truth, truth, [2.0, 2.0, 2.0, 1.0, 1.0, 1.0])
    for labels in (free, by_class):
        assert Chance(TASK, labels).tails(cost, 0.0).better == pytest.approx(1 / 20)


def test_models_without_a_score_are_not_swapped() -> None:
    """Precision of a model that predicts no positives is not compared."""
    joint = WeightedJoint.of_rows([1, 0, 1], [0, 0, 0], [1, 0, 1], [2.0, 1.0, 3.5])
    assert math.isnan(swap_test(weighted("PPV"), joint)[0])


def test_functions_that_have_no_value_somewhere() -> None:
    """A logarithm of no true positives has none: a reason, no law and no baseline."""
    hits = _custom(lambda tp, fp, fn, tn: math.log(tp) if tp > 2 else math.nan)
    score, reason = hits.score_or_reason(LABELS)
    assert math.isnan(score)
    assert "no value at" in reason
    with pytest.raises(UndefinedMeasureError):
        TASK.null_of_guess(hits, LABELS.test_set, 2)


@pytest.mark.parametrize("rows", [4, 60])
def test_functions_that_have_no_value_at_all(rows: int) -> None:
    """They have no baseline, whether all draws are counted or some are drawn."""
    truth = np.arange(rows) % 2 == 0
    base = WeightedLabels.of_rows(truth, truth, np.arange(1.0, rows + 1)).test_set
    with pytest.raises(UndefinedMeasureError):
        weighted_baseline(base, _custom(lambda tp, fp, fn, tn: math.nan * tp * fn))


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


def test_perfection_of_one_class() -> None:
    """Without positives, precision is 0 of every draw that has one, and nothing is better."""
    base = WeightedLabels.of_rows([0, 0, 0], [1, 0, 1], [1.0, 2.0, 4.0]).test_set
    assert WEIGHTED_LABELS.baseline(base, weighted("PPV")).scale.perfect == 0


def test_functions_of_whole_numbers_have_no_oracle_weight() -> None:
    """A mixture of draw and oracle has fractions, which a user's function may not take."""

    def whole(tp: Any, fp: Any, fn: Any, tn: Any) -> float:
        if fp != int(fp):
            raise ValueError
        return float(tp * tp - fp)

    base = WeightedLabels.of_rows([1, 1, 0, 0], [1, 0, 1, 0], [1.0, 2.0, 3.0, 4.0]).test_set
    assert math.isnan(WEIGHTED_LABELS.baseline(base, _custom(whole)).oracle_weight(8.5))


def test_measures_that_every_draw_scores_alike() -> None:
    """Youden's J expects 0 of any draw, which is said so."""
    base = LABELS.test_set
    assert (
        WEIGHTED_LABELS.baseline(base, _custom(lambda tp, fp, fn, tn: tp + fn)).guess == "any guess"
    )
    assert WEIGHTED_LABELS.baseline(base, weighted("F1")).guess == "everyone positive"


def test_perfection_where_the_function_has_no_value_there() -> None:
    """The end of its range, if that is finite."""

    def ratio(tp: float, fp: float, fn: float, tn: float) -> float:
        return (tp + tn) / (tp + tn + fp + fn) if fp + fn else math.nan

    base = LABELS.test_set
    limited = WEIGHTED_LABELS.baseline(base, _custom(ratio, codomain=(0, 1)))
    assert limited.scale.perfect == 1.0
    assert math.isnan(WEIGHTED_LABELS.baseline(base, _custom(ratio)).scale.perfect)


def test_counted_labels_have_no_rows() -> None:
    """They cannot stand beside other labels, and an empty table beside nothing."""
    require = TASK.require_test_set
    require("model", LABELS, None, None)
    with pytest.raises(InvalidPredictionsError, match="have no rows"):
        require("model", LABELS, [1, 0, 1, 0], None)
    with pytest.raises(InvalidPredictionsError, match="at least one observation"):
        require("model", WeightedLabels.of_rows([], [], []), None, None)


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
