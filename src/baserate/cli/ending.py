"""How the program ends: an exit code, and one sentence if something went wrong."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

from baserate import __version__
from baserate.cli.output import say, say_lines, settle
from baserate.cli.phrases import in_options
from baserate.exceptions import BaserateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import NoReturn

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
        return INTERRUPTED
    except BaseException as error:  # a panic of a library in Rust is no Exception
        with contextlib.suppress(BaseException):  # even unprinted, it is not a failed verdict
            _say_defect(error)
        return INTERNAL_ERROR


def _code(work: Callable[[], int]) -> int:
    try:
        return work()
    except BaserateError as error:
        return failed(in_options(error))
    except OSError as error:
        settle()
        return failed(str(error))


def failed(sentence: str) -> int:
    """Print what is wrong with the input, and return its exit code."""
    say(f"Error: {sentence}")
    return BAD_INPUT


def _say_defect(error: BaseException) -> None:
    import traceback

    if os.environ.get(DEBUG):
        say_lines("".join(traceback.format_exception(error)))
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
