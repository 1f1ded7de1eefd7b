"""The counts per distinct score: what they are, what bins lose, and their records."""

from __future__ import annotations

import copy
import json
import math
import pickle
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

import baserate as br
import exact_scores
from baserate.exceptions import InvalidLabelsError, InvalidMeasureError, InvalidScoresError
from baserate.measures.rankings import AUC, auc
from baserate.measures.scores import SCORE_MEASURES
from baserate.observed.score_pairs import JointScores
from baserate.observed.scores import RankedScores, ScoreLevels, kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def _average_precision(scores: RankedScores) -> float:
    tp, drawn = np.cumsum(scores.positives), np.cumsum(scores.positives + scores.negatives)
    met = drawn > 0
    return float((scores.positives[met] / tp[-1]) @ (tp[met] / drawn[met]))


def _brier(scores: RankedScores) -> float:
    lost = scores.positives @ (1 - scores.values) ** 2 + scores.negatives @ scores.values**2
    return float(lost / scores.total)


def _data(size: int = 5000, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.15
    return truth, 1 / (1 + np.exp(-(rng.normal(size=size) + truth - 1.5)))


def test_counts_are_those_of_the_rows() -> None:
    """For all truths and ties of up to 6 rows, the counts give the definitions' scores."""
    for sizes in exact_scores.compositions(6):
        scores = exact_scores.scores_of(sizes)
        for positives in range(1, 6):
            for truth in exact_scores.truths(6, positives):
                found = RankedScores.of(truth, scores)
                assert (found.positives + found.negatives).tolist() == list(sizes)
                exact = [Fraction(each) for each in scores]
                assert auc(found) == pytest.approx(float(exact_scores.auc(truth, exact)), abs=1e-15)
                expected = float(exact_scores.average_precision(truth, exact))
                assert _average_precision(found) == pytest.approx(expected, abs=1e-15)


def test_pairs_in_order() -> None:
    """Pairs are counted exactly, in pieces, also if they are more than 64 bits can hold."""
    truth, values = _data(200_000)
    for scores in (RankedScores.of(truth, values), RankedScores.of(truth, values.round(3))):
        rate = scores.test_set
        share = scores.pairs_in_order / (rate.positives * rate.negatives)
        assert share == pytest.approx(auc(scores), abs=1e-13)
    for size, counts in ((10**9, (10**9, 0)), (2**40, (2**40, 2**39))):
        scores = RankedScores(np.array([2.0, 1.0]), np.array([size, 0]), np.array(counts[::-1]))
        expected = size * counts[0] + size * counts[1] / 2
        assert scores.pairs_in_order == pytest.approx(expected, rel=1e-15)
    halves = RankedScores(np.array([2.0, 1.0]), np.array([0.5, 1.5]), np.array([1.0, 2.5]))
    assert halves.pairs_in_order == 0.5 * 2.5 + (0.5 * 1 + 1.5 * 2.5) / 2


def test_what_it_says() -> None:
    """A few words, the cumulative counts, the test set, and whether all scores are the same."""
    scores = RankedScores.of([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.1])
    assert repr(scores) == "RankedScores(5 observations, 2 positive, 3 distinct scores)"
    assert (
        repr(RankedScores.of([1], [0.5]))
        == "RankedScores(1 observation, 1 positive, 1 distinct score)"
    )
    assert (scores.total, scores.test_set.positives, scores.one_class) == (5, 2, "")
    assert scores.true_positives.tolist() == [1, 2, 2]
    assert scores.predicted_positives.tolist() == [1, 3, 5]
    assert scores.flat == {"positives": 2, "negatives": 3, "distinct_scores": 3}
    assert scores.exact
    assert RankedScores.of([0, 1], [0.5, 0.5]).one_class == "gives every observation the same score"


def test_cells_are_what_scikit_learn_takes() -> None:
    """A row per class and score, with its count as a weight, has scikit-learn's scores."""
    rng = np.random.default_rng(3)
    truth, values = rng.random(300) < 0.3, rng.random(300).round(1)
    cells = RankedScores.of(truth, values).cells
    assert min(cells.counts) >= 1
    for function in (roc_auc_score, average_precision_score, brier_score_loss):
        weighted = function(cells.truth, cells.predicted, sample_weight=cells.counts)
        assert weighted == pytest.approx(function(truth, values), abs=1e-14)


def test_nobody_can_write_to_it() -> None:
    """Arrays are read-only, those of a copy too; those that were given can still be written to."""
    values = np.array([0.9, 0.1])
    scores = RankedScores(values, np.array([1, 0]), np.array([0, 1]), 0.5, np.array([0.0, 0.1]))
    values[0] = 0.8
    assert scores.values[0] == 0.9
    whole = RankedScores(np.array([9, 1]), np.array([1, 0]), np.array([0, 1]))
    assert whole.values.tolist() == [9.0, 1.0]
    assert whole.values.dtype == np.float64
    for each in (scores, pickle.loads(pickle.dumps(scores)), copy.copy(scores)):
        for name in ("values", "positives", "negatives", "widths"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(each, name)[0] = 0


def test_equal_and_hashable() -> None:
    """Equal counts are equal and have one hash; any other number, precision or bin is not."""
    truth, values = _data(200)
    scores = RankedScores.of(truth, values)
    same = RankedScores.of(truth[::-1], values[::-1])
    assert scores == same == pickle.loads(pickle.dumps(scores))
    assert hash(scores) == hash(same)
    itself = scores
    assert scores == itself
    others = [
        RankedScores.of(~truth, values),
        RankedScores.of(truth, values, threshold=0.5),
        RankedScores.of(truth, values.astype(np.float32).astype(float)),
        RankedScores(scores.values, scores.positives, scores.negatives, None, np.ones(200)),
        scores.in_bins(10),
        RankedScores.of(truth[:-1], values[:-1]),
    ]
    assert all(scores != other for other in others)
    assert scores != "scores"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (([0.1, 0.9], [1, 1], [0, 0]), "descending"),
        (([0.9, 0.9], [1, 1], [0, 0]), "descending"),
        (([math.nan], [1], [0]), "descending"),
        (([0.9, 0.1], [1, -1], [0, 0]), "at least 0"),
        (([0.9, 0.1], [1], [0, 0]), r"got the shapes \(1,\), \(2,\)"),
        (([[0.9]], [[1]], [[0]]), "got the shapes"),
        (([0.9], [1], [0], None, [-1.0]), "widths"),
    ],
)
def test_counts_that_cannot_be(arguments: Any, why: str) -> None:
    """Scores descend, each once, with counts of at least 0."""
    with pytest.raises(match=why):
        RankedScores(*arguments)


