"""What can go wrong, and the sentences that say so.

Every exception derives from `BaserateError` and from the built-in that a caller would expect.
A message says what must hold, what was found, and what to do instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from baserate.formatting import Term, listed, one_line, setting, shortened, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "BaserateError", "InvalidCountError", "InvalidFileError", "InvalidFrameError",
    "InvalidLabelsError", "InvalidMeasureError", "InvalidPredictionsError",
    "InvalidProbabilityError", "InvalidReportError", "InvalidSampleError", "InvalidScoresError",
    "InvalidTargetError", "InvalidThetaError", "InvalidWeightsError", "MisalignedRowsError",
    "MisplacedArgumentError", "MissingDependencyError", "MissingFileError", "MissingLabelsWarning",
    "NoBaselineError", "NotInReportError", "TooManyClassesError", "TooManyValuesError",
    "UndefinedMeasureError", "UndefinedMeasureWarning", "UnknownMeasureError", "UnseenClassWarning",
    "UnwritableFileError",
]  # fmt: skip


class BaserateError(Exception):
    """The base of every error that this library raises on purpose.

    Its message is one line that commands nobody, whatever name it quotes.

    Parameters
    ----------
    *parts
        The message. If it is about a parameter, it is the rest of a sentence that begins with the
        name of that parameter.
    parameter
        The parameter that the error is about, or several of them.

    Examples
    --------
    >>> error = BaserateError("must be above 0 (got -1)", parameter="beta")
    >>> print(error, error.parameter, sep="; ")
    beta must be above 0 (got -1); beta
    """

    parameters: tuple[str, ...]
    """What the error is about; nothing if it is about no parameter."""

    def __init__(self, *parts: str | Term, parameter: str | tuple[str, ...] = ()) -> None:
        self.parameters = (parameter,) if isinstance(parameter, str) else parameter
        self._parts = (*_subject(self.parameters), *parts)
        super().__init__("".join(map(str, self._parts)))  # so that it pickles by its text

    def __str__(self) -> str:
        return one_line(super().__str__())

    @property
    def parameter(self) -> str:
        """The parameter that the error is about, the first of several, or nothing."""
        return self.parameters[0] if self.parameters else ""

    def said(self, spelled: Callable[[Term], str]) -> str:
        """Return the message in which the names are spelled in another way than Python's."""
        words = (part if isinstance(part, str) else spelled(part) for part in self._parts)
        return one_line("".join(words))


def _subject(parameters: tuple[str, ...]) -> list[str | Term]:
    """Return the beginning of a sentence about some parameters: a, b and c."""
    parts: list[str | Term] = []
    for left, name in zip(range(len(parameters), 0, -1), parameters, strict=True):
        after = " " if left == 1 else " and " if left == 2 else ", "
        parts += [Term(name, name), after]
    return parts


# Counts, labels, predictions and the numbers of a draw.

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
        """Report predictions that cannot be classes, as they are not whole."""
        got = f"(got {listed(fractions, most=3)}, and no fraction is a true label); "
        if beside_numbers:
            classes = "for classes, predict labels"
            return cls(f"must hold labels {got}", *_FOR_NUMBERS, classes, parameter=name)
        return cls(f"must hold labels, not scores {got}", *_FOR_SCORES, parameter=name)

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

        The offender is the third class and its place. A fraction may be none of these classes, and
        `are_numbers` says that they are those of a truth, which looks like numbers.
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
            return cls(problem, *_FOR_NUMBERS, labels if are_scores else several)
        if are_scores:
            return cls(problem, *_FOR_SCORES)
        several = "name measures of several classes such as 'macro F1', or set one class"
        positive = setting("pos_label", found[0])
        return cls(problem, several, " against the rest as in ", positive)


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
            "to arrays, a data frame, or confusion matrices; of a data frame with the truth in it, "
            "name the columns, as in truth='y', y_pred='tree'",
            parameter="y_pred",
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


# Data frames and files.


