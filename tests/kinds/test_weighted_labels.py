"""Labels with importance weights: scores, verdicts, comparisons and records."""

from __future__ import annotations

import json
import math
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.data.engines import labels as engine
from baserate.exceptions import BaserateError, InvalidFrameError, InvalidReportError
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.verdicts.verdict import VERDICT_NUMBERS as NUMBERS

RNG = np.random.default_rng(20)
TRUTH = RNG.random(80) < 0.4
GOOD, FLIP = np.where(RNG.random(80) < 0.93, TRUTH, ~TRUTH), RNG.random(80) < 0.5
MODELS = {"good": GOOD, "flip": FLIP}
WEIGHTS = np.round(RNG.lognormal(0, 0.7, 80), 2) + 0.01
MEASURES = ["ACC", "F1", "MCC"]
EVERY_KIND = pytest.mark.parametrize(
    "weights",
    [WEIGHTS, np.where(TRUTH, 3.0, 1.0), np.full(80, 2.5)],
    ids=["free", "class", "equal"],
)


def _asked(weights: Any) -> dict[str, Any]:
    return {"sample_weight": weights, "weights": "importance"}


def _verdict(truth: Any, said: Any, measure: Any, weights: Any) -> br.Verdict:
    return br.evaluate(truth, said, measure, task="binary", **_asked(weights)).verdicts[0]


@pytest.mark.parametrize("key", [key for key, each in TWO_CLASS_MEASURES.items() if each.sklearn])
def test_scores_equal_those_of_scikit_learn(key: str) -> None:
    """A weighted score is scikit-learn's with `sample_weight`, or there is none."""
    for size in (2, 5, 9):
        truth, said = RNG.integers(0, 2, (2, size))
        weights = RNG.integers(1, 20, size) / 4
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = br.get_measure(key).sklearn.score(truth, said, weights)
        score = _verdict(truth, said, key, weights).score
        if br.get_measure(key).counts:  # of rows, and not of weights
            theirs /= weights.mean()
        assert math.isnan(score) or score == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@EVERY_KIND
def test_reports_are_written_and_read_again(weights: object) -> None:
    """Text, HTML, LaTeX, Markdown, frames, JSON and a picture, of reports and of comparisons."""
    report = br.evaluate(TRUTH, MODELS, MEASURES, **_asked(weights))
    found = br.compare(TRUTH, MODELS, MEASURES, **_asked(weights))
    assert br.Report.from_json(report.to_json()) == report
    assert br.Comparison.from_json(found.to_json()) == found
    assert "80 observations" in str(report)
    for written in (report.to_html(), report.to_latex(), report.to_markdown()):
        assert "good" in written
    assert report.to_frame(full=True)["observations"].tolist() == [80] * 6
    assert {each.outcome.value for each in report["good"]} <= {"clears", "unsure"}
    assert [each.winner for each in found] == ["good"] * 3
    assert all(each.low < each.difference < each.high for each in found)
    axes = br.plots.NullDistributionDisplay.from_report(report["good"], "F1").ax_
    assert axes.patches or axes.lines or axes.collections
    with pytest.raises(BaserateError, match="importance weights"):
        br.plots.BaselineDisplay.from_report(report["good"], "F1")
    frame: Any = pl.DataFrame({"y": TRUTH, **MODELS, "w": weights})
    assert br.compare(frame, list(MODELS), MEASURES, truth="y", **_asked("w")) == found


BAD: list[dict[str, object]] = [
    {"weights": [2.0, -1.0, 1]},
    {"rows": [1]},
    {"rows": [1, 0.5, 1]},
    {"rows": [1, 2, 1]},
    {"given": [0, 1, 7]},
    {"truth": [1, 1, -1]},
]


@pytest.mark.parametrize("change", BAD)
def test_bad_records_raise(change: dict[str, object]) -> None:
    """A record needs weights above 0, as many rows as there are, and places that there are."""
    document = json.loads(br.evaluate([1, 1, 0], [1, 0, 1], **_asked([1.0, 2, 2])).to_json())
    document["performances"][0] |= change
    with pytest.raises(InvalidReportError):
        br.Report.from_json(json.dumps(document))


@pytest.mark.parametrize("weight", [1.0, 0.7])
def test_equal_weights_give_the_verdicts_without_weights(weight: float) -> None:
    """Scores, baselines, p-values and limits are those of unweighted labels."""
    measures = ["ACC", "BACC", "F1", "MCC", "KAPPA", "PPV", "G2"]
    ours = br.evaluate(TRUTH, MODELS, measures, **_asked(np.full(80, weight)))
    for one, other in zip(ours, br.evaluate(TRUTH, MODELS, measures), strict=True):
        for name in NUMBERS:
            mine, plain = getattr(one, name), getattr(other, name)
            assert mine == pytest.approx(plain, rel=1e-14, nan_ok=True), (one.measure, name)
        assert one.outcome is other.outcome


