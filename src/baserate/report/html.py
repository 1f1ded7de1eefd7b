"""A report as HTML: one self-contained page, or a fragment for a notebook."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.exceptions import InvalidReportError
from baserate.formatting import dropped_rows, number_format, probability, sanitize, weight
from baserate.report.curves import curve_figures, svg_points
from baserate.report.details import details
from baserate.report.heat import HeatMap
from baserate.report.matrices import matrices, shown_score
from baserate.report.p_values import PValue
from baserate.report.panels import (
    BOXES,
    findings,
    legend,
    panels,
    standard,
    summaries,
    warnings,
)
from baserate.report.pictures import picture, pictures
from baserate.verdicts.sentences import explanation, group_name, way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

    from baserate.report.collection import Report
    from baserate.report.panels import Panel
    from baserate.verdicts.verdict import Verdict

# Browsers are slow with more than these, and so are readers.
_MOST_PANELS = 40
_MOST_MODELS = 40
_MOST_GROUPS = 100
_MOST_VERDICTS = 5000
# The baseline is in the middle of a track, and this many percent are on either side.
_MIDDLE, _HALF = 50, 43
_TITLE = "What are these scores worth?"


def render_page(report: Report, title: str | None = None, notes: str | None = None) -> str:
    """Return a page that loads no other resource."""
    paragraphs = [part for part in re.split(r"\n\s*\n", _text("notes", notes)) if part.strip()]
    in_tab = _text("title", title) or f"What the scores are worth: {', '.join(report.models)}"
    facts = {"title": title or _TITLE, "in_tab": in_tab, "notes": paragraphs}
    return _rendered(
        "page.html", report, **facts, verdicts=_first(report), outcomes=report.voice.outcomes
    )


def _text(name: str, text: str | None) -> str:
    if not isinstance(text, str | None):
        raise InvalidReportError.not_text(name, text)
    return text or ""


def render_fragment(report: Report) -> str:
    """Return the pictures, sentences and tables alone, for a notebook."""
    return _rendered("fragment.html", report)


def _rendered(template: str, report: Report, **facts: Any) -> str:
    from baserate import __version__

    tables = _tables(report)
    page = (
        _environment()
        .get_template(template)
        .render(
            report=report,
            voice=report.voice,
            panels=tables[:_MOST_PANELS],
            has_curves=any(map(curve_figures, tables[:_MOST_PANELS])),
            more_panels=len(tables) - _MOST_PANELS,
            matrices=matrices(report) if report.overall or not tables else (),
            warnings=warnings(report),
            findings=findings(report),
            summaries=summaries(report),
            legend=legend(report),
            boxes=BOXES,
            level=f"{100 * (1 - report.alpha):.6g}%",
            most_models=_MOST_MODELS,
            most_groups=_MOST_GROUPS,
            version=__version__,
            **facts,
        )
    )
    return sanitize(page)


def _tables(report: Report) -> tuple[Panel, ...]:
    """Return the tables of the whole test set, or of the only group; many groups are matrices."""
    found = panels(report)
    whole = tuple(panel for panel in found if panel.group is None)
    return whole or (found if len(report.groups) == 1 else ())


def _first(report: Report) -> Sequence[Verdict]:
    """Return as many verdicts as a browser can sort quickly: failures first if they are too many.

    Measures that show nothing come last.
    """
    is_too_many = len(report) > _MOST_VERDICTS
    ordered = sorted(
        report, key=lambda each: (is_too_many and not each.fails, not each.informative)
    )
    return ordered[:_MOST_VERDICTS]


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
    found.filters |= {
        "area": lambda value: number_format([value])(value),
        "curve_figures": curve_figures,
        "details": details,
        "dropped_rows": dropped_rows,
        "standard": standard,
        "explanation": explanation,
        "heat_map": HeatMap.of,
        "group_name": group_name,
        "p_value": PValue.of,
        "picture": picture,
        "pictures": pictures,
        "probability": probability,
        "svg_points": svg_points,
        "way": way,
        "weight": weight,
        "numbers": _numbers,
        "known": lambda value: not math.isnan(value),
        "place": lambda value: f"{_MIDDLE + _HALF * value:.4g}%",
        "length_of": lambda ends: f"{_HALF * (ends[1] - ends[0]):.4g}%",
        "sort_key": lambda value: "" if math.isnan(value) else repr(value),
    }
    return found


_NUMBERS = ("score", "low", "high", "baseline", "perfect", "luck_low", "luck_high")
_DIFFERENCES = ("margin", "margin_low", "margin_high")


def _numbers(verdict: Verdict) -> dict[str, str]:
    """Return the numbers of a verdict, in the format of its score and baselines."""
    shared = (verdict.score, verdict.baseline, verdict.baseline_min, verdict.baseline_max)
    write = number_format(shared, counted=verdict.counts)
    written = {name: write(getattr(verdict, name)) for name in (*_NUMBERS, *_DIFFERENCES)}
    written["score"] = write(shown_score(verdict))
    return written | {"margin": f"{'+' if verdict.margin > 0 else ''}{written['margin']}"}
