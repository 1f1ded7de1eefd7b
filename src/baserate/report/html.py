"""A report as HTML: one self-contained page, or a fragment for a notebook."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from baserate.binary.measures.catalogue import is_count
from baserate.harmless import harmless
from baserate.report.panels import findings, legend, panels, summaries
from baserate.support.formatting import dropped_rows, number_format, probability, weight
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.sentences import explanation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

    from baserate.report.collection import Report
    from baserate.verdicts.verdict import Verdict

# Browsers are slow with more tables and rows than these.
_MOST_PANELS = 40
_MOST_VERDICTS = 5000


def render_page(report: Report) -> str:
    """Return a page that loads no other resource."""
    return _rendered("page.html", report)


def render_fragment(report: Report) -> str:
    """Return the sentences and tables alone, for a notebook."""
    return _rendered("fragment.html", report)


def _rendered(template: str, report: Report) -> str:
    from baserate import __version__

    tables = panels(report)
    page = (
        _environment()
        .get_template(template)
        .render(
            report=report,
            panels=tables[:_MOST_PANELS],
            more_panels=len(tables) - _MOST_PANELS,
            verdicts=_first(report),
            significant=report.alpha,
            findings=findings(report),
            summaries=summaries(report),
            legend=legend(report),
            outcomes=tuple(Outcome),
            version=__version__,
        )
    )
    return harmless(page)


def _first(report: Report) -> Sequence[Verdict]:
    """Return as many verdicts as a browser can sort quickly, failures first."""
    if len(report) <= _MOST_VERDICTS:
        return report.verdicts
    return sorted(report, key=lambda verdict: not verdict.fails)[:_MOST_VERDICTS]


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
        "dropped_rows": dropped_rows,
        "explanation": explanation,
        "probability": probability,
        "weight": weight,
        "numbers": _numbers,
        "known": lambda value: not math.isnan(value),
        "sort_key": lambda value: "" if math.isnan(value) else repr(value),
    }
    return found


def _numbers(verdict: Verdict) -> dict[str, str]:
    """Return the numbers of a verdict, in one format."""
    names = (
        "score",
        "baseline",
        "baseline_min",
        "baseline_max",
        "perfect",
        "luck_low",
        "luck_high",
    )
    values = {name: getattr(verdict, name) for name in names}
    write = number_format(values.values(), counted=is_count(verdict.measure))
    written = {name: write(value) for name, value in values.items()}
    sign = "+" if verdict.margin > 0 else ""
    return written | {"margin": f"{sign}{write(verdict.margin)}"}
