"""A comparison as HTML: one self-contained page, or a fragment for a notebook."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from baserate.formatting import confidence, dropped_rows, probability, sanitize
from baserate.report.comparison.tables import better, note, tables
from baserate.report.html import environment
from baserate.verdicts.difference_sentences import explanation, interval, numbers

if TYPE_CHECKING:
    from jinja2 import Environment

    from baserate.report.comparison.collection import Comparison
    from baserate.verdicts.difference import Difference

# Browsers are slow with more tables than this, and readers with more sentences.
_MOST_TABLES, _MOST_SENTENCES = 40, 12


def render_page(comparison: Comparison) -> str:
    """Return a page that loads no other resource."""
    return _rendered("comparison_page.html", comparison)


def render_fragment(comparison: Comparison) -> str:
    """Return the sentences and tables alone, for a notebook."""
    return _rendered("comparison_fragment.html", comparison)


class Strip(NamedTuple):
    """Where a difference and its interval are, from -1 to 1, on the scale of its measure."""

    at: float
    low: float
    high: float


def strip(difference: Difference, comparison: Comparison) -> Strip | None:
    """Return the picture of a difference beside the others by the same measure."""
    if math.isnan(difference.low):
        return None
    alike = (each for each in comparison if each.measure == difference.measure)
    ends = [abs(end) for each in alike for end in (each.low, each.high) if not math.isnan(end)]
    reach = max(ends) or 1.0
    return Strip(difference.difference / reach, difference.low / reach, difference.high / reach)


def _rendered(template: str, comparison: Comparison) -> str:
    from baserate import __version__

    found = tables(comparison)
    page = (
        _environment()
        .get_template(template)
        .render(
            comparison=comparison,
            tables=found[:_MOST_TABLES],
            more_tables=len(found) - _MOST_TABLES,
            sentences=_MOST_SENTENCES,
            note=note(comparison),
            level=confidence(comparison.alpha),
            version=__version__,
        )
    )
    return sanitize(page)


@cache
def _environment() -> Environment:
    found = environment(f"{Path(__file__).parent}/templates")
    found.filters |= {
        "better": better,
        "difference_interval": interval,
        "difference_numbers": numbers,
        "dropped_rows": dropped_rows,
        "explanation": explanation,
        "probability": probability,
        "strip": strip,
    }
    return found
