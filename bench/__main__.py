"""Run the benchmark: `python bench [--quick] [--rows N] [GROUP …]`. It asserts nothing.

Ratios are printed, and written into bench/results.json and docs/benchmarks.md; groups that are not
asked for keep what was measured before. A quick run writes bench/quick.json and the table
bench/quick.md instead, each ratio beside the one of the run before: commit them where a change is
meant, and restore them otherwise.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import files
import number_files
from comparisons import GROUPS, PEERS
from growth import draw_growth, measured_growth
from page import shown_ratio, table, written
from timing import Measured, import_microseconds, measured, peak_megabytes

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "results.json", HERE.parent / "docs" / "benchmarks.md"
QUICK, QUICK_TABLE = HERE / "quick.json", HERE / "quick.md"
IN_FILES = "Files"
GROWTH = "The cost of a baseline as the test set grows"
EVERY = (*GROUPS, IN_FILES, GROWTH)
CURVE = (
    "import numpy as np, baserate as br;"
    "rate = br.BaseRate(positives=300_000, total=10**6);"
    "br.expected_score(rate, 'G2', np.arange(10**6 + 1) / 10**6)"
)


def main() -> None:
    """Measure what is asked for, print it, and write the results, the page and the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", help=f"all by default: {', '.join(EVERY)}")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, a few minutes")
    parser.add_argument("--rows", type=int, help="rows of the Parquet files, 10⁸ or quick 10⁷")
    arguments = parser.parse_args()
    quick, groups = arguments.quick, arguments.groups or EVERY
    if unknown := set(groups) - set(EVERY):
        parser.error(f"there is no group {', '.join(sorted(unknown))}")
    results = json.loads((QUICK if quick else RESULTS).read_text(encoding="utf-8"))
    before = {_title(row): row["ratio"] for row in results["ratios"]}
    results |= {"python": platform.python_version(), "peers": {n: version(n) for n in PEERS}}
    print("Median of ratios, ours / theirs, both sides run in turn. Below 1 we are quicker.\n")
    found = [asdict(row) for row in _measured(groups, 3 if quick else 9, arguments, before)]
    kept = [row for row in results["ratios"] if row["group"] not in groups]
    results["ratios"] = sorted(kept + found, key=lambda row: EVERY.index(row["group"]))
    if GROWTH in groups:
        results |= _by_themselves(arguments)
    if quick:
        _write_quick(results, before)
    else:
        _write(results)


def _measured(
    groups: tuple[str, ...],
    repeats: int,
    arguments: argparse.Namespace,
    before: dict[tuple[str, ...], float],
) -> Iterator[Measured]:
    """Measure every comparison of some groups, and print each."""
    for group in groups:
        print(group)
        for comparison in _comparisons(group, arguments):
            row = measured(group, comparison, repeats)
            goal = f"  (goal: {row.goal})" if row.goal else ""
            was = shown_ratio(before[_title(asdict(row))]) if _title(asdict(row)) in before else "-"
            print(
                f"{shown_ratio(row.ratio):>10} × (was {was:>7}) {row.peer:45} {row.task}{goal}",
                flush=True,
            )
            yield row


def _title(row: dict[str, Any]) -> tuple[str, ...]:
    """Return what a comparison is known by."""
    return row["group"], row["task"], row["peer"]


def _comparisons(group: str, arguments: argparse.Namespace) -> Iterator[Any]:
    """Yield the comparisons of a group; files are written and removed."""
    if group in GROUPS:
        yield from GROUPS[group](quick=arguments.quick)
    if group == IN_FILES:
        for kind in (files, number_files):
            with kind.written(_rows(arguments)) as path:
                yield from kind.scanning(path, _rows(arguments))


def _by_themselves(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure what has no peer that could run beside it, and print it."""
    shares = [
        import_microseconds("baserate.evaluation.evaluate") / import_microseconds("numpy") - 1
        for _ in range(5)
    ]
    imports = statistics.median(shares)
    memory = peak_megabytes(CURVE) - peak_megabytes("import numpy, baserate")
    print(f"  import baserate, all names, adds {imports:.0%} to import numpy  (goal: ≤ 60%)")
    print(f"  all θ* of M = 10⁶ in one call: {memory:.0f} MB above the import  (goal: < 500)")
    with files.written(_rows(arguments)) as path:
        file = files.scan_megabytes(path)
    print(f"  a file of {_rows(arguments):,} rows: {file:.0f} MB of memory  (goal: < 1000)")
    return {
        "import_share": imports,
        "curve_megabytes": memory,
        "file_rows": _rows(arguments),
        "file_megabytes": file,
        "growth": measured_growth(quick=arguments.quick),
    }


def _rows(arguments: argparse.Namespace) -> int:
    """Return how many rows a file has."""
    rows: int = arguments.rows or 10 ** (7 if arguments.quick else 8)
    return rows


def _write_quick(results: dict[str, Any], before: dict[tuple[str, ...], float]) -> None:
    """Write the numbers of a quick run, and a table of them beside those before."""
    QUICK.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    rows = [
        {**row, "goal": shown_ratio(before.get(_title(row), row["ratio"]))}
        for row in results["ratios"]
    ]
    text = f"# A quick run of the benchmarks\n\n{table(rows, last='Ratio before')}\n"
    QUICK_TABLE.write_text(text, encoding="utf-8")
    print(f"\nWritten: {QUICK.name} and {QUICK_TABLE.name}.")


def _write(results: dict[str, Any]) -> None:
    """Write the numbers, the page and the picture."""
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")
    draw_growth(results["growth"], PAGE.with_name("benchmarks-growth.png"))
    print(f"\nWritten: {RESULTS.name}, {PAGE.name} and its picture.")


if __name__ == "__main__":
    main()
