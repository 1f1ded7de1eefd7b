"""The reproduction as one page that loads nothing: formulas in MathML, figures within."""

from __future__ import annotations

import base64
import re
from functools import cache
from typing import TYPE_CHECKING

from baserate.paper.errata import ERRATA
from baserate.paper.reproduction import ABOUT_THE_MEASURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment
    from markupsafe import Markup

    from baserate.paper.reproduction import Reproduction

# What browsers space badly or lack a letter for. Text counts as blank space in MathML, so that
# an operator between two texts would have no space around it; a name does not.
_MENDED = (
    (r"<mtext>(\w+)</mtext>", r'<mi mathvariant="normal">\1</mi>'),
    (r"<mo>(max|min)</mo>", r"<mi>\1</mi>"),
    (r"<mi>&#x029F5;</mi>", r"<mo>&#x0005C;</mo>"),
)


def render_html(found: Reproduction, pictures: Mapping[str, bytes]) -> str:
    """Return the page.

    Parameters
    ----------
    found
        What there is to show.
    pictures
        The PNG of each figure, by the name of its file.
    """
    from baserate import __version__

    return (
        _environment()
        .get_template("paper.html")
        .render(
            found=found,
            pictures={name: _data_uri(png) for name, png in pictures.items()},
            errata=ERRATA,
            about_the_measures=ABOUT_THE_MEASURES,
            version=__version__,
        )
    )


def _data_uri(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


@cache
def _environment() -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    folders = ("paper/templates", "report/templates")
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("baserate", folder) for folder in folders]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["typeset"] = typeset
    return environment


@cache
def typeset(text: str) -> Markup:
    """Return a text as HTML, with MathML for the LaTeX between dollar signs."""
    from markupsafe import Markup, escape

    words, formulas = text.split("$")[::2], text.split("$")[1::2]
    parts = [escape(words[0])]
    for formula, after in zip(formulas, words[1:], strict=True):
        parts += [_mathml(formula), escape(after)]
    return Markup("").join(parts)


def _mathml(latex: str) -> Markup:
    from latex2mathml.converter import convert
    from markupsafe import Markup

    mathml = convert(latex)
    for pattern, better in _MENDED:
        mathml = re.sub(pattern, better, mathml)
    # The converter escapes what it is given, which are the library's own formulas.
    return Markup(mathml)  # noqa: S704
