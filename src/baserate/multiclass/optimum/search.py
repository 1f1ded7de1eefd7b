"""The extremes of an expected score of which nothing is declared: of all decks, or of some."""

from __future__ import annotations

import math
from contextlib import closing
from itertools import islice, permutations
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.exceptions import UndefinedMeasureError
from baserate.multiclass.measures.forms import OfProduct
from baserate.multiclass.optimum.decks import DeckSet
from baserate.multiclass.optimum.expectation import expected_score, is_exact
from baserate.multiclass.optimum.found import ClassOptimum
from baserate.multiclass.optimum.products import deck_of_product
from baserate.multiclass.optimum.tables_of_a_deck import ROUGH
from baserate.progress import watched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.optimum.decks import Deck

# All decks are computed if they are so few, and all their tables: about two seconds for a
# function of a user.
_MOST_DECKS, _MOST_TABLES = 5_000, 100_000
# Otherwise a search may look at so many decks for each extreme, and at fewer if their tables are
# large. The best few are looked at again, more carefully.
_MOST_LOOKS, _LEAST_LOOKS, _MOST_CELLS, _BEST = 200, 20, 10**8, 8
# It moves predictions between so many classes at a time, and starts with so many constant decks.
_MOVED_CLASSES, _CONSTANTS = 5, 4
_SEED = 20_230_318


def searched(measure: ClassMeasure, n: Deck, sign: int) -> ClassOptimum:
    """Return an extreme of an expected score.

    Parameters
    ----------
    measure
        The measure.
    n
        How often each class occurs.
    sign
        1 for the maximum and -1 for the minimum.
    """
    every = DeckSet.over(n)
    if _are_few(n, every):
        with closing(
            watched(every, every.size, f"scanning {measure.key}", "decks", lambda _: 1)
        ) as decks:  # an interrupt takes the bar away
            means = {deck: expected_score(measure, n, deck) for deck in decks}
        return _extreme(measure, means, sign, exact=all(is_exact(measure, n, m) for m in means))
    # Of many rough numbers the best one was also lucky, so the best few are computed again.
    best = _Climb(measure, n, sign).best()
    means = {deck: expected_score(measure, n, deck) for deck in best}
    return _extreme(measure, means, sign, exact=False)


def _are_few(n: Deck, every: DeckSet) -> bool:
    """Return whether all tables of all decks are scored."""
    tables = 1
    for size in n:
        tables *= math.comb(size + len(n) - 1, len(n) - 1)
        if tables > _MOST_TABLES:
            return False
    return every.size <= _MOST_DECKS


def _extreme(
    measure: ClassMeasure, means: dict[Deck, float], sign: int, *, exact: bool
) -> ClassOptimum:
    """Return the best of some decks, with all that tie with it."""
    known = {deck: mean for deck, mean in means.items() if not math.isnan(mean)}
    if not known:
        needs = "a deck whose every score is a number"
        raise UndefinedMeasureError.no_draw(measure.key, needs, "none")
    best = max(known.values(), key=lambda mean: sign * mean)
    # A product of many small factors is tiny, and precise; other scores may be differences.
    is_product = isinstance(measure.form, OfProduct)
    scale = abs(best) if is_product else measure.magnitude(max(map(abs, known.values())))
    tied = [deck for deck, mean in known.items() if abs(mean - best) <= COMPUTATION * scale]
    return ClassOptimum(best, DeckSet.of(sorted(tied, reverse=True)), exact)


class _Climb:
    """A search that moves predictions from one class to another as long as that pays."""

    def __init__(self, measure: ClassMeasure, n: Deck, sign: int) -> None:
        self._measure, self._n, self._sign = measure, n, sign
        self._random = np.random.default_rng(_SEED)
        self._starts = list(self._beginnings())
        self._means: dict[Deck, float] = {}

    def best(self) -> list[Deck]:
        """Return the best decks that the search came across, and those where it began."""
        most = max(_LEAST_LOOKS, min(_MOST_LOOKS, _MOST_CELLS // len(self._n) ** 3))
        what = f"searching {self._measure.key}"
        with closing(
            watched(islice(self._looks(), most), most, what, "decks", lambda _: 1)
        ) as looks:
            for _ in looks:
                pass
        by_rank = sorted(self._means, key=self._rank, reverse=True)
        return list(dict.fromkeys([*by_rank[:_BEST], *self._starts]))

    def _looks(self) -> Iterator[Deck]:
        """Yield each deck that is looked at: some to start with, and then around the best."""
        for deck in self._starts:
            self._look(deck)
            yield deck
        step = max(1, sum(self._n) // 3)
        while True:
            best = max(self._means, key=self._rank)
            for deck in self._moved(best, step):
                if deck not in self._means:
                    self._look(deck)
                    yield deck
                if self._rank(deck) > self._rank(best):
                    break
            else:
                if step == 1:
                    return
                step = max(1, step // 2)

    def _look(self, deck: Deck) -> None:
        self._means[deck] = expected_score(self._measure, self._n, deck, effort=ROUGH)

    def _rank(self, deck: Deck) -> float:
        mean = self._means[deck]
        return -math.inf if math.isnan(mean) else self._sign * mean

    def _beginnings(self) -> Iterator[Deck]:
        """Yield decks like the truth, with all classes equally often, and with one class."""
        n, total = self._n, sum(self._n)
        yield n
        each, more = divmod(total, len(n))
        by_size = sorted(range(len(n)), key=n.__getitem__)
        first = set(by_size[:more])
        yield tuple(each + (k in first) for k in range(len(n)))
        if isinstance(self._measure.form, OfProduct):
            yield deck_of_product(self._measure.form, n)
        ends = by_size if len(n) <= _CONSTANTS else by_size[:2] + by_size[-2:]
        for k in ends:
            yield tuple(total if j == k else 0 for j in range(len(n)))

    def _moved(self, deck: Deck, step: int) -> Iterator[Deck]:
        """Yield decks with some predictions of one class changed to another."""
        classes = range(len(deck))
        chosen = (
            classes
            if len(deck) <= _MOVED_CLASSES
            else self._random.choice(len(deck), _MOVED_CLASSES, replace=False).tolist()
        )
        for giver, taker in permutations(chosen, 2):
            moved = min(step, deck[giver])
            if moved:
                other = list(deck)
                other[giver] -= moved
                other[taker] += moved
                yield tuple(other)
