"""The best and the worst guess of several classes."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, permutations
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from baserate.baselines.class_mix import (
    ROUGH,
    MixSet,
    expected_score,
    gauss_rule,
    is_exact,
    mix_of_product,
    mixes_in_words,
)
from baserate.core.baseline import COMPUTATION, FORMULA, Baseline, Optimum
from baserate.core.measure import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.formatting import shown
from baserate.measures.classes_record import (
    OfProduct,
    OfTable,
    OfTrace,
    Place,
    Tables,
    needs_cells,
    scored,
)
from baserate.progress import watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.baselines.class_mix import Mix
    from baserate.measures.classes import Gain
    from baserate.measures.classes_record import ClassMeasure, OfDiagonal
    from baserate.observed.classes import ClassCounts

    Floats = NDArray[np.float64]
    Counts = tuple[int, ...]


# Up to this total two scores that differ by no more than rounding are the same.
_SURE_TIES = 10**6


def declared(measure: ClassMeasure, n: Mix, place: Place, sign: int) -> Optimum:
    """Return the extreme of an expected score that a measure declares."""
    if place is Place.SUM:
        return _best_sum(measure, n)
    if place is Place.ONE_CLASS:
        return _best_class(measure, n, sign)
    mixes = _MIXES[place](n) or MixSet.over(n)
    return Optimum(expected_score(measure, n, mixes.first), mixes)


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


def _best_sum(measure: ClassMeasure, n: Mix) -> Optimum:
    form = cast("OfDiagonal", measure.form)
    found = greedy(n, cast("Gain", form.gain), linear=form.linear)
    return Optimum(expected_score(measure, n, found.mixes.first), found.mixes, exact=found.exact)


def _best_class(measure: ClassMeasure, n: Mix, sign: int) -> Optimum:
    """Return the best mixes of one class only."""
    scores = _of_constants(measure, n)
    best = int((sign * scores).argmax())
    near = np.abs(scores - scores[best]) <= FORMULA * abs(scores[best])
    tied = np.flatnonzero(near).tolist()
    # In a large test set classes that are almost as frequent have almost the same score.
    certain = sum(n) <= _SURE_TIES or len({n[k] for k in tied}) == 1
    return Optimum(float(scores[best]), MixSet.of(_constants(n, tied)), exact=certain)


def _constants(n: Mix, classes: Sequence[int]) -> list[Mix]:
    total = sum(n)
    return [tuple(total if j == k else 0 for j in range(len(n))) for k in classes]


def _of_constants(measure: ClassMeasure, n: Mix) -> NDArray[Any]:
    """Return the score of each mix of one class: its table is known."""
    truth, total = np.array(n, dtype=float), float(sum(n))
    right, mixes = np.diag(truth), total * np.eye(len(n))
    if isinstance(measure.form, OfTrace):
        return np.asarray(measure.form.score(truth, truth, mixes))
    terms = cast("OfDiagonal", measure.form).term(right, truth, mixes)
    return np.array([math.fsum(row) for row in terms])


# How many predictions of each class, fewer and more than assumed, are compared at once, and how
# often this is repeated until the mix no longer changes: mostly three times.
_ASIDE, _ROUNDS = 2, 100
# How often the range of the last gain is halved, on a logarithmic scale.
_HALVINGS = 80
# Up to this total a gain that is averaged is also computed as a fraction, if two seem to tie.
_FEW = 5_000


class Unit(NamedTuple):
    """One more prediction of a class."""

    gain: Any
    """What it adds."""
    label: int
    """The position of the class."""
    before: int
    """How many predictions of this class come before it."""


class GreedyMixes(NamedTuple):
    """All best mixes, and whether that is certain."""

    mixes: MixSet
    exact: bool


def greedy(n: Counts, gain: Gain, *, linear: bool) -> GreedyMixes:
    """Return the best mixes of a sum of concave functions."""
    gains = _Fractions(n, gain) if linear else _Averages(n, gain)
    mix = _roughly(n, gain)
    for _ in range(_ROUNDS):
        base = [max(0, count - _ASIDE) for count in mix]
        taken = sum(mix) - sum(base)
        units, certain = gains.settled(_units(gains, mix), taken)
        better = _plus(base, units[:taken])
        if better == mix:
            last = units[taken - 1].gain
            surely = _plus(base, [unit for unit in units if unit.gain > last])
            ties = _plus([0] * len(n), [unit for unit in units if unit.gain == last])
            return GreedyMixes(MixSet.with_ties(surely, ties, sum(mix)), certain)
        mix = better
    return GreedyMixes(MixSet.of([mix]), exact=False)


def _plus(base: Sequence[int], units: Sequence[Unit]) -> Counts:
    mix = list(base)
    for unit in units:
        mix[unit.label] += 1
    return tuple(mix)


def _roughly(n: Counts, gain: Gain) -> Counts:
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
    return _filled_up(mix, most, n)


def _filled_up(mix: Floats, most: Floats, n: Counts) -> Counts:
    """Return a mix with as many more predictions as it lacks, of classes that have room."""
    filled = list(map(int, mix.tolist()))
    left = sum(n) - sum(filled)
    for k, room in enumerate((most - mix).tolist()):
        more = max(0, min(int(room), left))
        filled[k] += more
        left -= more
    # Sums of floats may be off by rounding; the comparison that follows mends it.
    filled[filled.index(max(filled))] += left
    return tuple(filled)


class _Fractions:
    """Gains that do not depend on the hits, as fractions."""

    def __init__(self, n: Counts, gain: Gain) -> None:
        self._n, self._gain = tuple(map(Fraction, n)), gain

    def __call__(self, places: Sequence[tuple[int, int]]) -> list[Any]:
        """Return what these predictions add: of a class, with so many before it."""
        return [self._gain(0, self._n[k], Fraction(before)) for k, before in places]

    def settled(self, units: list[Unit], taken: int) -> tuple[list[Unit], bool]:  # noqa: ARG002
        """Return units whose order is right, and whether that is certain."""
        return units, True


class _Averages:
    """Gains that are averaged over the hits, as floats."""

    def __init__(self, n: Counts, gain: Gain) -> None:
        self._n, self._gain, self._total = n, gain, sum(n)

    def __call__(self, places: Sequence[tuple[int, int]]) -> list[Any]:
        """Return what these predictions add: of a class, with so many before it."""
        pairs = np.array([(self._n[k], before) for k, before in places])
        once, back = np.unique(pairs, axis=0, return_inverse=True)
        n, m = once.T.astype(float)
        hits, weights = gauss_rule(n - 1, m, self._total - 1)
        values = self._gain(hits, n[:, np.newaxis], m[:, np.newaxis])
        return list((weights * values).sum(axis=-1)[back.ravel()].tolist())

    def settled(self, units: list[Unit], taken: int) -> tuple[list[Unit], bool]:
        """Return units whose order is right, and whether that is certain.

        Where the last one that is taken and one that is not differ by less than rounding,
        fractions replace their floats, unless these would be too long. The same prediction of
        classes of the same size ties in any case.
        """
        last = units[taken - 1].gain
        is_near = [abs(unit.gain - last) <= COMPUTATION * last for unit in units]
        near = {self._place(unit) for unit, close in zip(units, is_near, strict=True) if close}
        if len(near) == 1 or not any(is_near[taken:]):
            return units, True
        if self._total > _FEW:
            return units, False
        exact = {place: self._fraction(*place) for place in near}
        mended = [
            unit._replace(gain=exact[self._place(unit)]) if close else unit
            for unit, close in zip(units, is_near, strict=True)
        ]
        return _in_order(mended), True

    def _place(self, unit: Unit) -> tuple[int, int]:
        return self._n[unit.label], unit.before

    def _fraction(self, n: int, m: int) -> Fraction:
        hits = range(max(0, n - 1 + m - (self._total - 1)), min(n - 1, m) + 1)
        ways = [comb(n - 1, h) * comb(self._total - n, m - h) for h in hits]
        values = [self._gain(Fraction(h), Fraction(n), Fraction(m)) for h in hits]
        return sum((w * v for w, v in zip(ways, values, strict=True)), Fraction(0)) / sum(ways)


def _in_order(units: list[Unit]) -> list[Unit]:
    """Return the units that add most first; of a class, those with fewer before them."""
    return sorted(units, key=lambda unit: unit.gain, reverse=True)


def _units(gains: _Fractions | _Averages, mix: Counts) -> list[Unit]:
    """Return the last predictions of a mix of each class, and the next, in order."""
    total = sum(mix)
    places = [
        (k, before)
        for k, count in enumerate(mix)
        for before in range(max(0, count - _ASIDE), min(count + _ASIDE, total))
    ]
    values = gains(places)
    return _in_order([Unit(gain, *place) for gain, place in zip(values, places, strict=True)])


# All mixes are computed if they are so few, and all their tables: about two seconds for a
# function of a user.
_MOST_MIXES, _MOST_TABLES = 5_000, 100_000
# Otherwise a search may look at so many mixes for each extreme, and at fewer if their tables are
# large. The best few are looked at again, more carefully.
_MOST_LOOKS, _LEAST_LOOKS, _MOST_CELLS, _BEST = 200, 20, 10**8, 8
# It moves predictions between so many classes at a time, and starts with so many constant mixes.
_MOVED_CLASSES, _CONSTANTS = 5, 4
_SEED = 20_230_318


def searched(measure: ClassMeasure, n: Mix, sign: int) -> Optimum:
    """Return an extreme of an expected score."""
    every = MixSet.over(n)
    if _are_few(n, every):
        with closing(
            watched(every, every.size, f"scanning {measure.key}", "mixes", lambda _: 1)
        ) as mixes:  # an interrupt takes the bar away
            means = {mix: expected_score(measure, n, mix) for mix in mixes}
        return _extreme(measure, means, sign, exact=all(is_exact(measure, n, m) for m in means))
    # Of many rough numbers the best is partly so by chance, so the best few are computed again.
    best = _Climb(measure, n, sign).best()
    means = {mix: expected_score(measure, n, mix) for mix in best}
    return _extreme(measure, means, sign, exact=False)


def _are_few(n: Mix, every: MixSet) -> bool:
    """Return whether all tables of all mixes are scored."""
    tables = 1
    for size in n:
        tables *= math.comb(size + len(n) - 1, len(n) - 1)
        if tables > _MOST_TABLES:
            return False
    return every.size <= _MOST_MIXES


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


class _Climb:
    """A search that moves predictions from one class to another as long as that pays."""

    def __init__(self, measure: ClassMeasure, n: Mix, sign: int) -> None:
        self._measure, self._n, self._sign = measure, n, sign
        self._random = np.random.default_rng(_SEED)
        self._starts = list(self._beginnings())
        self._means: dict[Mix, float] = {}

    def best(self) -> list[Mix]:
        """Return the best mixes that the search came across, and those where it began."""
        most = max(_LEAST_LOOKS, min(_MOST_LOOKS, _MOST_CELLS // len(self._n) ** 3))
        what = f"searching {self._measure.key}"
        with closing(
            watched(islice(self._looks(), most), most, what, "mixes", lambda _: 1)
        ) as looks:
            for _ in looks:
                pass
        by_rank = sorted(self._means, key=self._rank, reverse=True)
        return list(dict.fromkeys([*by_rank[:_BEST], *self._starts]))

    def _looks(self) -> Iterator[Mix]:
        """Yield each mix that is looked at: some to start with, and then around the best."""
        for mix in self._starts:
            self._look(mix)
            yield mix
        step = max(1, sum(self._n) // 3)
        while True:
            best = max(self._means, key=self._rank)
            for mix in self._moved(best, step):
                if mix not in self._means:
                    self._look(mix)
                    yield mix
                if self._rank(mix) > self._rank(best):
                    break
            else:
                if step == 1:
                    return
                step = max(1, step // 2)

    def _look(self, mix: Mix) -> None:
        self._means[mix] = expected_score(self._measure, self._n, mix, effort=ROUGH)

    def _rank(self, mix: Mix) -> float:
        mean = self._means[mix]
        return -math.inf if math.isnan(mean) else self._sign * mean

    def _beginnings(self) -> Iterator[Mix]:
        """Yield mixes like the truth, with all classes equally often, and with one class."""
        n, total = self._n, sum(self._n)
        yield n
        each, more = divmod(total, len(n))
        by_size = sorted(range(len(n)), key=n.__getitem__)
        first = set(by_size[:more])
        yield tuple(each + (k in first) for k in range(len(n)))
        if isinstance(self._measure.form, OfProduct):
            yield mix_of_product(self._measure.form, n)
        ends = by_size if len(n) <= _CONSTANTS else by_size[:2] + by_size[-2:]
        for k in ends:
            yield tuple(total if j == k else 0 for j in range(len(n)))

    def _moved(self, mix: Mix, step: int) -> Iterator[Mix]:
        """Yield mixes with some predictions of one class changed to another."""
        classes = range(len(mix))
        chosen = (
            classes
            if len(mix) <= _MOVED_CLASSES
            else self._random.choice(len(mix), _MOVED_CLASSES, replace=False).tolist()
        )
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


def class_baseline(test_set: ClassCounts, measure: ClassMeasure) -> ClassBaseline:
    """Return the baseline of a measure of several classes: the score of the best class mix.

    Examples
    --------
    >>> from baserate.observed.classes import ClassCounts
    >>> from baserate.measures.classes import get_class_measure
    >>> counts = ClassCounts({"a": 70, "b": 20, "c": 10})
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


