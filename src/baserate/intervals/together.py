"""The intervals of many test sets, found at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from baserate.intervals.bootstrap import AT_ONCE, Interval, Statistic
from baserate.intervals.weights import DRAWS, batches

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Iterable


class Ends(NamedTuple):
    """The interval of one of several numbers that are resampled at once."""

    of: Interval
    place: int

    @property
    def low(self) -> Any:
        """The lower end."""
        return self.of.low[self.place]

    @property
    def high(self) -> Any:
        """The upper end."""
        return self.of.high[self.place]

    @property
    def error(self) -> Any:
        """The standard error."""
        return self.of.error[self.place]


R = TypeVar("R")
Asking: TypeAlias = "Generator[Statistic, Interval | Ends, R]"
"""What asks for intervals one by one, and returns what it makes of them."""


def answered(asking: Iterable[Asking[R]], alpha: float) -> list[R]:
    """Return what each makes of the intervals that it asks for; many are found at once."""
    found: dict[int, R] = {}
    draws = DRAWS * len(batches(alpha))
    waiting: dict[Hashable, list[tuple[int, Asking[R], Statistic]]] = {}

    def go_on(place: int, asks: Asking[R], told: Interval | Ends | None) -> None:
        try:
            wanted = asks.send(told)  # type: ignore[arg-type]
        except StopIteration as end:
            found[place] = end.value
            return
        same = waiting.setdefault(wanted.alike or place, [])
        same.append((place, asks, wanted))
        sums = wanted.rows.size if wanted.columns is None else wanted.columns.shape[-1]
        if wanted.alike is None or len(same) * draws * sums >= AT_ONCE:
            tell(wanted.alike or place)

    def tell(key: Hashable) -> None:
        same = waiting.pop(key)
        if len(same) == 1:
            ends: list[Any] = [Interval(same[0][2], alpha)]
        else:
            together = Interval(Statistic.stacked([each for _, _, each in same]), alpha)
            ends = [Ends(together, place) for place in range(len(same))]
        for (place, asks, _), each in zip(same, ends, strict=True):
            go_on(place, asks, each)

    for place, asks in enumerate(asking):
        go_on(place, asks, None)
    while waiting:
        tell(next(iter(waiting)))
    return [found[place] for place in range(len(found))]
