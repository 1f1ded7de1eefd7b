"""The tasks, and the measures of all of them by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.binary.task import BINARY
from baserate.exceptions import InvalidMeasureError
from baserate.exceptions.base import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from baserate.core.task import Task

TASKS: Mapping[str, Task[Any]] = {task.name: task for task in (BINARY,)}
"""The tasks by name. Where several would do, the first one is meant."""


def task_named(name: object) -> Task[Any]:
    """Return a task by its name, or raise."""
    if not isinstance(name, str) or name not in TASKS:
        raise InvalidMeasureError(
            f"must be one of {listed(TASKS)} (got {shown(name)})", parameter="task"
        )
    return TASKS[name]


def keys_of(name: object) -> Iterable[str]:
    """Return the keys of the measures that have a name, in any task."""
    found = (task.named(name) for task in TASKS.values())
    return (measure.key for measure in found if measure is not None)
