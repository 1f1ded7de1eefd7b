"""Every name of a measure finds it, in any spelling."""

from __future__ import annotations

import copy
import pickle
from itertools import chain

import pytest

import baserate as br
from baserate.core.catalogue import folded
from baserate.core.measure import Direction
from baserate.measures.two_classes import PT, TWO_CLASS_MEASURES
from reproduction import PAPER_MEASURES

KNOWN = {
    measure: [measure.key, measure.name, *measure.aliases]
    for measure in (*TWO_CLASS_MEASURES.values(), PT)
}
# Table 1's names and alternative names, common abbreviations, scikit-learn's names.
EXPECTED = {
    "TP": ["True Positives"],
    "TN": ["True Negatives"],
    "FN": ["False Negatives"],
    "FP": ["False Positives"],
    "TPR": ["True Positive Rate", "Recall", "Sensitivity", "recall", "recall_score"],
    "TNR": ["True Negative Rate", "Specificity", "Selectivity"],
    "FNR": ["False Negative Rate", "Miss Rate"],
    "FPR": ["False Positive Rate", "Fall-out", "fallout"],
    "PPV": ["Positive Predictive Value", "Precision", "precision_score"],
    "NPV": ["Negative Predictive Value"],
    "FDR": ["False Discovery Rate"],
    "FOR": ["False Omission Rate"],
    "F1": ["f1", "F_1", "F₁", "F1 score", "f1_score", "f-1", "F1.0", "f measure", "dice"],
    "F2": ["F2", "f2 score", "F-2", "fbeta 2", "f_2.0"],
    "F0.5": ["F0.5", "f0.5", "f 0.5", "F_0.5 score", "F.5"],
    "F0.1": ["F.1", "fbeta 0.1"],
    "F1e-05": ["F1e-05", "f0.00001"],
    "J": ["Youden's J Statistic", "Youden's Index", "youdens j", "Bookmaker Informedness"],
    "MK": ["Markedness", "deltaP", "Delta P"],
    "ACC": ["Accuracy", "accuracy_score", "Acc"],
    "BACC": ["Balanced Accuracy", "balanced_accuracy", "balanced-accuracy-score", "BAcc"],
    "MCC": ["Matthews Correlation Coefficient", "matthews_corrcoef", "phi", "φ"],
    "KAPPA": ["Cohen's kappa", "cohen_kappa", "cohen_kappa_score", "κ", "COHENS KAPPA"],
    "FM": ["Fowlkes-Mallows Index", "fowlkes mallows", "G-mean 1"],
    "G2": ["G-mean 2", "G-mean", "gmean", "g_mean_2", "G²", "geometric mean"],
    "TS": ["Threat Score", "Critical Success Index", "CSI", "Jaccard", "jaccard_score", "IoU"],
    "PT": ["Prevalence Threshold"],
}


@pytest.mark.parametrize("key", EXPECTED)
def test_expected_names(key: str) -> None:
    """The names that users know, each in several spellings."""
    for name in EXPECTED[key]:
        for spelling in (name, name.upper(), f"  {name} ", name.replace(" ", "-")):
            assert br.get_measure(spelling).key == key


def test_every_measure_is_expected() -> None:
    """The table above covers every measure."""
    assert set(TWO_CLASS_MEASURES) | {"PT"} <= set(EXPECTED)


def test_names_are_unique() -> None:
    """No two measures share a name, in any spelling."""
    for measure, names in KNOWN.items():
        for name in names:
            assert br.get_measure(name) is measure
    spellings = [{folded(name) for name in names} for names in KNOWN.values()]
    assert len(set(chain.from_iterable(spellings))) == sum(map(len, spellings))


def test_catalogue_is_in_the_order_of_table_1() -> None:
    """The paper's order, with PT left out because it has no baseline."""
    order = "TP TN FN FP TPR TNR FNR FPR PPV NPV FDR FOR F1 J MK ACC BACC MCC KAPPA FM G2 TS"
    assert list(PAPER_MEASURES) == order.split()


def test_catalogue_cannot_be_changed() -> None:
    """A typo in a notebook must not redefine accuracy for everyone."""
    with pytest.raises(TypeError):
        TWO_CLASS_MEASURES["ACC"] = TWO_CLASS_MEASURES["TP"]  # type: ignore[index]


def test_records_are_complete() -> None:
    """Every record has the facts that the documentation needs."""
    for measure in (*TWO_CLASS_MEASURES.values(), PT):
        assert measure.name
        assert measure.meaning.endswith(".")
        formulas = [
            measure.definition,
            measure.draw.slope,
            measure.draw.intercept,
            measure.draw.expectation,
        ]
        assert all(formula.latex for formula in formulas if formula is not None)


def test_every_section_of_the_appendix_is_somebody_s() -> None:
    """Each of the paper's measures names its section of the appendix; no other measure does."""
    sections = [measure.section for measure in KNOWN if measure.section]
    assert sorted(sections, key=lambda section: int(section[2:])) == [
        f"A.{number}" for number in range(1, 24)
    ]


def test_directions() -> None:
    """Six of the paper's measures are to be minimized, and so is PT."""
    of_the_paper = (*PAPER_MEASURES.values(), PT)
    minimized = {m.key for m in of_the_paper if m.direction is Direction.MINIMIZE}
    assert minimized == {"FP", "FN", "FPR", "FNR", "FDR", "FOR", "PT"}


def test_fbeta_by_beta() -> None:
    """'fbeta' takes its β as an argument; the same β gives the same measure."""
    assert br.get_measure("fbeta", beta=2) is br.fbeta(2.0) is br.get_measure("f2")
    assert br.fbeta(1) is TWO_CLASS_MEASURES["F1"]
    assert br.get_measure("Fβ", beta=0.1).key == "F0.1"


def test_measure_passes_through() -> None:
    """A measure is accepted wherever its name is."""
    custom = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp)
    assert br.get_measure(custom) is custom


def _cost(tp: int, fp: int, fn: int, tn: int) -> int:
    return fp + 5 * fn


def test_measures_travel_between_processes() -> None:
    """A built-in measure is pickled by its name, a custom one with its function."""
    for measure in (*TWO_CLASS_MEASURES.values(), PT, br.fbeta(0.3), br.fbeta(1e-5)):
        assert pickle.loads(pickle.dumps(measure)) is measure
        assert copy.deepcopy(measure) is measure
    cost = br.Measure.custom("cost", _cost, direction="minimize", codomain=(0, 100), smooth=True)
    back = pickle.loads(pickle.dumps(cost))
    table = br.Confusion(tp=1, fp=2, fn=3, tn=4)
    assert back.score(table) == cost.score(table) == 17
    assert (back.key, back.direction, back.smooth) == ("cost", "minimize", True)
    assert (back.codomain, back.name) == (cost.codomain, cost.name)
