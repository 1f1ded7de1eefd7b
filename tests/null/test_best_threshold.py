"""The best threshold in hindsight: against enumeration, permutations and itself."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest

import baserate as br
import exact
import exact_scores
from baserate.core.measure import Direction
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.null.best_threshold import Thresholds, Walk, best_threshold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


UP = Direction.MAXIMIZE
KEYS = sorted(set(exact.DEFINITIONS) & set(TWO_CLASS_MEASURES))


def _thresholds(sizes: Sequence[int], positives: int, measure: Any) -> Thresholds:
    total = sum(sizes)
    scores = -np.repeat(np.arange(len(sizes)), sizes)
    truth = (np.arange(total) < positives).astype(int)
    return br.threshold_curve(truth, scores, measure, pos_label=1)._thresholds


def _value(key: str) -> Callable[[int, int, int, int], Fraction | None]:
    """A measure in exact numbers that order the scores, higher for better ones."""
    sign = 1 if br.get_measure(key).direction is Direction.MAXIMIZE else -1

    def value(tp: int, fp: int, fn: int, tn: int) -> Fraction | None:
        try:
            score = exact.DEFINITIONS[key](tp, fp, fn, tn)
        except ZeroDivisionError:
            return None
        return sign * (score.sign * score.square if isinstance(score, exact.Root) else score)

    return value


def _score(key: str, value: Fraction) -> float:
    sign = 1 if br.get_measure(key).direction is Direction.MAXIMIZE else -1
    table = exact.DEFINITIONS[key](3, 2, 2, 4)
    if isinstance(table, exact.Root):
        return sign * math.copysign(
            float(mpmath.sqrt(abs(mpmath.mpf(value.numerator)) / value.denominator)), value
        )
    return sign * float(value)


def _cases(seed: int, count: int, most: int) -> list[tuple[tuple[int, ...], int]]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        total = int(rng.integers(2, most + 1))
        cuts = np.flatnonzero(rng.random(total - 1) < rng.random()) + 1
        sizes = tuple(np.diff([0, *cuts.tolist(), total]).tolist())
        found.append((sizes, int(rng.integers(1, total))))
    return found


def _agree(
    sizes: Sequence[int],
    positives: int,
    measure: Any,
    value: Callable[..., Fraction | None],
    score: Callable[[Fraction], float],
) -> int:
    """Compare all tails with enumeration, by a list and by a walk; return how many there were.

    They are those of the labellings that have a score at all.
    """
    known = exact_scores.best_cut_law(sizes, positives, value)
    defined = 1 - known.pop(None, Fraction())
    thresholds = _thresholds(sizes, positives, measure)
    null, better = best_threshold(thresholds), br.get_measure(measure).direction
    assert null.exact
    for each in sorted(known):
        reached = sum(p for other, p in known.items() if other >= each)
        beyond = reached - known[each]
        at = score(each)
        assert null.tail(at, better) == pytest.approx(float(reached / defined), rel=1e-12)
        worse = null.tail(at, better.opposite)
        assert worse == pytest.approx(float(1 - beyond / defined), abs=1e-12)
        if 0 < positives < sum(sizes):
            goodness = at if better is UP else -at
            walked = Walk(thresholds).reaching(goodness - 1e-12)
            assert walked == pytest.approx(float(reached), rel=1e-12)
    return len(known)


def _agree_by_name(sizes: Sequence[int], positives: int, key: str) -> int:
    return _agree(sizes, positives, key, _value(key), lambda value: _score(key, value))


@pytest.mark.parametrize("key", KEYS)
def test_every_tail_is_that_of_enumeration(key: str) -> None:
    """All measures, with ties of all kinds, up to rounding: scores that tie count as reached."""
    assert sum(_agree_by_name(*case, key) for case in _cases(len(key), 12, 12)) > 0


def _wave(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """A function that more true positives may make worse."""
    return (tp * 7 + fp * 3) % 5 - (tn * 2 + fn) % 3


def _partial(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """A function without arrays that often has no value."""
    return math.nan if (tp + 2 * fp) % 3 == 0 else tp - (tp - 2) ** 2 + fn * tn


@pytest.mark.parametrize(
    ("function", "direction"),
    [
        (_wave, "maximize"),
        (_wave, "minimize"),
        (_partial, "maximize"),
        (_partial, "minimize"),
        (lambda tp, fp, fn, tn: fp + 5 * fn, "minimize"),
        (lambda tp, fp, fn, tn: fp + 5 * fn, "maximize"),
    ],
)
def test_functions_of_one_s_own(function: Callable[..., Any], direction: Any) -> None:
    """Functions that are not monotone, or not everywhere defined, have exact tails too."""
    own = br.Measure.custom("own", function, direction=direction)
    sign = 1 if direction == "maximize" else -1

    def value(*cells: int) -> Fraction | None:
        score = function(*cells)
        return None if math.isnan(score) else Fraction(sign * score)

    for sizes, positives in _cases(5, 25, 12):
        try:
            br.baseline(br.BaseRate(positives=positives, total=sum(sizes)), own)
        except br.exceptions.BaserateError:  # it has no baseline where a draw has no score
            continue
        _agree(sizes, positives, own, value, lambda value: sign * float(value))


def test_a_tiny_chance_keeps_its_digits() -> None:
    """All positives first is one labelling of many, whatever the size."""
    for positives, negatives in ((5, 20), (20, 80), (40, 400), (100, 900)):
        null = best_threshold(_thresholds([1] * (positives + negatives), positives, "F1"))
        wanted = 1 / mpmath.binomial(positives + negatives, positives)
        assert abs(null.sf(1.0) / wanted - 1) < 1e-10
        assert null.cdf(1.0) == 1
