r"""Evaluate the LaTeX of the records: sums, products, fractions, roots, squares, max and min.

>>> value(r"\frac{\text{TP}}{P} + \sqrt{M} \theta^*", {"TP": 1, "P": 2, "M": 9, r"\theta^*": 0.5})
2.0
>>> value(r"\sum_k C_{kk} - \prod_k n_k", {"K": 2, "C": [[3, 1], [2, 4]], "n": [4, 6]})
-17.0
"""

from __future__ import annotations

import math
import re
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# A name is a word, a letter with a subscript, θ*, P̂ or N̂; β is a single letter.
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|\\text\{(?P<word>\w+)\}|\\(?P<over>(?:sum|prod)_(?:\w|\{\w+\}))"
    r"|(?P<name>\\theta\^\*|\\beta|\\hat\{\w\}|[A-Za-z]_(?:\w|\{\w+\})|[A-Za-z])"
    r"|(?P<sign>\\frac|\\sqrt|\\max|\\min|\\cdot|\\left|\\right|\\\{|\\\}|[-+/^(){},=|]))"
)
# What ends a product. A bar opens an absolute value only where a factor must follow.
_ENDS = ("+", "-", ")", "}", r"\}", ",", "|")


def value(latex: str, names: Mapping[str, Any]) -> float:
    r"""Evaluate a formula; the part after ``,\ `` defines names that it uses.

    Sums and products go over as many classes as K says; a letter with their index is looked up in
    the list or table of that letter.
    """
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

    def __init__(self, formula: str, names: Mapping[str, Any]) -> None:
        self.names = names
        self.indices: dict[str, int] = {}
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
        while self.tokens and self._next not in _ENDS:
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
        if kind == "over":
            return self._over(token)
        return self._after(token) if kind == "sign" else self._named(token)

    def _after(self, sign: str) -> float:
        """Read what belongs to a sign: a fraction, a root, an extreme, or what is in brackets."""
        if sign == r"\frac":
            return self._atom() / self._atom()
        if sign == r"\sqrt":
            return math.sqrt(self._atom())
        if sign in (r"\max", r"\min"):
            return (max if sign == r"\max" else min)(self._list())
        inside = self._within({"(": ")", "{": "}", "|": "|"}[sign])
        return abs(inside) if sign == "|" else inside

    def _named(self, token: str) -> float:
        """Look up a name; one with the indices of a sum is an entry of a list or a table."""
        letter, _, subscript = token.partition("_")
        if token in self.indices:
            return float(self.indices[token])
        found: Any = self.names[letter if self._are_indices(subscript) else token]
        for index in subscript.strip("{}") if self._are_indices(subscript) else "":
            found = found[self.indices[index]]
        return float(found)

    def _are_indices(self, subscript: str) -> bool:
        return bool(subscript) and set(subscript.strip("{}")) <= set(self.indices)

    def _over(self, token: str) -> float:
        """Read the product after a sum or product sign once for each value of its indices."""
        sign, _, letters = token.partition("_")
        outside, start, terms = self.indices, self.tokens, []
        for values in product(range(int(self.names["K"])), repeat=len(letters.strip("{}"))):
            self.indices = outside | dict(zip(letters.strip("{}"), values, strict=True))
            self.tokens = list(start)
            terms.append(self._product())
        self.indices = outside
        return sum(terms) if sign == "sum" else math.prod(terms)

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
