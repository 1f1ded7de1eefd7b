"""The expectation of any function of a table: over all tables of a deck, or some of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.measures.forms import OfProduct
from baserate.multiclass.optimum.products import mean_of_product
from baserate.null.tables import MOST_CELLS, all_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.record import ClassMeasure

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Effort:
    """How much work an expectation may be. A user's function is called for each table.

    Parameters
    ----------
    ways
        All tables of a deck are scored if there are at most so many ways to fill all rows but one.
    drawn, cells
        Otherwise so many tables are drawn, or fewer if together they have more than this many
        cells.
    seed
        Of the tables that are drawn: they are always the same.
    """

    ways: int
    drawn: int
    cells: int
    seed: int


CAREFUL = Effort(ways=20_000, drawn=2_000, cells=500_000, seed=20_230_318)
"""For an expectation that is reported."""
ROUGH = Effort(ways=200, drawn=100, cells=50_000, seed=20_190_318)
"""For one of hundreds that a search compares."""
# In a larger test set a table is so near the expected one that this stands for all of them; to
# draw tables takes longer there, and fails with a crash from 10¹⁵ observations on (SciPy 1.17).
_MOST_DRAWN_FROM = 10**6


def has_few_tables(n: Sequence[int], m: Sequence[int], effort: Effort = CAREFUL) -> bool:
    """Return whether the tables of a deck are few enough to score them all.

    Examples
    --------
    >>> has_few_tables((70, 20, 10), (40, 30, 30)), has_few_tables((70, 20, 20), (40, 30, 40))
    (True, False)
    """
    columns = sum(map(bool, m))
    most = min(effort.ways, MOST_CELLS // len(n) ** 2)
    ways = 1
    for size in sorted(n)[:-1]:
        ways *= math.comb(size + columns - 1, columns - 1)
        if ways > most:
            return False
    return True


def mean_over_tables(
    measure: ClassMeasure, n: Sequence[int], m: Sequence[int], effort: Effort
) -> float:
    """Return the expected score of a deck; nan if one of its tables has no score."""
    found = all_tables(n, m) if has_few_tables(n, m, effort) else None
    if found is not None:
        tables, chances = found
        return math.fsum(chances * measure.scores(tables.astype(float)))
    if isinstance(measure.form, OfProduct):
        return mean_of_product(measure.form, n, m)
    return float(measure.scores(_drawn(n, m, effort)).mean())


def _drawn(n: Sequence[int], m: Sequence[int], effort: Effort) -> Floats:
    """Return some tables of a deck, or the expected one."""
    from scipy.stats import random_table

    if sum(n) > _MOST_DRAWN_FROM:
        return np.outer(n, np.array(m) / sum(n))[np.newaxis]
    size = max(1, min(effort.drawn, effort.cells // len(n) ** 2))
    law, random = random_table(np.array(n), np.array(m)), np.random.default_rng(effort.seed)
    # The other method takes as long as there are observations.
    return np.asarray(law.rvs(size, method="patefield", random_state=random), dtype=float)
