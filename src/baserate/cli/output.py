"""Where the words go: a file, a pipe, or a terminal in colour."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from baserate.exceptions import InvalidFileError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")

_SUFFIXES = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".xml": "junit",
}
_PLAIN = ("", ".txt")
# What stands out, and how. Colours only: they are what NO_COLOR turns off.
_COLOURS = (
    (r"(?m)[✗‼](?=\s|$)", "red"),
    (r"(?m)▽(?=\s|$)", "yellow"),
    (r"(?m)(?<=\S) [·?]$|(?<=\S) [·?](?= )", "bright_black"),
    (r"(?m)\S+ \*(?=\s|$)", "cyan"),
    (r"(?m)^! .*$", "red"),
    (r"(?m)^failed\b", "red"),
    (r"(?m)^not judged\b", "yellow"),
    (r"(?m)^passed\b", "green"),
)


def planned(
    renderers: Mapping[str, object], style: str | None, output: str | None, files: Sequence[str]
) -> str:
    """Return the format: the one that is asked for, or that the name of the output tells.

    What cannot be written is an error before anything is read. The first of the renderers is the
    default, and for people.
    """
    default, path = next(iter(renderers)), Path(output or "")
    if output is not None and any(path.absolute() == Path(file).absolute() for file in files):
        raise InvalidFileError.overwrites(output)
    told = default if path.suffix.lower() in _PLAIN else _SUFFIXES.get(path.suffix.lower())
    chosen = style or told
    if chosen is None or chosen not in renderers:
        raise InvalidFileError.no_format(path.suffix, renderers)
    return chosen


def present(
    result: T, renderers: Mapping[str, Callable[[T], str]], style: str, output: str | None
) -> None:
    """Write a result in a format; the first of the renderers is for people."""
    text = renderers[style](result)
    if output is None and style == next(iter(renderers)):
        show(text)
    else:
        write(text, output)


def write(text: str, path: str | None) -> None:
    """Write a text to a file, or as it is to whoever reads the output."""
    if path is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        Path(path).write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise InvalidFileError.unwritable(path, error) from None


def show(text: str) -> None:
    """Show a text to somebody, in colour if that is a terminal."""
    if not _is_colourful():
        write(text, None)
        return
    try:
        from rich.console import Console
        from rich.text import Text
    except ModuleNotFoundError:
        raise MissingDependencyError.package("rich", "colour in a terminal") from None
    styled = Text(text)
    for pattern, colour in _COLOURS:
        styled.highlight_regex(pattern, colour)
    # The text has its lines already: rich must not break them again.
    Console(file=sys.stdout, soft_wrap=True).print(styled)


def _is_colourful() -> bool:
    """Tell whether colour may be shown; whether the terminal has it, rich knows."""
    if os.environ.get("NO_COLOR"):
        return False
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))
