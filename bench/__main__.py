"""Run the benchmark: `python bench [--quick] [--rows N]`. It prints ratios and asserts nothing."""

from __future__ import annotations

import argparse
import json
import platform
import statistics
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from comparisons import GROUPS, PEERS
from files import scan_megabytes, scanning, written
from growth import draw_growth, measured_growth
from timing import Measured, import_microseconds, measured, peak_megabytes

HERE = Path(__file__).parent
CURVE = (
    "import numpy as np, baserate as br;"
    "rate = br.BaseRate(positives=300_000, total=10**6);"
    "br.expected_score(rate, 'G2', np.arange(10**6 + 1) / 10**6)"
)


def main() -> None:
    """Measure everything, print the table, write the results and the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, under a minute")
    parser.add_argument("--rows", type=int, help="rows of the Parquet file, 10⁸ or quick 10⁷")
    arguments = parser.parse_args()
    quick, rows_of_file = arguments.quick, arguments.rows or 10 ** (7 if arguments.quick else 8)
    repeats = 3 if quick else 9
    peers = {name: version(name) for name in PEERS}
    print(f"Python {platform.python_version()}, " + ", ".join(f"{n} {v}" for n, v in peers.items()))
    print("Median of ratios, ours / theirs, both sides run in turn. Below 1 we are quicker.\n")
    rows = []
    for title, comparisons in GROUPS.items():
        print(title)
        for comparison in comparisons(quick=quick):
            rows.append(measured(comparison, repeats))
            print("  " + _line(rows[-1]), flush=True)
    print(f"Files\n  (a file of {rows_of_file:,} rows is written and removed)", flush=True)
    with written(rows_of_file) as path:
        for comparison in scanning(path, rows_of_file):
            rows.append(measured(comparison, repeats))
            print("  " + _line(rows[-1]), flush=True)
        file_memory = scan_megabytes(path)
    print(f"  at most {file_memory:.0f} MB of memory  (goal: < 1000)")
    imports = _imports(repeats)
    memory = peak_megabytes(CURVE) - peak_megabytes("import numpy, baserate")
    growth = measured_growth(quick=quick)
    print(f"Import\n  import baserate adds {imports:.0%} to import numpy  (goal: ≤ 60%)")
    print(
        f"Memory\n  all θ* of M = 10⁶ in one call: {memory:.0f} MB above the import  (goal: < 500)"
    )
    results = {
        "python": platform.python_version(),
        "peers": peers,
        "quick": quick,
        "ratios": [asdict(row) for row in rows],
        "import_share": imports,
        "curve_megabytes": memory,
        "file_rows": rows_of_file,
        "file_megabytes": file_memory,
        "growth": growth,
    }
    (HERE / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    draw_growth(growth, HERE / "growth.png")
    print("\nWritten: bench/results.json, bench/growth.png. How to read them: docs/benchmarks.md")


def _line(row: Measured) -> str:
    goal = f"  (goal: {row.goal})" if row.goal else ""
    quicker = f"{row.ratio:10.2g}" if row.ratio >= 0.01 else f"1/{1 / row.ratio:,.0f}".rjust(10)
    return f"{quicker} × {row.peer:45} {row.task}{goal}"


def _imports(repeats: int) -> float:
    shares = [
        import_microseconds("baserate.public") / import_microseconds("numpy") - 1
        for _ in range(repeats)
    ]
    return statistics.median(shares)


if __name__ == "__main__":
    main()
