"""Shell completion: the words offered on Tab."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click

# A shell puts the offered word on the command line, where it would interpret $(…), ;, * and line
# ends: offer only names that need no quotes. A comma separates fields in fish.
_TYPEABLE = re.compile(r"[\w@%+=:./-]+")


def measure_keys(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Offer the keys of the measures, or a name that needs no quotes."""
    from baserate.tasks import TASKS

    measures = (measure for task in TASKS.values() for measure in task.chosen("all"))
    names = (_typeable((measure.key, *measure.aliases)) for measure in measures)
    # Names that differ in their case are the same to the program.
    offered = {name.casefold(): name for name in reversed(list(filter(None, names)))}
    typed = incomplete.casefold()
    return [name for name in reversed(offered.values()) if name.casefold().startswith(typed)]


def _typeable(names: Iterable[str]) -> str:
    """Return the first name that a shell takes as it is; empty if there is none."""
    return next(filter(_TYPEABLE.fullmatch, names), "")


def column_names(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Offer the columns of the files typed so far."""
    from baserate.data.files import scan

    # If the line ends inside an option, click leaves the files among the other arguments.
    files = context.params.get("files") or context.args
    try:
        columns = scan(files).columns
    except Exception:  # a completion must not print errors
        return []
    offered = (column for column in columns if _TYPEABLE.fullmatch(column))
    return [column for column in offered if column.startswith(incomplete)]
