"""Names of measures that need something else than the labels of two classes."""

from __future__ import annotations

from baserate.exceptions.base import Term

_OF_SCORES = """
auc rocauc rocaucscore aucroc auroc auroccurve rocauccurve areaunderthecurve areaundertheroccurve
rocaucovr rocaucovo rocaucovrweighted rocaucovoweighted rocaucweighted cstatistic cindex concordance
gini ginicoefficient averageprecision averageprecisionscore meanaverageprecision ap map prauc aucpr
auprc auprcurve areaundertheprecisionrecallcurve roc roccurve precisionrecallcurve dcg ndcg dcgscore
ndcgscore ks ksstatistic kolmogorovsmirnov topkaccuracy topkaccuracyscore
"""
_OF_PROBABILITIES = """
brier brierscore brierscoreloss brierloss negbrierscore logloss loglossscore neglogloss crossentropy
binarycrossentropy bce ece expectedcalibrationerror calibration calibrationerror calibrationcurve
d2loglossscore d2brierscore hinge hingeloss
"""
_OF_NUMBERS = """
mse rmse mae mape r2 r2score rsquared medae msle rmsle meansquarederror rootmeansquarederror
meanabsoluteerror medianabsoluteerror meanabsolutepercentageerror explainedvariance maxerror
explainedvariancescore negmeansquarederror negrootmeansquarederror negmeanabsoluteerror
pinball pinballloss meanpinballloss d2absoluteerrorscore
"""
_AVERAGES = ("samples",)
_AVERAGED = ("f1", "f1score", "fbeta", "precision", "recall", "jaccard", "averageprecision")

_LABELS = Term("MEASURES", "the measures of list(baserate.MEASURES) take labels")
_CURVE = Term("ranking", "threshold_curve(y_true, y_score, 'F1').ranking.auc is the AUC of scores")
_ONE = Term("one of them", "take one of list(baserate.MEASURES), such as 'F1'")
_NEEDS: dict[str, tuple[str | Term, ...]] = {
    **dict.fromkeys(
        _OF_SCORES.split(),
        ("needs the scores of a model, not its predicted labels: ", _LABELS, "; ", _CURVE),
    ),
    **dict.fromkeys(
        _OF_PROBABILITIES.split(),
        ("needs predicted probabilities, not predicted labels: ", _LABELS, "; ", _CURVE),
    ),
    **dict.fromkeys(
        _OF_NUMBERS.split(),
        ("is for predicted numbers, not for the labels of two classes: ", _LABELS),
    ),
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
