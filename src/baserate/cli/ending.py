"""How the program ends: a code for each end, and one sentence where something went wrong."""

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

FAILED = 1  # a verdict, and nothing else
BAD_INPUT = 2
INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
# What a shell makes of a program that a signal ends: 128 and the number of the signal.
INTERRUPTED = 130
CLOSED_PIPE = 141

DEBUG = "BASERATE_DEBUG"
_ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP


class Terminated(KeyboardInterrupt):
    """A signal that ends the program, as Ctrl-C does: what was begun is cleaned up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number


def exit_code(work: Callable[[], int]) -> int:
    """Do the work of the program, and return its code or that of what went wrong."""
    try:
        return _code(work)
    except Terminated as end:
        return end.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        with contextlib.suppress(Exception):  # even if it cannot be said, it is no verdict
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
    """Say what is wrong with the input, and return the code for that."""
    say(f"Error: {sentence}")
    return BAD_INPUT


def _say_defect(error: Exception) -> None:
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
    """Let the signals that end a program raise, so that temporary files are removed."""
    before = {number: signal.getsignal(number) for number in _ENDING}
    # A signal that is ignored, as under nohup, stays so.
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
        signal.signal(each, signal.SIG_IGN)  # nothing disturbs the cleaning up
    raise Terminated(number)
