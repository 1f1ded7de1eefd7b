"""What can be wrong with a measure, and where it is undefined."""

from __future__ import annotations

from typing import Self

from baserate.exceptions.base import BaserateError, shown


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

    @classmethod
    def not_a_table(cls, key: str, table: object) -> Self:
        """Report a score of something else than a confusion table."""
        return cls(
            f"{key} must be given a Confusion to score (got {type(table).__name__}); "
            "pass Confusion.of(y_true, y_pred)"
        )


class UnknownMeasureError(BaserateError, ValueError):
    """A measure's name that nobody knows."""


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


class NoBaselineError(UndefinedMeasureError):
    """A measure that has scores and, by its nature, no baseline."""


class TooManyValuesError(BaserateError, ValueError):
    """More attainable scores than can be laid out or summed."""


class UndefinedMeasureWarning(UserWarning):
    """A score whose requirement fails; the value given for `undefined` stands in for it."""