def _optimum(measure: ClassMeasure, known: ClassCounts, place: Place, sign: int) -> Optimum:
    if place is Place.SEARCH:
        return searched(measure, known.counts, sign)
    found = declared(measure, known.counts, place, sign)
    if math.isnan(found.value):
        raise UndefinedMeasureError.no_draw(
            measure.key, "at least two classes", f"only {shown(known.labels[0])}"
        )
    return found


# Places that do not move with the frequencies of the classes: no other guess becomes better.
_FIXED = (Place.EVERYWHERE, Place.LIKE_TRUTH, Place.EVERY_CLASS)
# How many constant classes are compared, of a function that may prefer any of them.
_MOST_CONSTANTS = 16


@dataclass(frozen=True, eq=False)
class Reference:
    """A prediction that ignores its input, on test sets of any class frequencies."""

    measure: ClassMeasure
    shares: Callable[[Floats], Floats]
    offset: float = 0.0

    @classmethod
    def of(cls, measure: ClassMeasure, shares: Floats) -> Reference:
        """Return a reference that always predicts each class equally often."""
        return cls(measure, lambda p: np.broadcast_to(shares, p.shape))

    def expected(self, n: Floats) -> Floats:
        """Return its expected score for class counts of shape (…, K)."""
        total = n.sum(axis=-1, keepdims=True)
        q = self.shares(n / total)
        # E C_kj = n_k m_j / M.
        cells = n[..., :, np.newaxis] * q[..., np.newaxis, :] if needs_cells(self.measure) else None
        return scored(self.measure, Tables(n * q, n, q * total, cells)) + self.offset


