"""Formulas for a page: the LaTeX of the measures' records as MathML."""

from __future__ import annotations

import re
from typing import Literal

# What browsers space badly or lack a letter for. Text counts as blank space in MathML, so that
# an operator between two texts would have no space around it; a name does not.
_MENDED = (
    (r"<mtext>(\w+)</mtext>", r'<mi mathvariant="normal">\1</mi>'),
    (r"<mo>(max|min)</mo>", r"<mi>\1</mi>"),
    (r"<mi>&#x029F5;</mi>", r"<mo>&#x0005C;</mo>"),
)


def mathml(latex: str, display: Literal["inline", "block"] = "inline") -> str:
    """Return a formula as MathML, which escapes what is in it."""
    from latex2mathml.converter import convert

    formula = convert(latex, display=display)
    for pattern, better in _MENDED:
        formula = re.sub(pattern, better, formula)
    return formula
