"""What a measure is called, and what every record and result is good for."""

from __future__ import annotations

import copy
import pickle
from itertools import chain
from typing import TYPE_CHECKING

import pytest

import baserate as br
from baserate.core.measure import Codomain, Direction, folded
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.task import TASKS
from reproduction import PAPER_MEASURES

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

PT = br.get_measure("PT")
ALL = [*TWO_CLASS_MEASURES.values(), PT]
KNOWN = {measure: [measure.key, measure.name, *measure.aliases] for measure in ALL}


def test_every_name(snapshot: SnapshotAssertion) -> None:
    """Table 1's names and alternative names, common abbreviations, and scikit-learn's names."""
    lines = [
        f"{task}: {measure.key}: {', '.join([measure.name, *measure.aliases])}"
        for task in TASKS
        for measure in TASKS[task].chosen("all")
    ]
    assert "\n".join(lines) == snapshot


def test_names_are_unique() -> None:
    """No two measures share a name, in any spelling; the paper's come in its order."""
    for measure, names in KNOWN.items():
        for name in names:
            for spelling in (name, name.upper(), f"  {name} ", name.replace(" ", "-")):
                assert br.get_measure(spelling) is measure
    spellings = [{folded(name) for name in names} for names in KNOWN.values()]
    assert len(set(chain.from_iterable(spellings))) == sum(map(len, spellings))
    order = "TP TN FN FP TPR TNR FNR FPR PPV NPV FDR FOR F1 J MK ACC BACC MCC KAPPA FM G2 TS"
    assert list(PAPER_MEASURES) == order.split()


def test_records_are_complete() -> None:
    """Every record says what it means, when it misleads, and which way is better."""
    for measure in ALL:
        assert measure.name
        assert measure.meaning.endswith(".")
        assert measure.pitfall.endswith(".")
    of_the_paper = (*PAPER_MEASURES.values(), PT)
    minimized = {m.key for m in of_the_paper if m.direction is Direction.MINIMIZE}
    assert minimized == {"FP", "FN", "FPR", "FNR", "FDR", "FOR", "PT"}
    assert {m.key for m in of_the_paper if m.sklearn is None} == {"MK", "FM", "G2", "PT"}


def test_fbeta_by_beta() -> None:
    """'fbeta' takes its β as an argument; only F1 is the Dice score and `f1_score`."""
    one, two = br.fbeta(1), br.fbeta(2)
    assert br.get_measure("fbeta", beta=2) is br.fbeta(2.0) is br.get_measure("f2")
    assert one is TWO_CLASS_MEASURES["F1"]
    assert br.get_measure("Fβ", beta=0.1).key == "F0.1"
    assert "Dice" in one.aliases
    assert two.aliases == ("f2_score",)
    assert "recall counting 2 times as much" in two.meaning
    assert str(one.sklearn) == "f1_score(y_true, y_pred)"
    assert str(two.sklearn) == "fbeta_score(y_true, y_pred, beta=2.0)"


# One measure for each number, whichever way its name is written.
WITH_NUMBERS = {
    "F1": ["f1", "F_1", "F₁", "f-1", "F1.0"],
    "F2": ["F2", "f2 score", "F-2", "fbeta 2", "f_2.0"],
    "F0.5": ["f 0.5", "F_0.5 score", "F.5"],
    "F0.1": ["F.1", "fbeta 0.1"],
    "F1e-05": ["F1e-05", "f0.00001"],
    "precision@10": ["P@10", "precision at 10", "top 10 precision"],
    "recall@3": ["R@3", "Recall at 3"],
    "lift@7": ["lift at 7"],
    "NDCG@5": ["ndcg@5", "NDCG at 5"],
    "AUC@0.1": ["pAUC@0.1", "partial AUC 0.1", "partial_auc@0.1"],
    "top-3 accuracy": ["Top 3 Accuracy", "top_3_accuracy", "top3 acc", "accuracy@3"],
    "top-2 accuracy": ["top_k_accuracy_score"],
    "pinball@0.9": ["Pinball 0.9", "mean_pinball_loss@0.9", "quantile loss at 0.9"],
    "Huber@2": ["huber loss@2.0", "Huber 2"],
    "Poisson deviance": ["Tweedie@1", "tweedie deviance 1"],
    "Tweedie@-1": ["tweedie@-1.0"],
    "MSE": ["Tweedie@0"],
    "R2": ["D2 Tweedie@0", "R²"],
    "D2 absolute error": ["D2 pinball@0.5", "d2_pinball_score"],
}


