"""How stable each public name is: the one place that says so, and its page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import baserate as br
from written import table, write

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# What is not in it is stable.
MAY_CHANGE = {
    "`custom` is stable, and so is what one reads; what a new record declares is not": ["Measure"],
    "calibration is new, and its diagnoses may become finer": [
        "ReliabilityCurve",
        "reliability_curve",
    ],
    "what a picture shows may change, and the artists that it keeps with it": ["plots"],
}


def why_unstable(name: str) -> str:
    """Return why a name may change, and nothing if it is stable."""
    return next((why for why, names in MAY_CHANGE.items() if name in names), "")


def page() -> str:
    """Return the page."""
    names = sorted(set(dir(br)) - {"__version__"}, key=str.lower)
    stable = ", ".join(f"`{name}`" for name in names if not why_unstable(name))
    rows = [[", ".join(f"`{name}`" for name in found), why] for why, found in MAY_CHANGE.items()]
    return "\n\n".join(["# Stability", _PROMISE, stable + ".", _NO_PROMISE, _table(rows)]) + "\n"


def _table(rows: list[list[str]]) -> str:
    return table(["names", "why they may change"], rows)


_PROMISE = """\
Only the [names](api.rst) are a promise: no module is one, and nothing that starts with an
underscore. Versions are `0.minor.patch` until 1.0. A patch changes no name and no meaning, and the
changelog says what a minor version changes.

**Stable.** What these take and return goes, or gets another meaning, only after a minor version in
which it still worked and warned. The [codes](codes.md) of verdicts and diagnoses are stable too, as
are the options of the program and its exit codes; a JSON schema that loses a field, or changes what
one means, gets the next number. Numbers may change in their last digits, or if they were wrong."""

_NO_PROMISE = """\
**May change** in any minor version, without a warning first; the changelog says how to follow. They
are as well tested as the others. A library that builds on them should allow one minor version."""


def write_page(app: Sphinx) -> None:
    """Write the page."""
    write(Path(app.srcdir) / "reference" / "stability.md", page())


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page before Sphinx reads it."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
