"""Numbers that stay in an engine have the scores and best constants of their rows."""

from __future__ import annotations

import json
import math
from datetime import date
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import baserate as br
from backends import LAZY, _backend, _sqlframe, sparing
from baserate.core.observed import Rows
from baserate.data.engines import numbers
from baserate.exceptions import (
    InvalidFrameError,
    InvalidLabelsError,
    InvalidScoresError,
    UndefinedMeasureError,
)
from baserate.intervals.limits import difference_limits
from baserate.kinds.numbers import REGRESSION, Limits, RegressionTask
from baserate.kinds.numbers_in_engine import way_of
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.observed.numbers import JointSummary, NumbersSummary
from baserate.report.collection import Comparison, Report
from baserate.verdicts.judge import differences, verdicts
from baserate.verdicts.verdict import Pair, Significance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FEW = RegressionTask(Limits(rows=10, needed=10, sample=60))
ALL = tuple(NUMBER_MEASURES.values()) + REGRESSION.chosen(
    ["pinball@0.9", "pinball@0.25", "Huber@0.3", "Tweedie@3", "Tweedie@-1", "D2 pinball@0.1",
     "D2 Tweedie@2", "D2 Tweedie@-1"]
)  # fmt: skip
NAMES = {"good": "p", "poor": "q"}
ROWS = 400


def _columns(rows: int = ROWS, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.lognormal(size=rows)
    return {
        "y": truth.tolist(),
        "p": (truth * rng.lognormal(sigma=0.3, size=rows)).tolist(),
        "q": rng.lognormal(size=rows).tolist(),
        "g": [("a", "b", "c")[place] for place in rng.choice(3, rows, p=(0.5, 0.48, 0.02))],
    }


COLUMNS = _columns()


def _lazy(**columns: Any) -> pl.LazyFrame:
    return pl.LazyFrame({name: np.asarray(column) for name, column in columns.items()})


def _both(frame: Any, rows: Rows, names: dict[str, str] = NAMES) -> tuple[Any, Any]:
    """Return what sums find, and what all rows do."""
    return (
        FEW.observe_frame(frame, "y", names, rows),
        REGRESSION.observe_frame(frame, "y", names, rows),
    )


def _optimum(measure: Any, test_set: Any) -> Any:
    try:
        return measure.best_constant(test_set)
    except UndefinedMeasureError as error:
        return str(error)


def _same(measure: Any, summary: Any, fit: Any) -> None:
    """Assert that scores and constants agree to 1e-12, and reasons to the letter."""
    (value, reason), (expected, why) = map(measure.score_or_reason, (summary, fit))
    if way_of(measure) is None:
        assert math.isnan(value)
        assert reason
    else:
        assert reason == why.replace("is -0", "is 0")
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-13, nan_ok=True)
    found, best = (_optimum(measure, each.test_set) for each in (summary, fit))
    if isinstance(best, str) or isinstance(found, str):
        assert found == best
    else:
        assert (found.exact, len(found.guesses)) == (True, len(best.guesses))
        assert found.value == pytest.approx(best.value, rel=1e-12, abs=1e-13)
        for one, other in zip(found.guesses, best.guesses, strict=True):
            assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


ENGINES = sparing([*LAZY, _backend("sqlframe", _sqlframe, "sqlframe")])


SOME = REGRESSION.chosen(
    ["RMSE", "MAE", "MAPE", "Pearson", "RMSLE", "MedAE", "max error", "Poisson"]
)


@pytest.mark.parametrize("make", ENGINES)
def test_every_engine_has_the_scores_of_its_rows(make: Callable[[Any], Any]) -> None:
    """Sums and quantiles of every engine are those of the rows."""
    found, expected = _both(make(COLUMNS), Rows(measures=SOME), {"good": "p"})
    for measure in SOME:
        _same(measure, found.tables["good"][None], expected.tables["good"][None])


