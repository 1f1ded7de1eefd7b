"""The tables of docs/benchmarks.md, written from what was measured."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The table that a reader sees first; the others come below.
FIRST = "Each kind of prediction"


def written(page: str, results: Mapping[str, Any]) -> str:
    """Return the page with new tables."""
    ratios = results["ratios"]
    first = [row for row in ratios if row["group"] == FIRST]
    others = groupby((row for row in ratios if row["group"] != FIRST), lambda row: row["group"])
    details = "\n\n".join(f"### {group}\n\n{table(rows)}" for group, rows in others)
    page = between(page, "versions", _versions(results))
    page = between(page, "others", _by_themselves(results))
    return between(between(page, "first", table(first)), "details", details)


def table(rows: Iterable[Mapping[str, Any]], last: str = "Goal") -> str:
    """Return the rows of one group in Markdown."""
    lines = [
        f"| Task | Ours | Peer | Its time | Ratio | {last} |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        times = [shown_time(row[side]) for side in ("ours_seconds", "theirs_seconds")]
        cells = [
            row["task"],
            times[0],
            row["peer"],
            times[1],
            shown_ratio(row["ratio"]),
            row["goal"],
        ]
        lines.append(f"| {' | '.join(cell.replace('*', chr(92) + '*') for cell in cells)} |")
    return "\n".join(lines)


def shown_time(seconds: float) -> str:
    """Write a time with two digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    return f"{seconds / 1e-9:.2g} ns"


def shown_ratio(ratio: float) -> str:
    """Write a ratio with two digits; a small one as a fraction of one."""
    return f"{float(f'{ratio:.2g}'):g}" if ratio >= 0.1 else f"1/{float(f'{1 / ratio:.2g}'):,.0f}"


def _by_themselves(results: Mapping[str, Any]) -> str:
    memory, file = results["curve_megabytes"], results["file_megabytes"]
    lines = {
        f"The import of all names adds {results['import_share']:.0%} to numpy's": "60%",
        f"E[G2] for all θ\\* of M = 10⁶: {memory:.0f} MB": "500 MB",
        f"A Parquet file of {results['file_rows']:,} rows, 5 models: {file:.0f} MB": "1,000 MB",
    }
    return "\n".join(f"- {line} (goal: at most {goal})." for line, goal in lines.items())


def _versions(results: Mapping[str, Any]) -> str:
    peers = ", ".join(f"{name} {version}" for name, version in results["peers"].items())
    return f"Python {results['python']} with {peers}, on two cores."


def between(page: str, name: str, text: str) -> str:
    """Return a page with other text between two marks."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, rest = page.split(start)
    return f"{before}{start}\n\n{text}\n\n{end}{rest.split(end)[1]}"
