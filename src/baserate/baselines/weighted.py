"""The best and the worst guess where rows matter more or less.

A guess says how often each class is predicted, or how scores tie, and not of which rows. Its
expected score is that of shuffling it over the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.baselines.class_mix import MixSet
from baserate.baselines.class_search import ClassBaseline, class_baseline
from baserate.baselines.dutch_draw import DutchDrawBaseline, never_defined, no_draw
from baserate.baselines.dutch_scaler import Mixture, perfect_score
from baserate.baselines.weighted_draws import estimated, every_draw
from baserate.core.baseline import COMPUTATION, EQUAL, RANDOM, Baseline, Optimum
from baserate.core.measure import Direction
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureError
from baserate.measures.classes_record import ClassMeasure
from baserate.measures.rankings import AP
from baserate.measures.scores import ScoreMeasure, baseline_of
from baserate.measures.two_classes_record import TwoClassMeasure
from baserate.measures.weighted import linear
from baserate.null.permutations import SEED, all_tables
from baserate.observed.labels import BaseRate
from baserate.observed.theta import ThetaSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.baselines.class_mix import Mix
    from baserate.baselines.weighted_draws import Estimates, Score
    from baserate.measures.weighted import Linear, WeightedMeasure
    from baserate.observed.theta import Counts
    from baserate.observed.weighted import WeightedTestSet

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


# All guesses of so many rows are shuffled in all ways, if they are so few.
_FEW_ROWS, _FEW_GUESSES = 8, 300
# Of more rows, guesses are shuffled at random, with so many numbers in all and so many times.
_NUMBERS, _LEAST, _MOST = 4_000_000, 20, 2_000
# So many classes are tried as the only one that is predicted.
_CONSTANTS = 64


def weighted_baseline(base: WeightedTestSet, measure: WeightedMeasure) -> Baseline:
    """Return the expected scores of the best and of the worst guess."""
    measure.require_baseline()
    of = measure.of
    if isinstance(of, TwoClassMeasure):
        return _of_draws(base, measure)
    if isinstance(of, ClassMeasure):
        return _of_mixes(base.occurring, measure)
    if isinstance(of, ScoreMeasure) and not (of.probabilities or of.monotone):
        return _of_rankings(base, measure)
    # What a rule, or pairs in order, expect depends on the weights of the classes only.
    return replace(baseline_of(of, base.by_class), measure=measure, test_set=base)


# --- Any guess ------------------------------------------------------------------------------------


def _shuffled(base: WeightedTestSet, guess: Sequence[int], number: int = 0) -> tuple[Any, Any]:
    """Return tables (…, classes, predictions) of shuffled predictions, and their chances.

    The guess says how often each prediction is made. They are all tables, or some at random.
    """
    classes, heavy = len(base.labels), base.importance
    if not number:
        every = all_tables(base.rows.tolist(), list(guess))
        assert every is not None  # noqa: S101 - there are few rows
        of_class = np.eye(classes)[base.truth] * heavy[:, np.newaxis]
        return np.einsum("kc,tkj->tcj", of_class, every[0]), every[1]
    rng, size = np.random.default_rng(SEED), len(guess)
    # In an order that does not depend on what classes are called.
    order = np.lexsort((np.round(base.by_class.array, 9), np.array(base.counts)))
    kinds = np.lexsort((heavy, np.argsort(order)[base.truth]))
    places = order if size == classes else np.arange(size)
    said = np.repeat(places, np.array(guess)[places])
    keys, weights = (
        np.repeat(each[kinds], base.rows[kinds]) for each in (base.truth * size, heavy)
    )
    found = np.empty((number, classes * size))
    for place in range(number):
        cells = keys + rng.permutation(said)
        found[place] = np.bincount(cells, weights, classes * size)
    return found.reshape(number, classes, size), np.full(number, 1 / number)


def _expected(
    base: WeightedTestSet, guess: Sequence[int], score: Callable[[Floats], Floats], number: int = 0
) -> tuple[float, float]:
    """Return the expected score of a guess, and its standard error; nan if some have no score."""
    if sum(map(bool, guess)) == 1:  # it cannot be shuffled
        number = 1
    tables, chances = _shuffled(base, guess, number)
    scores = score(tables)
    mean = float(chances @ scores)
    spread = math.sqrt(float(chances @ (scores - mean) ** 2))
    return mean, spread / math.sqrt(number) if number else 0.0


def _times(base: WeightedTestSet) -> int:
    """Return how often a guess is shuffled."""
    return min(max(_NUMBERS // base.total, _LEAST), _MOST)


def _best(
    known: dict[Mix, tuple[float, float]], sign: int, slack: float
) -> tuple[float, list[Mix]]:
    """Return the largest expectation, or the smallest for sign -1, and the guesses that have it.

    It is the one that is surely best, and not for the noise of its shuffles.
    """
    sure = {guess: sign * mean - _SURE * error for guess, (mean, error) in known.items()}
    best = known[max(sure, key=sure.__getitem__)][0]
    best = 0.0 if abs(best) <= slack else best
    return best, [guess for guess, (mean, _) in known.items() if abs(mean - best) <= slack]


# --- Several classes ------------------------------------------------------------------------------


def _of_mixes(base: WeightedTestSet, measure: WeightedMeasure) -> Baseline:
    """Return the expected scores of the best and of the worst mix of classes."""
    n, names = base.by_class.array, SimpleNamespace(labels=base.labels)
    score = measure.kernel(names)
    sums = linear(measure.of, names, base.by_class)
    perfect = float(score(np.diag(n)))
    if sums is not None:
        return ClassBaseline(measure, base, *_of_constants(base, sums), perfect)
    exact = base.total <= _FEW_ROWS
    mixes = set(MixSet.over(base.plain.counts)) if exact else set()
    if not 0 < len(mixes) <= _FEW_GUESSES:
        exact, mixes = False, set(_some_mixes(base, measure))
    number = 0 if exact else _times(base)
    known = {mix: _expected(base, mix, score, number) for mix in sorted(mixes, reverse=True)}
    known = {mix: each for mix, each in known.items() if not math.isnan(each[0])}
    if not known:
        needs = "a mix whose every score is a number"
        raise UndefinedMeasureError.no_draw(measure.key, needs, "none")
    slack = COMPUTATION * measure.of.magnitude(max(abs(mean) for mean, _ in known.values()))
    ends = (_best(known, sign, slack) for sign in (1, -1))
    highest, lowest = (Optimum(value, MixSet.of(found), exact=exact) for value, found in ends)
    return ClassBaseline(measure, base, highest, lowest, perfect)


def _of_constants(base: WeightedTestSet, sums: Linear) -> tuple[Optimum, Optimum]:
    """Return the optima of a linear score: any mix of the classes that expect most, or least."""
    expected = sums.constant + base.by_class.array @ sums.points
    slack = COMPUTATION * float(np.abs(expected).max())
    found = []
    for top in (float(expected.max()), float(expected.min())):
        tied = np.flatnonzero(np.abs(expected - top) <= slack).tolist()
        found.append(Optimum(top, MixSet.over(base.plain.counts, tied)))
    return found[0], found[1]


def _some_mixes(base: WeightedTestSet, measure: WeightedMeasure) -> Iterator[Mix]:
    """Yield mixes that may be best: of one class, like the truth, even, and as without weights.

    The last is best on a test set whose classes are as frequent as they weigh here.
    """
    n, total, size = base.by_class.array, base.total, len(base.labels)
    some = np.argsort(-n, kind="stable")
    for place in np.unique(np.append(some[: _CONSTANTS // 2], some[-_CONSTANTS // 2 :])).tolist():
        yield tuple(total * (k == place) for k in range(size))
    yield base.plain.counts
    yield _rounded(np.ones(size), n, total)
    like = _rounded(n, n, total)
    yield like
    if not measure.is_custom and min(like):
        found = class_baseline(BaseRate(dict(enumerate(like))), measure.of)
        for each in (found.max, found.min):
            yield next(iter(each.guesses))


def _rounded(shares: Floats, n: Floats, total: int) -> Mix:
    """Return whole numbers with a total, in proportion to others; large classes are rounded up."""
    parts = shares / shares.sum() * total
    found = np.floor(parts).astype(np.int64)
    up = np.lexsort((-n, np.round(found - parts, 9)))[: total - int(found.sum())]
    found[up] += 1
    return tuple(found.tolist())


# --- Rankings -------------------------------------------------------------------------------------


def _of_rankings(base: WeightedTestSet, measure: WeightedMeasure) -> Baseline:
    """Return the expected scores of the best and of the worst ranking.

    Of few rows all ways to tie are looked at, and of others a strict order and one score for all.
    These are best and worst by average precision: given the rows down to the end of a block of
    ties, it adds the square of the positive weight over the weight, which is convex, so that it is
    expected to add more if the block is split.
    """
    of, total = measure.of, base.total
    reason = of.missing(base.plain)
    if reason:
        raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
    values = SimpleNamespace(values=np.array([1.0, 0.0]))
    negatives, positives = base.by_class.counts
    perfect = float(measure.kernel(values)(np.array([[0.0, negatives], [positives, 0.0]])))

    def expected(guess: Mix, number: int = 0) -> tuple[float, float]:
        blocks = SimpleNamespace(values=-np.arange(float(len(guess))))
        return _expected(base, guess, measure.kernel(blocks), number)

    strict, equal = (1,) * total, (total,)
    exact, number = total <= _FEW_ROWS - 2, _times(base)
    if exact:
        known = {guess: expected(guess) for guess in _ties(total)}
    elif of is AP:
        known = {strict: _average_precision(base), equal: expected(equal)}
        exact = not known[strict][1]
    else:
        known = {strict: expected(strict, number), equal: expected(equal)}
    slack = COMPUTATION * of.magnitude(1.0)
    optima = []
    for sign in (1, -1):
        value, found = _best(known, sign, slack)
        said = RANDOM if strict in found else EQUAL if equal in found else "a ranking with ties"
        optima.append(Optimum(value, said, exact=exact))
    return Baseline(measure, base, optima[0], optima[1], perfect)


def _ties(total: int) -> Iterator[Mix]:
    """Yield the sizes of blocks of ties, in all ways."""
    for ends in product((False, True), repeat=total - 1):
        places = [place for place, is_end in enumerate((*ends, True), 1) if is_end]
        yield tuple(np.diff(places, prepend=0).tolist())


def _average_precision(base: WeightedTestSet) -> tuple[float, float]:
    """Return the expected average precision of a random order, and how far off it may be.

    Each of the first rows is as likely to be the last of them, so that c rows with positive weight
    P of W add P²/(cW) on average.
    """
    positives = base.by_class.positives

    def added(tp: Floats, fp: Floats, _: Floats, __: Floats) -> Floats:
        share: Floats = tp / np.maximum(tp + fp, np.finfo(float).tiny)
        return np.asarray(tp * share / positives)

    every = every_draw(base)
    if every is not None:
        cells, sizes, chances = every
        chosen = sizes > 0
        return math.fsum((chances * added(*cells))[chosen] / sizes[chosen]), 0.0
    sizes = _sizes(range(1, base.total + 1))
    means, errors = estimated(added, base, sizes)
    each, gaps = means / sizes, np.diff(sizes)
    # Between two sizes they are on a line.
    between = (gaps - 1) * (each[1:] + each[:-1]) / 2
    return float(each.sum() + between.sum()), float(errors.max() * np.sum(1 / sizes))


# --- Two classes ----------------------------------------------------------------------------------

# A search looks at every size up to this many, and at so many of more.
_EVERY, _GRID = 20_000, 2_001
# How many standard errors an expectation is better, if it is.
_SURE = 4.0


@dataclass(frozen=True, repr=False)
class WeightedBaseline(DutchDrawBaseline):
    """The expected weighted scores of the best and the worst Dutch Draw."""

    def oracle_weight(self, score: float) -> float:
        """Return the weight of an oracle that explains a score; nan if there is none.

        The expected weights of a draw and an oracle are those of plain counts.
        """
        scale, margin = self.scale, self.scale.advantage(score, self.value)
        is_within = margin >= 0 and not scale.advantage(score, scale.perfect) > 0
        if not is_within or not scale.room > 0:
            return math.nan
        if margin == 0:
            return 0.0
        base = _perfect(self.test_set)
        facts: Any = SimpleNamespace(measure=self.measure.of, test_set=base)
        try:
            return Mixture(facts, self.theta_star * base.total, 0.0).bracketed(score)
        except InvalidMeasureError:  # a user's function may not take any number
            return math.nan


@lru_cache(maxsize=256)
def _of_draws(base: WeightedTestSet, measure: WeightedMeasure) -> WeightedBaseline:
    """Return the expected scores of the best and of the worst draw."""
    allowed = measure.of.allowed(base.plain)
    if not allowed:
        raise no_draw(base.plain, measure.of)
    sums = linear(measure.of, None, base.by_class)
    if sums is not None:
        highest, lowest = _straight(sums, base, allowed)
    else:
        highest, lowest = _searched(measure, base, allowed)
    best = highest if measure.direction is Direction.MAXIMIZE else lowest
    perfect = perfect_score(measure.of, _perfect(base), best.value)
    return WeightedBaseline(measure, base, highest, lowest, perfect)


def _perfect(base: WeightedTestSet) -> Any:
    """Return the weights of a test set and of its table without errors, by the names of counts."""
    positives, negatives = base.by_class.positives, base.by_class.negatives
    return SimpleNamespace(
        tp=positives,
        fp=0.0,
        fn=0.0,
        tn=negatives,
        positives=positives,
        negatives=negatives,
        predicted_positives=positives,
        predicted_negatives=negatives,
        total=positives + negatives,
    )


def _straight(sums: Linear, base: WeightedTestSet, allowed: range) -> tuple[Optimum, Optimum]:
    """Return the optima of a linear score: its ends, or every draw."""
    n = base.by_class.array
    slope, slack = float(n @ sums.points[:, 1]), COMPUTATION * float(n @ np.abs(sums.points[:, 1]))
    if abs(slope) <= slack:
        every = Optimum(sums.constant, ThetaSet((allowed,), base.total))
        return every, every
    ends = [
        Optimum(
            sums.constant + slope * (size / base.total),
            ThetaSet((range(size, size + 1),), base.total),
        )
        for size in (allowed[0], allowed[-1])
    ]
    low, high = sorted(ends, key=lambda end: end.value)
    return high, low


def _searched(
    measure: WeightedMeasure, base: WeightedTestSet, allowed: range
) -> tuple[Optimum, Optimum]:
    kernel = measure.kernel(None)

    def score(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
        cells = [np.stack(each, axis=-1) for each in ((tn, fp), (fn, tp))]
        return np.asarray(kernel(np.stack(cells, axis=-2)))

    every = every_draw(base)
    if every is not None:
        cells, chosen, chances = every
        means = np.bincount(chosen, chances * score(*cells), base.total + 1)
        return _among_all(measure, means.astype(float), allowed)
    sizes = _sizes(allowed)
    estimates = estimated(score, base, sizes)
    if np.isnan(estimates.means).all():
        raise never_defined(measure.of)
    high, low = (_found(score, base, sizes, estimates, sign) for sign in (1, -1))
    return high, low


def _among_all(measure: WeightedMeasure, means: Floats, allowed: range) -> tuple[Optimum, Optimum]:
    """Return the optima of known expectations, with all sizes that attain them."""
    here, total = means[allowed[0] : allowed[-1] + 1], means.size - 1
    if np.isnan(here).all():
        raise never_defined(measure.of)
    slack = COMPUTATION * measure.of.magnitude(float(np.nanmax(np.abs(here))))
    found = []
    for top in (float(np.nanmax(here)), float(np.nanmin(here))):
        ties = allowed[0] + np.flatnonzero(np.abs(here - top) <= slack)
        found.append(Optimum(top, ThetaSet(_ranges(ties), total)))
    return found[0], found[1]


def _found(
    score: Score, base: WeightedTestSet, sizes: Ints, known: Estimates, sign: int
) -> Optimum:
    """Return the largest expectation, or the smallest for sign -1: a search that is not certain.

    It is the one that is surely best, so that a size whose expectation is known exactly is not
    passed over for the noise of others.
    """
    best = int(np.nanargmax(sign * known.means - _SURE * known.errors))
    around = _around(sizes, best)
    if not np.isin(around, sizes).all():
        sizes, known = around, estimated(score, base, around)
        best = int(np.nanargmax(sign * known.means - _SURE * known.errors))
    size, value = int(sizes[best]), float(known.means[best])
    return Optimum(value, ThetaSet((range(size, size + 1),), base.total), exact=False)


def _sizes(allowed: range) -> Ints:
    """Return the sizes to look at: every one, or ever more of them towards both ends."""
    if len(allowed) <= _EVERY:
        return np.arange(allowed[0], allowed[-1] + 1)
    near = np.unique(np.geomspace(1, len(allowed) / 2, _GRID // 4).astype(np.int64)) - 1
    even = np.linspace(allowed[0], allowed[-1], _GRID // 2).astype(np.int64)
    return np.unique(np.concatenate([allowed[0] + near, even, allowed[-1] - near]))


def _around(sizes: Ints, place: int) -> Ints:
    """Return sizes between the neighbours of one of them."""
    low, high = int(sizes[max(place - 1, 0)]), int(sizes[min(place + 1, sizes.size - 1)])
    between = np.linspace(low, high, min(high - low + 1, _GRID)).astype(np.int64)
    return np.unique(np.append(between, sizes[place]))


def _ranges(sizes: Ints) -> Counts:
    """Return ascending sizes as ranges."""
    starts = np.flatnonzero(np.diff(sizes, prepend=sizes[0] - 2) > 1)
    ends = np.append(starts[1:], sizes.size) - 1
    pairs = zip(sizes[starts].tolist(), sizes[ends].tolist(), strict=True)
    return tuple(range(first, last + 1) for first, last in pairs)
