"""Formulas for a page: convert the LaTeX of the measures to MathML."""

from __future__ import annotations

import re
from typing import Literal

# What browsers space badly or have no glyph for. MathML treats text as blank space, so an operator
# between two texts would get no space around it; a name does not have this problem.
_MENDED = (
    (r"<mtext>(\w+)</mtext>", r'<mi mathvariant="normal">\1</mi>'),
    (r"<mo>(max|min)</mo>", r"<mi>\1</mi>"),
    (r"<mi>&#x029F5;</mi>", r"<mo>&#x0005C;</mo>"),
)


def mathml(latex: str, display: Literal["inline", "block"] = "inline") -> str:
    """Return a formula as MathML, with its content escaped."""
    from latex2mathml.converter import convert

    formula = convert(latex, display=display)
    for pattern, better in _MENDED:
        formula = re.sub(pattern, better, formula)
    return formula
