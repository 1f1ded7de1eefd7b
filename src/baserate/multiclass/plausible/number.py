"""A number that is computed of tables, and what one more observation does to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from baserate.multiclass.plausible.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.multiclass.plausible.sample import Sample
    from baserate.multiclass.plausible.tables import Floats, Ints

    # A true class, and what each model says.
    Place = tuple[int, tuple[int, ...]]

Part: TypeAlias = Callable[[Tables], "Floats"]

# Up to this many classes, each cell of a table is tried; beyond, those that may matter most.
_FEW_CLASSES = 16
# How many cells of tables are scored at once, and at most.
_AT_ONCE, _MOST = 2**21, 2**25


@dataclass(frozen=True, eq=False)
class Number:
    """A number that is a sum of one part for each model.

    Parameters
    ----------
    parts
        What the tables of each model add.
    whole
        Whether all cells of the tables are needed.
    slow
        Whether tables are scored one by one.
    """

    parts: tuple[Part, ...]
    whole: bool = False
    slow: bool = False

    def of(self, tables: Sequence[Tables]) -> Floats:
        """Return the number for each table."""
        found = [part(each) for part, each in zip(self.parts, tables, strict=True)]
        return np.asarray(np.sum(found, axis=0))


def places_that_matter(
    number: Number, sample: Sample, most: int
) -> tuple[list[Place], list[Place]]:
    """Return the cells where one more observation makes a number smallest, and largest.

    Parameters
    ----------
    number, sample
        The number, and what was observed.
    most
        How many cells for either.
    """
    found = [
        _effects(part, table, whole=number.whole)
        for part, table in zip(number.parts, sample.observed, strict=True)
    ]
    lowest = _extreme(found, sample, most)
    highest = _extreme([-each for each in found], sample, most)
    return lowest, highest


def _extreme(effects: list[Floats], sample: Sample, most: int) -> list[Place]:
    """Return the places with the smallest sums of effects.

    Classes that neither occur nor are predicted by a model stay out: its score is that of the
    others, and one class more would be another average.
    """
    truths = sample.occurs
    answers_of = [sample.seen_by(model) for model in range(len(effects))]
    tried = [each[np.ix_(truths, seen)] for each, seen in zip(effects, answers_of, strict=True)]
    if len(tried) == 1:
        best = np.argsort(tried[0], axis=None, kind="stable")[:most]
        rows, columns = np.unravel_index(best, tried[0].shape)
        pairs = zip(truths[rows].tolist(), answers_of[0][columns].tolist(), strict=True)
        return [(truth, (answer,)) for truth, answer in pairs]
    # Each model has its own answer, and both have the same truth.
    columns_of = [seen[each.argmin(axis=1)] for each, seen in zip(tried, answers_of, strict=True)]
    rows = np.argsort(np.sum([each.min(axis=1) for each in tried], axis=0), kind="stable")[:most]
    return [(int(truths[row]), tuple(int(each[row]) for each in columns_of)) for row in rows]


def _effects(part: Part, table: Tables, *, whole: bool) -> Floats:
    """Return what one more observation in each cell adds, by true class and answer."""
    return np.nan_to_num(_of_cells(part, table) if whole else _of_margins(part, table))


def _of_margins(part: Part, table: Tables) -> Floats:
    right, n, m = table.right[0], table.n[0], table.m[0]
    one, same = np.eye(n.size), np.zeros((n.size, n.size))
    at = part(table)[0]
    by_truth = part(Tables(right + same, n + one, m + same)) - at
    by_answer = part(Tables(right + same, n + same, m + one)) - at
    found = by_truth[:, np.newaxis] + by_answer
    # A class that was never predicted has its precision by its first right answer.
    np.fill_diagonal(found, part(Tables(right + one, n + one, m + one)) - at)
    return np.asarray(found)


def _of_cells(part: Part, table: Tables) -> Floats:
    cells = table.cells[0] if table.cells is not None else np.empty((0, 0))
    total, at = cells.sum(), part(table)[0]
    found = np.zeros_like(cells)
    step = max(_AT_ONCE // cells.size, 1)
    for places in _pieces(_tried(cells), step):
        more = np.repeat(cells[np.newaxis], len(places), axis=0)
        more[np.arange(len(places)), places[:, 0], places[:, 1]] += 1
        # The total is kept: a user's function may depend on it.
        found[places[:, 0], places[:, 1]] = part(Tables.of(more * (total / (total + 1)))) - at
    return found


def _tried(cells: Floats) -> Ints:
    """Return cells, as truths and answers: all; or of rare classes the right one and both ends."""
    classes = len(cells)
    if classes <= _FEW_CLASSES:
        return np.argwhere(np.ones_like(cells, dtype=bool))
    rarest = np.argsort(cells.sum(axis=1), kind="stable")
    answers = [rarest, np.zeros_like(rarest), np.full_like(rarest, classes - 1)]
    each = np.stack([np.stack([rarest, answer], axis=-1) for answer in answers], axis=1)
    rows = each[cells.sum(axis=1)[rarest] > 0]
    return np.asarray(rows.reshape(-1, 2)[: max(_MOST // cells.size, 1)])


def _pieces(places: Ints, step: int) -> Iterator[Ints]:
    for at in range(0, len(places), step):
        yield places[at : at + step]
