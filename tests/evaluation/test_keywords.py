"""Calls by the names that people know from scikit-learn, and results that speak for themselves."""

from __future__ import annotations

import pydoc
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import baserate as br
from baserate.exceptions import MisplacedArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

TRUTH = np.array([1] * 20 + [0] * 30)
LABELS = np.array([1] * 15 + [0] * 30 + [1] * 5)
SCORES = np.linspace(1, 0, 50)
FUNCTIONS: list[Callable[..., Any]] = [
    br.evaluate,
    br.p_value,
    br.confidence_interval,
    br.null_distribution,
    br.rescaled_score,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_scikit_learn_s_names(function: Callable[..., Any]) -> None:
    """y_pred and y_score are names of the second argument."""
    last = "measures" if function is br.evaluate else "measure"
    expected = str(function(TRUTH, SCORES, "AUC"))
    for name in ("y_pred", "y_score"):
        assert str(function(y_true=TRUTH, **{name: SCORES, last: "AUC"})) == expected
    with pytest.raises(MisplacedArgumentError, match="two names for predictions"):
        function(TRUTH, LABELS, "AUC", y_score=SCORES)


def test_names_of_comparisons_gates_and_baselines() -> None:
    """So are those of the others."""
    models = {"a": LABELS, "b": 1 - LABELS}
    by_name = br.compare(y_true=TRUTH, y_pred=models, measures="F1")
    assert str(by_name) == str(br.compare(TRUTH, models, "F1"))
    br.assert_beats_baseline(y_true=TRUTH, y_score=SCORES, measure="AUC")
    assert br.baseline(y_true=TRUTH, measure="F1") == br.baseline(TRUTH, "F1")


@pytest.mark.parametrize("function", [*FUNCTIONS, br.compare, br.assert_beats_baseline])
def test_a_model_in_place_of_predictions(function: Callable[..., Any]) -> None:
    """The message says what to type."""
    model = DummyClassifier()
    with pytest.raises(MisplacedArgumentError, match=r"\(y, model\.predict\(X\), \.\.\.\)"):
        function(model, np.zeros((50, 2)), TRUTH)


def test_help_begins_with_what_people_need() -> None:
    """Eight names, before all others."""
    text = pydoc.plain(pydoc.render_doc(br))
    names = [line.split("`")[1].split("(")[0] for line in text.splitlines() if "- `" in line]
    assert names == [
        "evaluate",
        "compare",
        "assert_beats_baseline",
        "baseline",
        "p_value",
        "confidence_interval",
        "rows_needed",
        "threshold_curve",
    ]
    assert text.index("evaluate(") < text.index("PACKAGE CONTENTS")


def test_results_are_sentences_and_small_tables() -> None:
    """In a notebook, nothing that data say becomes markup."""
    report = br.evaluate(TRUTH, {"<b>": LABELS}, "F1", by=["<i>"] * 50)
    (difference,) = br.compare(TRUTH, {"<b>": LABELS, "b": TRUTH}, "F1")
    results = [
        *report,
        difference,
        br.baseline(TRUTH, "F1"),
        br.confidence_interval(TRUTH, LABELS, "F1"),
        br.chance(options=4, questions=20),
    ]
    for each in results:
        assert repr(each) == str(each)
        shown = each._repr_html_()
        assert shown.count("<tr>") == shown.count("<th>") == len(each.facts_in_words())
        assert "<b>" not in shown
        assert "<i>" not in shown
    assert "0.750 (95% CI 0.558 to 0.882)" in report["<b>", "F1"]._repr_html_()
