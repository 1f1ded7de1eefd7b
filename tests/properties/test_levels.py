"""p-values are valid: those of useless models are small as rarely as they say."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

import baserate as br
from front_door import gain, verdict
from properties.agreement import but, few_examples
from properties.kinds import KINDS, Kind, Rows, Sketch, numbers, sketches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NOT_COUNTED = ["numbers, Kendall", "weighted numbers, Pearson"]
ROUNDING = 1 - 1e-9
SIMULATED = (
    "shuffles of numbers are drawn where they could be counted; mended when numbers move to the "
    "one null distribution, which counts them while they are few"
)


# No p-value is smaller than the share of shuffles that are what was observed.


def _keys(column: Any) -> list[Any]:
    return [tuple(np.atleast_1d(each).tolist()) for each in column]


def _truths(rows: Rows) -> list[Any]:
    """Return what a shuffle gives a prediction to: a true value, and the weight of its row."""
    columns = [rows.y_true] if rows.weights is None else [rows.y_true, rows.weights]
    return _keys(np.column_stack(columns))


def _share_of_shuffles(rows: Rows) -> float:
    """Return the share of all orders of the first predictions that give the rows as they are."""

    def log_orders(column: Iterable[Any]) -> float:
        return sum(math.lgamma(count + 1) for count in Counter(column).values())

    truths, predictions = _truths(rows), _keys(rows.first)
    pairs = list(zip(truths, predictions, strict=True))
    same = log_orders(truths) + log_orders(predictions) - log_orders(pairs)
    return math.exp(same - math.lgamma(len(truths) + 1))


def _assert_possible(kind: Kind, rows: Rows) -> None:
    found = verdict(rows.y_true, rows.first, kind.measure, **kind.asked(rows))
    least = _share_of_shuffles(rows) * ROUNDING
    assert found.p_value >= least
    assert found.p_worse >= least


def _knowing(kind: Kind, sketch: Sketch) -> Rows:
    """Return rows whose labels or numbers are all predicted right: the smallest p-value."""
    rows = kind.rows(sketch)
    is_right = rows.y_true.dtype == rows.first.dtype and rows.first.ndim == 1
    return replace(rows, first=rows.y_true) if is_right else rows


@pytest.mark.parametrize("name", but(KINDS, NOT_COUNTED, SIMULATED))
@given(sketch=sketches)
@example(sketch=Sketch(rows=11, seed=6, signal=0.9, share=0.5, levels=4))
@few_examples
def test_least_p_value_of_more_rows(name: str, sketch: Sketch) -> None:
    """So it is where not all orders are counted one by one."""
    _assert_possible(KINDS[name], _knowing(KINDS[name], sketch))


FAR = np.array([1_000_000.2, 999_999.4, 999_998.7, 999_998.6, 1_000_000.5])
NEAR = np.array([0.1, 0.2, 0.2, 0.1, 0.2])
TWO = np.array([1000.4, 1000.4, 1000.4, 1000.3, 1000.4])
UNEQUAL = np.array([1e5, 0.1, 1.0, 1e-5, 1e-6])
ONE = np.array([1000.3, 1000.4, 1000.3, 1000.3, 1000.3])
ODD = np.array([0.7133150511297087, 0.009750914763947405, 0.5671407634520171, 0.95372, 0.23696])


@pytest.mark.parametrize(
    "measure",
    ["RMSE", "MAE", "R2", "Spearman", "Pearson", "Kendall", "CCC", "explained variance"],
)
def test_least_p_value_of_unequal_weights(measure: str) -> None:
    """Neither is it below that share where weights or numbers differ by orders of magnitude."""
    kind = Kind(measure, numbers, {"task": "regression"}, weighted=True)
    few = np.array([2.0, 1.0, 1.0, 1.0, 2.0])
    powers = np.array([1e-5, 100.0, 1e4, 0.1, 1.0])
    for truth, weights in ((FAR, few), (NEAR, UNEQUAL), (TWO, powers), (ONE, ODD)):
        _assert_possible(kind, Rows(truth, truth, truth, weights))


@pytest.mark.parametrize("name", KINDS)
@given(sketch=sketches, size=st.integers(5, 10))
@few_examples
def test_least_p_value_of_a_pair(name: str, sketch: Sketch, size: int) -> None:
    """Of all ways to swap two models, none and all are as far apart as they are."""
    kind = KINDS[name]
    rows = _knowing(kind, replace(sketch, rows=size))
    found = gain(rows.y_true, rows.first, rows.second, kind.measure, **kind.asked(rows))
    different = sum(a != b for a, b in zip(_keys(rows.first), _keys(rows.second), strict=True))
    assert found.p_value >= 2 / 2 ** max(different, 1) * ROUNDING


# Over all shuffles, or all swaps, a p-value of at most p has at most the share p.


def _assert_valid(p_values: Counter[float]) -> None:
    total, seen = p_values.total(), 0
    for p_value in sorted(p_values):
        seen += p_values[p_value]
        assert seen / total * ROUNDING <= p_value


@pytest.mark.parametrize("name", KINDS)
def test_all_shuffles(name: str) -> None:
    """Among all shuffles of six rows with ties, small p-values in either direction are rare."""
    kind = KINDS[name]
    rows = kind.rows(Sketch(rows=6, seed=9, signal=0.5, share=0.5, levels=4))
    rows = replace(rows, first=rows.first[[0, 1, 2, 3, 0, 1]])
    better, worse = Counter[float](), Counter[float]()
    for shuffled, count in _different(rows).values():
        found = verdict(shuffled.y_true, shuffled.first, kind.measure, **kind.asked(shuffled))
        better[round(found.p_value, 12)] += count
        worse[round(found.p_worse, 12)] += count
    _assert_valid(better)
    _assert_valid(worse)


def _different(rows: Rows) -> dict[Any, tuple[Rows, int]]:
    """Return the shuffles that differ in more than the order of rows, and how often each is."""
    found: dict[Any, tuple[Rows, int]] = {}
    for order in itertools.permutations(range(rows.y_true.size)):
        shuffled = replace(rows, first=rows.first[list(order)])
        key = tuple(sorted(zip(_truths(shuffled), _keys(shuffled.first), strict=True)))
        one, count = found.get(key, (shuffled, 0))
        found[key] = (one, count + 1)
    return found


# Of useless models on more rows, as many have a small p-value as a simulation allows.

LEVELS = (0.05, 0.2)
SURELY = 1 - 1e-4


def _assert_rarely_small(p_values: list[float]) -> None:
    for level in LEVELS:
        allowed = binom.ppf(SURELY, len(p_values), level)
        assert sum(p_value <= level for p_value in p_values) <= allowed


def _useless(kind: Kind, rows: int, many: int) -> Iterator[Rows]:
    """Yield test sets whose models know nothing; the signal is that of the sketch."""
    for seed in range(many):
        levels = (4, 1000)[seed % 2]
        yield kind.rows(Sketch(rows=rows, seed=seed, signal=0.0, share=0.2, levels=levels))


QUICK = ["two classes, F1", "top-k"]
SIMULATIONS = [
    pytest.param(name, marks=[] if name in QUICK else pytest.mark.exhaustive) for name in KINDS
]


@pytest.mark.parametrize("name", SIMULATIONS)
def test_useless_models(name: str) -> None:
    """Guesses are as rarely better than chance, and as rarely worse, as their p-values say."""
    kind = KINDS[name]
    found = [
        verdict(rows.y_true, rows.first, kind.measure, **kind.asked(rows))
        for rows in _useless(kind, 24, 150)
    ]
    _assert_rarely_small([each.p_value for each in found])
    _assert_rarely_small([each.p_worse for each in found])


@pytest.mark.parametrize("name", SIMULATIONS)
def test_useless_pairs(name: str) -> None:
    """Two guesses are as rarely said to differ as their p-values say."""
    kind = KINDS[name]
    found = [
        gain(rows.y_true, rows.first, rows.second, kind.measure, **kind.asked(rows)).p_value
        for rows in _useless(kind, 24, 150)
    ]
    _assert_rarely_small(found)


@pytest.mark.parametrize("measure", ["Kendall", "Spearman"])
def test_useless_pairs_by_ranks(measure: str) -> None:
    """Nor are two guesses said to differ more often where the truth is rarely 1."""
    p_values = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth, first = (1.0 * (rng.permutation(60) < 3) for _ in "12")
        found = gain(truth, first, rng.normal(size=60), measure, task="regression")
        p_values.append(found.p_value)
    _assert_rarely_small(p_values)


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_that_are_rarely_one(sign: int) -> None:
    """Of all places of two ones among 25, at most 5% are better than chance at the 5% level."""
    predicted, p_values = sign * np.random.default_rng(0).normal(size=25), []
    for places in itertools.combinations(range(25), 2):
        truth = np.zeros(25)
        truth[list(places)] = 1
        p_values.append(br.p_value(truth, predicted, "RMSE"))
    assert np.mean(np.array(p_values) < 0.05) <= 0.05
