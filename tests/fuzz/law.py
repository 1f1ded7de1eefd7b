"""The law: every call returns a value or raises our own error, without a warning, in time.

An error is one line, and short, however much was passed.
"""

from __future__ import annotations

import signal
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from baserate import exceptions
from fuzz.calls import CALLS
from fuzz.pools import BigPool, Pool

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LETTERS = 700
MOST_SECONDS = 10
"""Seconds of processor time, so that a busy machine breaks no law."""

_HERE = Path(__file__).parent


class TooSlowError(BaseException):
    """A call that takes longer than the law allows; no error handler may catch it."""


class Breach(NamedTuple):
    """A call that broke the law, with the arguments that were drawn for it."""

    call: str  # its name and seed, to repeat it
    arguments: list[Any]
    error: BaseException

    def __str__(self) -> str:
        last = "".join(traceback.format_exception(self.error)[-6:])
        drawn = ", ".join(_shortened(each) for each in self.arguments)
        return f'{last}with: {drawn}\nagain: make fuzz ARGS="--call {self.call}"'


def tried(name: str, seed: int) -> Breach | None:
    """Make a call, one in four with long arguments, and return how it broke the law, if it did."""
    pool = (BigPool if seed % 4 == 3 else Pool)(Random(f"{name} {seed}"))
    try:
        with watched():
            CALLS[name](pool)
    except exceptions.BaserateError as error:
        is_short = len(str(error)) <= MOST_LETTERS and "\n" not in str(error)
        return None if is_short else Breach(f"{name}:{seed}", pool.drawn, error)
    except (Exception, TooSlowError) as error:
        return None if _is_lawful(error) else Breach(f"{name}:{seed}", pool.drawn, error)
    return None


@contextmanager
def watched() -> Iterator[None]:
    """Turn foreign warnings, and calls that take too long, into errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for warning in vars(exceptions).values():
            if isinstance(warning, type) and issubclass(warning, Warning):
                warnings.simplefilter("ignore", warning)
        # Missing glyphs are between matplotlib and the fonts of a machine.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")
        with _limited(MOST_SECONDS):
            yield


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlowError(f"over {seconds} seconds")

    if not hasattr(signal, "SIGPROF"):
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _is_lawful(error: BaseException) -> bool:
    """Return whether Python itself refused the arguments, or scikit-learn its own.

    Python does so before the library sees them. An estimator must refuse X and y in scikit-learn's
    words, which scikit-learn's own estimator checks require.
    """
    last = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    is_refused = isinstance(error, TypeError) and last.parent == _HERE
    return is_refused or {"sklearn", "utils"} <= set(last.parts)


def _shortened(value: Any) -> str:
    try:
        text = repr(value).replace("\n", " ")
    except Exception:  # a number of 5,000 digits has no text
        return f"<{type(value).__name__}>"
    return text if len(text) <= 120 else f"{text[:120]}…"
