"""The best and the worst that a prediction expects which never looks at its input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from baserate.core.direction import Direction

if TYPE_CHECKING:
    from baserate.core.measure import AnyMeasure

D_co = TypeVar("D_co", covariant=True)
E = TypeVar("E")  # an end


class Optimum(Protocol[D_co]):
    """An extreme of the expected score, and the decks that attain it.

    A deck is what a prediction consists of, without its order: for two classes, how many
    observations are called positive.
    """

    @property
    def value(self) -> float:
        """The expected score."""

    @property
    def decks(self) -> D_co:
        """All decks that attain it."""

    @property
    def exact(self) -> bool:
        """Whether this is certain."""


class Baseline(Protocol[D_co]):
    """What a measure gives away on a test set."""

    @property
    def measure(self) -> AnyMeasure[Any]:
        """The measure."""

    @property
    def max(self) -> Optimum[D_co]:
        """The largest expected score of any deck."""

    @property
    def min(self) -> Optimum[D_co]:
        """The smallest expected score of any deck."""

    @property
    def best(self) -> Optimum[D_co]:
        """The optimum in the measure's direction: what a model has to beat."""


class TwoEnds(Generic[E]):
    """The largest and the smallest expected score of any deck, and which of them is to beat."""

    measure: AnyMeasure[Any]
    max: E
    min: E

    @property
    def best(self) -> E:
        """The optimum in the measure's direction: what a model has to beat."""
        return self.max if self.measure.direction is Direction.MAXIMIZE else self.min

    @property
    def worst(self) -> E:
        """The other optimum."""
        return self.min if self.measure.direction is Direction.MAXIMIZE else self.max
