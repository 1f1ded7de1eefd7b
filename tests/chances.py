"""What shuffled predictions score, asked of the task as a judge asks it."""

from __future__ import annotations

from typing import Any

from baserate.tasks import task_observed


def tails_of(measure: Any, fit: Any, score: float) -> Any:
    """Return how likely shuffled predictions are to score as well, and as badly."""
    return task_observed(fit.task).nulls([fit], (0.025, 0.975))[0].tails(measure, score)


def chance_range(measure: Any, fit: Any, levels: tuple[float, float]) -> tuple[float, float]:
    """Return between which scores shuffled predictions stay."""
    return task_observed(fit.task).nulls([fit], levels)[0].null_interval(measure)
