"""Sets of class mixes: how often a guess predicts each class."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import comb, log10
from typing import TYPE_CHECKING, TypeAlias

from baserate.formatting import class_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from baserate.observed.labels import BaseRate


Mix: TypeAlias = tuple[int, ...]
"""How often each class is predicted, in the order of the labels of the test set."""

# A set of more mixes prints its first one and their number, and a longer mix its first counts.
_MOST_SHOWN, _MOST_CLASSES, _MOST_WRITTEN = 4, 12, 10**15


@dataclass(frozen=True)
class Box:
    """All mixes of a size with limits for each class."""

    low: Mix
    high: Mix
    total: int

    @cached_property
    def size(self) -> int:
        """The number of mixes.

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

    def __contains__(self, mix: Mix) -> bool:
        inside = all(
            low <= count <= high for low, count, high in zip(self.low, mix, self.high, strict=True)
        )
        return inside and sum(mix) == self.total

    def __iter__(self) -> Iterator[Mix]:
        mix = list(self.low)
        _fill(mix, self.high, 0, self.total - sum(mix))
        while True:
            yield tuple(mix)
            last = self._last_that_gives(mix)
            if last < 0:
                return
            given = 1 + sum(mix[last + 1 :]) - sum(self.low[last + 1 :])
            mix[last:] = [mix[last] - 1, *self.low[last + 1 :]]
            _fill(mix, self.high, last + 1, given)

    def _last_that_gives(self, mix: list[int]) -> int:
        """Return the last class that can have fewer predictions while a later one has more."""
        has_room = False
        for k in range(len(mix) - 1, -1, -1):
            if has_room and mix[k] > self.low[k]:
                return k
            has_room |= mix[k] < self.high[k]
        return -1


def _with_one_more(ways: list[int], limit: int, most: int) -> list[int]:
    """Return the ways to spend 0, 1, 2, … predictions with one more class of some limit."""
    total, found = 0, []
    for used in range(min(len(ways) - 1 + limit, most) + 1):
        total += ways[used] if used < len(ways) else 0
        total -= ways[used - limit - 1] if used > limit else 0
        found.append(total)
    return found


def _fill(mix: list[int], high: Mix, first: int, left: int) -> None:
    """Give what is left to the earliest classes."""
    for k in range(first, len(mix)):
        more = min(left, high[k] - mix[k])
        mix[k] += more
        left -= more


@dataclass(frozen=True)
class MixSet(Collection[Mix]):
    """An exact set of mixes, lazy because there may be too many to list.

    A mix says how often each class is predicted, in the order of the labels of the test set.

    Examples
    --------
    >>> every = MixSet.over((70, 20, 10))
    >>> every, (0, 60, 40) in every, every.size
    (MixSet({(100, 0, 0), …: 5,151 mixes}), True, 5151)
    >>> MixSet.of([(70, 20, 10)])
    MixSet({(70, 20, 10)})
    """

    boxes: tuple[Box, ...]

    @classmethod
    def of(cls, mixes: Iterable[Mix]) -> MixSet:
        """Return a set of some mixes, each given once."""
        return cls(tuple(Box(mix, mix, sum(mix)) for mix in mixes))

    @classmethod
    def over(cls, counts: Mix, classes: Iterable[int] | None = None, least: int = 0) -> MixSet:
        """Return all mixes over some classes, or all of them, each predicted at least so often."""
        total = sum(counts)
        chosen = set(range(len(counts)) if classes is None else classes)
        low = tuple(least if k in chosen else 0 for k in range(len(counts)))
        high = tuple(total if k in chosen else 0 for k in range(len(counts)))
        return cls((Box(low, high, total),))

    @classmethod
    def leaving_one_out(cls, counts: Mix) -> MixSet:
        """Return all mixes in which at least one class is never predicted; none for one class."""
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
    def with_ties(cls, base: Mix, more: Mix, total: int) -> MixSet:
        """Return a mix that is too small, filled up to a total with some more of each class."""
        return cls((Box(base, tuple(a + b for a, b in zip(base, more, strict=True)), total),))

    @property
    def size(self) -> int:
        """The number of mixes; `len` has it too, up to 2⁶³ - 1."""
        return sum(box.size for box in self.boxes)

    @property
    def first(self) -> Mix:
        """One of the mixes."""
        return next(iter(self))

    @property
    def classes(self) -> tuple[int, ...]:
        """The positions of the classes that some of the mixes predict."""
        highest = [max(column) for column in zip(*(box.high for box in self.boxes), strict=True)]
        return tuple(k for k, high in enumerate(highest) if high)

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return bool(self.boxes)

    def __iter__(self) -> Iterator[Mix]:
        return chain.from_iterable(self.boxes)

    def __contains__(self, value: object) -> bool:
        if not self.boxes or not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        mix = tuple(value)
        return len(mix) == len(self.boxes[0].low) and any(mix in box for box in self.boxes)

    def __str__(self) -> str:
        few = list(map(_shown, islice(self, 1 if self.size > _MOST_SHOWN else None)))
        if self.size > _MOST_SHOWN:
            few.append(f"…: {_number(self.size)} mixes")
        return f"{{{', '.join(few)}}}"

    def __repr__(self) -> str:
        return f"MixSet({self})"


