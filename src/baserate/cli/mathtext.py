"""Formulas for a terminal: turn the LaTeX of a measure into plain text."""

from __future__ import annotations

import re
from collections import deque
from typing import TypeAlias

Tokens: TypeAlias = deque[str]

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", flags=re.DOTALL)
_SYMBOLS = {
    r"\theta": "θ",
    r"\alpha": "α",
    r"\delta": "δ",
    r"\varepsilon": "ε",
    r"\quad": " ",
    r"\;": " ",
    r"\Theta": "Θ",
    r"\beta": "β",
    r"\cdot": "·",
    r"\setminus": "∖",
    r"\left": "",
    r"\right": "",
    r"\max": "max",
    r"\min": "min",
    r"\,": "",
    r"\infty": "∞",
    r"\lVert": "‖",
    r"\rVert": "‖",
    r"\le": "≤",
    r"\ge": "≥",
    r"\sum": "Σ",
    r"\prod": "Π",
    r"\{": "{",
    r"\}": "}",
    "\\ ": " ",
}
_RAISED = {"2": "²", "*": "*"}
_LOWERED = {"o": "ₒ", "e": "ₑ", "i": "ᵢ", "j": "ⱼ", "k": "ₖ"}
# A pair of brackets with at most one level of nesting.
_BRACKET = r"\((?:[^()]|\([^()]*\))*\)"
_ONE = re.compile(rf"√?(?:[^\s·/+()-]+|{_BRACKET})")
_ACCENTS = {
    r"\hat": "\N{COMBINING CIRCUMFLEX ACCENT}",
    r"\bar": "\N{COMBINING MACRON}",
}


def plain(latex: str) -> str:
    r"""Return a formula as one line of text.

    Examples
    --------
    >>> plain(r"\frac{\text{TP}}{P + \text{FP}}")
    'TP/(P + FP)'
    >>> plain(r"\sqrt{\theta^* \cdot P}")
    '√(θ*·P)'
    >>> plain(r"\left(\prod_k \frac{C_{kk}}{n_k}\right)^{1/K}")
    '(Πₖ Cₖₖ/nₖ)^(1/K)'
    """
    text = _read(deque(_TOKEN.findall(latex)))
    text = re.sub(r"\b(max|min)\{([^{}]*)\}", r"\1(\2)", text)
    text = re.sub(r"\s*·\s*", "·", text)
    text = re.sub(r"\blog(?=[^\s(])", "log ", text)
    return re.sub(r"\s+", " ", text).strip()


def _read(tokens: Tokens) -> str:
    """Read to the end of a group, or of the formula."""
    parts = []
    while tokens and tokens[0] != "}":
        parts.append(_item(tokens))
    return "".join(parts)


def _group(tokens: Tokens) -> str:
    """Read a group in braces, or a single token without braces."""
    if tokens[0] != "{":
        return _item(tokens)
    tokens.popleft()
    text = _read(tokens)
    tokens.popleft()
    return text.strip()


def _item(tokens: Tokens) -> str:
    sign = tokens.popleft()
    if sign in (r"\frac", r"\tfrac"):
        above, below = _group(tokens), _group(tokens)
        return f"{_as_numerator(above)}/{_as_one(below)}"
    if sign == r"\sqrt":
        return f"√{_as_one(_group(tokens))}"
    if sign in (r"\text", r"\operatorname"):
        return _text(tokens)
    if sign in _ACCENTS:
        return f"{_group(tokens)}{_ACCENTS[sign]}"
    if sign in "^_":
        return _raised(_group(tokens)) if sign == "^" else _lowered(_group(tokens))
    # The name of a function, such as a logarithm, is its name.
    return _SYMBOLS.get(sign, sign.removeprefix("\\"))


def _raised(power: str) -> str:
    return _RAISED.get(power, f"^({power})")


def _lowered(indices: str) -> str:
    if all(index in _LOWERED for index in indices):
        return "".join(_LOWERED[index] for index in indices)
    return f"_{indices}" if indices.isalnum() else f"_({indices})"


def _text(tokens: Tokens) -> str:
    """Read words, and keep their blanks."""
    tokens.popleft()
    words = _read(tokens)
    tokens.popleft()
    return words


def _as_one(text: str) -> str:
    """Add brackets around anything but a single symbol, a bracket or a root."""
    return text if _ONE.fullmatch(text) else f"({text})"


def _as_numerator(text: str) -> str:
    """Add brackets around a sum; a product needs none in a numerator."""
    outside = re.sub(_BRACKET, "", text)
    return f"({text})" if re.search(r"[+-]", outside) else text