class InvalidFrameError(BaserateError, ValueError):
    """A data frame that cannot be counted."""

    @classmethod
    def not_a_name(cls, name: object) -> Self:
        """Report a column that is not asked for by its name."""
        return cls(
            f"must be the names of columns of the data frame (got a {type(name).__name__})",
            parameter=("truth", "prediction", "by"),
        )


class MissingFileError(BaserateError, FileNotFoundError):
    """A path where there is no file."""


class UnwritableFileError(BaserateError, OSError):
    """A file that cannot be written."""


class InvalidFileError(BaserateError, ValueError):
    """A file that cannot be read."""

    @classmethod
    def unreadable(cls, files: Sequence[str], error: Exception) -> Self:
        """Report a broken file."""
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        # What DuckDB advises after that is to lose rows.
        why = shortened(error).partition(" Possible ")[0].partition(" Try ")[0]
        return cls(f"{shown(files[0], 300)}{more} could not be read ({why})")


# Measures.


class InvalidMeasureError(BaserateError, ValueError):
    """A measure that is declared, called or parametrised wrongly."""

    @classmethod
    def not_smooth(cls) -> Self:
        """Report a function that contradicts what was declared of it."""
        return cls(
            "a function made with smooth=True must be finite between whole counts and change "
            "little from one to the next (got a pole, a kink, a step or a wave); leave smooth "
            "out, and its expectation is summed over the whole counts"
        )

    @classmethod
    def codomain(cls, codomain: object) -> Self:
        """Report a codomain that is no pair of numbers."""
        return cls(
            f"must be the lowest and the highest score, such as (0, 1) (got {shown(codomain)})",
            parameter="codomain",
        )


class UnknownMeasureError(BaserateError, ValueError):
    """A measure's name that nobody knows."""


class UndefinedMeasureError(BaserateError, ValueError):
    """A distribution, an expectation or a baseline that does not exist."""

    @classmethod
    def no_draw(cls, key: str, requirement: str, evidence: str) -> Self:
        """Report a baseline on a test set that no draw can score."""
        return cls(
            f"{key} has no baseline on this test set: it needs {requirement} (got {evidence})"
        )

    @classmethod
    def no_distribution(cls, key: str, requirement: str, evidence: str) -> Self:
        """Report the score of a draw that the measure cannot score."""
        return cls(f"{key} is undefined for this draw: it needs {requirement} (got {evidence})")


class NoBaselineError(UndefinedMeasureError):
    """A measure that has scores and, by its nature, no baseline."""


class TooManyValuesError(BaserateError, ValueError):
    """More attainable scores than can be laid out or summed."""


class UndefinedMeasureWarning(UserWarning):
    """A score whose requirement fails; the value given for `undefined` stands in for it."""


# Targets, scores and weights of models.


class InvalidTargetError(BaserateError, ValueError):
    """A target that has no base rate to learn."""


class InvalidScoresError(BaserateError, ValueError):
    """Scores of a model that no cut-off can be moved along."""


class InvalidWeightsError(BaserateError, ValueError):
    """Weights that are none, or that do not say what they mean."""

    @classmethod
    def of_bad_value(cls, got: str, parameter: str, *, whole: bool) -> Self:
        """Report the first weight that is not allowed."""
        if not whole:
            return cls(f"must be finite numbers of at least 0 (got {got})", parameter=parameter)
        return cls(
            f"must be whole numbers of at least 0 (got {got}), since they repeat rows; if they say "
            "how much rows matter, set ",
            setting("weights", "importance"),
            parameter=parameter,
        )


# Reports.


class InvalidReportError(BaserateError, ValueError):
    """A report that cannot be read, written or drawn."""


class MissingDependencyError(BaserateError, ImportError):
    """A package that is needed for this, and is not installed."""

    @classmethod
    def package(cls, package: str, what: str) -> Self:
        """Report a package, with the line that installs it."""
        return cls(f"{what} needs {package}, which is not installed: pip install {package}")


class NotInReportError(BaserateError, LookupError):
    """A model, a group or a measure that a report does not have."""
