"""A progress bar for long work, when somebody is watching."""

from __future__ import annotations

import atexit
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

# Seconds that pass before a bar appears, as short work needs none; and between two looks at it.
_DELAY = 1.0
_INTERVAL = 0.1
# Seconds that work which was told to end is waited for.
_PATIENCE = 0.5
# What a shell makes of a program that Ctrl-C ended: 128 + SIGINT.
_INTERRUPTED = 130
# How a bar is written while it is known how much is done, and while it is not.
_KNOWN = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
_UNKNOWN = "{desc}: {elapsed}"


def watched(
    parts: Iterable[T], total: int, what: str, unit: str, size: Callable[[T], int]
) -> Generator[T, None, None]:
    """Yield parts of a whole, showing how much of it is done.

    The bar is shown in a terminal or a notebook, after a second, and goes away when the work
    ends or is interrupted.
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
    """Do work in a thread of its own, such as a query, showing how much of it is done.

    Ctrl-C ends it at once, where an engine that is waited for may take long to notice: it is told
    to end, and left behind if it does not.

    Parameters
    ----------
    work
        What to do.
    what
        What it is called beside the bar.
    percentage
        A function that tells how much is done; below 0 if it is not known.
    interrupt
        A function that makes the work end early.
    """
    from concurrent.futures import Future  # it takes longer to import than all of this

    future: Future[T] = Future()
    # Python waits for other threads before it ends, and for a daemon it does not.
    threading.Thread(target=_settle, args=(future, work), daemon=True).start()
    try:
        _show(future, what, percentage)
        return future.result()
    except KeyboardInterrupt:
        _end(future, interrupt)
        raise


def _end(future: Future[T], interrupt: Callable[[], object]) -> None:
    """Make work end early, or leave it behind."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        interrupt()  # again and again: what comes between two queries is forgotten
        if _is_done(future, _INTERVAL / 5):
            return
    # An engine that comes back to a Python that has ended already aborts the process.
    atexit.register(_leave, future)


def _leave(future: Future[T]) -> None:
    """End the process without waiting for work that was interrupted long ago."""
    if not future.done():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_INTERRUPTED)


def _settle(future: Future[T], work: Callable[[], T]) -> None:
    """Do work, and put what comes of it where it is waited for."""
    try:
        future.set_result(work())
    except BaseException as error:  # whoever waits gets it
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
    """Wait a little, and tell whether the work is done."""
    from concurrent.futures import wait

    return bool(wait([future], seconds).done)


def _bar(**options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of text
        from tqdm.auto import tqdm
    return tqdm(**options, leave=False)


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules
