"""The standard deviation of a number over test sets.

A class with one observation that is right has a recall of 1 in every table that is drawn from
its counts, as if that were sure. So each class borrows an observation from the others, and the
standard deviation is that of test sets from such a table.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.plausible.slopes import curvature, slopes

if TYPE_CHECKING:
    from baserate.multiclass.plausible.number import Number, Part
    from baserate.multiclass.plausible.sample import Sample
    from baserate.multiclass.plausible.tables import Floats

# Up to this many classes, the slope by each cell of a table is computed.
_FEW_CLASSES = 16
# How many tables are drawn for a standard deviation, and how many cells they have at once.
_FEW_TABLES, _AT_ONCE = 48, 4 * 10**6
_SEED = 83


def borrowed_spread(number: Number, sample: Sample) -> float:
    """Return the standard deviation where classes borrow, by the larger of two estimates.

    True classes borrow from each other, which matters for recalls; or predicted classes do, which
    matters for precisions. It is 0 for two models, and where slopes would take too long.
    """
    if len(number.parts) > 1 or (number.whole and sample.classes > _FEW_CLASSES):
        return 0.0
    (part,), cells = number.parts, sample.cells(0)
    by_truth = _variance(part, cells, whole=number.whole)
    by_answer = _variance(lambda tables: part(tables.turned()), cells.T, whole=number.whole)
    return math.sqrt(max(by_truth, by_answer))


def approximate_spread(number: Number, sample: Sample) -> tuple[float, float]:
    """Return the standard deviation and the bias of a number of many cells, and no borrowing."""
    if number.whole:
        return _of_few_tables(number, sample)
    tables = [sample.cells(model) for model in range(len(sample.answers))]
    steep = np.sum(
        [
            slopes(part, cells, whole=False)[sample.truth, answers]
            for part, cells, answers in zip(number.parts, tables, sample.answers, strict=True)
        ],
        axis=0,
    )
    mean = (sample.counts * steep).sum() / sample.total
    bias = sum(curvature(part, cells) for part, cells in zip(number.parts, tables, strict=True))
    return math.sqrt(float((sample.counts * (steep - mean) ** 2).sum())), float(bias) / 2


def _of_few_tables(number: Number, sample: Sample) -> tuple[float, float]:
    rng = np.random.default_rng(_SEED)
    step = min(max(_AT_ONCE // max(sample.classes**2, sample.counts.size), 1), _FEW_TABLES)
    found = []
    for _ in range(0, _FEW_TABLES, step):
        cells = sample.drawn(rng, step)
        drawn = sample.tables(cells * (sample.total / cells.sum(axis=0)), whole=True)
        found.append(number.of(drawn))
    values = np.concatenate(found)
    if np.isnan(values).all():
        return math.nan, math.nan
    observed = float(number.of(sample.observed)[0])
    return float(np.nanstd(values)), float(np.nanmean(values)) - observed


def _variance(part: Part, cells: Floats, *, whole: bool) -> float:
    n = cells.sum(axis=1, keepdims=True)
    borrowed = n * (cells + _pooled(cells)) / (n + 1)
    steep = slopes(part, borrowed, whole=whole)
    mean = (borrowed * steep).sum() / n.sum()
    return float((borrowed * (steep - mean) ** 2).sum())


def _pooled(cells: Floats) -> Floats:
    """Return the answers for each class, as fractions, if all were found equally often."""
    found = (np.trace(cells) + 1) / (cells.sum() + 2)
    wrong = np.tile(cells.sum(axis=0), (len(cells), 1))
    np.fill_diagonal(wrong, 0)
    sums = wrong.sum(axis=1, keepdims=True)
    fractions = (1 - found) * wrong / np.where(sums > 0, sums, 1)
    np.fill_diagonal(fractions, 1 - fractions.sum(axis=1))
    return np.asarray(fractions)
