"""Rows that do not all count alike: what a call says of them, and which tasks know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from baserate.data.weights import require_name, require_weights
from baserate.exceptions import InvalidWeightsError
from baserate.formatting import setting, shown
from baserate.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.core.observed import Rows, Weights
    from baserate.task import Task

T = TypeVar("T")


def weights_of(
    sample_weight: Any, kind: Any, truth: str | None, predictions: Any
) -> Weights | None:
    """Return the weights of a call, or raise unless it has rows, and says what weights mean.

    Parameters
    ----------
    sample_weight, kind, truth, predictions
        The arguments of `evaluate`.
    """
    weights = require_weights(sample_weight, kind)
    if weights is None:
        return None
    if truth is not None:
        require_name(sample_weight)
    models = predictions if isinstance(predictions, Mapping) else {"": predictions}
    for table in models.values():
        if any(task.counted(table) for task in TASKS.values()):
            raise InvalidWeightsError(
                f"must come with a prediction per row (got a {type(table).__name__}, which has no "
                "rows to weigh)",
                parameter="sample_weight",
            )
    return weights


def weighed(task: Task[Any], weights: Weights | None) -> Task[Any]:
    """Return the task of rows with such weights: the same for frequencies, which repeat rows."""
    if weights is None or weights.kind == "frequency":
        return task
    return task if task.weighted is None else task.weighted


def ask_weighed(task: Task[Any], rows: Rows, ask: Callable[[Task[Any], Rows], T]) -> T:
    """Ask the task of rows with such weights, or raise if it is not known.

    Parameters
    ----------
    task
        The task of rows that all count alike.
    rows
        How the rows are read.
    ask
        What is asked.
    """
    weights = rows.weights
    if weights is None or weights.kind == "frequency" or task.weighted is not None:
        return ask(weighed(task, weights), rows)
    ask(task, rows._replace(weights=None))  # which raises if the rows are of another task
    known = [each.title.lower() for each in TASKS.values() if each.weighted is not None]
    raise InvalidWeightsError(
        f"must be {shown('frequency')} for {task.title.lower()} (got {shown(weights.kind)}): "
        f"importance weights are known for {' and for '.join(known)} only; if these are whole "
        "numbers that repeat rows, set ",
        setting("weights", "frequency"),
        parameter="weights",
    )
