"""Names of measures that need something else than labels, and of what is no measure."""

from __future__ import annotations

from baserate.formatting import Term

_ONE = Term("one of them", "take one of list(baserate.MEASURES), such as 'F1'")
_OF_SCORES: tuple[tuple[str, str], ...] = (
    (
        "roc roccurve auroccurve rocauccurve precisionrecallcurve auprcurve",
        "is a curve, which AUC and AP sum up; plots.RankingDisplay draws it",
    ),
    (
        "calibration calibrationcurve",
        "is a curve, which reliability_curve computes and draws",
    ),
    ("map meanaverageprecision", "is of several queries; AP is of one ranking"),
    ("dcg dcgscore", "has no scale to read it by; NDCG has"),
    (
        "ks ksstatistic kolmogorovsmirnov",
        "is the best J of all cut-offs: threshold_curve(y_true, y_score, 'J').best",
    ),
    ("hinge hingeloss", "is of margins, which are no probabilities; AUC and AP take any numbers"),
)
_AVERAGES = ("samples",)
_AVERAGED = ("f1", "f1score", "fbeta", "precision", "recall", "jaccard", "averageprecision")

_NEEDS: dict[str, tuple[str | Term, ...]] = {
    **{name: (why,) for names, why in _OF_SCORES for name in names.split()},
    **{
        name: ("is for observations with several labels each; ", _ONE)
        for average in _AVERAGES
        for measure in _AVERAGED
        for name in (f"{average}{measure}", f"{measure}{average}")
    },
}


def what_it_needs(folded: str) -> tuple[str | Term, ...]:
    """Say what a measure of another task needs, by its folded name; nothing if it is none."""
    return _NEEDS.get(folded, ())
