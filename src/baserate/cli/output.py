"""The only place that prints: whatever is printed commands neither a terminal nor a log."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from baserate.exceptions import MissingDependencyError
from baserate.harmless import harmless, one_line

if TYPE_CHECKING:
    from typing import TextIO

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


def write(text: str, *, commands: bool = False) -> None:
    """Print lines for whoever reads the output; they may be commands of GitHub if that is asked."""
    _print(harmless(text, commands=commands), sys.stdout)


def show(text: str) -> None:
    """Show lines to somebody, in colour if that is a terminal."""
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
    # The text has its lines already: rich must not break them again.
    Console(file=sys.stdout, soft_wrap=True).print(styled)


def say(sentence: str) -> None:
    """Print a sentence beside the output, on one line whatever it quotes."""
    _print_beside(one_line(sentence))


def say_lines(text: str) -> None:
    """Print lines beside the output."""
    _print_beside(harmless(text))


def prepare() -> None:
    """Let letters that a terminal lacks be question marks, as a θ may be."""
    import io

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def settle() -> None:
    """Give up the output if it cannot be written: Python would try again at the end, and fail."""
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
    """Print to stderr; that nobody can read it changes no exit code."""
    try:
        _print(text, sys.stderr)
    except OSError:
        _settle(sys.stderr)


def _is_colourful() -> bool:
    """Tell whether colour may be shown; whether the terminal has it, rich knows."""
    if os.environ.get("NO_COLOR") or sys.stdout is None:
        return False
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))
