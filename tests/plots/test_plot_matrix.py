"""The heat map of a confusion matrix, tested by what it draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate.exceptions import InvalidReportError
from baserate.observed.labels import ConfusionMatrix
from baserate.plots.predictions import MatrixDisplay

MATRIX = ConfusionMatrix([[50, 15, 5], [8, 12, 0], [4, 3, 3]], labels=["a", "b", "c"])


def _texts(display: MatrixDisplay) -> list[str]:
    return [text.get_text() for text in display.texts_]


def _ticks(display: MatrixDisplay) -> list[str]:
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def test_counts_are_written_and_colours_are_shares_of_the_true_class() -> None:
    """Purple is what is right, orange what is wrong, and the diagonal is bold."""
    display = MatrixDisplay.from_predictions(None, MATRIX)
    assert _texts(display) == ["50", "15", "5", "8", "12", "·", "4", "3", "3"]
    weights = [text.get_fontweight() for text in display.texts_]
    assert [weight == "bold" for weight in weights] == np.eye(3, dtype=bool).ravel().tolist()
    shares = np.array([[50, -15, -5], [-8, 12, 0], [-4, -3, 3]]) / [[70], [20], [10]]
    np.testing.assert_allclose(display.cells_.get_array(), shares)
    assert _ticks(display) == ["a", "b", "c"]
    right, wrong = (display.cells_.to_rgba(np.array([share]))[0] for share in (0.9, -0.9))
    assert right[2] > right[0]  # more blue than red
    assert wrong[0] > wrong[2]


def test_from_labels_an_estimator_and_two_classes() -> None:
    """All of them count the same way; a title names the model."""
    rng = np.random.default_rng(1)
    y = np.repeat(["ant", "bee", "cow"], [30, 20, 10])
    rows = (y == "bee")[:, np.newaxis] + rng.normal(0, 0.5, (60, 1))
    model = LogisticRegression().fit(rows, y)
    display = MatrixDisplay.from_estimator(model, rows, y)
    expected = MatrixDisplay.from_predictions(y, model.predict(rows))
    assert _texts(display) == _texts(expected)
    assert display.ax_.get_title() == "LogisticRegression"
    assert not expected.ax_.get_title()
    assert MatrixDisplay.from_estimator(model, rows, y, name="mine").ax_.get_title() == "mine"
    two = MatrixDisplay.from_predictions(None, br.ConfusionMatrix(tp=4, fp=3, fn=2, tn=1))
    assert _texts(two) == ["1", "3", "2", "4"]
    assert _ticks(two) == ["negative", "positive"]
    assert _texts(MatrixDisplay.from_predictions([0, 1, 1], [0, 1, 0])) == ["1", "·", "1", "1"]


def test_from_a_report() -> None:
    """The only model, or the one that is named; its name is the title."""
    one = MatrixDisplay.from_report(br.evaluate(None, MATRIX, "accuracy"))
    assert _texts(one)[0] == "50"
    assert not one.ax_.get_title()
    several = br.evaluate(None, {"tree": MATRIX, "knn": MATRIX}, ["accuracy", "kappa"])
    assert MatrixDisplay.from_report(several["knn"]).ax_.get_title() == "knn"
    assert MatrixDisplay.from_report(several["tree"]).ax_.get_title() == "tree"
    with pytest.raises(InvalidReportError, match=r"one model .*'tree', 'knn'"):
        MatrixDisplay.from_report(several)
    with pytest.raises(InvalidReportError, match="evaluate scores with a threshold"):
        MatrixDisplay.from_report(br.evaluate([0, 1], [0.1, 0.2], ["AUC"]))
    cut = br.evaluate([0, 1, 1], [0.1, 0.2, 0.7], ["F1"], threshold=0.5)
    assert _texts(MatrixDisplay.from_report(cut)) == ["1", "·", "1", "1"]


def _labels(classes: int, rows: int = 4000) -> tuple[Any, Any]:
    rng = np.random.default_rng(classes)
    truth = rng.choice(classes, rows, p=rng.dirichlet(np.ones(classes)))
    wrong = rng.integers(0, classes, rows)
    names = np.array([f"class {k:03}" for k in range(classes)])
    return names[truth], names[np.where(rng.random(rows) < 0.6, truth, wrong)]


def test_many_classes_are_put_together() -> None:
    """Of 250 classes the 20 commonest are shown; no observation is lost, and grey has no side."""
    y_true, y_pred = _labels(250)
    display = MatrixDisplay.from_predictions(y_true, y_pred)
    assert len(_ticks(display)) == 21
    assert _ticks(display)[-1] == "all others"
    assert display.frame()["count"].sum() == 4000
    assert display.ax_.get_xlabel().endswith("all others: 230 rarer classes")
    masked = np.ma.getmaskarray(display.cells_.get_array())
    assert masked[-1, -1]
    assert masked.sum() == 1
