"""The target of a result: standard output, or a file that is safe to overwrite."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from baserate.cli.console import show, write
from baserate.exceptions import InvalidFileError
from baserate.formatting import sanitize
from baserate.records import require_free, write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")

PIPE = "-"
_FORMATS = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".xml": "junit",
}


def planned(
    renderers: Mapping[str, object],
    style: str | None,
    output: str | None,
    files: Sequence[str],
    *,
    force: bool,
) -> str:
    """Return the format: the requested one, or the one of the output's suffix.

    An output that cannot be written, or would destroy something, is an error before anything is
    read. The first renderer is the default, and for people.
    """
    suffix = Path(output or "").suffix
    usual = next(iter(renderers)) if suffix.lower() in ("", ".txt") else None
    chosen = style or _FORMATS.get(suffix.lower(), usual)
    if chosen is None or chosen not in renderers:
        raise InvalidFileError(
            "must say how the output is written, as its name does not "
            f"(got {suffix!r}); choose among {', '.join(renderers)}",
            parameter="format",
        )
    _require_other_files(output, files)
    if output is not None and not force:
        require_free([output])
    return chosen


def _require_other_files(output: str | None, files: Sequence[str]) -> None:
    """Raise if the output is one of the input files, under any name."""
    where = Path(output).stat if output is not None else lambda: os.fstat(sys.stdout.fileno())
    target = _identity(where)
    if target is None or not files:
        return
    from baserate.data.readers import files_of

    if PIPE in files:
        read = [_identity(lambda: os.fstat(sys.stdin.fileno()))]
    else:
        read = [_identity(Path(file).stat) for file in files_of(files)]
    if target in read:
        raise InvalidFileError(
            f"must be another file than the predictions (got {output or 'the output'!r}, which is "
            "one of them); write elsewhere",
            parameter="output",
        )


def _identity(look: Callable[[], os.stat_result]) -> tuple[int, int] | None:
    """Return the identity of a regular file; None for anything else."""
    try:
        found = look()
    except (AttributeError, OSError, ValueError):  # missing, closed, or not a file
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def present(
    result: T, renderers: Mapping[str, Callable[[T], str]], style: str, output: str | None
) -> None:
    """Write a result in a format; the first renderer is for people."""
    text = renderers[style](result)
    commands = style == "github"
    if output is not None:
        # CSV has no escapes: in a file, where no terminal reads it, control characters stay.
        exact = text if style == "csv" else sanitize(text, commands=commands)
        write_file(output, exact if exact.endswith("\n") else f"{exact}\n")
    elif style == next(iter(renderers)):
        show(text)
    else:
        write(text, commands=commands)
