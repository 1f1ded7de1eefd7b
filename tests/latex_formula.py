r"""Evaluate the LaTeX of the records: sums, products, fractions, roots, squares, max and min.

>>> value(r"\frac{\text{TP}}{P} + \sqrt{M} \theta^*", {"TP": 1, "P": 2, "M": 9, r"\theta^*": 0.5})
2.0
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# A name is a word, a letter with a subscript, θ*, P̂ or N̂; β is a single letter.
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|\\text\{(?P<word>\w+)\}|(?P<name>\\theta\^\*|\\beta|\\hat\{\w\}|[A-Za-z]_\w|[A-Za-z])"
    r"|(?P<sign>\\frac|\\sqrt|\\max|\\min|\\cdot|\\left|\\right|\\\{|\\\}|[-+/^(){},=]))"
)


def value(latex: str, names: Mapping[str, float]) -> float:
    r"""Evaluate a formula; the part after ``,\ `` defines names that it uses."""
    formula, *definitions = latex.split(r",\ ")
    known = dict(names)
    for definition in reversed(definitions):
        name, _, meaning = definition.partition(" = ")
        known[name] = value(meaning, known)
    reader = _Reader(formula, known)
    result = reader.sum()
    assert not reader.tokens, f"{formula}: {reader.tokens} is left over"
    return result


class _Reader:
    """Read a formula from left to right, and compute on the way."""

    def __init__(self, formula: str, names: Mapping[str, float]) -> None:
        self.names = names
        self.tokens: list[tuple[str, str]] = []
        place = 0
        while place < len(formula.rstrip()):
            found = _TOKEN.match(formula, place)
            assert found, f"{formula!r} is not understood from {formula[place:]!r} on"
            kind = str(found.lastgroup)
            if found[kind] not in (r"\left", r"\right"):
                self.tokens.append((kind, found[kind]))
            place = found.end()

    def sum(self) -> float:
        """Read terms that are added and subtracted."""
        total = -self._product() if self._take("-") else self._product()
        while self._next in ("+", "-"):
            sign = 1 if self._pop() == "+" else -1
            total += sign * self._product()
        return total

    def _product(self) -> float:
        """Read factors that are multiplied, with a dot or side by side, and divided."""
        total = self._power()
        while self.tokens and self._next not in ("+", "-", ")", "}", r"\}", ","):
            if self._take("/"):
                total /= self._power()
            else:
                self._take(r"\cdot")
                total *= self._power()
        return total

    def _power(self) -> float:
        base = self._atom()
        return base ** self._atom() if self._take("^") else base

    def _atom(self) -> float:
        kind, token = self.tokens.pop(0)
        if kind == "number":
            return float(token)
        if kind != "sign":
            return float(self.names[token])
        if token == r"\frac":
            return self._atom() / self._atom()
        if token == r"\sqrt":
            return math.sqrt(self._atom())
        if token in (r"\max", r"\min"):
            return (max if token == r"\max" else min)(self._list())
        return self._within({"(": ")", "{": "}"}[token])

    def _within(self, end: str) -> float:
        total = self.sum()
        assert self._pop() == end
        return total

    def _list(self) -> list[float]:
        assert self._pop() == r"\{"
        values = [self.sum()]
        while self._pop() == ",":
            values.append(self.sum())
        return values

    @property
    def _next(self) -> str:
        return self.tokens[0][1] if self.tokens else ""

    def _pop(self) -> str:
        return self.tokens.pop(0)[1]

    def _take(self, token: str) -> bool:
        is_next = self._next == token
        if is_next:
            self._pop()
        return is_next
