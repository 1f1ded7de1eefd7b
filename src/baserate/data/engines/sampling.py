"""A random sample of the rows of an engine, the same every time where the engine allows it.

DuckDB and polars know the place of a row, and its hash decides. Dask, Spark and Ibis draw with a
seed, for each partition: with the same partitions the sample is the same. SQLFrame has no seed.
A hash of the values would be the same everywhere, but equal rows would be drawn together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import narwhals.stable.v2 as nw

_SEED = 40
# Hashes are compared modulo this.
_PARTS = 10**9
_PLACE = "baserate_place"


def sampled(frame: nw.LazyFrame[Any], share: float) -> nw.LazyFrame[Any]:
    """Return a random sample of the rows, each drawn with the same probability.

    Parameters
    ----------
    frame
        The rows.
    share
        The probability of a row to be drawn.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw
    >>> import polars as pl
    >>> rows = nw.from_native(pl.LazyFrame({"y": range(1000)}))
    >>> one, other = (sampled(rows, 0.1).collect()["y"].to_list() for _ in range(2))
    >>> one == other, 70 < len(one) < 130
    (True, True)
    """
    import narwhals.stable.v2 as nw

    if share >= 1:
        return frame
    name = frame.implementation.name
    draw: Callable[[Any, float], Any] = _DRAWS.get(name, _by_fraction)
    drawn: nw.LazyFrame[Any] = nw.from_native(draw(frame.to_native(), share))
    return drawn


def _of_duckdb(native: Any, share: float) -> Any:
    # The places of rows are numbered as they stream by, in their order.
    placed = native.project(f"*, row_number() OVER () AS {_PLACE}")
    # A remainder of hashes would take as long as reading the rows.
    drawn = placed.filter(f"hash({_PLACE}) < {round(share * 2**64)}::UBIGINT")
    return drawn.project(f"* EXCLUDE ({_PLACE})")


def _of_polars(native: Any, share: float) -> Any:
    import polars as pl

    placed = native.with_row_index(_PLACE)
    is_drawn = pl.col(_PLACE).hash(_SEED) % _PARTS < round(share * _PARTS)
    return placed.filter(is_drawn).drop(_PLACE)


def _of_dask(native: Any, share: float) -> Any:
    return native.sample(frac=share, random_state=_SEED)


def _of_sqlframe(native: Any, share: float) -> Any:
    from sqlframe.base import functions

    return native.where(functions.rand() < share)


def _by_fraction(native: Any, share: float) -> Any:
    return native.sample(share, seed=_SEED)


_DRAWS: dict[str, Callable[[Any, float], Any]] = {
    "DUCKDB": _of_duckdb,
    "POLARS": _of_polars,
    "DASK": _of_dask,
    "SQLFRAME": _of_sqlframe,
}
