"""What a shell offers when somebody presses Tab."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

# A shell puts what is offered on the command line, where it would obey $(…), ;, * and the ends of
# lines: only names that need no quotes are offered. A comma separates fields in fish.
_TYPEABLE = re.compile(r"[\w@%+=:./-]+")


def measure_keys(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Offer the keys of the measures."""
    from baserate.binary.measures import MEASURES

    return [key for key in MEASURES if key.casefold().startswith(incomplete.casefold())]


def column_names(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Offer the columns of the files that are typed already."""
    from baserate.data.files import scan

    # A line that ends in the middle of an option leaves the files among the other arguments.
    files = context.params.get("files") or context.args
    try:
        columns = scan(files).columns
    except Exception:  # nobody reads an error in the middle of a line, not even of ours
        return []
    offered = (column for column in columns if _TYPEABLE.fullmatch(column))
    return [column for column in offered if column.startswith(incomplete)]
