"""What the program prints and writes, in words of a shell, and the exit code it ends with."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from baserate import __version__
from baserate.exceptions import BaserateError, InvalidFileError, MissingDependencyError
from baserate.formatting import one_line, sanitize, shell_word
from baserate.records import require_free, write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType
    from typing import NoReturn, TextIO

    from baserate.formatting import Term

FAILED = 1  # a verdict failed; no other cause
BAD_INPUT = 2
INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
# The exit code of a shell for a program ended by a signal: 128 + the signal's number.
INTERRUPTED = 130
CLOSED_PIPE = 141

DEBUG = "BASERATE_DEBUG"
_ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP

# What to highlight, and how. Only colours, because NO_COLOR turns off only those.
_COLOURS = (
    (r"✗", "red"),
    (r"✓", "green"),
    (r"(?m)(?<!\S)~(?=\s|$)", "yellow"),
    (r"(?m)\S+ \*(?=\s|$)", "cyan"),
    (r"(?m)^failed\b", "red"),
    (r"(?m)^not judged\b", "yellow"),
    (r"(?m)^passed\b", "green"),
)

# What a shell calls the parameters that have another name, and advice that it gives in another way.
_RENAMED = {"y_pred": "--model", "measures": "--measure", "sample_weight": "--weight"}
_ADVICE = {
    "one of them": "take one of `baserate measures`, such as F1",
    "beta by name": "F2 or F0.5",
    "names": "`baserate measures` lists them all",
}


def write(text: str, *, commands: bool = False) -> None:
    """Print lines to the output; `commands` allows GitHub commands."""
    _print(sanitize(text, commands=commands), sys.stdout)


def show(text: str) -> None:
    """Print lines for a person, in colour if the output is a terminal."""
    safe = sanitize(text)
    if _is_colourful():
        from click import style

        for pattern, colour in _COLOURS:
            safe = re.sub(pattern, style(r"\g<0>", fg=colour), safe)
    _print(safe, sys.stdout)


def say(sentence: str) -> None:
    """Print a sentence to stderr, on one line whatever it quotes."""
    _print_beside(one_line(sentence))


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


def _settle(stream: TextIO | None) -> None:
    """Close an output that cannot be written: at exit Python would try again, and fail."""
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
    if os.environ.get("NO_COLOR") or sys.stdout is None:
        return False
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return is_terminal or bool(os.environ.get("FORCE_COLOR"))


# How the program ends.


class Terminated(KeyboardInterrupt):
    """A signal that ends the program like Ctrl-C, with clean-up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number


def exit_code(work: Callable[[], int]) -> int:
    """Do the work of the program, and return its exit code or that of the error."""
    try:
        return _code(work)
    except Terminated as end:
        return end.code
    except KeyboardInterrupt:
        say("")  # after the ^C of a terminal
        return INTERRUPTED
    except BaseException as error:  # a panic of a Rust library is not an Exception
        with contextlib.suppress(BaseException):  # even unprinted, it is not a failed verdict
            _say_defect(error)
        return INTERNAL_ERROR


def _code(work: Callable[[], int]) -> int:
    try:
        return work()
    except BaserateError as error:
        return failed(error.said(spelled))
    except BrokenPipeError:  # the reader has seen enough: not an error
        _settle(sys.stdout)
        return CLOSED_PIPE
    except OSError as error:
        _settle(sys.stdout)
        return failed(str(error))


def failed(sentence: str) -> int:
    """Print what is wrong with the input, and return its exit code."""
    say(f"Error: {sentence}")
    return BAD_INPUT


def spelled(term: Term) -> str:
    """Return words of an error with options in place of Python's arguments."""
    option = _options().get(term.name)
    if option is None:
        return _ADVICE.get(term.name, str(term))
    return option if term.value is None else f"{option} {shell_word(term.value)}"


def _options() -> dict[str, str]:
    """Return the option of each parameter of the library that a command has."""
    from baserate.cli.program import program

    params = (param for command in program.commands.values() for param in command.params)
    found = (name for param in params for name in param.opts if name.startswith("--"))
    return {name[2:].replace("-", "_"): name for name in found} | _RENAMED


def _say_defect(error: BaseException) -> None:
    import traceback

    if os.environ.get(DEBUG):
        _print_beside(sanitize("".join(traceback.format_exception(error))))
    what = "".join(traceback.format_exception_only(error)).strip()
    advice = "" if os.environ.get(DEBUG) else f" and what it prints with {DEBUG}=1 set"
    say(
        f"Internal error: {what}. This is a defect of baserate {__version__}, not of your data: "
        f"please report it, with the command{advice}."
    )


@contextlib.contextmanager
def tidy() -> Iterator[None]:
    """Make ending signals raise, so that temporary files are removed."""
    before = {number: signal.getsignal(number) for number in _ENDING}
    # Keep ignoring an ignored signal, as under nohup.
    handled = [number for number, old in before.items() if old is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, _terminate)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, before[number])


def _terminate(number: int, _: FrameType | None) -> NoReturn:
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)  # let nothing interrupt the clean-up
    raise Terminated(number)


T = TypeVar("T")

PIPE = "-"
_FORMATS = {
    ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".html": "html",
    ".xml": "junit",
}  # fmt: skip


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


def main() -> None:
    """Run the program `baserate`."""
    with tidy():
        sys.exit(exit_code(_run))


def _run() -> int:
    import warnings

    prepare()
    try:
        from baserate.cli.program import program
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        raise MissingDependencyError.package("'baserate[cli]'", "the command line") from None
    with warnings.catch_warnings():
        # One plain sentence, without a source line.
        warnings.showwarning = lambda message, *_, **__: say(f"Warning: {message}")
        return program.run()
