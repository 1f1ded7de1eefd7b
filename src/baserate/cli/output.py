"""The only module that prints; its output cannot command a terminal or a log."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from baserate.exceptions import MissingDependencyError
from baserate.harmless import harmless, one_line

if TYPE_CHECKING:
    from typing import TextIO

# What to highlight, and how. Only colours, because NO_COLOR turns off only those.
_COLOURS = (
    (r"(?m)[✗‼▼](?=\s|$)", "red"),
    (r"(?m)(?<!\S)[~▽](?=\s|$)", "yellow"),
    (r"(?m)(?<=\S) [·?]$|(?<=\S) [·?](?= )", "bright_black"),
    (r"(?m)\S+ \*(?=\s|$)", "cyan"),
    (r"(?m)^! .*$", "red"),
    (r"(?m)^failed\b", "red"),
    (r"(?m)^not judged\b", "yellow"),
    (r"(?m)^passed\b", "green"),
)


def write(text: str, *, commands: bool = False) -> None:
    """Print lines to the output; `commands` allows GitHub commands."""
    _print(harmless(text, commands=commands), sys.stdout)


def show(text: str) -> None:
    """Print lines for a person, in colour if the output is a terminal."""
    if not _is_colourful():
        write(text)
        return
    try:
        from rich.console import Console
        from rich.text import Text
    except ModuleNotFoundError:
        raise MissingDependencyError.package("rich", "colour in a terminal") from None
    styled = Text(harmless(text))
    for pattern, colour in _COLOURS:
        styled.highlight_regex(pattern, colour)
    # The lines are already broken: keep rich from breaking them again.
    Console(file=sys.stdout, soft_wrap=True).print(styled)


def say(sentence: str) -> None:
    """Print a sentence to stderr, on one line whatever it quotes."""
    _print_beside(one_line(sentence))


def say_lines(text: str) -> None:
    """Print lines to stderr."""
    _print_beside(harmless(text))


def prepare() -> None:
    """Print characters that a terminal lacks, such as θ, as question marks."""
    import io

    # A shell may close a stream. A file opened later must not get its number, and what a library
    # prints.
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def settle() -> None:
    """Close an output that cannot be written: at exit Python would try again, and fail."""
    _settle(sys.stdout)


def _settle(stream: TextIO | None) -> None:
    try:
        if stream is not None:
            stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[union-attr]


def _print(text: str, stream: TextIO | None) -> None:
    if stream is not None:  # it may be closed
        stream.write(text if text.endswith("\n") else f"{text}\n")
        stream.flush()


def _print_beside(text: str) -> None:
    """Print to stderr; a failure to print changes no exit code."""
    try:
        _print(text, sys.stderr)
    except OSError:
        _settle(sys.stderr)


def _is_colourful() -> bool:
    """Return whether colour is allowed; rich knows whether the terminal supports it."""
    if os.environ.get("NO_COLOR") or sys.stdout is None:
        return False
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))