def test_errors_name_the_argument() -> None:
    """`RankedScores.of` calls its arguments by their names."""
    with pytest.raises(InvalidScoresError, match=r"y_score must not have missing values \(got 1"):
        RankedScores.of([0, 1], [0.5, math.nan])
    with pytest.raises(InvalidScoresError, match="threshold must be a number"):
        RankedScores.of([0, 1], [0.5, 0.6], threshold="high")  # type: ignore[arg-type]
    with pytest.raises(InvalidLabelsError, match="y_true must have at most two classes"):
        RankedScores.of([0, 1, 2], [0.5, 0.6, 0.7])


def test_weights() -> None:
    """Counts are repeated rows; a row that was never seen does not count."""
    truth, values = np.array([True, False, True]), np.array([0.5, 0.5, 0.2])
    found = RankedScores.of_rows(truth, values, None, np.array([2, 1, 0]))
    assert found == RankedScores.of([1, 1, 0], [0.5, 0.5, 0.5])
    assert RankedScores.of_rows(truth, values, None, np.zeros(3, dtype=np.int64)).total == 0


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_a_threshold_is_compared_as_numpy_compares(kind: Any) -> None:
    """A score of 0.7 in short floats is not below a threshold of 0.7, nor after JSON."""
    values = np.array([0.7, 0.3, 0.7, 0.1], dtype=kind)
    scores = RankedScores.of([1, 1, 0, 0], values, threshold=0.7)
    for each in (scores, RankedScores.from_facts(scores.facts), scores.in_bins(8)):
        assert each.table(0.7).predicted_positives == (values >= 0.7).sum() == 2


def test_a_deck_of_scores() -> None:
    """A deck is the scores without their order."""
    deck = ScoreLevels.of((0.2, 0.9, 0.2))
    assert (deck.values.tolist(), deck.sizes.tolist(), deck.total) == ([0.9, 0.2], [1, 2], 3)
    with pytest.raises(InvalidScoresError, match="scores must not have missing values"):
        ScoreLevels.of([0.1, None])


# Bins.