@pytest.mark.parametrize("key", WITH_NUMBERS)
def test_names_with_numbers(key: str) -> None:
    """A number that another measure has is that one; every process has the same record."""
    measure = br.get_measure(key)
    assert measure.key == key
    assert pickle.loads(pickle.dumps(measure)) is measure
    for name in WITH_NUMBERS[key]:
        assert br.get_measure(name) is measure


def test_codomains() -> None:
    """An infinite end is printed open."""
    ends = [(0, 1), (-1, 1), (0, float("inf")), (-float("inf"), 0)]
    printed = ["[0, 1]", "[-1, 1]", "[0, inf)", "(-inf, 0]"]
    assert [str(Codomain.of(each)) for each in ends] == printed


def _cost(tp: float, fp: float, fn: float, tn: float) -> float:
    return fp + 5 * fn


def _values() -> dict[str, object]:
    """A value of every kind that the library returns."""
    truth, scores = [0, 0, 1, 1, 1], [0.1, 0.6, 0.4, 0.8, 0.9]
    rate = br.BaseRate(positives=3, total=5)
    base, draw = br.baseline(rate, "F1"), br.DutchDraw(rate, 0.5)
    report = br.evaluate(truth, {"tree": [0, 1, 1, 1, 1]})
    curve = br.threshold_curve(truth, scores, "F1")
    cost = br.Measure.custom("cost", _cost, direction="minimize", codomain=(0, 100))
    used = draw.score(cost)
    used.cdf(0)  # fills its caches
    return {
        "MEASURES": TWO_CLASS_MEASURES,
        "measure": br.get_measure("F1"),
        "custom": cost,
        "base rate": rate,
        "table": br.ConfusionMatrix.of(truth, [0, 1, 1, 1, 1]),
        "scores": br.RankedScores.of(truth, scores),
        "numbers": br.NumericPredictions.of(truth, scores),
        "draw": draw,
        "null distribution": draw.score("F1"),
        "used null distribution": used,
        "baseline": base,
        "optimum": base.best,
        "thetas": base.guesses,
        "report": report,
        "verdict": report["tree", "F1"],
        "outcome": report["tree", "F1"].outcome,
        "curve": curve,
        "diagnosis": curve.diagnosis,
        "error": br.exceptions.InvalidCountError("no"),
    }


@pytest.mark.parametrize("name", _values())
def test_everything_pickles_and_copies(name: str) -> None:
    """A pickle, a copy and a deep copy equal the original, so processes can share values."""
    value = _values()[name]
    for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(other) is type(value)
        assert repr(other) == repr(value)
        assert value != 1


def test_built_in_measures_are_pickled_by_name() -> None:
    """They and the catalogue are the same objects in every process, and nobody can change them."""
    for measure in (*ALL, br.fbeta(0.3), br.fbeta(1e-5)):
        assert pickle.loads(pickle.dumps(measure)) is measure
        assert copy.deepcopy(measure) is measure
    assert pickle.loads(pickle.dumps(TWO_CLASS_MEASURES)) is TWO_CLASS_MEASURES
    assert copy.deepcopy(TWO_CLASS_MEASURES)["G2"] is br.get_measure("G2")
    assert repr(TWO_CLASS_MEASURES).startswith("<TWO_CLASS_MEASURES: TP, TN, FN, FP, ")
    with pytest.raises(TypeError):
        TWO_CLASS_MEASURES["mine"] = TWO_CLASS_MEASURES["F1"]  # type: ignore[index]
    cost = br.Measure.custom("cost", _cost, direction="minimize", codomain=(0, 100), smooth=True)
    back = pickle.loads(pickle.dumps(cost))
    assert back.score(br.ConfusionMatrix(tp=1, fp=2, fn=3, tn=4)) == 17
    assert (back.key, back.direction, back.smooth) == ("cost", "minimize", True)
