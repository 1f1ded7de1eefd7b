"""The catalogue of errors: what each class is for, and what it says when it is raised."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import baserate as br
from error_examples import examples
from written import write

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def page() -> str:
    """Return the page."""
    classes = [getattr(br.exceptions, name) for name in br.exceptions.__all__]
    return "\n\n".join(["# Errors", _introduction(), *map(_section, classes)]) + "\n"


def _introduction() -> str:
    return (
        "All are in `br.exceptions`. Every error derives from `BaserateError` and from the "
        "built-in that a caller would expect. A message says what must hold, what was found, and "
        "what to do instead. An error about an argument has its name as `error.parameter` "
        "(`error.parameters` if there are several). The examples ran while this page was built, "
        "the one of `MissingDependencyError` without pandas."
    )


def _section(error: type[Exception]) -> str:
    parents = ", ".join(f"`{parent.__name__}`" for parent in error.__bases__)
    kind = (inspect.getdoc(error) or "").partition("\n\nParameters\n")[0]
    head = f"## {error.__name__}\n\n{kind} Derives from {parents}."
    return "\n\n".join([head, *examples(error)])


def write_page(app: Sphinx) -> None:
    """Write the catalogue."""
    write(Path(app.srcdir) / "reference" / "errors.md", page())


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page before Sphinx reads it."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
