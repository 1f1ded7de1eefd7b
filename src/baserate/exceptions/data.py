"""What can be wrong with counts, labels, predictions and the numbers of a draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from baserate.exceptions.base import BaserateError, listed, setting, shown

if TYPE_CHECKING:
    from collections.abc import Iterable


_FOR_NUMBERS = (
    "for numbers, name a measure such as 'RMSE', or set ",
    setting("task", "regression"),
    "; ",
)
_FOR_SCORES = (
    (
        "AUC, AP, Brier and log loss take scores; other measures take labels, which evaluate makes "
        "of scores with "
    ),
    setting("threshold", 0.5),
    "; for numbers, name a measure such as RMSE, or set ",
    setting("task", "regression"),
)


class InvalidCountError(BaserateError, ValueError):
    """A count that no test set and no model can have."""


class InvalidLabelsError(BaserateError, ValueError):
    """Labels that are not two classes of one test set."""

    @classmethod
    def ragged(cls, name: str) -> Self:
        """Report labels that are lists of different lengths."""
        return cls(
            "must be one-dimensional (got lists of different lengths); pass one column of labels",
            parameter=name,
        )

    @classmethod
    def unhashable(cls, name: str, value: object) -> Self:
        """Report labels that are containers, not values."""
        return cls(
            "must hold plain values such as 0, 1, True or 'yes' "
            f"(got a {type(value).__name__}: {shown(value)})",
            parameter=name,
        )

    @classmethod
    def not_comparable(cls, error: Exception) -> Self:
        """Report objects that cannot be compared, with the error that they raise."""
        return cls(
            "labels must be values that can be compared, such as 0, 1, True or 'yes' "
            f"(got an object that raises {type(error).__name__} when compared)"
        )

    @classmethod
    def scores(cls, name: str, fractions: Iterable[Any], *, beside_numbers: bool = False) -> Self:
        """Report predictions that are no classes of the truth, as they are not whole."""
        got = f"(got {listed(fractions, most=3)}, and no fraction is a true label); "
        if beside_numbers:
            classes = "for classes, predict labels"
            return cls(f"must hold labels {got}", *_FOR_NUMBERS, classes, parameter=name)
        return cls(f"must hold labels, not scores {got}", *_FOR_SCORES, parameter=name)

    @classmethod
    def of_no_class(
        cls, name: str, labels: Iterable[Any], truth: str, classes: Iterable[Any]
    ) -> Self:
        """Report predictions of which none is a true label."""
        return cls(
            f"must share a label with {truth} (got {listed(labels)} beside {listed(classes)}); "
            "look for spaces, upper case or another coding",
            parameter=name,
        )

    @classmethod
    def of_two_kinds(cls, name: str, label: object, truth: str, other: object) -> Self:
        """Report predictions that are numbers where the true labels are text, or the reverse."""
        return cls(
            f"must hold labels of the same kind as {truth} (got {shown(label)} beside "
            f"{shown(other)}); make both text, or both numbers",
            parameter=name,
        )

    @classmethod
    def missing_positive(cls, pos_label: object) -> Self:
        """Report a positive label that is a missing value."""
        return cls(
            f"must be one of the labels (got the missing value {shown(pos_label)})",
            parameter="pos_label",
        )

    @classmethod
    def absent_positive(cls, name: str, pos_label: object, classes: Iterable[Any]) -> Self:
        """Report a positive label that is not one of the two classes."""
        return cls(
            f"must be one of the classes of {name} "
            f"(got {shown(pos_label)}, which is not among {listed(classes)})",
            parameter="pos_label",
        )


class TooManyClassesError(InvalidLabelsError):
    """Labels of more than two classes, where it is not said which of them is positive."""

    are_scores = False
    """Whether they have fractions, and so are numbers rather than classes."""

    @classmethod
    def named(
        cls,
        name: str,
        classes: Iterable[Any],
        offender: str,
        fraction: float | None = None,
        *,
        are_numbers: bool = False,
    ) -> Self:
        """Report a third class, and where it is met first.

        Parameters
        ----------
        name
            The column, or several.
        classes
            Some classes, the third among them.
        offender
            The third class, and where it is.
        fraction
            A number that is not whole, which may be none of these classes.
        are_numbers
            Whether it is a truth that looks like numbers rather than classes.
        """
        found = list(classes)
        problem = (
            f"{name} must have at most two classes (got {listed(found)}; the third is {offender}); "
        )
        are_scores = any(
            isinstance(each, float) and not each.is_integer() for each in (*found, fraction)
        )
        if are_numbers:
            labels = "scores come after true labels"
            several = "for several classes, name one such as 'macro F1'"
            error = cls(problem, *_FOR_NUMBERS, labels if are_scores else several)
        elif are_scores:
            error = cls(problem, *_FOR_SCORES)
        else:
            several = "name measures of several classes such as 'macro F1', or set one class"
            positive = setting("pos_label", found[0])
            error = cls(problem, several, " against the rest as in ", positive)
        error.are_scores = are_scores
        return error


class MisalignedRowsError(BaserateError, ValueError):
    """Two columns whose rows have different names, or the same ones in another order."""


class MisplacedArgumentError(BaserateError, TypeError):
    """Arguments in another order than a function takes them."""

    @classmethod
    def called(cls, function: str, forms: Iterable[str], given: Iterable[Any]) -> Self:
        """Report a call that has none of a function's forms."""
        *others, last = (f"{function}({form})" for form in forms)
        calls = f"{', '.join(others)} or {last}" if others else last
        return cls(f"{function} must be called as {calls} (got {listed(given) or 'nothing'})")


class MissingLabelsWarning(UserWarning):
    """Rows that were left out because a label is missing."""


class UnseenClassWarning(UserWarning):
    """A class that a model predicts and that never occurs in the truth."""


class InvalidPredictionsError(BaserateError, ValueError):
    """Predictions that are not those of one or more models, or groups that are not theirs."""

    @classmethod
    def none(cls) -> Self:
        """Report that nothing was predicted."""
        return cls(
            "must have at least one model (got none); pass an array, a mapping from model names "
            "to arrays, a data frame, or Confusion tables; of a data frame with the truth in it, "
            "name the columns, as in truth='y', predictions='tree'",
            parameter="predictions",
        )

    @classmethod
    def several_test_sets(cls, count: int) -> Self:
        """Report models of different test sets for a display that shows one."""
        return cls(
            f"a display must have one test set, whose baseline it shows (got {count}); draw the "
            "models of each test set, or each group, apart"
        )


class InvalidThetaError(BaserateError, ValueError):
    """A θ that is not a fraction of the test set."""


class InvalidProbabilityError(BaserateError, ValueError):
    """A probability outside [0, 1]."""


class InvalidSampleError(BaserateError, ValueError):
    """A random sample that cannot be taken."""
