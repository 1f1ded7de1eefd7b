"""Reduce a curve of millions of points to those that a plot shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Twice as many columns as a wide plot has pixels.
_COLUMNS = 2000


def outline(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return the indices of the visible points: the highest and the lowest of each column.

    The columns are those of a linear and of a logarithmic axis.
    """
    if values.size <= 4 * _COLUMNS:
        return np.arange(values.size)
    starts = np.union1d(
        np.linspace(0, values.size, _COLUMNS + 1).astype(np.int64),
        np.geomspace(1, values.size, _COLUMNS).astype(np.int64),
    )
    kept = {0, values.size - 1}
    for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        column = values[start:stop]
        if not np.isnan(column).all():
            kept |= {start + int(np.nanargmin(column)), start + int(np.nanargmax(column))}
    return np.array(sorted(kept))
