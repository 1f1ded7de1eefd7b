"""Text for people: numbers, counts and lists of names, and nothing that could command a terminal.

Names of columns, labels and groups are data of others. What is printed cannot command a terminal, a
pipeline log or a shell.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

UNDEFINED = "–"
ARROWS = "↑ higher is better, ↓ lower is better"
# Beyond this, floats have fewer digits than a number that is written in full.
_MOST_DIGITS = 1e15
# Smaller p-values are not written: doubles end there, and 9,999 shuffles tell no smaller one.
_LEAST_EXACT, _LEAST_SIMULATED = 1e-300, 1e-4

_MOST_LETTERS = 80
# A container of more values is named by its size.
_MOST_VALUES = 12
# Control characters other than tab and newline, characters that reorder or hide letters, unusual
# line separators, and lone surrogates. The joiners of scripts and emoji remain.
COMMANDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# Log commands: GitHub's at the start of a line; Azure's, TeamCity's and GitHub's anywhere.
_LOG_COMMAND = re.compile(r"(?m)^([^\S\n]*:)(?=:)")
_LOG_COMMAND_ANYWHERE = re.compile(r"#(?=#\w*\[)")
_HALF_A_LETTER = re.compile("[\ud800-\udfff]")
_SHELL_ESCAPES = {"\\": r"\\", "'": r"\'", "#": r"\u0023"}


def number_format(values: Iterable[float], *, counted: bool = False) -> Callable[[float], str]:
    """Return a format for numbers shown together: no decimals if all are counts.

    Of numbers that are `counted`, each whole one is a count, 0 and 1 too.
    """
    if counted:
        return lambda value: whole(value) if value.is_integer() else _decimal(value)
    known = [value for value in values if not math.isnan(value)]
    are_counts = all(value.is_integer() for value in known) and any(abs(v) > 1 for v in known)
    return whole if are_counts else _decimal


def whole(value: float) -> str:
    """Format a number of observations, rounded if it is not whole."""
    if math.isnan(value):
        return UNDEFINED
    return f"{round(value):,}" if abs(value) <= _MOST_DIGITS else f"{value:.3g}"


def confidence(alpha: float) -> str:
    """Format the level of an interval, such as 95%."""
    return f"{100 * (1 - alpha):.6g}%"


def probability(p: float, *, exact: bool = True, floor: float | None = None) -> str:
    """Write a p-value; one that its method cannot tell from smaller ones is written as a bound.

    The floor is the smallest p-value that its method can tell, 0 if there is none; if it is left
    out, that of most permutation tests unless the p-value is exact.

    Examples
    --------
    >>> probability(2.5e-5), probability(2.5e-5, exact=False), probability(0.0123, exact=False)
    ('2.5e-05', '< 1e-4', '≈ 0.012')
    """
    if math.isnan(p):
        return UNDEFINED
    least = (0.0 if exact else _LEAST_SIMULATED) if floor is None else floor
    least = max(least, _LEAST_EXACT)
    # The observed order is one of the simulated ones, so that their smallest p-value is a bound.
    if p < least or (p == least and not exact):
        digits = 0 if math.isclose(float(f"{least:.0e}"), least) else 1
        small = f"{least:.{digits}e}".replace("e-0", "e-")
        return f"< {least:.3g}" if least >= 0.001 else f"< {small}"
    written = f"{p:.1e}" if p < 0.001 else f"{p:.3f}"
    return written if exact else f"≈ {written}"


def p_equals(p: float, *, exact: bool = True, floor: float | None = None) -> str:
    """Format a p-value for a sentence."""
    written = probability(p, exact=exact, floor=floor)
    return f"p {written}" if written[0] in "<≈" else f"p = {written}"


def weight(value: float) -> str:
    """Format a rescaled score or a Dutch Scaler."""
    return _decimal(value)


def in_words(names: Sequence[str]) -> str:
    """Join names as in a sentence."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def class_name(label: object) -> str:
    """Name a class in a sentence: a text in quotes, and a number as a class."""
    return shown(label) if isinstance(label, str) else f"class {shown(label)}"


def dropped_rows(count: int) -> str:
    """Say how many observations were left out."""
    return f"{count:,} observation{'' if count == 1 else 's'} with a missing value left out."


def _decimal(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    if 0 < abs(value) < 0.0005:
        return f"{value:.1e}"
    # Adding 0.0 turns a negative zero into zero.
    return whole(value) if abs(value) >= 1000 else f"{value + 0.0:.3f}"


class Spoken:
    """A result that is a sentence, with its numbers in a small table in a notebook."""

    def facts_in_words(self) -> dict[str, str]:
        """Return the numbers by their names."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(sanitize(printable(fact)))}</td></tr>"
            for name, fact in self.facts_in_words().items()
        )
        return f"<p>{escape(sanitize(str(self)))}</p><table>{rows}</table>"


# Values in messages.


@dataclass(frozen=True)
class Term:
    """Words of a message that a command line says in its own way.

    It has the name of the parameter, the words in Python, and the value that a shell is given: None
    if the parameter is only named.
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


def shown(value: object, most: int = _MOST_LETTERS) -> str:
    """Write a value for a message: a container of many values by its size."""
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


# Sanitizing.


def printable(text: str) -> str:
    """Return a text on one line, without terminal control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def encodable(text: str) -> str:
    """Return a text that can be encoded: lone surrogates, as in file names, are replaced."""
    return _HALF_A_LETTER.sub("\ufffd", text)


def one_line(text: str) -> str:
    r"""Return a text on one line, with escapes such as ``\n`` and no commands."""
    return sanitize("".join(map(_escaped, text)))


def sanitize(text: str, *, commands: bool = False) -> str:
    """Return a text with its lines kept and all terminal and log commands disarmed.

    With `commands`, lines may begin with ``::``, as GitHub Actions commands do.
    """
    kept = _LOG_COMMAND_ANYWHERE.sub("# ", COMMANDING.sub("\ufffd", text))
    return kept if commands else _LOG_COMMAND.sub(r"\1 ", kept)


def shell_word(text: str) -> str:
    """Quote a text on one line so that bash and zsh read it back unchanged."""
    import shlex

    if text == one_line(text):
        return shlex.quote(text)
    letters = (_SHELL_ESCAPES.get(letter) or _escaped(letter) for letter in text)
    return f"$'{''.join(letters)}'"


def _escaped(letter: str) -> str:
    r"""Return a character, escaped if it cannot be printed: ``\n``, ``\u001b``."""
    if letter.isprintable():
        return letter
    if letter in "\n\r\t":
        return repr(letter)[1:-1]
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
