"""What can be wrong with what a model is trained on, and with the scores that it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from baserate.exceptions.base import BaserateError, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class InvalidTargetError(BaserateError, ValueError):
    """A target that has no base rate to learn."""

    @classmethod
    def not_binary(cls, kind: str) -> Self:
        """Report a target of another kind, in the words that scikit-learn asks for."""
        return cls(
            f"Only binary classification is supported. The type of the target is {kind}; "
            "binarise a multiclass problem first"
        )

    @classmethod
    def one_class(cls, classes: Iterable[Any]) -> Self:
        """Report a target without a second class."""
        return cls(
            f"y must have two classes to learn a base rate from (got 1 class: {listed(classes)})"
        )

    @classmethod
    def no_weight(cls) -> Self:
        """Report a class whose observations do not count."""
        return cls("sample_weight must leave some weight to each class (got zeros only for one)")

    @classmethod
    def not_whole(cls) -> Self:
        """Report weights that count no observations."""
        return cls(
            "sample_weight must be a whole number for each label, so that it counts observations"
        )


class InvalidScoresError(BaserateError, ValueError):
    """Scores of a model that no cut-off can be moved along."""

    @classmethod
    def not_numbers(cls, kind: str) -> Self:
        """Report scores that are no numbers."""
        return cls(f"y_score must be numbers such as probabilities (got {kind})")

    @classmethod
    def not_a_vector(cls, shape: Sequence[int]) -> Self:
        """Report scores that are not one for each observation."""
        advice = (
            "; of predict_proba take the positive class's column, [:, 1]" if len(shape) == 2 else ""
        )
        return cls(f"y_score must be one-dimensional (got the shape {tuple(shape)}){advice}")

    @classmethod
    def other_length(cls, scores: int, labels: int) -> Self:
        """Report scores of other observations."""
        return cls(f"y_score and y_true must be equally long (got {scores} and {labels})")

    @classmethod
    def missing(cls, count: int, first: int) -> Self:
        """Report scores that are not there."""
        return cls(
            f"y_score must not have missing values (got {count}, the first at position {first})"
        )

    @classmethod
    def threshold(cls, threshold: object) -> Self:
        """Report a cut-off that is no number."""
        return cls(f"threshold must be a number on the scale of the scores (got {threshold!r})")
