"""
Ten billion rows
================

A verdict needs four counts. So the rows stay where they are, and only the engine that holds them
has to handle their number.
"""

# %%
# From a file
# -----------
#
# A small Parquet file stands for a large one. ``scan`` reads nothing yet; ``evaluate`` sends one
# query, and only counts come back.
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import baserate as br

rng = np.random.default_rng(0)
rows = 200_000
truth = rng.random(rows) < 0.02
tree = np.where(rng.random(rows) < 0.3, truth, rng.random(rows) < 0.03)
frame = pl.DataFrame({"y": truth, "tree": tree, "year": rng.integers(2020, 2024, rows)})
path = Path(tempfile.mkdtemp()) / "predictions.parquet"
frame.write_parquet(path)

report = br.evaluate(br.scan(path), truth="y", y_pred=["tree"], by="year", measures=["F1", "MCC"])
print(report.overall)

# %%
# You can count parts separately, in any order and on any machine, and add the tables:
parts = br.ConfusionMatrix.from_frame(br.scan(path), "y", "tree", by="year")
print(*parts.items(), sep="\n")
table = sum(parts.values(), br.ConfusionMatrix())
table

# %%
# From counts
# -----------
#
# Ten billion rows are fifty thousand such files. All 22 verdicts take as long as for a small table,
# since no loop runs over observations:
scale = 10**10 // rows
huge = br.ConfusionMatrix(
    tp=table.tp * scale, fp=table.fp * scale, fn=table.fn * scale, tn=table.tn * scale
)
start = time.perf_counter()
report = br.evaluate(None, {"tree": huge}, "all")
seconds = time.perf_counter() - start
print(f"{huge.total:,} rows, {len(report)} verdicts, less than a second: {seconds < 1}")

# %%
# The numbers are not approximations. Here is a random draw of a tenth of the rows, and the
# distribution of its G2:
draw = br.DutchDraw(huge, theta=0.1)
null = draw.score("G2")
low, high = null.interval(0.95)
print(f"G2 of a draw: {null.mean():.12f}, 95% of draws between {low:.8f} and {high:.8f}")

# %%
# With so many rows chance hardly varies: 95% of draws are within the thickness of the line.
display = br.plots.BaselineDisplay.from_predictions(None, {"tree": huge}, "F1")

# %%
# The best draw by G2, for which there is no formula, is found exactly among ten billion:
best = br.baseline(huge, "G2").best
print(f"{best.value:.15f} at P̂ in {best.guesses.counts}, exact: {best.exact}")

# %%
# :doc:`/scaling` lists the supported engines, and how long a file of 10⁸ rows takes.
