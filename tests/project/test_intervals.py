"""The study of confidence intervals: it runs, and the page has what it found."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from bench import intervals

if TYPE_CHECKING:
    from pathlib import Path

PAGE = intervals.PAGE.read_text(encoding="utf-8")
FIRST = {kind: intervals.GRID[kind][-2] for kind in intervals.COVERED}


def _job(kind: str, only: frozenset[str] | None = None) -> intervals.Job:
    return intervals.Job(kind, FIRST[kind], 30, 3, seed=1, only=only)


def test_the_page_has_what_was_found() -> None:
    """Its table is written from the results, so writing it again changes nothing."""
    assert intervals.written(PAGE, intervals.saved(intervals.RESULTS)) == PAGE


@pytest.mark.parametrize("kind", intervals.COVERED)
def test_scores_and_margins_are_those_of_the_library(kind: str) -> None:
    """BCa and t are of the same numbers: weighted F1's margin but for whole predictions."""
    population, rng = FIRST[kind], np.random.default_rng(2)
    (test_set,) = intervals.drawn(population, 60, 1, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdicts = intervals.verdicts_of(test_set, population.measures)
    with np.errstate(all="ignore"):
        mine = test_set.values(test_set.counts[None].astype(float))
    for name, verdict in zip(population.measures, verdicts, strict=True):
        (score,), (margin,) = mine[name]
        if np.isfinite(verdict.score):
            assert score == pytest.approx(verdict.score, abs=1e-9)
            assert np.isnan(margin) or margin == pytest.approx(verdict.margin, abs=3e-3)


def test_t_and_bca_of_a_mean_are_those_of_scipy() -> None:
    """The influence of a row on a mean is its distance from the mean."""
    rng = np.random.default_rng(1)
    x, rows = rng.lognormal(size=40), np.ones(40)
    arguments = x.mean(), x - x.mean(), rows
    expected = stats.t.interval(0.95, 39, x.mean(), stats.sem(x))
    assert intervals.t_interval(*arguments, "plain") == pytest.approx(expected)
    drawn = rng.multinomial(40, rows / 40, 9999) @ x / 40
    expected = stats.bootstrap([x], np.mean, method="BCa", rng=rng).confidence_interval
    width = expected.high - expected.low
    assert intervals.bca(*arguments, drawn) == pytest.approx(expected, abs=0.05 * width)


def test_a_corner_is_drawn_and_drawn_again(tmp_path: Path) -> None:
    """What was found survives the file, and only the new test sets of a measure count."""
    again = _job("binary", frozenset({"F1"}))
    with np.errstate(all="ignore"):
        found = intervals.coverage(_job("binary"))
        rows = intervals.merged(found, again, intervals.coverage(again))
    path = tmp_path / "rows.json"
    intervals.save(rows, path)
    assert sorted(map(str, intervals.saved(path))) == sorted(map(str, rows))
    assert {row.measure for row in rows if row.redrawn} == {"F1"}
    assert {row.measure for row in rows} == set(FIRST["binary"].measures)
    assert all(row.width is not None and row.t_width is not None for row in rows)


def test_goals_are_met_or_not() -> None:
    """A lower end that is wrong 11% of the time is too much."""
    row = intervals.Found(
        "numbers", "normal, weak", 30, "MAE", "margin", 400, 7, 0.1, 2.0, 2.0, 1.2
    )
    row = intervals.replace(row, claims=10.0, bca_below=2.0, bca_above=2.0, bca_width=1.0)
    assert all(met for met, _ in intervals.criteria([row]))
    worse = intervals.replace(row, below=11.0, redrawn=True)
    missed = [text for met, text in intervals.criteria([worse]) if not met]
    assert [text.split()[0] for text in missed] == ["lower", "at", "worst"]
