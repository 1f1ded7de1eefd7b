"""Render the reproduction as a self-contained page, with MathML formulas and inline figures."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from baserate.report.markup import environment
from reproduction.errata import ERRATA
from reproduction.mathml import mathml
from reproduction.reproduction import ABOUT_THE_MEASURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment
    from markupsafe import Markup

    from reproduction.reproduction import Reproduction


def render_html(found: Reproduction, pictures: Mapping[str, bytes]) -> str:
    """Return the page.

    Parameters
    ----------
    found
        The reproduction to show.
    pictures
        The PNG of each figure, keyed by file name.
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
    # The page uses the style of a report, and adds some.
    found = environment(f"{Path(__file__).parent}/templates")
    found.filters["typeset"] = typeset
    return found


@cache
def typeset(text: str) -> Markup:
    """Return a text as HTML, with MathML for the LaTeX between dollar signs."""
    from markupsafe import Markup, escape

    words, formulas = text.split("$")[::2], text.split("$")[1::2]
    parts = [escape(words[0])]
    for formula, after in zip(formulas, words[1:], strict=True):
        # The formulas are the library's own, so they are safe.
        parts += [Markup(mathml(formula)), escape(after)]  # noqa: S704
    return Markup("").join(parts)
