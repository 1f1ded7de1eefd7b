"""The p-values of a table: whose they are, and whether they are exact."""

from __future__ import annotations

import numpy as np
import pytest

import baserate as br
from baserate.report.panels import BOXES, panels

Y = np.tile([1, 0, 0, 1, 0, 0, 0], 30)
P = np.clip(Y * 0.3 + np.random.default_rng(4).random(Y.size) * 0.7, 0, 1)


@pytest.fixture(scope="module")
def report() -> br.Report:
    """Return a report of one model, of whose measures many share a p-value."""
    return br.evaluate(Y, P, ["AUC", "AP", "ACC", "BACC", "PPV", "F1", "MCC"], threshold=0.5)


def test_a_title_is_short_and_says_whose_it_is(report: br.Report) -> None:
    """One model is one table; the measures that share a p-value are named below it."""
    names = [row.name for row in panels(report)[0].p_values]
    assert names == ["p-value of AUC", "p-value of AP", "p-value of ACC and 4 more"]
    note = "ACC, BACC, PPV, F1 and MCC share a p-value."
    assert str(report).count("measure ") == 1
    for text in (str(report), report.to_markdown(), report.to_html()):
        assert note in text
    assert note.rstrip(".") in report.to_latex()
    assert "p-value of" not in str(report.measure("F1"))


def test_approximations_are_marked() -> None:
    """Tables say ≈ where sentences do."""
    weak = np.clip(Y * 0.05 + np.random.default_rng(4).random(Y.size) * 0.7, 0, 1)
    report = br.evaluate(Y, weak, ["AUC", "AP"])
    for key in ("AUC", "AP"):
        assert not report["model", key].exact
        alone = report.measure(key)
        sentence = str(report["model", key])
        for text in (str(alone), alone.to_markdown(), alone.to_html(), sentence):
            assert "≈" in text
    assert r"\approx" in report.to_latex()


def test_what_is_too_small_to_approximate_is_a_bound(report: br.Report) -> None:
    """The least p-value of permutations is "< 1e-4" wherever it is read; data keep the number."""
    verdict = report["model", "AP"]
    assert verdict.p_value == verdict.p_floor == 1e-4
    assert f'"p_value":{verdict.p_value!r}' in report.to_json().replace(": ", ":")
    alone = report.measure("AP")
    assert str(verdict).endswith("p < 1e-4).")
    for text in (str(alone), alone.to_markdown()):
        assert text.count("< 1e-4") == 2
        assert "≈" not in text
    assert "&lt; 1e-4" in alone.to_html()
    assert "$< 10^{-4}$" in alone.to_latex()


def test_the_least_p_value_of_a_simulation_is_a_bound() -> None:
    """Of 999 draws it is 1/1000, and no number to quote."""
    curve = br.reliability_curve(Y, P / 4)
    assert curve.p_value == 1 / 1000
    assert "p < 0.001" in str(curve)


def test_groups_say_whose_p_value_they_have() -> None:
    """Of measures that share none, it is that of the first."""
    by = np.repeat(["a", "b"], Y.size // 2)
    of_first = br.evaluate(Y, P, ["AP", "F1"], by=by, threshold=0.5)
    of_auc = br.evaluate(Y, P, ["AP", "AUC"], by=by)
    for report, name in ((of_first, "AP"), (of_auc, "AUC")):
        assert f"p-value of {name}" in report.to_markdown()
        assert f"p-value of {name}" in report.to_html()
        assert f"$p$-value of {name}" in report.to_latex()


def test_boxes_mean_the_same_everywhere() -> None:
    """What fails has a solid box, a score that is undefined too; what is unsure, a dashed one."""
    tables = {"tree": br.Confusion(tp=9, fp=4, fn=7, tn=11), "knn": br.Confusion(fn=16, tn=15)}
    report = br.evaluate(None, tables, ["F1", "ACC"])
    page = report.to_html()
    for outcome in ("no_evidence", "undefined"):
        assert f'<td class="br-{outcome} br-fails"' in page
    assert '<td class="br-unsure"' in page
    assert BOXES in page
