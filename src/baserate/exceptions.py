"""What can go wrong, and the sentences that say so.

Every exception derives from `BaserateError` and from the built-in that a caller would expect.
A message says what must hold, what was found, and what to do instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "BaserateError",
    "InvalidCountError",
    "InvalidLabelsError",
    "InvalidMeasureError",
    "InvalidPredictionsError",
    "InvalidProbabilityError",
    "InvalidReportError",
    "InvalidThetaError",
    "MissingDependencyError",
    "NoBaselineError",
    "NotInReportError",
    "TooManyValuesError",
    "UndefinedMeasureError",
    "UndefinedMeasureWarning",
    "UnknownMeasureError",
]


class BaserateError(Exception):
    """The base of every error that this library raises on purpose."""


class InvalidCountError(BaserateError, ValueError):
    """A count that no test set and no model can have."""

    @classmethod
    def not_whole(cls, name: str, value: object) -> Self:
        """Report a count that is not a whole number."""
        return cls(
            f"{name} must be a whole number (got {value!r} of type {type(value).__name__}); "
            "pass a count of observations, not a rate"
        )

    @classmethod
    def outside(cls, name: str, value: int, low: int, high: int | None, why: str) -> Self:
        """Report a count outside its range."""
        bounds = f"at least {low}" if high is None else f"between {low} and {high}"
        return cls(f"{name} must be {bounds} (got {value}): {why}")


class InvalidLabelsError(BaserateError, ValueError):
    """Labels that are not two classes of one test set."""

    @classmethod
    def empty(cls, name: str) -> Self:
        """Report labels without a single observation."""
        return cls(f"{name} must hold at least one label (got none)")

    @classmethod
    def not_a_vector(cls, name: str, shape: Sequence[int]) -> Self:
        """Report labels that are not one-dimensional."""
        return cls(
            f"{name} must be one-dimensional (got {len(shape)} dimensions of shape "
            f"{tuple(shape)}); pass one column of labels"
        )

    @classmethod
    def ragged(cls, name: str) -> Self:
        """Report labels that are lists of different lengths."""
        return cls(
            f"{name} must be one-dimensional (got lists of different lengths); "
            "pass one column of labels"
        )

    @classmethod
    def missing(cls, name: str, count: int, first: int) -> Self:
        """Report missing values."""
        return cls(
            f"{name} must not have missing values (got {count}, the first at position {first}); "
            "drop or fill those rows first"
        )

    @classmethod
    def unhashable(cls, name: str, value: object) -> Self:
        """Report labels that are containers, not values."""
        return cls(
            f"{name} must hold plain values such as 0, 1, True or 'yes' "
            f"(got a {type(value).__name__}: {value!r})"
        )

    @classmethod
    def too_many_classes(cls, name: str, classes: Iterable[Any], offender: str) -> Self:
        """Report a third class, and where it is met first."""
        return cls(
            f"{name} must have at most two classes (got {_listed(classes)}; the third is "
            f"{offender}); binarise a multiclass problem, and threshold scores or probabilities, "
            "first"
        )

    @classmethod
    def unknown_positive(cls, name: str, classes: Iterable[Any]) -> Self:
        """Report classes of which none is evidently the positive one."""
        found = list(classes)
        return cls(
            f"pos_label must say which class of {name} is positive, unless the labels are "
            f"0/1, -1/1 or booleans (got {_listed(found)}); say so as in "
            f"BaseRate.of(labels, pos_label={found[-1]!r})"
        )

    @classmethod
    def missing_positive(cls, pos_label: object) -> Self:
        """Report a positive label that is a missing value."""
        return cls(f"pos_label must be one of the labels (got the missing value {pos_label!r})")

    @classmethod
    def absent_positive(cls, name: str, pos_label: object, classes: Iterable[Any]) -> Self:
        """Report a positive label that is not one of the two classes."""
        return cls(
            f"pos_label must be one of the classes of {name} "
            f"(got {pos_label!r}, which is not among {_listed(classes)})"
        )

    @classmethod
    def unequal_lengths(cls, first: tuple[str, int], second: tuple[str, int]) -> Self:
        """Report truth and prediction of different lengths."""
        return cls(
            f"{first[0]} and {second[0]} must be equally long "
            f"(got {first[1]} and {second[1]} labels; the first without a partner is at "
            f"position {min(first[1], second[1])})"
        )

    @classmethod
    def not_a_base_rate(cls, value: object) -> Self:
        """Report something that is neither a base rate nor labels."""
        return cls(
            f"a test set must be a BaseRate, a Confusion or its true labels (got {value!r}); "
            "pass for example BaseRate(positives=139, total=303)"
        )


class InvalidPredictionsError(BaserateError, ValueError):
    """Predictions that are not those of one or more models, or groups that are not theirs."""

    @classmethod
    def none(cls) -> Self:
        """Report that nothing was predicted."""
        return cls(
            "predictions must have at least one model (got none); pass an array, a mapping from "
            "model names to arrays, a data frame, or Confusion tables"
        )

    @classmethod
    def duplicate(cls, name: str) -> Self:
        """Report two models of one name."""
        return cls(f"every model must have its own name (got {name!r} twice)")

    @classmethod
    def no_truth(cls, name: str) -> Self:
        """Report labels without the truth to compare them with."""
        return cls(
            f"y_true must be given for the predicted labels of {name} (got None); "
            "only Confusion tables can do without"
        )

    @classmethod
    def empty_table(cls, name: str) -> Self:
        """Report a table without observations."""
        return cls(f"{name} must have at least one observation (got an empty Confusion)")

    @classmethod
    def other_test_set(cls, name: str, table: object, truth: object) -> Self:
        """Report a table that was not counted on the test set."""
        return cls(f"{name} must be counted on the labels of y_true, {truth} (got {table})")

    @classmethod
    def groups_of_tables(cls, name: str) -> Self:
        """Report groups for a table that was counted already."""
        return cls(
            f"by must come with predicted labels ({name} is a Confusion, which has no rows to "
            "group); evaluate the tables of each group as models of their own"
        )

    @classmethod
    def not_a_column(cls, by: object) -> Self:
        """Report groups that are no column."""
        return cls(f"by must be a column with the group of each observation (got {by!r})")

    @classmethod
    def other_length(cls, groups: int, labels: int) -> Self:
        """Report a column of groups of another length than the labels."""
        return cls(
            f"by and y_true must be equally long (got {groups} groups and {labels} labels; the "
            f"first without a partner is at position {min(groups, labels)})"
        )


class InvalidReportError(BaserateError, ValueError):
    """A report that cannot be read or written."""

    @classmethod
    def not_json(cls, why: object) -> Self:
        """Report text that is no report."""
        return cls(f"a report must be the JSON that Report.to_json writes ({why})")

    @classmethod
    def schema(cls, found: object, known: str) -> Self:
        """Report JSON of another kind or version."""
        return cls(f"a report must have the schema {known!r} (got {found!r})")


class MissingDependencyError(BaserateError, ImportError):
    """A package that is needed for this, and is not installed."""

    @classmethod
    def package(cls, package: str, what: str) -> Self:
        """Report a package, with the line that installs it."""
        return cls(f"{what} needs {package}, which is not installed: pip install {package}")


class NotInReportError(BaserateError, LookupError):
    """A model, a group or a measure that a report does not have."""

    @classmethod
    def named(cls, kind: str, name: object, known: Iterable[object]) -> Self:
        """Report an unknown name, with the known ones."""
        return cls(f"the report has no {kind} {name!r} (it has {_listed(known, most=12)})")


class InvalidThetaError(BaserateError, ValueError):
    """A θ that is not a fraction of the test set."""

    @classmethod
    def outside(cls, theta: object) -> Self:
        """Report a θ outside [0, 1]."""
        return cls(f"theta must be a number between 0 and 1 (got {theta!r})")

    @classmethod
    def not_one(cls) -> Self:
        """Report a draw with no size, or with two."""
        return cls(
            "a draw must have either theta or predicted_positives (got both or neither); "
            "pass for example theta=0.4"
        )


class InvalidProbabilityError(BaserateError, ValueError):
    """A probability outside [0, 1]."""

    @classmethod
    def confidence(cls, confidence: object) -> Self:
        """Report a confidence that is no probability."""
        return cls(f"confidence must be between 0 and 1 (got {confidence!r}); 95% is written 0.95")

    @classmethod
    def rho(cls, rho: object) -> Self:
        """Report an oracle's error rate that is no probability."""
        return cls(f"rho must be between 0 and 1 (got {rho!r}): how often the oracle is wrong")


