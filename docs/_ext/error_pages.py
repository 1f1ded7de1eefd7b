"""Write the catalogue of errors, from the exceptions and their constructors."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import baserate as br
from error_examples import example
from written import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx


def page() -> str:
    """Return the page."""
    classes = [getattr(br.exceptions, name) for name in br.exceptions.__all__]
    return "\n\n".join(["# Errors", _introduction(), *map(_section, classes)]) + "\n"


def _introduction() -> str:
    return (
        "All are in `br.exceptions`. Every error derives from `BaserateError` and from the "
        "built-in that a caller would expect. A message says what must hold, what was found, and "
        "what to do instead. The examples ran while this page was built, the one of "
        "`MissingDependencyError` without pandas."
    )


def _section(error: type[Exception]) -> str:
    parents = ", ".join(f"`{parent.__name__}`" for parent in error.__bases__)
    head = f"## {error.__name__}\n\n{inspect.getdoc(error)} Derives from {parents}."
    cases = "\n".join(f"- {case}" for case in _cases(error))
    return "\n\n".join(part for part in (head, example(error), cases) if part)


def _cases(error: type[Exception]) -> Iterator[str]:
    """Yield what each constructor reports, from its docstring."""
    for constructor in vars(error).values():
        if isinstance(constructor, classmethod):
            first = (inspect.getdoc(constructor.__func__) or "").splitlines()[0]
            found = first.removeprefix("Report ").removeprefix("that ")
            yield found[0].upper() + found[1:]


def write_page(app: Sphinx) -> None:
    """Write the catalogue."""
    write(Path(app.srcdir) / "reference" / "errors.md", page())


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page before Sphinx reads it."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
