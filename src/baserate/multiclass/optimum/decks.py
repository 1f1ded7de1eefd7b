"""Sets of decks: how often a prediction that ignores its input names each class."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import comb, log10
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Deck: TypeAlias = tuple[int, ...]
"""How often each class is predicted, in the order of the labels of the test set."""

# A set of more decks prints its first one and their number, and a longer deck its first counts.
_MOST_SHOWN, _MOST_CLASSES, _MOST_WRITTEN = 4, 12, 10**15


@dataclass(frozen=True)
class Box:
    """All decks of a size with limits for each class.

    Parameters
    ----------
    low, high
        The least and the most predictions of each class.
    total
        The number of predictions; between the sums of the limits.
    """

    low: Deck
    high: Deck
    total: int

    @cached_property
    def size(self) -> int:
        """The number of decks.

        Classes without a limit share what is left like stars and bars. Those with one are added
        one by one to the ways of filling them, which takes as many steps as their limits allow.
        """
        left = self.total - sum(self.low)
        room = [high - low for low, high in zip(self.low, self.high, strict=True)]
        limits = [each for each in room if 0 < each < left]
        free = sum(each >= left for each in room) if left else 1
        ways = [1]
        for limit in limits:
            ways = _with_one_more(ways, limit, left)
        if not free:
            return ways[left] if left < len(ways) else 0
        return sum(way * comb(left - used + free - 1, free - 1) for used, way in enumerate(ways))

    def __contains__(self, deck: Deck) -> bool:
        inside = all(
            low <= count <= high for low, count, high in zip(self.low, deck, self.high, strict=True)
        )
        return inside and sum(deck) == self.total

    def __iter__(self) -> Iterator[Deck]:
        deck = list(self.low)
        _fill(deck, self.high, 0, self.total - sum(deck))
        while True:
            yield tuple(deck)
            last = self._last_that_gives(deck)
            if last < 0:
                return
            given = 1 + sum(deck[last + 1 :]) - sum(self.low[last + 1 :])
            deck[last:] = [deck[last] - 1, *self.low[last + 1 :]]
            _fill(deck, self.high, last + 1, given)

    def _last_that_gives(self, deck: list[int]) -> int:
        """Return the last class that can have fewer predictions while a later one has more."""
        has_room = False
        for k in range(len(deck) - 1, -1, -1):
            if has_room and deck[k] > self.low[k]:
                return k
            has_room |= deck[k] < self.high[k]
        return -1


def _with_one_more(ways: list[int], limit: int, most: int) -> list[int]:
    """Return the ways to spend 0, 1, 2, … predictions with one more class of some limit."""
    total, found = 0, []
    for used in range(min(len(ways) - 1 + limit, most) + 1):
        total += ways[used] if used < len(ways) else 0
        total -= ways[used - limit - 1] if used > limit else 0
        found.append(total)
    return found


def _fill(deck: list[int], high: Deck, first: int, left: int) -> None:
    """Give what is left to the earliest classes."""
    for k in range(first, len(deck)):
        more = min(left, high[k] - deck[k])
        deck[k] += more
        left -= more


@dataclass(frozen=True)
class DeckSet(Collection[Deck]):
    """An exact set of decks, lazy because there may be too many to list.

    A deck says how often each class is predicted, in the order of the labels of the test set.

    Parameters
    ----------
    boxes
        The decks, as disjoint sets with limits for each class.

    Examples
    --------
    >>> every = DeckSet.over((70, 20, 10))
    >>> every, (0, 60, 40) in every, every.size
    (DeckSet({(100, 0, 0), …: 5,151 decks}), True, 5151)
    >>> DeckSet.of([(70, 20, 10)])
    DeckSet({(70, 20, 10)})
    """

    boxes: tuple[Box, ...]

    @classmethod
    def of(cls, decks: Iterable[Deck]) -> DeckSet:
        """Return a set of some decks, each given once."""
        return cls(tuple(Box(deck, deck, sum(deck)) for deck in decks))

    @classmethod
    def over(cls, counts: Deck, classes: Iterable[int] | None = None, least: int = 0) -> DeckSet:
        """Return all decks over some classes.

        Parameters
        ----------
        counts
            How often each class occurs.
        classes
            The positions of the classes that are predicted, each at least this often; all of them
            if left out.
        least
            How often each of them is predicted at least.
        """
        total = sum(counts)
        chosen = set(range(len(counts)) if classes is None else classes)
        low = tuple(least if k in chosen else 0 for k in range(len(counts)))
        high = tuple(total if k in chosen else 0 for k in range(len(counts)))
        return cls((Box(low, high, total),))

    @classmethod
    def leaving_one_out(cls, counts: Deck) -> DeckSet:
        """Return all decks in which at least one class is never predicted; none for one class."""
        total, classes = sum(counts), len(counts)
        return cls(
            tuple(
                # The first class that is left out is k: the boxes are disjoint.
                Box(
                    low=(1,) * k + (0,) * (classes - k),
                    high=(total,) * k + (0,) + (total,) * (classes - k - 1),
                    total=total,
                )
                for k in range(classes)
                if k <= total and classes > 1
            )
        )

    @classmethod
    def with_ties(cls, base: Deck, more: Deck, total: int) -> DeckSet:
        """Return a deck that is too small, filled up in all ways.

        Parameters
        ----------
        base
            The predictions that every deck has.
        more
            How many more of each class there may be.
        total
            The number of predictions.
        """
        return cls((Box(base, tuple(a + b for a, b in zip(base, more, strict=True)), total),))

    @property
    def size(self) -> int:
        """The number of decks; `len` has it too, up to 2⁶³ - 1."""
        return sum(box.size for box in self.boxes)

    @property
    def first(self) -> Deck:
        """One of the decks."""
        return next(iter(self))

    @property
    def classes(self) -> tuple[int, ...]:
        """The positions of the classes that some of the decks predict."""
        highest = [max(column) for column in zip(*(box.high for box in self.boxes), strict=True)]
        return tuple(k for k, high in enumerate(highest) if high)

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return bool(self.boxes)

    def __iter__(self) -> Iterator[Deck]:
        return chain.from_iterable(self.boxes)

    def __contains__(self, value: object) -> bool:
        if not self.boxes or not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        deck = tuple(value)
        return len(deck) == len(self.boxes[0].low) and any(deck in box for box in self.boxes)

    def __str__(self) -> str:
        few = list(map(_shown, islice(self, 1 if self.size > _MOST_SHOWN else None)))
        if self.size > _MOST_SHOWN:
            few.append(f"…: {_number(self.size)} decks")
        return f"{{{', '.join(few)}}}"

    def __repr__(self) -> str:
        return f"DeckSet({self})"


def _number(size: int) -> str:
    # Python writes no number of more than 4,300 digits, and nobody reads one of twenty.
    return f"{size:,}" if size < _MOST_WRITTEN else f"about 10^{log10(size):.0f}"


def _shown(deck: Deck) -> str:
    if len(deck) <= _MOST_CLASSES:
        return str(deck)
    return f"({', '.join(map(str, deck[:_MOST_CLASSES]))}, …: {len(deck):,} classes)"
