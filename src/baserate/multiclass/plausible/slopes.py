"""How fast a number changes with the cells of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.plausible.tables import Tables

if TYPE_CHECKING:
    from baserate.multiclass.plausible.number import Part
    from baserate.multiclass.plausible.tables import Floats

# The step of a difference, relative to a count, and the smallest count for that.
_STEP, _SMALLEST = 1e-3, 0.25


def slopes(part: Part, cells: Floats, *, whole: bool) -> Floats:
    """Return the derivative of a number by each cell of a table with parts of counts."""
    found = _of_cells(part, cells) if whole else _of_margins(part, cells)
    return np.nan_to_num(found, posinf=0.0, neginf=0.0)


def curvature(part: Part, cells: Floats) -> float:
    """Return the sum of the second derivatives by each cell, times its count.

    Derivatives by the margins of two different classes are left out: they are smaller by the
    number of classes.
    """
    right, n, m = np.diagonal(cells), cells.sum(axis=1), cells.sum(axis=0)
    at = part(Tables(right[np.newaxis], n[np.newaxis], m[np.newaxis]))[0]
    total = 0.0
    for counts, moved in ((right, (1, 1, 1)), (n - right, (0, 1, 0)), (m - right, (0, 0, 1))):
        step = _STEP * np.maximum(counts, _SMALLEST)
        ends = [
            part(
                Tables(
                    *(
                        each + sign * moves * np.diag(step)
                        for each, moves in zip((right, n, m), moved, strict=True)
                    )
                )
            )
            for sign in (1, -1)
        ]
        total += float(np.nansum(counts * (ends[0] + ends[1] - 2 * at) / step**2))
    return total


def _of_margins(part: Part, cells: Floats) -> Floats:
    sums = np.diagonal(cells), cells.sum(axis=1), cells.sum(axis=0)
    by_right, by_truth, by_answer = (_by(part, sums, place) for place in range(3))
    return np.asarray(by_truth[:, np.newaxis] + by_answer + np.diag(by_right))


def _by(part: Part, sums: tuple[Floats, Floats, Floats], place: int) -> Floats:
    """Return the derivatives by the right answers of each class, by n, or by m."""
    step = _STEP * np.maximum(sums[place], _SMALLEST)
    ends = []
    for sign in (1, -1):
        moved = [np.tile(each, (each.size, 1)) for each in sums]
        moved[place] += sign * np.diag(step)
        ends.append(part(Tables(*moved)))
    return np.asarray((ends[0] - ends[1]) / (2 * step))


def _of_cells(part: Part, cells: Floats) -> Floats:
    step = _STEP * np.maximum(cells, _SMALLEST).ravel()
    change = np.diag(step).reshape(-1, *cells.shape)
    ahead, behind = part(Tables.of(cells + change)), part(Tables.of(cells - change))
    return np.asarray((ahead - behind) / (2 * step)).reshape(cells.shape)
