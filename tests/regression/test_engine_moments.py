"""One pass over numbers in an engine is enough for squares and correlations, and is exact."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.core.task import Rows
from baserate.data.engines.number_source import NumberSource
from baserate.data.engines.overview import Ends
from baserate.exceptions import InvalidScoresError
from baserate.regression.engine.moments import moved_moments, moved_square
from baserate.regression.frames import Limits, fits_of_frame
from baserate.regression.task import REGRESSION

FEW = Limits(rows=10, needed=10, sample=60)
ROWS = 400
SQUARES = ("RMSE", "MSE", "R2", "Pearson", "CCC", "explained variance")


def _numbers(seed: int = 1, centre: float = 0.0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = centre + rng.normal(size=ROWS)
    return {"y": truth, "p": truth + rng.normal(size=ROWS)}


def _of_polars(columns: dict[str, Any]) -> Any:
    return pl.LazyFrame(columns)


def _of_duckdb(columns: dict[str, Any]) -> Any:
    frame = pl.DataFrame(columns)
    return duckdb.connect().from_arrow(frame.to_arrow())


ENGINES = pytest.mark.parametrize("make", [_of_polars, _of_duckdb])


def _fit(frame: Any, measures: Any, **options: Any) -> Any:
    rows = Rows(measures=measures, **options)
    return fits_of_frame(frame, "y", {"m": "p"}, rows, FEW).tables["m"][None]


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What an engine is asked once the rows are known to be many."""
    asked: list[Any] = []
    run = NumberSource._run

    def noted(source: NumberSource, frame: Any) -> dict[str, Any]:
        asked.append(frame)
        return run(source, frame)

    monkeypatch.setattr(NumberSource, "_run", noted)
    return asked


@pytest.mark.parametrize("measures", [*SQUARES, ("RMSE", "R2"), SQUARES])
@ENGINES
def test_how_often_rows_are_read(make: Any, measures: Any, queries: list[Any]) -> None:
    """Rows are counted, sampled and summed once; what a quantile loses is another pass."""
    _fit(make(_numbers()), measures)
    assert len(queries) == 3
    queries.clear()
    _fit(make(_numbers()), "MAE")
    assert len(queries) == 5  # the numbers around the median, and its losses


def _exact(columns: dict[str, Any]) -> tuple[float, float]:
    """Return the variance and the correlation, in fractions."""
    truth, predicted = ([Fraction(each) for each in column.tolist()] for column in columns.values())
    y, p = (sum(each, Fraction()) / len(each) for each in (truth, predicted))
    both = sum((a - y) * (b - p) for a, b in zip(truth, predicted, strict=True))
    of_y, of_p = (sum((a - mean) ** 2 for a in each) for each, mean in ((truth, y), (predicted, p)))
    return float(of_y / len(truth)), float(both) / math.sqrt(of_y) / math.sqrt(of_p)


@pytest.mark.parametrize("centre", [0.0, 1.0, -1e9, 1e9, 1e12])
@pytest.mark.parametrize("order", ["random", "sorted"])
@ENGINES
def test_far_from_zero(make: Any, centre: float, order: str) -> None:
    """Moments agree with exact fractions wherever the numbers are, also if they are in order."""
    columns = _numbers(centre=centre)
    if order == "sorted":
        places = np.argsort(columns["y"])
        columns = {name: column[places] for name, column in columns.items()}
    found = _fit(make(columns), SQUARES)
    variance, correlation = _exact(columns)
    best = br.get_measure("MSE").best_constant(found.test_set)
    assert best.value == pytest.approx(variance, rel=1e-12)
    assert br.get_measure("Pearson").score_or_reason(found)[0] == pytest.approx(
        correlation, rel=1e-12
    )


def test_moved_sums() -> None:
    """Sums around a number near the mean are moved to the mean, unless digits would cancel."""
    columns = _numbers()
    variance, correlation = _exact(columns)
    for near in (0.0, 0.2, -0.2):
        y, p = (column - column.mean() - near for column in columns.values())
        shifts = [y.mean(), p.mean()]
        squares = moved_square(float((y * y).sum()), shifts[0], ROWS) or math.nan
        assert squares / ROWS == pytest.approx(variance, rel=1e-13)
        sums = {
            f"{name}_{k}": float(each.sum())
            for k, z in enumerate((y, p))
            for name, each in (("square", z * z), ("product", z * y), ("left", (y - z) ** 2))
        }
        found = moved_moments(sums, shifts, (0, 1), ROWS) or {}
        both = found["product_1"] / math.sqrt(found["square_0"] * found["square_1"])
        assert both == pytest.approx(correlation, rel=1e-13)
    assert moved_square(101.0, 1.0, 100) is None
    sums = {"square_0": 101.0, "product_0": 101.0, "left_0": 0.0}
    assert moved_moments(sums, [1.0], (0,), 100) is None


def test_a_sample_far_from_the_mean(monkeypatch: pytest.MonkeyPatch, queries: list[Any]) -> None:
    """If the sample misleads, another pass sums around the means."""
    columns = _numbers()
    monkeypatch.setattr(NumberSource, "sample", lambda *_: [np.full(9, 1e9), np.full(9, -1e9)])
    found = _fit(_of_polars(columns), SQUARES)
    assert len(queries) == 3  # counted, and summed twice
    variance, correlation = _exact(columns)
    assert br.get_measure("MSE").best_constant(found.test_set).value == pytest.approx(variance)
    pearson = br.get_measure("Pearson").score_or_reason(found)[0]
    assert pearson == pytest.approx(correlation, rel=1e-12)


def test_an_empty_sample() -> None:
    """A sample without rows says nothing about ends."""
    frame: Any = pl.LazyFrame({"score0": [1.0]})
    assert NumberSource(frame, ["y"], None).near([np.zeros(0)]).ends == [Ends(0.0, 0.0, 0.0)]


# Most of these rows are not in a sample of 60 rows.
PLACES = (7, 150, 399)


@pytest.mark.parametrize(("scale", "number"), [(1.0, 1e300), (1.0, -1e150), (1e-160, 1.0)])
@ENGINES
def test_a_rare_size(make: Any, scale: float, number: float) -> None:
    """Numbers whose squares are beyond floats may be rarer than the sample sees."""
    measures = ("RMSE", "MSE", "R2")
    for place in PLACES:
        columns = {name: column * scale for name, column in _numbers().items()}
        columns["y"][place] = number
        rows = Rows(measures=measures)
        found, expected = (
            fits_of_frame(make(columns), "y", {"m": "p"}, rows, *limits).tables["m"][None]
            for limits in ([FEW], [])
        )
        for measure in REGRESSION.chosen(measures):
            (score, reason), (known, why) = map(measure.score_or_reason, (found, expected))
            assert score == pytest.approx(known, rel=1e-12, nan_ok=True)
            assert reason == why


@pytest.mark.parametrize("measures", [SQUARES, ("RMSLE", "MAE")])
@ENGINES
def test_rare_numbers_that_are_none(make: Any, measures: Any) -> None:
    """One missing or infinite number is an error, whether the sample has it or not."""
    for place in PLACES:
        for number, why in ((math.nan, "missing"), (None, "missing"), (-math.inf, "finite")):
            columns = {name: column.tolist() for name, column in _numbers().items()}
            columns["p"][place] = number
            with pytest.raises(InvalidScoresError, match=why):
                _fit(make(columns), measures)
            if number is None:
                found = fits_of_frame(
                    make(columns), "y", {"m": "p"}, Rows(measures=measures, drop=True), FEW
                )
                assert (found.dropped, found.tables["m"][None].total) == (1, ROWS - 1)