class InvalidMeasureError(BaserateError, ValueError):
    """A measure that is declared, called or parametrised wrongly."""

    @classmethod
    def beta(cls, beta: object) -> Self:
        """Report a β for which there is no F score."""
        return cls(
            "beta must be a finite number above 0, with a square that a float can hold "
            f"(got {beta!r})"
        )

    @classmethod
    def needs_beta(cls, name: str) -> Self:
        """Report an F score without its β."""
        return cls(
            f"{name!r} must come with a beta: get_measure({name!r}, beta=2), or by name, 'F2'"
        )

    @classmethod
    def takes_no_beta(cls, name: str, beta: object) -> Self:
        """Report a β for a measure that has none, or that has its own."""
        return cls(f"{name!r} takes no beta (got beta={beta!r}); only 'fbeta' does")

    @classmethod
    def direction(cls, direction: object) -> Self:
        """Report an unknown direction."""
        return cls(f"direction must be 'maximize' or 'minimize' (got {direction!r})")

    @classmethod
    def shape(cls, shape: object) -> Self:
        """Report an unknown shape."""
        return cls(f"shape must be 'concave', 'convex' or None (got {shape!r})")

    @classmethod
    def not_of_shape(cls) -> Self:
        """Report a curve that contradicts its declared shape."""
        return cls(
            "shape must be that of the expectation as a function of P̂ (got one that bends the "
            "other way); leave shape out, and every draw is looked at"
        )

    @classmethod
    def codomain(cls, codomain: object) -> Self:
        """Report a codomain that is no pair of numbers."""
        return cls(
            f"codomain must be the lowest and the highest score, such as (0, 1) (got {codomain!r})"
        )

    @classmethod
    def not_a_table(cls, key: str, table: object) -> Self:
        """Report a score of something else than a confusion table."""
        return cls(
            f"{key} must be given a Confusion to score (got {type(table).__name__}); "
            "pass Confusion.of(y_true, y_pred)"
        )

    @classmethod
    def none(cls) -> Self:
        """Report an evaluation without measures."""
        return cls("measures must have at least one measure (got none); leave it out for all 22")

    @classmethod
    def duplicate(cls, key: str) -> Self:
        """Report a measure that is asked for twice, or two of one name."""
        return cls(f"every measure must have its own key (got {key!r} twice)")

    @classmethod
    def margin(cls, margin: object) -> Self:
        """Report a margin that is no distance."""
        return cls(f"margin must be a number of at least 0 (got {margin!r})")

    @classmethod
    def score(cls, score: object) -> Self:
        """Report a score that is no number."""
        return cls(f"score must be a number (got {score!r} of type {type(score).__name__})")

    @classmethod
    def not_callable(cls, key: str, function: object) -> Self:
        """Report a custom measure without a function."""
        return cls(f"measure {key!r} must have a function of (tp, fp, fn, tn) (got {function!r})")

    @classmethod
    def empty_key(cls, key: object) -> Self:
        """Report a measure without a name."""
        return cls(f"a measure's key must be a string that is not empty (got {key!r})")

    @classmethod
    def function_raised(cls, key: str, counts: tuple[object, ...], error: Exception) -> Self:
        """Report a custom function that fails on a table it must be able to score."""
        return cls(
            f"the function of measure {key!r} must return a number for every table "
            f"(got {type(error).__name__}: {error}, at {_counts(counts)}); "
            "return math.nan where the measure is undefined"
        )

    @classmethod
    def not_a_number(cls, key: str, counts: tuple[object, ...], value: object) -> Self:
        """Report a custom function that returns no number."""
        return cls(
            f"the function of measure {key!r} must return one number per table "
            f"(got {value!r} of type {type(value).__name__}, at {_counts(counts)})"
        )


