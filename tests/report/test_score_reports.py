"""Reports of scores: every rendering, the threshold, the curves, and the parts of a score."""

from __future__ import annotations

import numpy as np
import pytest

import baserate as br

RNG = np.random.default_rng(8)
Y = (RNG.random(30) < 0.4).astype(int)
MODELS = {
    "forest": np.round(0.4 + 0.3 * Y + 0.2 * RNG.normal(size=30), 2).clip(0, 1),
    "coin <b>": RNG.random(30).round(2),
    "constant": np.full(30, 0.4),
}


@pytest.fixture(scope="module")
def report() -> br.Report:
    """Three models, judged by scores and by labels."""
    return br.evaluate(Y, MODELS, ["AUC", "Gini", "F1", "ACC"], threshold=0.5)


def test_the_threshold_is_in_the_title(report: br.Report) -> None:
    """Labels are judged at a threshold, which every rendering says."""
    for text in (str(report), report.to_markdown(), report.to_latex(), report.to_html()):
        assert "labels at 0.5" in text
    without = br.evaluate(Y, MODELS, ["AUC"])
    assert "labels at" not in f"{without}{without.to_html()}"


def test_many_models_are_counted() -> None:
    """A page says how many curves it leaves out."""
    table = br.RankedScores.of([0, 1, 0, 1], [1, 2, 3, 4])
    many = br.evaluate(None, {f"model {place}": table for place in range(11)}, ["AUC"])
    assert "… and 3 more models, not drawn" in many.to_html()


def test_parts_of_a_score() -> None:
    """A score that has parts is written as their sum, in every rendering."""
    report = br.evaluate(Y, MODELS, ["AUC", "Brier"])
    for text in (str(report), report.to_markdown(), report.to_html(), report._repr_html_()):
        one_line = " ".join(text.replace("·", "").split())
        assert "= miscalibration 0." in one_line
        assert "Brier of constant" in one_line
    assert "AUC of forest 0." not in str(report)
