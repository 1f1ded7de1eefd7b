"""The scikit-learn call of each measure, and its pitfall."""

from __future__ import annotations

import numpy as np
import pytest

import baserate as br
from baserate.core.measure import SklearnCall
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from laws import law_of_sklearn
from reproduction import PAPER_MEASURES

ALL = [*TWO_CLASS_MEASURES.values(), br.get_measure("PT")]
WITH_CALL = [each for each in (*ALL, br.fbeta(2), br.fbeta(0.5)) if each.sklearn is not None]
# scikit-learn has no function for these: markedness, two geometric means and PT.
WITHOUT_CALL = {"MK", "FM", "G2", "PT"}


@pytest.mark.parametrize("measure", WITH_CALL, ids=lambda measure: measure.key)
def test_scores_are_equal(measure: br.Measure) -> None:
    """On fifty random tables."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        law_of_sklearn(measure, rng)


def test_another_function_is_seen() -> None:
    """The law can fail."""
    wrong = br.Measure.custom("wrong", lambda tp, fp, fn, tn: tp / (tp + fn))
    object.__setattr__(wrong, "sklearn", SklearnCall("precision_score"))
    with pytest.raises(AssertionError):
        law_of_sklearn(wrong, np.random.default_rng(0))


def test_no_call_is_forgotten() -> None:
    """Every other measure of the paper has one."""
    of_the_paper = [*PAPER_MEASURES.values(), br.get_measure("PT")]
    assert {measure.key for measure in of_the_paper if measure.sklearn is None} == WITHOUT_CALL


def test_every_measure_can_mislead() -> None:
    """Each measure says when it misleads, in sentences; a custom measure says nothing."""
    for measure in ALL:
        assert measure.pitfall.endswith("."), measure
    custom = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + fn)
    assert (custom.pitfall, custom.sklearn) == ("", None)
