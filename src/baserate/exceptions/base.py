"""What every error shares: a sentence of parts, and what it is about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.harmless import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MOST_LETTERS = 80
# A container of more values is named by its size.
_MOST_VALUES = 12


@dataclass(frozen=True)
class Term:
    """Words of a message that a command line says in its own way.

    Parameters
    ----------
    name
        The parameter, or whatever else the words are about.
    python
        The words themselves.
    value
        What the parameter is set to, as a shell would be given it; None if it is only named.

    Examples
    --------
    >>> print(setting("missing", "drop"))
    missing='drop'
    """

    name: str
    python: str
    value: str | None = None

    def __str__(self) -> str:
        return self.python


def setting(parameter: str, value: object) -> Term:
    """Return a parameter with its value, for a message that says what to do."""
    is_word = isinstance(value, str) and len(value) <= _MOST_LETTERS
    word = str(value) if is_word else shown(value)
    return Term(parameter, f"{parameter}={shown(value)}", word)


class BaserateError(Exception):
    """The base of every error that this library raises on purpose.

    Its message is one line that commands nobody, whatever name it quotes.

    Parameters
    ----------
    *parts
        The message. If it is about a parameter, it is the rest of a sentence that begins with the
        name of that parameter.
    parameter
        The parameter that the error is about, or several of them.

    Examples
    --------
    >>> error = BaserateError("must be above 0 (got -1)", parameter="beta")
    >>> print(error, error.parameter, sep="; ")
    beta must be above 0 (got -1); beta
    """

    parameters: tuple[str, ...]
    """What the error is about; nothing if it is about no parameter."""

    def __init__(self, *parts: str | Term, parameter: str | tuple[str, ...] = ()) -> None:
        self.parameters = (parameter,) if isinstance(parameter, str) else parameter
        self._parts = (*_subject(self.parameters), *parts)
        super().__init__("".join(map(str, self._parts)))  # so that it pickles by its text

    def __str__(self) -> str:
        return one_line(super().__str__())

    @property
    def parameter(self) -> str:
        """The parameter that the error is about, the first of several, or nothing."""
        return self.parameters[0] if self.parameters else ""

    def said(self, spelled: Callable[[Term], str]) -> str:
        """Return the message in which the names are spelled in another way than Python's."""
        words = (part if isinstance(part, str) else spelled(part) for part in self._parts)
        return one_line("".join(words))


def _subject(parameters: tuple[str, ...]) -> list[str | Term]:
    """Return the beginning of a sentence about some parameters: a, b and c."""
    parts: list[str | Term] = []
    for left, name in zip(range(len(parameters), 0, -1), parameters, strict=True):
        after = " " if left == 1 else " and " if left == 2 else ", "
        parts += [Term(name, name), after]
    return parts


def shown(value: object, most: int = _MOST_LETTERS) -> str:
    """Write a value for a message: a container of many values by its size.

    Examples
    --------
    >>> print(shown("F1"), shown([0, 1]), shown([0, 1] * 500), sep="; ")
    'F1'; [0, 1]; a list of 1,000 values
    """
    try:
        size = _size(value)
        text = "" if size > _MOST_VALUES else repr(value)
    except Exception:  # a user's object may raise anything, and 5,000 digits have no text
        return f"a value of type {type(value).__name__}"
    if size > _MOST_VALUES or (size and "\n" in text):
        kind = type(value).__name__.removeprefix("nd")  # an ndarray is an array to its users
        article = "an" if kind[0] in "aeiouAEIO" else "a"
        return f"{article} {kind} of {size:,} value{'' if size == 1 else 's'}"
    return text if len(text) <= most else f"{text[:most]} …"


def _size(value: Any) -> int:
    """Return how many values a container holds, without asking an engine for its rows."""
    if isinstance(value, list | tuple | dict | set | frozenset):
        return len(value)
    shape = getattr(value, "shape", ())
    is_known = isinstance(shape, tuple) and all(isinstance(each, int) for each in shape)
    return math.prod(shape) if is_known and shape else 0


def listed(values: Iterable[Any], most: int = 5) -> str:
    """Write some values for a message."""
    found = list(values)
    return ", ".join(map(shown, found[:most])) + (", …" if len(found) > most else "")


def shortened(error: Exception, most: int = 300) -> str:
    """Write another library's error on one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= most else f"{text[:most]} …"
