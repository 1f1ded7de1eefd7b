"""Reports of scores: every rendering, the threshold, the curves, and the parts of a score."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib import pyplot

import baserate as br
from baserate.ranking.measures.area import AUC
from baserate.report import Report
from baserate.report.details import written
from baserate.report.matrices import matrices
from baserate.report.panels import panels
from baserate.scores.task import ScoresTask
from baserate.verdicts.judge import verdicts
from baserate.verdicts.standard import Standard
from chances import tails_of

RNG = np.random.default_rng(8)
Y = (RNG.random(30) < 0.4).astype(int)
MODELS = {
    "forest": np.round(0.4 + 0.3 * Y + 0.2 * RNG.normal(size=30), 2).clip(0, 1),
    "coin <b>": RNG.random(30).round(2),
    "constant": np.full(30, 0.4),
}
PARTS = (("miscalibration", 0.012), ("discrimination", -0.08), ("uncertainty", 0.21))


@pytest.fixture(scope="module")
def report() -> Report:
    """Three models, judged by scores and by labels."""
    return br.evaluate(Y, MODELS, ["AUC", "Gini", "F1", "ACC"], threshold=0.5)


@pytest.fixture(scope="module")
def grouped() -> Report:
    """One model, as a whole and in groups of which one has a single class and one is tiny."""
    scores = MODELS["forest"]
    rows = {
        None: slice(None),
        "north": slice(0, 14),
        "south": slice(14, 28),
        "isle": slice(28, 30),
    }
    of_groups = {
        name: br.Scores.of(Y[part], scores[part], 1, threshold=0.5) for name, part in rows.items()
    }
    task = ScoresTask(0.5)
    found = verdicts(task, {"forest": of_groups}, task.chosen(["AUC", "F1"]), Standard())
    return Report(found, by="region")


def test_the_threshold_is_in_the_title(report: Report) -> None:
    """Labels are judged at a threshold, which every rendering says."""
    assert panels(report)[0].title(None).endswith("; labels at 0.5")
    for text in (str(report), report.to_markdown(), report.to_latex(), report.to_html()):
        assert "labels at 0.5" in text
    without = br.evaluate(Y, MODELS, ["AUC"])
    assert "labels at" not in f"{without}{without.to_html()}"


def test_measures_that_share_a_p_value_share_a_line(report: Report) -> None:
    """AUC and Gini have that of the ranking; F1 and accuracy that of the labels."""
    names = [row.name for row in panels(report)[0].p_values]
    assert names == ["p-value of AUC and Gini", "p-value of F1 and ACC"]


def test_columns_stand_apart(report: Report) -> None:
    """A header with room for marks does not touch the column before it."""
    alone = report["constant"].measure("AUC")
    for text in map(str, (report, alone)):
        header = next(line for line in text.splitlines() if line.startswith("measure"))
        assert re.fullmatch(r"measure(?:  +\S+(?: \S+)*)+", header.strip())


def test_json_is_read_back(report: Report) -> None:
    """All counts of each score are in there, and verdicts come back the same."""
    text = report.to_json()
    again = Report.from_json(text)
    assert again.verdicts == report.verdicts
    assert again.to_json() == text
    first = json.loads(text)["performances"][0]
    assert sum(first["positives"]) == Y.sum()
    assert first["threshold"] == 0.5


def test_flat_records_have_the_counts_at_the_threshold(report: Report) -> None:
    """A frame and CSV have a few counts of scores, and four of labels."""
    frame = report.to_frame()
    forest = frame[frame["model"] == "forest"].iloc[0]
    table = br.Confusion.of(Y, (MODELS["forest"] >= 0.5).astype(int))
    assert [forest[name] for name in ("tp", "fp", "fn", "tn")] == list(table.flat.values())
    assert forest["distinct_scores"] == np.unique(MODELS["forest"]).size
    assert report.to_csv().startswith("model,group,against,positives,negatives,distinct_scores,tp,")
    assert "tp" not in br.evaluate(Y, MODELS, ["AUC"]).to_frame().columns


def test_curves_of_a_page(report: Report) -> None:
    """One picture of each kind with all models, and the lines that come for free."""
    page = report.to_html()
    pictures = re.findall(r'<figure class="br-curve">.*?</figure>', page, re.DOTALL)
    assert len(pictures) == 2
    for picture in pictures:
        drawing = ET.fromstring(re.search(r"<svg viewBox=.-54.*?</svg>", picture, re.DOTALL)[0])
        lines = [each.get("class") for each in drawing.iter("polyline")]
        assert [line for line in lines if "br-model" in line] == [
            f"br-model br-model-{place}" for place in (1, 2, 3)
        ]
        for line in drawing.iter("polyline"):
            corners = np.array([each.split(",") for each in line.get("points").split()], float)
            assert ((corners >= 0) & (corners <= 200)).all()
            assert len(corners) <= 300
    assert "any ranking that ignores its input: AUC 0.500" in pictures[0]
    assert re.search(r"a random ranking: AP 0\.\d{3}", pictures[1])
    assert "coin &lt;b&gt;" in page
    assert "coin <b>" not in page


def test_curves_of_a_fragment(report: Report) -> None:
    """A notebook has them too; a page of labels has none, nor their heading."""
    assert report._repr_html_().count('<figure class="br-curve">') == 2
    labels = br.evaluate(Y, (MODELS["forest"] > 0.5).astype(int), ["F1"]).to_html()
    assert "br-curve" not in re.sub(r"<style>.*?</style>", "", labels, flags=re.DOTALL)
    assert 'id="curves"' not in labels


def test_many_models_are_counted() -> None:
    """A page says how many curves it leaves out."""
    table = br.Scores.of([0, 1, 0, 1], [1, 2, 3, 4])
    many = br.evaluate(None, {f"model {place}": table for place in range(11)}, ["AUC"])
    assert "… and 3 more models, not drawn" in many.to_html()


def test_counts_at_the_threshold(report: Report) -> None:
    """The confusion tables of the labels are there if there is a threshold, and only then."""
    assert "Confusion tables: labels at 0.5" in report.to_html()
    assert "Confusion tables" not in br.evaluate(Y, MODELS, ["AUC"]).to_html()


def test_parts_of_a_score() -> None:
    """A score that has parts is written as their sum, wherever there is a table."""
    report = br.evaluate(Y, MODELS, ["AUC", "Brier"])
    table = report.performances[0].table
    parts = br.get_measure("Brier").parts(table)
    line = (
        f"Brier of forest {report['forest', 'Brier'].score:.3f} = {written(parts, '{:.3f}'.format)}"
    )
    assert line in str(report)
    assert f"- {line}" in report.to_markdown()
    assert line in report.to_html()
    assert line in report._repr_html_()
    assert line.replace("−", "$-$") in report.to_latex()
    assert "Brier of constant" in str(report)
    assert "AUC of forest 0." not in str(report)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((("a", 0.5),), "a 0.5"),
        ((("a", -0.5), ("b", 1.0)), "− a 0.5 + b 1.0"),
        ((("a", 0.5), ("b", -0.0)), "a 0.5 − b 0.0"),
    ],
)
def test_signs_of_parts(parts: tuple[tuple[str, float], ...], text: str) -> None:
    """What is taken away keeps its sign, even if nothing is left of it."""
    assert written(parts, "{:.1f}".format) == text


def test_a_picture_of_the_report(report: Report) -> None:
    """All measures and models are cells, as for labels."""
    pyplot.switch_backend("agg")
    display = report.plot()
    assert len(display.texts_) == 4 * (len(MODELS) + 2)
    pyplot.close("all")


def test_groups_of_scores(grouped: Report) -> None:
    """Groups are a table like those of labels; the tiny one cannot show anything."""
    (matrix,) = matrices(grouped)
    assert [row.performance.group for row in matrix.rows][-1] == "isle"
    assert matrix.labels == ("AUC ↑", "F1 ↑")
    for text in (str(grouped), grouped.to_markdown(), grouped.to_latex(), grouped.to_html()):
        assert "north" in text
    assert {each.group for each in grouped.too_small} == {"isle"}
    assert Report.from_json(grouped.to_json()).verdicts == grouped.verdicts


@pytest.mark.parametrize("positives", [1, 2, 3, 5])
@pytest.mark.parametrize("total", [6, 7, 12, 20, 21])
def test_too_small_is_what_a_perfect_ranking_cannot_show(positives: int, total: int) -> None:
    """Its p-value is one in all ways to choose the positives, with or without other ties."""
    truth = np.repeat([1, 0], [positives, total - positives])
    smallest = 1 / math.comb(total, positives)
    for scores in (-np.arange(total), truth):
        perfect = br.Scores.of(truth, scores)
        assert tails_of(AUC, perfect, 1.0).better == pytest.approx(smallest, rel=1e-9)
        alone = br.evaluate(None, {"perfect": perfect}, ["AUC"])
        assert bool(alone.too_small) == (smallest >= 0.05)


def test_the_same_score_for_everyone(report: Report) -> None:
    """It is called what it is, and there is no evidence for anything."""
    sentence = str(report["constant", "AUC"])
    assert "gives every observation the same score" in sentence
    assert "no evidence of learning" in sentence


def test_a_tie_looks_like_one(report: Report) -> None:
    """A score that differs from the baseline by rounding only is written as the baseline."""
    verdict = report["constant", "AUC"]
    tied = replace(verdict, score=0.1275 - 1e-16, margin=0.0, baseline=0.1275, baseline_max=0.1275)
    (row,) = panels(Report((tied,)))[0].rows
    assert row.scores == (row.baseline,)


@pytest.mark.parametrize("threshold", [None, 0.5])
def test_a_comparison_of_scores_survives_json(threshold: float | None) -> None:
    """The names of the models and their scores are fields of their own."""
    models = {"a": [0.1, 0.4, 0.8, 0.4, 0.7], "b": [0.2, 0.4, 0.8, 0.6, 0.1]}
    measures = ["AUC", "Brier"] if threshold is None else ["AUC", "F1"]
    comparison = br.compare([0, 1, 1, 0, 1], models, measures, threshold=threshold)
    assert br.Comparison.from_json(comparison.to_json()) == comparison


def test_groups_by_one_measure_have_its_p_value() -> None:
    """Only AUC shares the p-value of the ranking; the others have their own."""
    y_true, groups = [0, 1, 1, 0, 1, 0, 0, 1], ["a"] * 4 + ["b"] * 4
    report = br.evaluate(y_true, [0.1, 0.4, 0.8, 0.4, 0.7, 0.2, 0.5, 0.6], "AP", by=groups)
    for group in "ab":
        verdict = report["model", "AP", group]
        assert any(
            line.startswith(f"{group} ") and f"{verdict.p_value:.3f}" in line
            for line in str(report).splitlines()
        )
