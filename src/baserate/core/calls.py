"""Read the arguments of a call: labels, a table or a test set, and a measure or a score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from baserate.arguments import is_number
from baserate.core.measure import AnyMeasure
from baserate.exceptions import MisplacedArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_SCORED = ("y_true, y_pred, measure", "table, measure", "test_set, measure, score")
_TABLE = ("y_true, y_pred", "table", "y_true, y_pred, measure")
_MEASURED = ("y_true, y_pred, measure", "table, measure")

C = TypeVar("C")  # a table
R = TypeVar("R")  # a test set
M = TypeVar("M", bound=AnyMeasure[Any])


class Scored(NamedTuple, Generic[R, M]):
    """A score of a measure on a test set."""

    test_set: R
    measure: M
    score: Any


@dataclass(frozen=True)
class Reader(Generic[C, R, M]):
    """How a task reads the arguments of its functions.

    Parameters
    ----------
    table, test_set
        The types of what it scores, and of a test set.
    get_measure
        A measure by any of its names.
    count
        The table of true and predicted labels, with a positive class if it has one.
    weigh
        The same, with how often each observation counts.
    test_set_of
        The test set of a description: itself, a table, or true labels.
    require_test_set
        Raises unless a table was counted on some labels.
    """

    table: type[C]
    test_set: type[R]
    get_measure: Callable[[Any], M]
    count: Callable[[Any, Any, object], C]
    weigh: Callable[[Any, Any, object, NDArray[Any]], C]
    test_set_of: Callable[[Any, object], R]
    require_test_set: Callable[[str, C, Any, object], None]

    def counted(self, value: object) -> bool:
        """Return whether a value is a table or a test set of this task."""
        return isinstance(value, (self.table, self.test_set))

    def scored(
        self,
        function: str,
        positional: tuple[Any, Any, Any],
        *,
        score: Any,
        pos_label: object,
        test_set: Any,
    ) -> Scored[R, M]:
        """Return what a call is about, whichever of its forms it has.

        A text or a measure is a measure, and what comes after it is a score.

        Parameters
        ----------
        function
            The name of the function, for errors.
        positional
            The first three arguments.
        score, pos_label, test_set
            The arguments that may be given by name.
        """
        given = [each for each in (test_set, *positional, score) if each is not None]
        wrong = partial(MisplacedArgumentError.called, function, _SCORED, given)
        first, second, third = positional
        if test_set is not None:
            if first is not None:
                raise wrong()
            first = test_set
        if is_measure(second):
            if third is not None and score is not None:
                raise wrong()
            second, third, score = None, second, third if score is None else score
        if not is_measure(third) or is_measure(first) or is_number(second):
            raise wrong()
        measure = self.get_measure(third)
        if second is None and score is not None:
            return Scored(self.test_set_of(first, pos_label), measure, score)
        if score is not None:
            raise wrong()
        table = self._table(wrong, first, second, pos_label)
        return Scored(self.test_set_of(table, None), measure, measure.score(table))

    def tabled(
        self, function: str, positional: tuple[Any, Any, Any], *, pos_label: object, table: Any
    ) -> tuple[C, M | None]:
        """Return the table that a call is about, and the measure if it names one."""
        given = [each for each in (table, *positional) if each is not None]
        wrong = partial(MisplacedArgumentError.called, function, _TABLE, given)
        first, second, measure = positional
        if table is not None:
            if first is not None:
                raise wrong()
            first = table
        if is_measure(second) and measure is None:
            second, measure = None, second
        is_asked = measure is None or is_measure(measure)
        if not is_asked or is_measure(first) or is_measure(second):
            raise wrong()
        found = self._table(wrong, first, second, pos_label)
        return found, None if measure is None else self.get_measure(measure)

    def measured(
        self, function: str, positional: tuple[Any, Any, Any], *, pos_label: object
    ) -> tuple[C, M]:
        """Return the table and the measure that a call is about."""
        given = [each for each in positional if each is not None]
        wrong = partial(MisplacedArgumentError.called, function, _MEASURED, given)
        first, second, measure = positional
        if is_measure(second) and measure is None:
            second, measure = None, second
        if not is_measure(measure) or is_measure(first) or is_measure(second):
            raise wrong()
        return self._table(wrong, first, second, pos_label), self.get_measure(measure)

    def _table(
        self, wrong: Callable[[], Exception], y_true: Any, y_pred: Any, pos_label: object
    ) -> C:
        """Return a table as given, or count labels."""
        if y_pred is None and isinstance(y_true, self.table):
            return y_true
        if isinstance(y_pred, self.table):
            self.require_test_set("y_pred", y_pred, y_true, pos_label)
            return y_pred
        if y_pred is None or y_true is None or self.counted(y_true):
            raise wrong()
        return self.count(y_true, y_pred, pos_label)


def is_measure(value: Any) -> bool:
    """Return whether an argument is meant as a measure: no labels and no table are a text."""
    return isinstance(value, str | AnyMeasure)
