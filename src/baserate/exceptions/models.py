"""What can be wrong with what a model is trained on, and with the scores that it gives."""

from __future__ import annotations

from typing import Self

from baserate.exceptions.base import BaserateError, setting


class InvalidTargetError(BaserateError, ValueError):
    """A target that has no base rate to learn."""


class InvalidScoresError(BaserateError, ValueError):
    """Scores of a model that no cut-off can be moved along."""


class InvalidWeightsError(BaserateError, ValueError):
    """Weights that are none, or that do not say what they mean."""

    @classmethod
    def of_no_kind(cls) -> Self:
        """Report weights that do not say whether they repeat rows."""
        return cls(
            "must say what sample_weight means: ",
            setting("weights", "frequency"),
            " if 3 stands for three equal rows, which then count as three observations; ",
            setting("weights", "importance"),
            " if it makes one observation matter three times as much",
            parameter="weights",
        )

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