SHAPES = {
    "ties": lambda rng: rng.integers(0, 4, 300).astype(float),
    "zeros": lambda rng: rng.integers(0, 2, 300) * rng.normal(size=300),
    "one zero": lambda rng: np.append(0.0, rng.uniform(1, 9, 300)),
    "far": lambda rng: 1e9 + rng.normal(size=301),
    "outliers": lambda rng: np.append(rng.normal(size=298), [1e3, -1e4]),
    "two": lambda rng: rng.permutation([0.0, 1e6] * 150),
    "gap": lambda rng: rng.permutation([-5.0] * 150 + [5.0] * 150),
    "same": lambda _: np.full(300, 2.5),
    "minus zero": lambda _: np.full(300, -0.0),
    "negative": lambda rng: -rng.lognormal(size=300),
    "tiny": lambda rng: rng.uniform(1, 2, 300) * 1e-12,
    "sorted": lambda rng: np.sort(rng.lognormal(sigma=3, size=300)),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_difficult_numbers(shape: str) -> None:
    """Ties, zeros, outliers, constants and numbers far from 0 have the scores of their rows."""
    rng = np.random.default_rng(3)
    truth = SHAPES[shape](rng)
    frame = _lazy(y=truth, p=np.roll(truth, 1), q=np.full(truth.size, truth.mean()))
    found, expected = _both(frame, Rows(measures=ALL))
    for model, measure in product(NAMES, ALL):
        if shape == "far" and ("Tweedie" in measure.key or "deviance" in measure.key):
            continue  # scikit-learn's formula cancels there, in whatever order sums are
        _same(measure, found.tables[model][None], expected.tables[model][None])


@pytest.mark.parametrize("make", ENGINES)
def test_missing_and_infinite_numbers(make: Callable[[Any], Any]) -> None:
    """Missing numbers are an error or dropped, and infinite ones are always an error."""
    holes = [None if place in (3, 50) else number for place, number in enumerate(COLUMNS["p"])]
    frame = make({"y": COLUMNS["y"], "p": holes, "g": COLUMNS["g"]})
    with pytest.raises(InvalidScoresError, match=r"2 in 'p'.*missing"):
        FEW.observe_frame(frame, "y", {"m": "p"}, Rows(measures="MAE"))
    rows = Rows(by="g", measures="MAE", drop=True)
    found, expected = _both(frame, rows, {"m": "p"})
    assert found.dropped == expected.dropped == 2
    for group in (None, "a"):
        _same(br.get_measure("MAE"), found.tables["m"][group], expected.tables["m"][group])
    endless = make({"y": [-math.inf, *COLUMNS["y"][1:]], "p": COLUMNS["p"]})
    with pytest.raises(InvalidScoresError, match="'y' must be finite numbers"):
        FEW.observe_frame(endless, "y", {"m": "p"}, Rows(measures="MAE"))


def test_kinds_of_groups() -> None:
    """Groups of whole numbers, dates and missing values are found again in an engine."""
    rng = np.random.default_rng(2)
    place = rng.integers(0, 2, ROWS)
    kinds = {
        "int": [(1, None)[each] for each in place],
        "date": [(date(2024, 1, 1), date(2024, 2, 1))[each] for each in place],
        "bool": [bool(each) for each in place],
        "float": [(0.5, math.nan)[each] for each in place],
    }
    frame = pl.LazyFrame({"y": COLUMNS["y"], "p": COLUMNS["p"], **kinds})
    for kind in kinds:
        found, expected = _both(frame, Rows(by=kind), {"m": "p"})
        assert list(found.tables["m"]) == list(expected.tables["m"])
        for group, fit in expected.tables["m"].items():
            _same(br.get_measure("RMSE"), found.tables["m"][group], fit)
    many = _lazy(y=COLUMNS["y"], p=COLUMNS["p"], g=np.arange(ROWS))
    with pytest.raises(InvalidFrameError, match="at most 100 groups"):
        FEW.observe_frame(many, "y", {"m": "p"}, Rows(by="g"))


def _judged(measures: Any, task: RegressionTask = FEW, **options: Any) -> Report:
    rows = Rows(measures=measures, **options)
    found = task.observe_frame(_lazy(**COLUMNS), "y", NAMES, rows)
    return Report(verdicts(REGRESSION, found.tables, REGRESSION.chosen(measures)))


def test_a_report() -> None:
    """A report says what is of a sample, and is small and readable as JSON."""
    report = _judged(["RMSE", "MAE", "MAPE", "Kendall", "sMAPE"])
    assert "random sample of" in str(report)
    assert not report["good", "RMSE"].exact
    assert report["good", "RMSE"].outcome.name == "CLEARS"
    assert report["poor", "RMSE"].p_value > 0.01
    assert "needs all rows" in report["good", "Kendall"].reason
    again = Report.from_json(report.to_json())
    assert again.verdicts == report.verdicts
    assert str(again) == str(report)
    assert report.to_html()
    assert report.to_dicts()[0]["observations"] == ROWS
    table = json.loads(report.to_json())["performances"][0]
    assert table["observations"] == ROWS
    assert table["scores"]["RMSE"] == report["good", "RMSE"].score


def test_pairs() -> None:
    """Two models are compared by the scores of all rows, and a test of the sample."""
    measures = ("RMSE", "MAPE", "Pearson", "MedAE")
    rows = Rows(by="g", measures=measures, pairs="all")
    found = FEW.observe_frame(_lazy(**COLUMNS), "y", NAMES, rows)
    expected = REGRESSION.observe_frame(_lazy(**COLUMNS), "y", NAMES, rows)
    joint, pair = found.tables["good", "poor"][None], expected.tables["good", "poor"][None]
    assert isinstance(joint, JointSummary)
    assert joint.flat == pair.flat
    assert found.tables["good", "poor"]["c"] == expected.tables["good", "poor"]["c"]
    for measure in REGRESSION.chosen(measures):
        paired, whole = (REGRESSION.asked(measure, each) for each in (joint, pair))
        (low, high), (first, last) = (difference_limits(each, 0.05) for each in (paired, whole))
        assert 0.2 < (high - low) / (last - first) < 5
        assert paired.swap_test()[0] < 0.05
        assert not paired.swap_test().exact
    assert JointSummary.from_facts(json.loads(json.dumps(joint.facts))) == joint
    pairs = [Pair(first="good", second="poor", group=None, table=joint)]
    compared = differences(REGRESSION, pairs, REGRESSION.chosen(["RMSE"]), Significance())
    assert "are of a random sample" in str(Comparison(compared))


@pytest.mark.parametrize("kind", ["normal", "lognormal", "standard_cauchy"])
def test_more_numbers_than_leave_an_engine(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bins of the truth are so narrow that best constants lose next to nothing by them."""
    monkeypatch.setattr(numbers, "MOST_VALUES", 10_000)
    rng = np.random.default_rng(1)
    truth = np.abs(getattr(rng, kind)(size=50_000))
    frame = _lazy(y=truth, p=np.abs(truth + rng.normal(size=truth.size)))
    measures = REGRESSION.chosen(["MAE", "R2", "D2 absolute error", "sMAPE", "Huber@0.3", "MedAE"])
    found, expected = _both(frame, Rows(measures=measures), {"good": "p"})
    summary, fit = (each.tables["good"][None] for each in (found, expected))
    for measure in measures:
        scores = [measure.score_or_reason(each)[0] for each in (summary, fit)]
        assert scores[0] == pytest.approx(scores[1], rel=1e-3 if measure.key == "MedAE" else 1e-6)
        best = [measure.best_constant(each.test_set).value for each in (summary, fit)]
        assert best[0] == pytest.approx(best[1], rel=1e-3 if measure.key == "MedAE" else 1e-6)
    largest = REGRESSION.chosen(["max error"])[0]
    found, expected = _both(frame, Rows(measures=largest), {"good": "p"})
    best = [each.tables["good"][None].test_set for each in (found, expected)]
    assert largest.best_constant(best[0]).value == largest.best_constant(best[1]).value


def test_text_files_and_nothing_left(tmp_path: Path) -> None:
    """Numbers in text are read where they are; what is no number, or is missing, is named."""
    frame = pl.DataFrame(COLUMNS | {"h": [place % 2 for place in range(ROWS)]})
    frame.write_csv(tmp_path / "numbers.csv")
    found, expected = _both(br.scan(tmp_path / "numbers.csv"), Rows(by="h", measures="MAPE"))
    assert list(found.tables["good"]) == [None, 0, 1]
    for group in (None, 0, 1):
        _same(br.get_measure("MAPE"), found.tables["good"][group], expected.tables["good"][group])
    for source, task in product(
        (br.scan(tmp_path / "numbers.csv"), frame.lazy()), (FEW, REGRESSION)
    ):
        with pytest.raises(InvalidScoresError, match="column 'g' must be numbers"):
            task.observe_frame(source, "y", {"m": "g"}, Rows())
    nothing = _lazy(y=np.full(ROWS, np.nan), p=COLUMNS["p"])
    with pytest.raises(InvalidLabelsError, match="at least one number"):
        FEW.observe_frame(nothing, "y", {"m": "p"}, Rows(drop=True))


def test_the_truth_alone_and_a_pair_that_hardly_differs() -> None:
    """A baseline needs no predictions; a sample without a difference has no limits."""
    found, dropped = FEW.count_column(_lazy(**COLUMNS), "y", Rows(measures="MAPE"))
    assert (isinstance(found, NumbersSummary), dropped, found != 1) == (True, 0, True)
    assert found.share == ("observations", "400")
    best = br.baseline(COLUMNS["y"], "MAPE").best
    assert found.optimum("MAPE").value == pytest.approx(best.value, rel=1e-12)
    with pytest.raises(UndefinedMeasureError, match="not asked for"):
        found.optimum("MAE")
    frame = _lazy(**{**COLUMNS, "q": [COLUMNS["p"][0] + 1, *COLUMNS["p"][1:]]})
    joint = FEW.observe_frame(frame, "y", NAMES, Rows(pairs="all")).tables["good", "poor"][None]
    assert (joint.disagreements, joint != 1, joint.first != 1) == (1, True, True)
    assert len(joint.first.cells.truth) == joint.first.sample.total
    paired = REGRESSION.asked(br.get_measure("MAE"), joint)
    assert np.isnan(difference_limits(paired, 0.05)).all()
    assert paired.swap_test()[0] == 1
