"""What the program prints, in words of the command line, and the exit code it ends with.

Nothing else prints. The output cannot command a terminal or a log.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from typing import TYPE_CHECKING

from baserate import __version__
from baserate.exceptions import BaserateError
from baserate.formatting import one_line, sanitize, shell_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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
_RENAMED = {"predictions": "--model", "measures": "--measure", "sample_weight": "--weight"}
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
    except BaseException as error:  # a panic of a library in Rust is no Exception
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
