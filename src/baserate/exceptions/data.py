"""What can be wrong with counts, labels, predictions and the numbers of a draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from baserate.exceptions.base import BaserateError, listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class InvalidCountError(BaserateError, ValueError):
    """A count that no test set and no model can have."""

    @classmethod
    def not_whole(cls, name: str, value: object) -> Self:
        """Report a count that is not a whole number."""
        return cls(
            f"{name} must be a whole number (got {shown(value)} of type {type(value).__name__}); "
            "pass a count of observations, not a rate"
        )

    @classmethod
    def too_large(cls, name: str, most: int) -> Self:
        """Report more observations than the numbers are right for."""
        return cls(
            f"{name} must be a whole number of at most {most:,} (got more): up to there every "
            "number is right, and beyond it floats run out of digits"
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
            f"{tuple(shape)}); pass one column of labels, or a data frame with truth='…'"
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
    def missing_in_columns(cls, counts: Mapping[str, int]) -> Self:
        """Report missing values of a frame, column by column."""
        found = ", ".join(f"{count:,} in {name!r}" for name, count in counts.items() if count)
        return cls(
            f"labels must not be missing (got {found}); fill them, or leave those rows out with "
            "missing='drop'"
        )

    @classmethod
    def unhashable(cls, name: str, value: object) -> Self:
        """Report labels that are containers, not values."""
        return cls(
            f"{name} must hold plain values such as 0, 1, True or 'yes' "
            f"(got a {type(value).__name__}: {shown(value)})"
        )

    @classmethod
    def too_many_classes(cls, name: str, classes: Iterable[Any], offender: str) -> Self:
        """Report a third class, and where it is met first."""
        return cls(
            f"{name} must have at most two classes (got {listed(classes)}; the third is "
            f"{offender}); binarise a multiclass problem, and threshold scores or probabilities, "
            "first"
        )

    @classmethod
    def unknown_positive(cls, name: str, classes: Iterable[Any]) -> Self:
        """Report classes of which none is evidently the positive one."""
        found = list(classes)
        return cls(
            f"pos_label must say which class of {name} is positive, unless the labels are "
            f"0/1, -1/1 or booleans (got {listed(found)}); say so as in "
            f"BaseRate.of(labels, pos_label={shown(found[-1])})"
        )

    @classmethod
    def missing_positive(cls, pos_label: object) -> Self:
        """Report a positive label that is a missing value."""
        return cls(
            f"pos_label must be one of the labels (got the missing value {shown(pos_label)})"
        )

    @classmethod
    def absent_positive(cls, name: str, pos_label: object, classes: Iterable[Any]) -> Self:
        """Report a positive label that is not one of the two classes."""
        return cls(
            f"pos_label must be one of the classes of {name} "
            f"(got {shown(pos_label)}, which is not among {listed(classes)})"
        )

    @classmethod
    def other_type(cls, name: str, kind: str, label: str) -> Self:
        """Report a positive label that is typed as none of its column can be."""
        return cls(f"pos_label must be a {kind}, as the labels of {name!r} are (got {label!r})")

    @classmethod
    def other_positive(cls, first: object, second: object) -> Self:
        """Report streams that count different classes."""
        found = f"{shown(first)} and {shown(second)}"
        return cls(f"streams must have the same pos_label to add up (got {found})")

    @classmethod
    def other_negative(cls, what: str, first: object, second: object) -> Self:
        """Report batches or models whose labels are not the same two classes."""
        found = f"{shown(first)} and {shown(second)}"
        return cls(
            f"all {what} must have the same two classes (got {found} beside the positive one)"
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
            f"a test set must be a BaseRate, a Confusion or its true labels (got {shown(value)}); "
            "pass for example BaseRate(positives=139, total=303)"
        )


class MissingLabelsWarning(UserWarning):
    """Rows that were left out because a label is missing."""


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
    def no_scores(cls, name: str) -> Self:
        """Report an estimator that gives labels only."""
        return cls(
            f"an estimator must have predict_proba or decision_function to move its threshold "
            f"(got a {name}, which has neither)"
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
    def several_test_sets(cls, count: int) -> Self:
        """Report models of different test sets for a display that shows one."""
        return cls(
            f"a display must have one test set, whose baseline it shows (got {count}); draw the "
            "models of each test set, or each group, apart"
        )

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
        return cls(f"by must be a column with the group of each observation (got {shown(by)})")

    @classmethod
    def other_length(cls, groups: int, labels: int) -> Self:
        """Report a column of groups of another length than the labels."""
        return cls(
            f"by and y_true must be equally long (got {groups} groups and {labels} labels; the "
            f"first without a partner is at position {min(groups, labels)})"
        )


class InvalidThetaError(BaserateError, ValueError):
    """A θ that is not a fraction of the test set."""

    @classmethod
    def outside(cls, theta: object) -> Self:
        """Report a θ outside [0, 1]."""
        return cls(f"theta must be a number between 0 and 1 (got {shown(theta)})")

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
        return cls(
            f"confidence must be between 0 and 1 (got {shown(confidence)}); 95% is written 0.95"
        )

    @classmethod
    def alpha(cls, alpha: object) -> Self:
        """Report a level of significance that is no probability."""
        return cls(f"alpha must be between 0 and 1 (got {shown(alpha)}); 5% is written 0.05")

    @classmethod
    def rho(cls, rho: object) -> Self:
        """Report an oracle's error rate that is no probability."""
        return cls(f"rho must be between 0 and 1 (got {shown(rho)}): how often the oracle is wrong")


class InvalidSampleError(BaserateError, ValueError):
    """A random sample that cannot be taken."""

    @classmethod
    def seed(cls, rng: object) -> Self:
        """Report something that is no source of randomness."""
        return cls(
            "rng must be a whole number of at least 0, a numpy.random.Generator or None "
            f"(got {shown(rng)})"
        )

    @classmethod
    def size(cls, size: object) -> Self:
        """Report a number of random scores that is none."""
        return cls(
            "size must be a whole number of at least 0, a tuple of them or None "
            f"(got {shown(size)})"
        )

    @classmethod
    def too_large(cls, wanted: int, most: int) -> Self:
        """Report a sample that does not fit in memory."""
        return cls(
            f"a sample must fit in memory, and have at most {most:,} values (got {shown(wanted)}); "
            "ask for exact probabilities instead, as in DutchDraw(…).score('F1').cdf(0.5)"
        )