def _number(size: int) -> str:
    # Python writes no number of more than 4,300 digits, and nobody reads one of twenty.
    return f"{size:,}" if size < _MOST_WRITTEN else f"about 10^{log10(size):.0f}"


def _shown(mix: Mix) -> str:
    if len(mix) <= _MOST_CLASSES:
        return str(mix)
    return f"({', '.join(map(str, mix[:_MOST_CLASSES]))}, …: {len(mix):,} classes)"


# The most classes that are named.
_MOST_NAMED = 4


def mixes_in_words(mixes: MixSet, test_set: BaseRate) -> str:
    """Return some mixes on a test set in words.

    Examples
    --------
    >>> from baserate.observed.labels import BaseRate
    >>> counts = BaseRate({"a": 40, "b": 40, "c": 20})
    >>> print(mixes_in_words(MixSet.over(counts.counts, [0, 1]), counts))
    always 'a' or 'b'
    >>> print(mixes_in_words(MixSet.of([(90, 10, 0)]), counts))
    90 'a', 10 'b' at random
    """
    n, every = test_set.counts, MixSet.over(test_set.counts)
    if mixes.size == every.size > 1:
        return "any guess"
    if all(mix in mixes for mix in constants(n, mixes.classes)):
        return f"always {_or([class_name(test_set.labels[k]) for k in mixes.classes])}"
    if mixes.size == 1 and n in mixes:
        return "each class as often as it occurs"
    at_least_once = MixSet.over(n, least=1)
    if mixes.size == at_least_once.size and at_least_once.first in mixes:
        return "each class at least once"
    such_as = "" if mixes.size == 1 else "for example "
    return f"{such_as}{_counts(mixes.first, test_set)} at random"


def constants(n: Mix, classes: Iterable[int]) -> Iterator[Mix]:
    """Return the mixes of one class only, for some classes."""
    total, none = sum(n), (0,) * len(n)
    return ((*none[:k], total, *none[k + 1 :]) for k in classes)


def _or(names: list[str]) -> str:
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} or {len(names) - _MOST_NAMED:,} more"
    return " or ".join(names)


def _counts(mix: Mix, test_set: BaseRate) -> str:
    """Return how often each class is predicted; those that never are do not count."""
    named = [
        f"{count:,} {'' if isinstance(label, str) else 'of '}{class_name(label)}"
        for label, count in zip(test_set.labels, mix, strict=True)
        if count
    ]
    more = f" … and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
    return ", ".join(named[:_MOST_NAMED]) + more