class UnknownMeasureError(BaserateError, ValueError):
    """A measure's name that nobody knows."""

    @classmethod
    def named(cls, name: object, nearest: Sequence[str]) -> Self:
        """Report an unknown name, with the nearest known ones."""
        advice = (
            f"did you mean {' or '.join(repr(match) for match in nearest)}?"
            if nearest
            else "list(baserate.MEASURES) has them all"
        )
        return cls(f"unknown measure {name!r}: {advice}")


class UndefinedMeasureError(BaserateError, ValueError):
    """A law, an expectation or a baseline that does not exist."""

    @classmethod
    def no_draw(cls, key: str, requirement: str, evidence: str) -> Self:
        """Report a baseline on a test set that no draw can score."""
        return cls(
            f"{key} has no baseline on this test set: it needs {requirement} (got {evidence})"
        )

    @classmethod
    def no_law(cls, key: str, requirement: str, evidence: str) -> Self:
        """Report the score of a draw that the measure cannot score."""
        return cls(f"{key} is undefined for this draw: it needs {requirement} (got {evidence})")

    @classmethod
    def no_scaler(cls, key: str, why: str) -> Self:
        """Report a score that has no Dutch Scaler."""
        return cls(f"the Dutch Scaler of {key} is undefined: {why}")


class NoBaselineError(UndefinedMeasureError):
    """A measure that has scores and, by its nature, no baseline."""

    @classmethod
    def because(cls, key: str, reason: str) -> Self:
        """Report a measure without a baseline, with the reason."""
        return cls(f"{key} has scores and no baseline: {reason}")


class TooManyValuesError(BaserateError, ValueError):
    """More attainable scores than can be laid out or summed."""

    @classmethod
    def listed(cls, size: int, most: int) -> Self:
        """Report a law that has too many scores to lay them out."""
        return cls(
            f"at most {most:,} scores can be laid out in memory (got a draw with {size:,}); "
            "ask for single ones with pmf, cdf, sf and ppf of a built-in measure"
        )

    @classmethod
    def summed(cls, size: int, most: int) -> Self:
        """Report an expectation that would have to be summed over too many counts."""
        return cls(
            f"at most {most:,} scores can be summed for one draw (got one with {size:,}); "
            "if the measure is smooth between whole counts, make it with smooth=True"
        )


class UndefinedMeasureWarning(UserWarning):
    """A score whose requirement fails; the value given for `undefined` stands in for it."""


def _listed(values: Iterable[Any], most: int = 5) -> str:
    shown = [repr(value) for value in values]
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")


def _counts(counts: tuple[object, ...]) -> str:
    names = ("tp", "fp", "fn", "tn")
    return ", ".join(f"{name}={count}" for name, count in zip(names, counts, strict=True))
