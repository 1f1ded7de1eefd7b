"""What every task declares of a measure."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from baserate.intervals.bootstrap import Rule

if TYPE_CHECKING:
    from baserate.core.codomain import Codomain
    from baserate.core.direction import Direction
    from baserate.core.sklearn_call import SklearnCall

S = TypeVar("S")


@dataclass(frozen=True, kw_only=True, eq=False)
class AnyMeasure(abc.ABC, Generic[S]):
    """A measure of any task, which scores an observed S, such as a confusion table.

    Parameters
    ----------
    key
        The canonical short name.
    name
        The full name.
    aliases
        Every other name by which `get_measure` knows it.
    meaning
        One sentence for a newcomer.
    pitfall
        When it misleads; empty for a measure of your own.
    sklearn
        The call of scikit-learn that gives the same score, if there is one.
    direction
        Whether a larger or a smaller score is better.
    codomain
        The values that it can take.
    rounds
        Whether equal scores may differ in their last places, as those of a user's function do.
    counts
        Whether scores are numbers of observations, which are shown without decimals.
    remedy
        What to look for in a model that learned something and does not beat the baseline; empty
        if the task says it.
    interval
        By which rule its confidence interval is made.
    """

    key: str
    name: str
    aliases: tuple[str, ...] = ()
    meaning: str
    pitfall: str = ""
    sklearn: SklearnCall | None = None
    direction: Direction
    codomain: Codomain
    rounds: bool = False
    counts: bool = False
    remedy: str = ""
    interval: Rule = Rule.END

    def __repr__(self) -> str:
        return f"<Measure {self.key}: {self.name}>"

    @property
    def declared(self) -> dict[str, Any]:
        """What every task declares of it, for another measure that is made of this one."""
        return {field.name: getattr(self, field.name) for field in fields(AnyMeasure)}

    @abc.abstractmethod
    def score(self, table: S, undefined: float = math.nan) -> float:
        """Return the score of what was observed; a warning says if there is none."""

    @abc.abstractmethod
    def score_or_reason(self, observed: S) -> tuple[float, str]:
        """Return the score of what was observed, or nan and why it has none."""

    def score_error(self, observed: S) -> float:  # noqa: ARG002
        """Return how far the score may be from that of the rows, if not all counts left them."""
        return 0.0

    def parts(self, observed: S) -> tuple[tuple[str, float], ...]:  # noqa: ARG002
        """Return the parts that add up to the score, each with its name, if it has any."""
        return ()

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""

    def magnitude(self, largest: float) -> float:
        """Return the size of the numbers that rounding errors come from, on scores up to this."""
        bound = max(abs(self.codomain.lower), abs(self.codomain.upper))
        return bound if math.isfinite(bound) else largest
