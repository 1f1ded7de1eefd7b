"""Format a document as HTML: one self-contained page, or a fragment for a notebook."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.exceptions import InvalidReportError
from baserate.formatting import number_format, sanitize
from baserate.report.curves import svg_points
from baserate.report.document import NAMES

if TYPE_CHECKING:
    from jinja2 import Environment

    from baserate.report.document import Document

# More verdicts than these are folded, and a notebook shows fewer rows and steps.
_FOLDED, _FEW = 60, 12
_MINUS = re.compile(r"(?<!\w)-(?=[\d.])")


def render_page(document: Document, title: str | None = None, notes: str | None = None) -> str:
    """Return a page that loads no other resource."""
    paragraphs = [part for part in re.split(r"\n\s*\n", _text("notes", notes)) if part.strip()]
    facts = {"title": _text("title", title), "paragraphs": paragraphs, "folded": _FOLDED}
    return _rendered("page.html", document, **facts)


def _text(name: str, text: str | None) -> str:
    if not isinstance(text, str | None):
        raise InvalidReportError.not_text(name, text)
    return text or ""


def render_fragment(document: Document) -> str:
    """Return the answer, its tables and what to do next, for a notebook."""
    return _rendered("fragment.html", document, few=_FEW)


def _rendered(template: str, document: Document, **facts: Any) -> str:
    from baserate import __version__

    found = _environment().get_template(template)
    return sanitize(found.render(doc=document, version=__version__, **facts))


def environment(*folders: str) -> Environment:
    """Return an environment that looks for templates in these folders, then in the report's own.

    Every value is escaped, and a missing one is an error.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader([*folders, f"{Path(__file__).parent}/templates"]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


@cache
def _environment() -> Environment:
    found = environment()
    found.globals["name_of"] = NAMES
    found.filters |= {
        "area": lambda value: number_format([value])(value),
        "known": lambda value: value is not None and not math.isnan(value),
        "minus": lambda text: _MINUS.sub("−", text),
        "pc": lambda value: f"{value:.4g}%",
        "svg_points": svg_points,
    }
    return found
