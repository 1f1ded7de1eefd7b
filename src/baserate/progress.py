"""A progress bar for long work, when somebody is watching."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

T = TypeVar("T")

# Seconds that pass before a bar appears: short work needs none.
_DELAY = 1.0


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of text
        from tqdm.auto import tqdm
    with tqdm(total=total, desc=what, unit=f" {unit}", delay=_DELAY, leave=False) as bar:
        for part in parts:
            yield part
            bar.update(size(part))


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules
