"""A progress bar for long work, when somebody is watching."""

from __future__ import annotations

import contextlib
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

T = TypeVar("T")

# Seconds that pass before a bar appears, as short work needs none; and between two looks at it.
_DELAY = 1.0
_INTERVAL = 0.1
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


@contextlib.contextmanager
def polled(percentage: Callable[[], float], what: str) -> Iterator[None]:
    """Show how much is done of work that goes on elsewhere, such as a query, by asking for it.

    Parameters
    ----------
    percentage
        A function that tells how much is done from another thread; below 0 if it is not known.
    what
        What is being done.
    """
    if not _is_watched():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_poll, args=(percentage, what, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _poll(percentage: Callable[[], float], what: str, done: threading.Event) -> None:
    if done.wait(_DELAY):
        return
    with _bar(total=100, desc=what, bar_format=_UNKNOWN) as bar:
        while not done.wait(_INTERVAL):
            found = percentage()
            bar.bar_format = _KNOWN if found > 0 else _UNKNOWN
            bar.n = min(max(found, 0), 100)
            bar.refresh()


def _bar(**options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of text
        from tqdm.auto import tqdm
    return tqdm(**options, leave=False)


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules
