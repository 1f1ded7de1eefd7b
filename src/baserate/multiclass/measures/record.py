"""The record that holds every fact of a measure of several classes."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from baserate.core.codomain import Codomain
from baserate.core.direction import Direction
from baserate.core.formula import Formula
from baserate.core.measure import AnyMeasure
from baserate.core.rule import Rule
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureWarning
from baserate.formatting import shown
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.forms import Form, OfTable, OfTrace
from baserate.multiclass.measures.function import TableFunction
from baserate.multiclass.measures.place import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClassMeasure(AnyMeasure[ConfusionMatrix]):
    """One measure of several classes and all its facts.

    Get a built-in one with `get_measure`, and make your own with `ClassMeasure.custom`.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, counts, remedy,
    interval
        As for every measure.
    definition
        The score of a table of shape (…, K, K), a row per true class.
    zero_division
        What 0/0 is, in a sentence; empty if there is none.
    form
        How the score depends on a table whose margins are given.
    maximum, minimum
        Which decks have the largest and the smallest expected score.
    ordered
        Whether the order of the classes matters.
    may_be_undefined
        Whether there may be no score, even where the classes of the truth are several.
    """

    definition: Formula
    zero_division: str = ""
    form: Form
    maximum: Place = Place.SEARCH
    minimum: Place = Place.SEARCH
    ordered: bool = False
    may_be_undefined: bool = False

    @property
    def monotone(self) -> bool:
        """Whether, for given margins, the right answers decide: these measures share a p-value."""
        return isinstance(self.form, OfTrace)

    @classmethod
    def custom(
        cls,
        key: str,
        function: Callable[[Any], Any],
        *,
        direction: Direction | Literal["maximize", "minimize"] = Direction.MAXIMIZE,
        name: str | None = None,
        meaning: str = "A measure of your own.",
        codomain: tuple[float, float] = (-math.inf, math.inf),
    ) -> ClassMeasure:
        """Make a measure from any function of the confusion matrix.

        Its baseline is searched, and says so; its distribution is enumerated or simulated.

        Parameters
        ----------
        key
            Its short name, for tables and errors.
        function
            A function of an array of counts, a row per true class, that returns a number, or nan
            where the measure is undefined.
        direction
            Whether a larger or a smaller score is better.
        name, meaning
            Its full name and one sentence about it.
        codomain
            The smallest and the largest possible score.

        Examples
        --------
        >>> worst = ClassMeasure.custom("worst recall", lambda table: min(
        ...     row[k] / max(row.sum(), 1) for k, row in enumerate(table)))
        >>> worst.score(ConfusionMatrix([[8, 2], [4, 6]]))
        0.6
        """
        if not isinstance(key, str) or not key.strip():
            raise InvalidMeasureError(
                f"a measure's key must be a string that is not empty (got {shown(key)})"
            )
        if not isinstance(direction, str) or direction not in tuple(Direction):
            raise InvalidMeasureError(
                f"must be 'maximize' or 'minimize' (got {shown(direction)})", parameter="direction"
            )
        if not callable(function):
            raise InvalidMeasureError(
                f"must be a function of a table (got {shown(function)})", parameter="function"
            )
        between = Codomain.of(codomain)
        return cls(
            key=key,
            name=name or key,
            meaning=meaning,
            direction=Direction(direction),
            codomain=between,
            definition=Formula(rf"\text{{{key}}}", TableFunction(key, function)),
            form=OfTable(),
            rounds=True,
            may_be_undefined=True,
            interval=Rule.END if math.isfinite(between.upper - between.lower) else Rule.LOSS,
        )

    def score(self, table: ConfusionMatrix, undefined: float = math.nan) -> float:
        """Score a confusion matrix.

        Parameters
        ----------
        table
            The model's confusion matrix.
        undefined
            What to return if there is no score; an `UndefinedMeasureWarning` says why.

        Examples
        --------
        >>> from baserate import get_measure
        >>> matrix = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]])
        >>> round(get_measure("macro F1").score(matrix), 3)
        0.491
        """
        if not isinstance(table, ConfusionMatrix):
            raise InvalidMeasureError(
                f"{self.key} must be given a ConfusionMatrix to score (got "
                f"{type(table).__name__}); pass ConfusionMatrix.of(y_true, y_pred)"
            )
        score, reason = self.score_or_reason(table)
        if not reason:
            return score
        warnings.warn(f"{self.key} is undefined: {reason}", UndefinedMeasureWarning, stacklevel=2)
        return undefined

    def score_or_reason(self, observed: ConfusionMatrix) -> tuple[float, str]:
        """Return the score of a table, or nan and the reason it has none."""
        score = float(self.scores(observed.counts.astype(float)))
        if math.isfinite(score):
            return score, ""
        if np.count_nonzero(observed.true_counts) == 1:
            return math.nan, f"only the class {shown(observed.test_set.labels[0])} occurs"
        return math.nan, "it is 0/0 for this table"

    def scores(self, tables: NDArray[Any]) -> NDArray[np.float64]:
        """Score many tables, of shape (…, K, K); an undefined score is nan."""
        with np.errstate(all="ignore"):
            return np.asarray(self.definition(tables), dtype=float)

    def __reduce__(self) -> tuple[Callable[[], ClassMeasure], tuple[()]]:
        """Pickle a built-in measure by its name, and a custom one by its function."""
        from baserate.multiclass.measures.catalogue import get_class_measure

        if not isinstance(self.definition.function, TableFunction):
            return partial(get_class_measure, self.key), ()
        facts: dict[str, Any] = {
            "direction": self.direction,
            "name": self.name,
            "meaning": self.meaning,
            "codomain": (self.codomain.lower, self.codomain.upper),
        }
        return partial(
            ClassMeasure.custom, self.key, self.definition.function.function, **facts
        ), ()
