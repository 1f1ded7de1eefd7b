"""The record that holds every fact of a measure."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from baserate.binary.confusion import Confusion
from baserate.binary.measures.function import UserFunction
from baserate.binary.measures.margins import Margins
from baserate.binary.measures.requirement import SOME_OBSERVATIONS, Requirement
from baserate.binary.measures.under_draw import UnderDraw
from baserate.core.codomain import Codomain
from baserate.core.direction import Direction
from baserate.core.formula import Formula
from baserate.core.measure import AnyMeasure
from baserate.exceptions import (
    InvalidMeasureError,
    NoBaselineError,
    UndefinedMeasureError,
    UndefinedMeasureWarning,
)
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.proportion import Proportion


_NOTHING_DECLARED = UnderDraw()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Measure(AnyMeasure[Confusion]):
    """One evaluation measure and all its facts, in the paper's order.

    Get a built-in one with `get_measure`, and make your own with `Measure.custom`.

    Parameters
    ----------
    key
        The canonical short name.
    name
        The full name.
    aliases
        Every other name that `get_measure` accepts for it.
    meaning
        One sentence for a newcomer.
    section
        The section of the paper's appendix that derives it; empty if the paper does not have it.
    pitfall
        When it misleads; empty for a measure of your own.
    sklearn
        The call of scikit-learn that gives the same score, if there is one.
    direction
        Whether a larger or a smaller score is better.
    codomain
        The range of its values (Table 1).
    definition
        The score, from the four counts (Table 1).
    requirements
        What must hold for it to be defined (Table 2).
    draw
        What it expects of a draw (Tables 3 and 4).
    proportion
        The hits and the misses, if the score is a function of their proportion: then its interval
        is exact.
    level
        A polynomial of a score s and the counts that has the sign of the measure minus s, at most
        quadratic in s and along the mixtures of a draw and an oracle. It is declared unless a draw
        can be perfect, and gives the Dutch Scaler a closed form.
    smooth
        Whether the definition is smooth in the counts, so that an expectation is an integral.
    monotone
        Whether, for given margins, one more true positive never makes the score worse. Measures
        that are monotone share one p-value.
    rounds
        Whether equal scores may differ in their last places, as those of a user's function do.
    counts
        Whether scores are numbers of observations, which are shown without decimals.
    remedy
        What to look for in a model that learned something and does not beat the baseline; empty
        if the task says it.
    may_be_undefined
        Whether it may lack a value where its requirements hold, or between two counts.
    no_baseline
        Why the measure has no baseline; empty if it has one.
    """

    section: str = ""
    definition: Formula
    requirements: tuple[Requirement, ...] = ()
    draw: UnderDraw = _NOTHING_DECLARED
    proportion: Proportion | None = None
    level: Formula | None = None
    smooth: bool = True
    monotone: bool = True
    may_be_undefined: bool = False
    no_baseline: str | None = None

    @classmethod
    def custom(
        cls,
        key: str,
        function: Callable[..., Any],
        *,
        direction: Direction | Literal["maximize", "minimize"] = Direction.MAXIMIZE,
        name: str | None = None,
        meaning: str = "A measure of your own.",
        codomain: tuple[float, float] = (-math.inf, math.inf),
        smooth: bool = False,
        shape: Literal["concave", "convex"] | None = None,
    ) -> Measure:
        """Make a measure from any function of the four counts.

        Parameters
        ----------
        key
            Its short name, for tables and errors.
        function
            A function of (tp, fp, fn, tn) that returns a number, or nan where the measure is
            undefined. It may take arrays; if it does not, it is called table by table.
        direction
            Whether a larger or a smaller score is better.
        name, meaning
            Its full name and one sentence about it.
        codomain
            The smallest and the largest possible score. With finite ends, terms too unlikely to sum
            can be neglected, and optima can be exact.
        smooth
            Whether the function is finite and differentiable between all counts it may be called
            with, and changes little from one count to the next: no pole such as 1 / (TPR - FPR),
            no kink (abs, max), no step (round, comparisons), no wave. Then the expectation on a
            large test set is an integral, at the same cost for any size. A function that turns out
            not to be smooth raises, and an optimum found by integrals is never called exact.
        shape
            ``"concave"`` or ``"convex"``, if you know this of its expectation as a function of P̂.
            Then its optima are found even if there are too many draws to compute each.

        Notes
        -----
        A function that only adds counts and multiplies them by constants, such as a cost, is
        recognised automatically: it needs no declaration, and all its results are exact.

        Examples
        --------
        >>> from baserate import Confusion
        >>> cost = Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
        >>> cost.score(Confusion(tp=12, fp=3, fn=2, tn=13))
        13.0
        >>> from baserate import BaseRate, baseline
        >>> baseline(BaseRate(positives=10**11, total=10**12), cost).best
        Optimum(value=500000000000.0, theta_stars=ThetaSet({0}), exact=True)
        """
        if not isinstance(key, str) or not key.strip():
            raise InvalidMeasureError(
                f"a measure's key must be a string that is not empty (got {shown(key)})"
            )
        for text in (meaning, key if name is None else name):
            if not isinstance(text, str):
                raise InvalidMeasureError(
                    f"the name and the meaning of measure {shown(key)} must be texts "
                    f"(got {shown(text)})"
                )
        if not isinstance(direction, str) or direction not in tuple(Direction):
            raise InvalidMeasureError(
                f"must be 'maximize' or 'minimize' (got {shown(direction)})", parameter="direction"
            )
        if shape is not None and (not isinstance(shape, str) or shape not in ("concave", "convex")):
            raise InvalidMeasureError(
                f"must be 'concave', 'convex' or None (got {shown(shape)})", parameter="shape"
            )
        if not isinstance(smooth, bool):
            raise InvalidMeasureError(
                f"must be True or False (got {shown(smooth)})", parameter="smooth"
            )
        ends = Codomain.of(codomain)
        return cls(
            key=key,
            name=name or key,
            meaning=meaning,
            direction=Direction(direction),
            codomain=ends,
            interval=ends.rule,
            definition=Formula(rf"\text{{{key}}}", UserFunction.probed(key, function)),
            smooth=smooth,
            monotone=False,
            rounds=True,
            may_be_undefined=True,
            draw=UnderDraw(shape=shape),
        )

    def score(self, table: Confusion, undefined: float = math.nan) -> float:
        """Score a confusion table.

        Parameters
        ----------
        table
            The model's confusion table.
        undefined
            What to return if a requirement fails; an `UndefinedMeasureWarning` says which one.

        Examples
        --------
        >>> from baserate import Confusion, get_measure
        >>> get_measure("F1").score(Confusion(tp=12, fp=3, fn=2, tn=13))
        0.8275862068965517
        """
        if not isinstance(table, Confusion):
            raise InvalidMeasureError.not_a_table(self.key, table)
        score, reason = self.score_or_reason(table)
        if not reason:
            return score
        warnings.warn(f"{self.key} is undefined: {reason}", UndefinedMeasureWarning, stacklevel=2)
        return undefined

    def score_or_reason(self, table: Confusion) -> tuple[float, str]:
        """Return the score of a table, or nan and the reason it has none."""
        failing = self.failing_requirement(table)
        if failing is not None:
            return math.nan, f"it needs {failing} (got {failing.evidence(table)})"
        score = float(self.definition(table.tp, table.fp, table.fn, table.tn))
        if not math.isfinite(score):
            return math.nan, f"its function has no value at {table}"
        return score, ""

    def scores(
        self, tp: NDArray[Any], fp: NDArray[Any], fn: NDArray[Any], tn: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Score arrays of tables that meet the requirements; an undefined score is not finite."""
        with np.errstate(all="ignore"):
            return np.asarray(self.definition(tp, fp, fn, tn))

    def failing_requirement(self, margins: Margins | Confusion) -> Requirement | None:
        """Return the first requirement that fails, if any."""
        for need in (SOME_OBSERVATIONS, *self.requirements):
            if not need.holds(margins):
                return need
        return None

    def allowed(self, base_rate: BaseRate) -> range:
        """Return the P̂ of the draws that meet the requirements.

        A requirement on P̂ or N̂ can exclude only the first or the last draw, as all those of
        Table 2 do; a requirement on P or N excludes all draws.
        """
        first, last = 0, base_rate.total
        if self.failing_requirement(Margins.of(base_rate, first)) is not None:
            first += 1
        if self.failing_requirement(Margins.of(base_rate, last)) is not None:
            last -= 1
        inside = range(first, last + 1)
        if inside and self.failing_requirement(Margins.of(base_rate, first)) is not None:
            return range(0)
        return inside

    def require_draw(self, base_rate: BaseRate, predicted_positives: int) -> None:
        """Raise unless a draw of this size can be scored."""
        self.require_baseline()
        margins = Margins.of(base_rate, predicted_positives)
        failing = self.failing_requirement(margins)
        if failing is not None:
            raise UndefinedMeasureError.no_law(self.key, failing.text, failing.evidence(margins))

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""
        if self.no_baseline is not None:
            raise NoBaselineError(f"{self.key} has scores and no baseline: {self.no_baseline}")

    def __reduce__(self) -> tuple[Callable[[], Measure], tuple[()]]:
        """Pickle a built-in measure by its name, and a custom one by its function."""
        from baserate.binary.measures.catalogue import get_measure

        if not isinstance(self.definition.function, UserFunction):
            return partial(get_measure, self.key), ()
        facts: dict[str, Any] = {
            "direction": self.direction,
            "name": self.name,
            "meaning": self.meaning,
            "codomain": (self.codomain.lower, self.codomain.upper),
            "smooth": self.smooth,
            "shape": self.draw.shape,
        }
        return partial(Measure.custom, self.key, self.definition.function.function, **facts), ()
