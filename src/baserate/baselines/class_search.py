"""The best and the worst guess of several classes."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, permutations
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from baserate.baselines.class_expectation import (
    ROUGH,
    are_few_ways,
    expected_score,
    gauss_rule,
    is_exact,
    mix_of_product,
    of_total,
)
from baserate.baselines.class_mix import MixSet, constants, mixes_in_words
from baserate.core.baseline import COMPUTATION, FORMULA, Baseline, Optimum
from baserate.exceptions import UndefinedMeasureError
from baserate.formatting import shown
from baserate.measures.classes_record import OfProduct, OfTrace, Place
from baserate.progress import watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.baselines.class_mix import Mix
    from baserate.measures.classes_record import ClassMeasure, OfDiagonal, Score
    from baserate.observed.labels import BaseRate

    Floats = NDArray[np.float64]


# Up to this total two scores that differ by no more than rounding are the same.
_SURE_TIES = 10**6


def _declared(measure: ClassMeasure, n: Mix, place: Place, sign: int) -> Optimum:
    """Return the extreme of an expected score that a measure declares."""
    if place is Place.ONE_CLASS:
        return _best_class(measure, n, sign)
    if place is Place.SUM:
        mixes, exact = _greedy(n, cast("OfDiagonal", measure.form))
    else:
        mixes, exact = _MIXES[place](n) or MixSet.over(n), True
    return Optimum(expected_score(measure, n, mixes.first), mixes, exact=exact)


def _of_size(n: Mix, size: int) -> list[int]:
    return [k for k, count in enumerate(n) if count == size]


def _evenly(n: Mix) -> MixSet:
    """Return the mixes that have the most frequent classes as equally often as possible."""
    tied = _of_size(n, max(n))
    each = sum(n) // len(tied)
    base, more = (tuple(value if k in tied else 0 for k in range(len(n))) for value in (each, 1))
    return MixSet.with_ties(base, more, sum(n))


_MIXES: dict[Place, Callable[[Mix], MixSet]] = {
    Place.EVERYWHERE: MixSet.over,
    Place.LARGEST_CLASS: lambda n: MixSet.over(n, _of_size(n, max(n))),
    Place.SMALLEST_CLASS: lambda n: MixSet.over(n, _of_size(n, min(n))),
    Place.LARGEST_CLASS_EVENLY: _evenly,
    Place.LIKE_TRUTH: lambda n: MixSet.of([n]),
    Place.EVERY_CLASS: lambda n: MixSet.over(n, least=1),
    # There is none if only one class occurs.
    Place.A_CLASS_LEFT_OUT: MixSet.leaving_one_out,
}


def _best_class(measure: ClassMeasure, n: Mix, sign: int) -> Optimum:
    """Return the best mixes of one class only."""
    scores = _of_constants(measure, n)
    best = int((sign * scores).argmax())
    near = np.abs(scores - scores[best]) <= FORMULA * abs(scores[best])
    tied = np.flatnonzero(near).tolist()
    # In a large test set classes that are almost as frequent have almost the same score.
    certain = sum(n) <= _SURE_TIES or len({n[k] for k in tied}) == 1
    return Optimum(float(scores[best]), MixSet.of(constants(n, tied)), exact=certain)


def _of_constants(measure: ClassMeasure, n: Mix) -> NDArray[Any]:
    """Return the score of each mix of one class: its table is known."""
    truth, total = np.array(n, dtype=float), float(sum(n))
    if isinstance(measure.form, OfTrace):
        return np.asarray(measure.form.score(truth, truth, total * np.eye(len(n))))
    terms = cast("OfDiagonal", measure.form).term(np.diag(truth), truth, total * np.eye(len(n)))
    return np.array([math.fsum(row) for row in terms])


# How many predictions of each class, fewer and more than assumed, are compared at once, and how
# often this is repeated until the mix no longer changes: mostly three times.
_ASIDE, _ROUNDS = 2, 100
# How often the range of the last gain is halved, on a logarithmic scale.
_HALVINGS = 80
# Up to this total a gain that is averaged is also computed as a fraction, if two seem to tie.
_FEW = 5_000


class Unit(NamedTuple):
    """One more prediction of a class: what it adds, the class, and how many come before it."""

    gain: Any
    label: int
    before: int


def _greedy(n: Mix, form: OfDiagonal) -> tuple[MixSet, bool]:
    """Return the best mixes of a sum of concave functions, and whether that is certain.

    Each prediction goes where it adds most (Fox 1966): from a mix that is nearly the best, as there
    are too many to begin with none.
    """
    mix = _roughly(n, form.gain)  # type: ignore[arg-type]
    for _ in range(_ROUNDS):
        base = [max(0, count - _ASIDE) for count in mix]
        taken = sum(mix) - sum(base)
        units, certain = _units(n, form, mix, taken)
        better = _plus(base, units[:taken])
        if better == mix:
            last = units[taken - 1].gain
            surely = _plus(base, [unit for unit in units if unit.gain > last])
            ties = _plus([0] * len(n), [unit for unit in units if unit.gain == last])
            return MixSet.with_ties(surely, ties, sum(mix)), certain
        mix = better
    return MixSet.of([mix]), False


def _plus(base: Sequence[int], units: Sequence[Unit]) -> Mix:
    mix = list(base)
    for unit in units:
        mix[unit.label] += 1
    return tuple(mix)


def _roughly(n: Mix, gain: Score) -> Mix:
    """Return a mix that is near the best: with the gains at the average hits, by bisection."""
    truth, total = np.array(n, dtype=float), float(sum(n))

    def at(m: Floats) -> Floats:
        return np.asarray(gain((truth - 1) * (m / max(total - 1, 1)), truth, m))

    def paying(least: float) -> Floats:
        """Return how many predictions of each class add at least this much."""
        low, high = np.zeros_like(truth), np.full_like(truth, total)
        while (low < high).any():
            middle = np.floor((low + high) / 2)
            pays = (at(middle) >= least) & (low < high)
            low, high = np.where(pays, middle + 1, low), np.where(pays, high, middle)
        return low

    lower = max(float(at(np.full_like(truth, total - 1)).max()), 1e-300)
    upper = float(at(np.zeros_like(truth)).max()) * 2
    most, mix = paying(lower), paying(upper)
    for _ in range(_HALVINGS):
        if mix.sum() == total:
            break
        middle = (lower * upper) ** 0.5
        found = paying(middle)
        if found.sum() > total:
            lower, most = middle, found
        else:
            upper, mix = middle, found
    short, spare = total - mix.sum(), max(float((most - mix).sum()), 1.0)
    return of_total(mix + (most - mix) * (short / spare), sum(n), least=0)


def _units(n: Mix, form: OfDiagonal, mix: Mix, taken: int) -> tuple[list[Unit], bool]:
    """Return the last predictions of a mix of each class, and the next, those that add most first.

    Also return whether their order is certain: linear gains are fractions. Where averages of the
    last one that is taken and of one that is not differ by less than rounding, fractions replace
    their floats, unless these would be too long. The same prediction of classes of the same size
    ties in any case.
    """
    gain: Any = form.gain
    total = sum(mix)
    places = [
        (k, before)
        for k, count in enumerate(mix)
        for before in range(max(0, count - _ASIDE), min(count + _ASIDE, total))
    ]
    if form.linear:
        gains = [gain(0, Fraction(n[k]), Fraction(before)) for k, before in places]
        return _in_order(map(Unit, gains, *zip(*places, strict=True))), True
    pairs = np.array([(n[k], before) for k, before in places])
    once, back = np.unique(pairs, axis=0, return_inverse=True)
    sizes, before = once.T.astype(float)
    hits, weights = gauss_rule(sizes - 1, before, total - 1)
    means = (weights * gain(hits, sizes[:, np.newaxis], before[:, np.newaxis])).sum(axis=-1)
    units = _in_order(map(Unit, means[back.ravel()].tolist(), *zip(*places, strict=True)))
    last = units[taken - 1].gain
    is_near = [abs(unit.gain - last) <= COMPUTATION * last for unit in units]
    close = [unit for unit, is_close in zip(units, is_near, strict=True) if is_close]
    near = {(n[unit.label], unit.before) for unit in close}
    if len(near) == 1 or not any(is_near[taken:]):
        return units, True
    if total > _FEW:
        return units, False
    exact = {place: _average(gain, *place, total) for place in near}
    mended = (
        unit._replace(gain=exact[n[unit.label], unit.before]) if is_close else unit
        for unit, is_close in zip(units, is_near, strict=True)
    )
    return _in_order(mended), True


def _in_order(units: Iterable[Unit]) -> list[Unit]:
    return sorted(units, key=lambda unit: unit.gain, reverse=True)


def _average(gain: Score, n: int, m: int, total: int) -> Fraction:
    """Return a gain averaged over the hits, as a fraction."""
    hits = range(max(0, n - 1 + m - (total - 1)), min(n - 1, m) + 1)
    ways = [comb(n - 1, h) * comb(total - n, m - h) for h in hits]
    values = [gain(Fraction(h), Fraction(n), Fraction(m)) for h in hits]
    return sum((w * v for w, v in zip(ways, values, strict=True)), Fraction(0)) / sum(ways)


# All mixes are computed if they are so few, and all their tables: about two seconds for a
# function of a user.
_MOST_MIXES, _MOST_TABLES = 5_000, 100_000
# Otherwise a search may look at this many mixes for each extreme, and at fewer if their tables are
# large. The best few are looked at again, more carefully.
_MOST_LOOKS, _LEAST_LOOKS, _MOST_CELLS, _BEST = 200, 20, 10**8, 8
# It moves predictions between this many classes at a time, and starts with some constant mixes.
_MOVED_CLASSES, _CONSTANTS = 5, 4
_SEED = 20_230_318


def _searched(measure: ClassMeasure, n: Mix, sign: int) -> Optimum:
    """Return the largest expected score for sign 1, and the smallest for -1."""
    every = MixSet.over(n)
    # All tables of all mixes are scored if they are few.
    if every.size <= _MOST_MIXES and are_few_ways(n, len(n), _MOST_TABLES):
        with closing(
            watched(every, every.size, f"scanning {measure.key}", "mixes", lambda _: 1)
        ) as mixes:  # an interrupt takes the bar away
            means = {mix: expected_score(measure, n, mix) for mix in mixes}
        return _extreme(measure, means, sign, exact=all(is_exact(measure, n, m) for m in means))
    # Of many rough numbers the best is partly so by chance, so the best few are computed again.
    means = {mix: expected_score(measure, n, mix) for mix in _climbed(measure, n, sign)}
    return _extreme(measure, means, sign, exact=False)


def _extreme(measure: ClassMeasure, means: dict[Mix, float], sign: int, *, exact: bool) -> Optimum:
    """Return the best of some mixes, with all that tie with it."""
    known = {mix: mean for mix, mean in means.items() if not math.isnan(mean)}
    if not known:
        needs = "a mix whose every score is a number"
        raise UndefinedMeasureError.no_draw(measure.key, needs, "none")
    best = max(known.values(), key=lambda mean: sign * mean)
    # A product of many small factors is tiny, and precise; other scores may be differences.
    is_product = isinstance(measure.form, OfProduct)
    scale = abs(best) if is_product else measure.magnitude(max(map(abs, known.values())))
    tied = [mix for mix, mean in known.items() if abs(mean - best) <= COMPUTATION * scale]
    return Optimum(best, MixSet.of(sorted(tied, reverse=True)), exact=exact)


def _climbed(measure: ClassMeasure, n: Mix, sign: int) -> list[Mix]:
    """Return the best mixes that a search came across, and those where it began.

    Predictions move from one class to another as long as that pays, ever fewer at a time.
    """
    means: dict[Mix, float] = {}
    starts = list(_beginnings(measure, n))

    def rank(mix: Mix) -> float:
        if mix not in means:
            means[mix] = expected_score(measure, n, mix, effort=ROUGH)
        return -math.inf if math.isnan(means[mix]) else sign * means[mix]

    most = max(_LEAST_LOOKS, min(_MOST_LOOKS, _MOST_CELLS // len(n) ** 3))
    looks = islice(_looks(starts, means, rank), most)
    what = f"searching {measure.key}"
    with closing(watched(looks, most, what, "mixes", lambda _: 1)) as bar:
        for _ in bar:
            pass
    by_rank = sorted(means, key=rank, reverse=True)
    return list(dict.fromkeys([*by_rank[:_BEST], *starts]))


def _looks(
    starts: list[Mix], means: dict[Mix, float], rank: Callable[[Mix], float]
) -> Iterator[Mix]:
    """Yield each mix that is looked at: some to start with, and then around the best."""
    for mix in starts:
        rank(mix)
        yield mix
    random, step = np.random.default_rng(_SEED), max(1, sum(starts[0]) // 3)
    while True:
        best = max(means, key=rank)
        for mix in _moved(best, step, random):
            is_new, is_better = mix not in means, rank(mix) > rank(best)
            if is_new:
                yield mix
            if is_better:
                break
        else:
            if step == 1:
                return
            step = max(1, step // 2)


def _beginnings(measure: ClassMeasure, n: Mix) -> Iterator[Mix]:
    """Yield mixes like the truth, with all classes equally often, and with one class."""
    yield n
    each, more = divmod(sum(n), len(n))
    by_size = sorted(range(len(n)), key=n.__getitem__)
    first = set(by_size[:more])
    yield tuple(each + (k in first) for k in range(len(n)))
    if isinstance(measure.form, OfProduct):
        yield mix_of_product(measure.form, n)
    yield from constants(n, by_size if len(n) <= _CONSTANTS else by_size[:2] + by_size[-2:])


def _moved(mix: Mix, step: int, random: np.random.Generator) -> Iterator[Mix]:
    """Yield mixes with some predictions of one class changed to another."""
    chosen: Iterable[int] = range(len(mix))
    if len(mix) > _MOVED_CLASSES:
        chosen = random.choice(len(mix), _MOVED_CLASSES, replace=False).tolist()
    for giver, taker in permutations(chosen, 2):
        moved = min(step, mix[giver])
        if moved:
            other = list(mix)
            other[giver] -= moved
            other[taker] += moved
            yield tuple(other)


@dataclass(frozen=True, repr=False)
class ClassBaseline(Baseline):
    """The expected scores of the best and the worst class mix; guesses are sets of mixes."""

    @cached_property
    def guess(self) -> str:
        """The best guess in words, such as "always 'a'"."""
        return mixes_in_words(self.guesses, self.test_set)


def class_baseline(test_set: BaseRate, measure: ClassMeasure) -> ClassBaseline:
    """Return the baseline of a measure of several classes: the score of the best class mix.

    Examples
    --------
    >>> from baserate.observed.labels import BaseRate
    >>> from baserate.measures.classes import get_class_measure
    >>> counts = BaseRate({"a": 70, "b": 20, "c": 10})
    >>> base = class_baseline(counts, get_class_measure("weighted F1"))
    >>> round(base.value, 3), base.guesses, base.guess
    (0.58, MixSet({(95, 5, 0)}), "95 'a', 5 'b' at random")
    """
    known = test_set.occurring
    highest, lowest = (
        _optimum(measure, known, place, sign)
        for place, sign in ((measure.maximum, 1), (measure.minimum, -1))
    )
    perfect = float(measure.scores(np.diag(known.array).astype(float)))
    return ClassBaseline(measure, known, highest, lowest, perfect)


def _optimum(measure: ClassMeasure, known: BaseRate, place: Place, sign: int) -> Optimum:
    if place is Place.SEARCH:
        return _searched(measure, known.counts, sign)
    found = _declared(measure, known.counts, place, sign)
    if math.isnan(found.value):
        raise UndefinedMeasureError.no_draw(
            measure.key, "at least two classes", f"only {shown(known.labels[0])}"
        )
    return found