def test_functions_of_one_s_own() -> None:
    """A cost, one that is affine, one without a value somewhere, and one that tells symbols."""
    truth, some = [1, 1, 1, 0, 0, 0], [1.0, 2.0, 3.0, 1.5, 2.5, 4.0]
    cost = br.Measure.custom(
        "cost", lambda tp, fp, fn, tn: fp + fn * (fn > 1), direction="minimize"
    )
    for weights in (some, [2.0, 2.0, 2.0, 1.0, 1.0, 1.0]):
        assert _verdict(truth, truth, cost, weights).p_value == pytest.approx(1 / 20)
    affine = br.Measure.custom("affine", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    verdict = _verdict([1, 0, 0], [1, 0, 0], affine, [1.0, 2.0, 4.0])
    assert (verdict.baseline, verdict.exact) == (pytest.approx(5 * 3 / 7), True)
    hits = br.Measure.custom("hits", lambda tp, fp, fn, tn: math.log(tp) if tp > 1 else math.nan)
    assert math.isnan(_verdict([1, 0, 1, 0], [1, 1, 0, 0], hits, [1.0, 2.0, 3.0, 4.0]).score)
    verdict = _verdict([1, 1, 0, 0], [1, 0, 1, 0], hits, [3.0, 1.0, 1.0, 2.0])
    assert verdict.score == pytest.approx(math.log(3 * 4 / 7))
    assert math.isnan(verdict.p_value)
    two_faced = br.Measure.custom(
        "two", lambda tp, fp, fn, tn: tp**2 if isinstance(tp, float | np.ndarray) else tp
    )
    found = _verdict([1, 0, 1], [1, 1, 0], two_faced, [0.5, 2.5, 3.25])
    assert found.baseline == pytest.approx((3.75 * 3 / 6.25) ** 2)
    never = br.Measure.custom("never", lambda tp, fp, fn, tn: math.nan * tp * fn)
    for rows in (4, 60):
        bits = np.arange(rows) % 2
        verdict = _verdict(bits, bits, never, np.arange(1.0, rows + 1))
        assert verdict.outcome is br.Outcome.UNDEFINED


@pytest.mark.parametrize(("key", "rows"), [("MCC", 2_500), ("F1", 60), ("ACC", 60)])
def test_the_best_guess_of_many_rows(key: str, rows: int) -> None:
    """It is what random draws of its size score; searched ones say so."""
    truth, weights = RNG.random(rows) < 0.3, RNG.lognormal(0, 1, rows)
    verdict = _verdict(truth, truth, key, weights)
    size = round(rows * verdict.theta_star)
    drawn = [
        _score(key, truth, RNG.permutation(np.arange(rows) < size), weights) for _ in range(400)
    ]
    assert verdict.baseline == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / 20 + 1e-9)


def _score(key: str, truth: Any, said: Any, weights: Any) -> float:
    cells = [weights[(said == s) & (truth == t)].sum() for s, t in ((1, 1), (1, 0), (0, 1), (0, 0))]
    return float(br.get_measure(key).definition(*cells))


def test_frames_with_too_many_kinds_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many leave an engine."""
    frame: Any = pl.LazyFrame({"y": [1, 0, 1], "p": [1, 1, 0], "w": [1.0, 2.0, 3.0]})
    monkeypatch.setattr(engine, "MOST_ROWS", 2)
    with pytest.raises(InvalidFrameError, match="at most 2 different rows"):
        br.evaluate(frame, "p", truth="y", sample_weight="w", weights="importance")


def test_rows_without_weight_are_left_out_whatever_they_are() -> None:
    """Their labels may be missing, and they are not among those that were dropped for it."""
    truth, said, weights = [1, 0, 1, 0, None, None], [1, 1, 1, 0, 0, 1], [1, 2, 1, 3, 0, 0]
    given: Any = {"weights": "importance", "measures": "F1"}
    whole = br.evaluate(truth[:4], said[:4], sample_weight=weights[:4], **given)
    assert br.evaluate(truth, said, sample_weight=weights, **given) == whole
    for last, dropped in ((0, 0), (2, 1)):
        found = br.evaluate(
            truth, said, sample_weight=[*weights[:5], last], missing="drop", **given
        )
        assert (found.dropped, found.verdicts) == (dropped, whole.verdicts)