@dataclass(frozen=True, eq=False)
class References:
    """The references that may be best on test sets like this one."""

    each: tuple[Reference, ...]
    n: Floats

    def chosen(self, n: Floats) -> Floats:
        """Return the expectation of whichever is best for class counts of shape (…, K)."""
        best = np.fmax if self.each[0].measure.direction is Direction.MAXIMIZE else np.fmin
        return np.asarray(best.reduce([each.expected(n) for each in self.each]))

    def kept(self, n: Floats) -> Floats:
        """Return the expectation of the one that is best here, with the shares it has here."""
        here = [float(each.expected(self.n)) for each in self.each]
        best = np.flatnonzero(np.abs(here - self.chosen(self.n)) <= COMPUTATION)
        found = [self._as_here(self.each[place]).expected(n) for place in best]
        return np.asarray(np.mean(found, axis=0))

    def _as_here(self, reference: Reference) -> Reference:
        if reference.shares is not most_frequent:
            return reference
        # Classes that tie are predicted equally often.
        tied = self.n == self.n.max()
        return Reference.of(reference.measure, tied / tied.sum())

    @property
    def are_fixed(self) -> bool:
        """Whether there is one, and its expectation does not depend on the class frequencies."""
        if len(self.each) > 1:
            return False
        size = self.n.size
        tilts = np.stack([np.ones(size), np.linspace(0.9, 1.1, size), np.linspace(1.2, 0.8, size)])
        return bool(np.ptp(self.each[0].expected(tilts * self.n)) <= COMPUTATION)


