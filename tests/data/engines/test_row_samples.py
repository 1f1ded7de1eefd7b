"""A random sample of rows, drawn where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import pytest

from backends import LAZY, _backend, _sqlframe
from baserate.data.engines.numbers import sampled

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, SHARE = 1000, 0.3
# Spark draws as Ibis does, and takes seconds to start.
QUICK = [make for make in LAZY if make.id != "spark"]


@pytest.mark.parametrize("make", [*QUICK, _backend("sqlframe", _sqlframe, "sqlframe")])
def test_each_row_is_drawn_with_the_same_probability(make: Callable[..., Any]) -> None:
    """About three in ten rows of either half, each at most once, though all have equal values.

    An engine that knows places or seeds draws the same rows again.
    """
    columns = {"row": list(range(ROWS)), "y": [1.0] * ROWS}
    rows: Any = nw.from_native(make(columns))
    drawn = sampled(rows, SHARE).collect()
    found = drawn["row"].to_list()
    assert len(set(found)) == len(found)
    assert set(found) <= set(range(ROWS))
    for half in (range(ROWS // 2), range(ROWS // 2, ROWS)):  # 5 standard deviations are 51 rows
        assert abs(len(set(found) & set(half)) - SHARE * ROWS / 2) < 52
    assert drawn.columns == ["row", "y"]
    if rows.implementation.name != "SQLFRAME":
        again: Any = nw.from_native(make(columns))
        assert set(sampled(again, SHARE).collect()["row"].to_list()) == set(found)


def test_all_rows_are_no_sample() -> None:
    """A share of all rows leaves a frame as it is."""
    import polars as pl

    rows: Any = nw.from_native(pl.LazyFrame({"row": [1, 2, 3]}))
    assert sampled(rows, 1.0) is rows
