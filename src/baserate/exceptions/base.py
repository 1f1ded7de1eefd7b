"""What every error shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


class BaserateError(Exception):
    """The base of every error that this library raises on purpose."""


def shown(value: object, most: int = 80) -> str:
    """Write a value for a message, whatever it is: a number of 5,000 digits has no text."""
    try:
        text = repr(value)
    except Exception:  # a user's object may raise anything
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= most else f"{text[:most]} …"


def listed(values: Iterable[Any], most: int = 5) -> str:
    """Write some values for a message."""
    texts = [shown(value) for value in values]
    return ", ".join(texts[:most]) + (", …" if len(texts) > most else "")


def shortened(error: Exception, most: int = 300) -> str:
    """Write another library's error on one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= most else f"{text[:most]} …"