KERNELS: dict[str, Callable[[RankedScores], float]] = {
    "AUC": auc,
    "AP": _average_precision,
    "Brier": _brier,
    "recall": lambda scores: float(scores.table(0.3).tp),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("most", [8, 20, 200, 2000])
def test_bounds_hold(name: str, most: int) -> None:
    """The score of the rows is between the bounds of bins, and near them if there are many."""
    for seed in range(3):
        scores = RankedScores.of(*_data(3000, seed))
        low, high = scores.in_bins(most).bounds(KERNELS[name])
        exact = KERNELS[name](scores)
        assert low <= exact <= high
        assert name == "recall" or high - low < 8 / most
        assert scores.bounds(KERNELS[name]) == (exact, exact)


def test_bounds_hold_whatever_the_order_in_a_bin() -> None:
    """All orders and ties of 7 rows in one bin are within its bounds, and some reach them."""
    for positives in (1, 3, 6):
        found: dict[str, list[float]] = {"AUC": [], "AP": []}
        for sizes in exact_scores.compositions(7):
            blocks = exact_scores.scores_of(sizes)
            rows = [0.4 + 0.2 * (each - 1) / max(len(sizes) - 1, 1) for each in blocks]
            for truth in exact_scores.truths(7, positives):
                scores = RankedScores.of([*truth, 1, 0], [*rows, 0.9, 0.1])
                for name, values in found.items():
                    values.append(KERNELS[name](scores))
        counts = np.array([1, positives, 0]), np.array([0, 7 - positives, 1])
        bins = RankedScores(np.array([0.9, 0.5, 0.1]), *counts, None, np.array([0.0, 0.2, 0.0]))
        for name, values in found.items():
            assert bins.bounds(KERNELS[name]) == pytest.approx((min(values), max(values)))


def test_error_of_auc() -> None:
    """The bound of AUC's error is half of the pairs in bins, and both extremes attain it."""
    scores = RankedScores.of(*_data()).in_bins(50)
    best, worst = scores.extremes()
    assert auc(best) - auc(scores) == pytest.approx(scores.auc_error)
    assert auc(scores) - auc(worst) == pytest.approx(scores.auc_error)
    assert 0 < scores.auc_error < 1 / 50
    assert RankedScores.of(*_data()).auc_error == 0
    assert RankedScores.of([1] * 20, np.arange(20)).in_bins(8).auc_error == 0
    assert not scores.exact
    assert repr(scores).endswith("bins)")
    assert AUC.score_error(scores) == pytest.approx(scores.auc_error)
    assert AUC.score_error(RankedScores.of(*_data())) == 0
    assert math.isnan(AUC.score_error(RankedScores.of([1] * 20, np.arange(20)).in_bins(8)))


def test_results_of_large_scores_are_kept_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, and as long as the scores; of small ones the last results are kept."""
    monkeypatch.setattr("baserate.observed.scores._LARGE", 3)
    asked = []

    @kept(most=1)
    def times(scores: RankedScores, factor: int, *, plus: int) -> int:
        asked.append(factor)
        return factor * scores.total + plus

    large, small = RankedScores.of([0, 1] * 5, range(10)), RankedScores.of([0, 1, 1], range(3))
    assert [times(large, factor, plus=1) for factor in (2, 3, 2, 3)] == [21, 31, 21, 31]
    assert asked == [2, 3]
    assert sorted(large.kept.values()) == [21, 31]
    assert [times(small, factor, plus=0) for factor in (2, 3, 2)] == [6, 9, 6]
    assert asked == [2, 3, 2, 3, 2]
    assert not small.kept


def test_a_measure_of_scores_scores_nothing_else() -> None:
    """The error says what it takes."""
    with pytest.raises(InvalidMeasureError, match=r"AUC must be given Scores to score \(got list"):
        AUC.score([0.1, 0.9])


# Records.


def _through_json(scores: RankedScores) -> RankedScores:
    return RankedScores.from_facts(json.loads(json.dumps(scores.facts, allow_nan=False)))


def test_a_record_is_complete() -> None:
    """Up to 2,000 distinct scores come back as they were, also infinite and short ones."""
    truth, values = _data(2000)
    values[:3] = np.inf, -np.inf, -0.0
    for scores in (
        RankedScores.of(truth, values, threshold=0.25),
        RankedScores.of(truth, values.astype(np.float32)),
        RankedScores.of(truth, values, threshold=math.inf),
        RankedScores.of(truth, values).in_bins(30),
    ):
        assert _through_json(scores) == scores
        assert _through_json(scores).values.dtype == scores.values.dtype


def test_a_record_of_many_scores_is_short() -> None:
    """More are put in bins, which say so; labels at the threshold stay the same."""
    scores = RankedScores.of(*_data(50_000), threshold=0.4)
    found = _through_json(scores)
    assert len(json.dumps(scores.facts)) < 150_000
    assert 1500 < found.values.size <= 2000
    assert found.test_set == scores.test_set
    assert found.table(0.4) == scores.table(0.4)
    assert abs(auc(found) - auc(scores)) <= found.auc_error < 5e-4
    assert _through_json(found) == found


@pytest.mark.parametrize(
    "wrong",
    [
        {"scores": [0.1, 0.9]}, {"scores": ["high", 0.1]}, {"scores": [True, 0.1]},
        {"scores": "0.9"}, {"scores": [1e400, 0.1]}, {"scores": [None, 0.1]},
        {"positives": [1]}, {"positives": [-1, 1]}, {"positives": [1.5, 1]},
        {"negatives": [2**70, 1]}, {"negatives": None}, {"widths": [0.1]}, {"widths": [-1, 0]},
        {"threshold": "low"}, {"precision": "int8"}, {"precision": []},
    ],
)  # fmt: skip
def test_records_that_another_program_wrote(wrong: dict[str, Any]) -> None:
    """A record that cannot be is refused with an error of Python's, as for other tables."""
    facts = RankedScores.of([0, 1], [0.1, 0.9]).facts
    with pytest.raises((ValueError, TypeError, KeyError, OverflowError)):
        RankedScores.from_facts(facts | wrong)
    for name in facts:
        with pytest.raises(KeyError):
            RankedScores.from_facts({key: value for key, value in facts.items() if key != name})


# Two models.


def _joint(size: int = 500, seed: int = 0, digits: int = 1) -> JointScores:
    rng = np.random.default_rng(seed)
    truth, first = _data(size, seed)
    second = np.where(rng.random(size) < 0.3, first, first + rng.normal(size=size))
    return JointScores.of_rows(truth, first.round(digits), second.round(digits))


def test_pairs_of_scores() -> None:
    """Each distinct pair has its positives and negatives, and each model its own counts."""
    truth, first = _data(300)
    first, second = first.round(1), np.where(truth, first, -first).round(1) + 0.0
    joint = JointScores.of_rows(truth, first, second, 0.5)
    pairs = list(zip(joint.first_scores.tolist(), joint.second_scores.tolist(), strict=True))
    assert pairs == sorted(set(zip(first.tolist(), second.tolist(), strict=True)))
    for place, (one, other) in enumerate(pairs):
        rows = (first == one) & (second == other)
        assert joint.positives[place] == (rows & truth).sum()
        assert joint.negatives[place] == (rows & ~truth).sum()
    assert joint.first == RankedScores.of(truth, first, threshold=0.5)
    assert joint.second == RankedScores.of(truth, second, threshold=0.5)
    assert joint.disagreements == (first != second).sum()
    calls = np.stack([first >= 0.5, second >= 0.5])
    for counts, (one, other) in zip(
        joint.labels(0.5), [(True, True), (True, False), (False, True), (False, False)], strict=True
    ):
        rows = (calls[0] == one) & (calls[1] == other)
        assert counts == ((rows & truth).sum(), (rows & ~truth).sum())


def test_a_record_of_pairs() -> None:
    """Up to 2,000 pairs come back as they were; more are put in bins of both models."""
    joint = _joint()
    for each in (joint, pickle.loads(pickle.dumps(joint))):
        found = JointScores.from_facts(json.loads(json.dumps(each.facts, allow_nan=False)))
        assert found == joint
        assert hash(found) == hash(joint)
    assert joint != _joint(seed=1)
    assert joint != 1
    itself = joint
    assert joint == itself
    rate = joint.first.test_set
    counts = {"positives": rate.positives, "negatives": rate.negatives}
    assert joint.flat == counts | {"disagreements": joint.disagreements}
    many = _joint(20_000, digits=9)
    found = JointScores.from_facts(json.loads(json.dumps(many.facts, allow_nan=False)))
    assert 100 < found.positives.size <= 2000
    assert found.disagreements == many.disagreements
    assert found.first.test_set == many.first.test_set
    assert abs(auc(found.first) - auc(many.first)) < 0.02
    assert abs(auc(found.second) - auc(many.second)) < 0.02
    assert repr(joint).startswith("JointScores(500 observations, ")


def test_pairs_that_cannot_be() -> None:
    """Pairs have two scores each, and counts of at least 0."""
    facts = _joint(20).facts
    for wrong in ({"first_scores": [1.0]}, {"positives": [-1]}, {"precision": ["int8", "int8"]}):
        with pytest.raises((ValueError, TypeError, KeyError)):
            JointScores.from_facts(facts | wrong)
    with pytest.raises(match="per distinct pair"):
        JointScores(np.zeros(3), np.zeros(3), np.zeros(2), np.zeros(3))


def test_baselines_of_scores_are_proved() -> None:
    """None of the catalogue is found by a search."""
    rate = br.BaseRate(positives=2, total=20)
    for key in SCORE_MEASURES:
        base = br.baseline(rate, key)
        assert base.best.exact, key
        assert base.worst.exact, key
