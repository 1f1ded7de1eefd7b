"""Turn a function of margins and right answers into one of whole tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.multiclass.measures.forms import Array


def diagonal(tables: Array) -> Array:
    """Return the right answers of each class, of tables of shape (…, K, K)."""
    return np.diagonal(tables, axis1=-2, axis2=-1)


def of_trace(score: Callable[[Array, Array, Array], Array]) -> Callable[[Array], Array]:
    """Return a function of tables from one of all right answers, n and m."""
    return lambda tables: score(
        diagonal(tables).sum(axis=-1), tables.sum(axis=-1), tables.sum(axis=-2)
    )


def of_diagonal(terms: Callable[[Array, Array, Array], Array]) -> Callable[[Array], Array]:
    """Return a function of tables from what each class adds to a sum."""
    return lambda tables: terms(diagonal(tables), tables.sum(axis=-1), tables.sum(axis=-2)).sum(
        axis=-1
    )
