"""The study of confidence intervals: it runs, and the page has what it found."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import pytest

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
