"""Records in which an undefined number equals an undefined number."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class EqualByFacts:
    """A dataclass that is compared by its fields, where nan equals nan.

    Declare it with ``eq=False``: dataclasses compare nan by identity before Python 3.13, and not at
    all since.
    """

    def _comparable(self) -> tuple[Any, ...]:
        kind: Any = type(self)
        return tuple([None if fact != fact else fact for fact in _facts_of(kind)(self)])  # noqa: PLR0124

    def __eq__(self, other: object) -> bool:
        """Compare all facts; values undefined in both count as equal."""
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._comparable() == other._comparable()

    def __hash__(self) -> int:
        return hash(self._comparable())


@cache
def _facts_of(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads all fields of a class: of a report, thousands of times."""
    return attrgetter(*(field.name for field in fields(kind)))
