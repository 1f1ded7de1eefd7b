"""A progress bar for long work, if somebody is watching."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from concurrent.futures import Future

T = TypeVar("T")

# Seconds before a bar appears, so that short work shows none; and seconds between two updates.
_DELAY = 1.0
_INTERVAL = 0.1
# Seconds to wait for interrupted work to end.
_PATIENCE = 0.5
# The exit code of a shell for a program ended by Ctrl-C: 128 + SIGINT.
_INTERRUPTED = 130
# The format of a bar when the progress is known, and when it is not.
_KNOWN = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
_UNKNOWN = "{desc}: {elapsed}"


def watched(
    parts: Iterable[T], total: int, what: str, unit: str, size: Callable[[T], int]
) -> Generator[T, None, None]:
    """Yield parts of a whole, and show the progress.

    The bar appears in a terminal or a notebook, after a second, and disappears when the work ends
    or is interrupted.
    """
    if not _is_watched():
        yield from parts
        return
    with _bar(total=total, desc=what, unit=f" {unit}", delay=_DELAY) as bar:
        for part in parts:
            yield part
            bar.update(size(part))


def awaited(
    work: Callable[[], T],
    what: str,
    percentage: Callable[[], float],
    interrupt: Callable[[], object],
) -> T:
    """Run work, such as a query, in its own thread, and show its progress.

    Ctrl-C takes effect at once, although an engine may be slow to notice: the work is told to stop,
    and left behind if it does not. The percentage is below 0 if unknown.
    """
    from concurrent.futures import Future  # slower to import than the rest of this module

    future: Future[T] = Future()
    # At exit Python waits for other threads, but not for daemons.
    threading.Thread(target=_settle, args=(future, work), daemon=True).start()
    try:
        _show(future, what, percentage)
        return future.result()
    except KeyboardInterrupt:
        _end(future, interrupt)
        raise


def _end(future: Future[T], interrupt: Callable[[], object]) -> None:
    """Make work stop early, or leave it behind."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        interrupt()  # repeat: an interrupt between two queries is lost
        if _is_done(future, _INTERVAL / 5):
            return
    # An engine that returns to a finalised Python aborts the process.
    atexit.register(_leave, future)


def _leave(future: Future[T]) -> None:
    """End the process without waiting for work that was interrupted long ago."""
    if not future.done():
        with contextlib.suppress(AttributeError, OSError, ValueError):  # None, full or closed
            sys.stdout.flush()
        with contextlib.suppress(AttributeError, OSError, ValueError):
            sys.stderr.flush()
        os._exit(_INTERRUPTED)


def _settle(future: Future[T], work: Callable[[], T]) -> None:
    """Do the work, and store its result or error in the future."""
    try:
        future.set_result(work())
    except BaseException as error:  # the waiting thread raises it
        future.set_exception(error)


def _show(future: Future[T], what: str, percentage: Callable[[], float]) -> None:
    if not _is_watched() or _is_done(future, _DELAY):
        return
    with _bar(total=100, desc=what, bar_format=_UNKNOWN) as bar:
        bar.start_t -= _DELAY
        while not _is_done(future, _INTERVAL):
            found = percentage()
            bar.bar_format = _KNOWN if found > 0 else _UNKNOWN
            bar.n = min(max(found, 0), 100)
            bar.refresh()


def _is_done(future: Future[T], seconds: float) -> bool:
    """Wait for some seconds, and return whether the work is done."""
    from concurrent.futures import wait

    return bool(wait([future], seconds).done)


def _bar(**options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a notebook without widgets gets a text bar
        from tqdm.auto import tqdm
    return tqdm(**options, leave=False)


def _is_watched() -> bool:
    try:
        in_terminal = sys.stderr.isatty()
    except (AttributeError, ValueError):  # None or closed, as in a daemon, or a logger
        in_terminal = False
    return in_terminal or "ipykernel" in sys.modules
