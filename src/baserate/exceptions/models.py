"""What can be wrong with what a model is trained on, and with the scores that it gives."""

from __future__ import annotations

from baserate.exceptions.base import BaserateError


class InvalidTargetError(BaserateError, ValueError):
    """A target that has no base rate to learn."""


class InvalidScoresError(BaserateError, ValueError):
    """Scores of a model that no cut-off can be moved along."""