def references(measure: ClassMeasure, value: float, mix: Floats, n: Floats) -> References:
    """Return the references that may be best on test sets like this one.

    They are the most frequent class, or any class for a function of one's own, and the best mix.
    """
    is_maximized = measure.direction is Direction.MAXIMIZE
    where = measure.maximum if is_maximized else measure.minimum
    like_truth = where is Place.LIKE_TRUTH
    plain = Reference(measure, lambda p: p) if like_truth else Reference.of(measure, mix / n.sum())
    offset = value - float(plain.expected(n))
    best = replace(plain, offset=0.0 if np.isnan(offset) else offset)
    if where in _FIXED:
        return References((best,), n)
    found = [Reference(measure, most_frequent)]
    if measure.form == OfTable():
        constants = [Reference.of(measure, row) for row in np.eye(n.size)[n > 0]]
        scores = np.array([float(each.expected(n)) for each in constants])
        order = np.argsort(-scores if is_maximized else scores, kind="stable")[:_MOST_CONSTANTS]
        found = [constants[place] for place in order if not np.isnan(scores[place])]
    if np.count_nonzero(mix) > 1 or not found:
        found.append(best)
    return References(tuple(found), n)


def most_frequent(p: Floats) -> Floats:
    """Return the shares of always predicting the most frequent class."""
    return np.asarray(np.arange(p.shape[-1]) == p.argmax(axis=-1)[..., np.newaxis], dtype=float)
