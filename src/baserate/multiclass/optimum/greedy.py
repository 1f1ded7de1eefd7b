"""The best deck of a sum over the classes of concave functions: every prediction where it pays.

One more prediction of a class adds less, the more often it is predicted already. So the best deck
has those predictions that add most, whichever class they are of. Bisection finds roughly what the
last of them adds, and the few predictions around that are compared with each other; the cost
grows with the logarithm of the test set.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.multiclass.optimum.decks import DeckSet
from baserate.multiclass.optimum.gauss import gauss_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Counts = tuple[int, ...]
    Gain = Callable[[Any, Any, Any], Any]

# How many predictions of each class, fewer and more than assumed, are compared at once, and how
# often this is repeated until the deck no longer changes: mostly three times.
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


class GreedyDecks(NamedTuple):
    """All best decks, and whether that is certain."""

    decks: DeckSet
    exact: bool


def greedy(n: Counts, gain: Gain, *, linear: bool) -> GreedyDecks:
    """Return the best decks of a sum of concave functions.

    Parameters
    ----------
    n
        How often each class occurs.
    gain
        What one more prediction adds, as `OfDiagonal` has it.
    linear
        Whether the gain does not depend on the hits; then it is compared in fractions.
    """
    gains = _Fractions(n, gain) if linear else _Averages(n, gain)
    deck = _roughly(n, gain)
    for _ in range(_ROUNDS):
        base = [max(0, count - _ASIDE) for count in deck]
        taken = sum(deck) - sum(base)
        units, certain = gains.settled(_units(gains, deck), taken)
        better = _plus(base, units[:taken])
        if better == deck:
            last = units[taken - 1].gain
            surely = _plus(base, [unit for unit in units if unit.gain > last])
            ties = _plus([0] * len(n), [unit for unit in units if unit.gain == last])
            return GreedyDecks(DeckSet.with_ties(surely, ties, sum(deck)), certain)
        deck = better
    return GreedyDecks(DeckSet.of([deck]), exact=False)


def _plus(base: Sequence[int], units: Sequence[Unit]) -> Counts:
    deck = list(base)
    for unit in units:
        deck[unit.label] += 1
    return tuple(deck)


def _roughly(n: Counts, gain: Gain) -> Counts:
    """Return a deck that is near the best: with the gains at the average hits, by bisection."""
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
    most, deck = paying(lower), paying(upper)
    for _ in range(_HALVINGS):
        if deck.sum() == total:
            break
        middle = (lower * upper) ** 0.5
        found = paying(middle)
        if found.sum() > total:
            lower, most = middle, found
        else:
            upper, deck = middle, found
    return _filled_up(deck, most, n)


def _filled_up(deck: Floats, most: Floats, n: Counts) -> Counts:
    """Return a deck with as many more predictions as it lacks, of classes that have room."""
    filled = list(map(int, deck.tolist()))
    left = sum(n) - sum(filled)
    for k, room in enumerate((most - deck).tolist()):
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


def _units(gains: _Fractions | _Averages, deck: Counts) -> list[Unit]:
    """Return the last predictions of a deck of each class, and the next, in order."""
    total = sum(deck)
    places = [
        (k, before)
        for k, count in enumerate(deck)
        for before in range(max(0, count - _ASIDE), min(count + _ASIDE, total))
    ]
    values = gains(places)
    return _in_order([Unit(gain, *place) for gain, place in zip(values, places, strict=True)])
