"""What every error shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.harmless import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable


class BaserateError(Exception):
    """The base of every error that this library raises on purpose.

    Its message is one line that commands nobody, whatever name it quotes.
    """

    def __str__(self) -> str:
        return one_line(super().__str__())


def listed(values: Iterable[Any], most: int = 5) -> str:
    """Write some values for a message."""
    shown = [repr(value) for value in values]
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")


def shortened(error: Exception, most: int = 300) -> str:
    """Write another library's error on one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= most else f"{text[:most]} …"
