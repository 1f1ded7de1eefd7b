"""Functions of one measure: baseline, p-value, interval, null distribution, rescaled score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.arguments import is_number
from baserate.baselines.dutch_scaler import Scaler, require_rho, require_score
from baserate.core.multiple_testing import ALPHA, null_levels, require_alpha
from baserate.evaluation.evaluate import evaluate
from baserate.evaluation.request import (
    MEASURED,
    SCORED,
    TABLE,
    Request,
    by_either_name,
    is_measure,
    read,
    require_one_measure,
    row_by_row,
    settled,
    warn_of_unseen_classes,
)
from baserate.exceptions import (
    InvalidMeasureError,
    InvalidPredictionsError,
    UndefinedMeasureError,
)
from baserate.formatting import Spoken, confidence, number_format, whole
from baserate.intervals.limits import score_limits
from baserate.kinds.two_classes import BINARY
from baserate.kinds.two_classes_null import DutchDraw
from baserate.task import is_counted

if TYPE_CHECKING:
    from baserate.core.measure import Measure
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution
    from baserate.task import Task


def baseline(
    y_true: Any,
    measure: str | Measure[Any],
    *,
    pos_label: object = None,
    task: str | None = None,
) -> Any:
    """Return the baseline of a measure: the score of the best guess.

    Parameters
    ----------
    y_true
        The true labels or numbers; or a `BaseRate` or a table.
    measure
        A measure or its name.
    pos_label, task
        The positive class, and the kind of prediction, as in `evaluate`.

    Returns
    -------
    Baseline
        The best and the worst expected score, with all predictions that have them.

    Examples
    --------
    >>> from baserate import BaseRate
    >>> base = baseline(BaseRate(positives=139, total=303), "F1")
    >>> base
    F1 baseline 0.629 on 303 observations, 139 positive (45.9%): everyone positive; the worst guess
    has 0.007
    >>> round(base.value, 3), base.guess, base.guesses
    (0.629, 'everyone positive', ThetaSet({1}))
    >>> base = baseline(BaseRate({"a": 70, "b": 20, "c": 10}), "weighted F1")
    >>> round(base.value, 3), base.guesses
    (0.58, MixSet({(95, 5, 0)}))
    >>> base = baseline(BaseRate(positives=2, total=20), "AP")
    >>> round(base.value, 3), base.guess
    (0.223, 'a random ranking')
    >>> base = baseline([1.0, 2, 3, 10, 100], "MAPE")
    >>> round(base.value, 3), base.guess
    (0.611, 'always 1')
    """
    require_one_measure("baseline", measure)
    chosen, counted, found = _test_set_and_measure(task, y_true, measure, pos_label)
    return chosen.baseline(counted, found)


def p_value(
    y_true: Any = None,
    y_pred: Any = None,
    measure: Any = None,
    *,
    y_score: Any = None,
    pos_label: object = None,
    clusters: Labels | None = None,
) -> float:
    """Return the probability that the same predictions, shuffled, do at least as well.

    With two classes, every measure of the catalogue improves with each true positive, so one
    p-value serves all: the one-sided Fisher exact test, or a permutation test over all
    permutations. With several classes, accuracy, kappa and MCC share one, and so do all others
    that depend on the right answers. With scores, AUC and Gini share that of Mann and Whitney, and
    others have their own. With numbers, MSE, RMSE, R2 and Pearson share one.

    Parameters
    ----------
    y_true, y_pred, y_score
        The true and the predicted labels or numbers, or scores in place of predicted labels, by
        either name. A table may take the place of both.
    measure
        A measure or its name. With two classes it matters only for a measure of your own, which
        need not improve with each true positive, and for scores; with several it is accuracy if
        left out.
    pos_label
        The positive class, as in `evaluate`.
    clusters
        The cluster of each observation, if several belong together, such as the rows of a patient.
        The p-value is then that of a score test of no association, which all measures share: what
        each cluster adds is compared with how much clusters differ, by Student's t.

    Returns
    -------
    float
        A probability with full relative precision, however small, wherever it is exact; nan if a
        measure has no score here, or too many to lay out.

    Examples
    --------
    >>> round(p_value([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]), 3)
    0.143
    >>> from baserate import ConfusionMatrix
    >>> round(p_value(ConfusionMatrix(tp=12, fp=3, fn=2, tn=13)), 6)
    0.000339
    >>> matrix = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]])
    >>> round(p_value(matrix), 5), round(p_value(matrix, "macro F1"), 5)
    (0.00092, 0.00115)
    >>> scores = [0.9, 0.4, 0.6, 0.5, 0.2, 0.1, 0.2]
    >>> round(p_value([1, 1, 1, 0, 0, 0, 0], scores, "AUC"), 3)
    0.057
    """
    y_pred = by_either_name(y_pred, y_score)
    asked = (y_true, y_pred, measure)
    if clusters is not None:
        named = None if measure is None else [measure]
        report = evaluate(y_true, y_pred, named, pos_label=pos_label, clusters=clusters)
        return report.verdicts[0].p_value
    task, found, chosen, *_ = read("p_value", TABLE, asked, pos_label)
    warn_of_unseen_classes({"y_pred": found})
    if chosen is None and not task.shares_p:
        raise InvalidMeasureError(
            f"must be named for {task.title.lower()}, as each has a p-value of its own",
            parameter="measure",
        )
    if chosen is None or chosen.monotone:
        return task.tails([found])[0].better
    (null,) = task.nulls([found], null_levels(0.05, 1))
    return null.tails(chosen, chosen.score(found)).better


def rescaled_score(
    y_true: Any = None,
    y_pred: Any = None,
    measure: Any = None,
    *,
    y_score: Any = None,
    score: Any = None,
    pos_label: object = None,
    test_set: Any = None,
) -> float:
    """Rescale a score, so that it can be read without knowing how often each class occurs.

    The result is -1 at or below the worst baseline, 0 at the best baseline, 1 for a perfect
    prediction, and linear in between (the paper's second proposal for further research). A measure
    to minimize is mirrored. If all references expect the same score, anything below it is -1. If
    the best baseline is perfect, nothing is above 0.

    Parameters
    ----------
    y_true, y_pred, y_score
        The true and the predicted labels, or scores in place of the latter. A table may take the
        place of both.
    measure
        A measure or its name.
    pos_label
        The positive class, as in `evaluate`.
    test_set, score
        For a score that is known already: a `BaseRate`, a table or the true
        labels, then the measure, then the score.

    Returns
    -------
    float
        A number from -1 to 1; nan for a score of nan, and above the baseline of a custom measure
        whose perfect score is unknown.

    Examples
    --------
    >>> round(rescaled_score([1, 1, 0, 0, 0], [1, 0, 0, 0, 0], "ACC"), 3)
    0.5
    >>> from baserate import BaseRate, ConfusionMatrix
    >>> rate = BaseRate(positives=139, total=303)
    >>> [round(rescaled_score(rate, "F1", score), 3) for score in (0.0, 0.5, 0.629, 0.8, 1.0)]
    [-1.0, -0.207, 0.0, 0.461, 1.0]
    >>> matrix = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]])
    >>> round(rescaled_score(matrix, "macro F1"), 3)
    0.237
    >>> round(rescaled_score([0, 1, 0, 1], [0.2, 0.4, 0.5, 0.9], "AUC"), 3)
    0.5
    """
    y_pred = by_either_name(y_pred, y_score)
    asked = (y_true, y_pred, measure)
    found = read("rescaled_score", SCORED, asked, pos_label, table=test_set, score=score)
    scale = found.task.baseline(found.test_set, found.measure).scale
    return scale.rescaled(require_score(found.score))


def dutch_scaler(
    y_true: Any = None,
    y_pred: Any = None,
    measure: Any = None,
    *,
    rho: float = 0.0,
    score: Any = None,
    pos_label: object = None,
    test_set: Any = None,
) -> float:
    """Return how much of an oracle a model must contain to reach its score.

    An oracle is wrong with probability ρ on each class. Let a classifier follow it with weight α,
    and the best Dutch Draw with weight 1 - α. The indicator is the smallest α whose expected
    counts reach the score; if several draws are best, the one that needs the smallest α counts.

    Parameters
    ----------
    y_true, y_pred
        The true and the predicted labels. A `ConfusionMatrix` may take the place of both.
    measure
        A measure or its name.
    rho
        How often the oracle is wrong, for labels known to be noisy.
    pos_label
        The positive class, as in `evaluate`.
    test_set, score
        For a score that is known already: a `BaseRate`, a `ConfusionMatrix` or the true labels,
        then the measure, then the score.

    Returns
    -------
    float
        A weight from 0, the baseline, to 1, the oracle.

    Raises
    ------
    UndefinedMeasureError
        If the score is worse than the baseline or better than the oracle, or the oracle is no
        better than the baseline. The message says which.

    Examples
    --------
    >>> round(dutch_scaler([1, 1, 0, 0, 0], [1, 0, 0, 0, 0], "ACC"), 3)
    0.5
    >>> from baserate import BaseRate
    >>> rate = BaseRate(positives=139, total=303)
    >>> round(dutch_scaler(rate, "ACC", 0.8), 3), round(dutch_scaler(rate, "J", 0.6), 3)
    (0.564, 0.6)
    >>> round(dutch_scaler(rate, "J", 0.6, rho=0.1), 3)
    0.75
    """
    asked = (y_true, y_pred, measure)
    found = read("dutch_scaler", SCORED, asked, pos_label, table=test_set, score=score, task=BINARY)
    scaler = Scaler(BINARY.baseline(found.test_set, found.measure), require_rho(rho))
    return scaler.weight(require_score(found.score))


@dataclass(frozen=True, repr=False)
class Interval(Spoken):
    """A score, and between which limits it is over test sets like this one.

    Each of `low` and `high` is wrong about alpha / 2 of the time at most.

    Examples
    --------
    >>> import baserate as br
    >>> truth, labels = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 1]
    >>> found = br.confidence_interval(truth, labels, "ACC", alpha=0.1)
    >>> found.score, round(found.low, 3), round(found.high, 3)
    (0.75, 0.4, 0.954)
    """

    measure: str
    score: float
    low: float
    high: float
    alpha: float
    counts: bool = False

    def __str__(self) -> str:
        _, score, limits = self.facts_in_words().values()
        return f"{self.measure} {score} ({confidence(self.alpha)} interval {limits})"

    def facts_in_words(self) -> dict[str, str]:
        """Return the numbers by their names."""
        numbers = self.score, self.low, self.high
        write = whole if self.counts else number_format(numbers)
        return {
            "measure": self.measure,
            "score": write(self.score),
            f"{confidence(self.alpha)} interval": f"{write(self.low)} to {write(self.high)}",
        }


def confidence_interval(
    y_true: Any,
    y_pred: Any = None,
    measure: str | Measure[Any] | None = None,
    *,
    y_score: Any = None,
    alpha: float = ALPHA,
    pos_label: object = None,
    clusters: Labels | None = None,
) -> Interval:
    """Return the interval of a score over test sets like this one.

    The rows are a sample, so the score varies from sample to sample. The limits of a proportion,
    of F1 and of the threat score are those of Clopper and Pearson; `docs/ideas/` has the method for
    the others, and how often it is right.

    Parameters
    ----------
    y_true, y_pred, y_score
        The true and the predicted labels or numbers, or scores in place of predicted labels; or a
        table in place of both: a `ConfusionMatrix`, `RankedScores` or
        a `NumericPredictions`.
    measure
        A measure or its name.
    alpha
        How often the interval may be wrong.
    pos_label
        The positive class, as in `evaluate`.
    clusters
        The cluster of each observation, if several belong together: whole clusters are drawn.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> found = confidence_interval(ConfusionMatrix(tp=98, fp=62, fn=41, tn=102), "F1")
    >>> print(found)
    F1 0.656 (95% interval 0.588 to 0.717)
    >>> round(found.low, 3), round(found.high, 3)
    (0.588, 0.717)
    >>> scores = [0.1, 0.2, 0.2, 0.3, 0.5, 0.6, 0.8, 0.9]
    >>> print(confidence_interval([0, 0, 0, 1, 0, 1, 1, 1], scores, "AUC"))
    AUC 0.938 (95% interval 0.319 to 1.000)
    >>> truth, said = [0, 0, 1, 1] * 8, [0, 0, 1, 1] * 4 + [0, 1, 1, 1] * 2 + [1, 1, 1, 0] * 2
    >>> print(confidence_interval(truth, said, "ACC"))
    ACC 0.750 (95% interval 0.566 to 0.885)
    >>> print(confidence_interval(truth, said, "ACC", clusters=[row // 4 for row in range(32)]))
    ACC 0.750 (95% interval 0.372 to 1.000)
    """
    y_pred = by_either_name(y_pred, y_score)
    asked = (y_true, y_pred, measure)
    if clusters is not None:
        truth, predicted, named = row_by_row("confidence_interval", asked)
        options: Any = {"pos_label": pos_label, "clusters": clusters, "alpha": alpha}
        (f,) = evaluate(truth, predicted, [named], **options)
        return Interval(f.measure, f.score, f.low, f.high, f.alpha, f.counts)
    task, table, chosen, *_ = read("confidence_interval", MEASURED, asked, pos_label)
    warn_of_unseen_classes({"y_pred": table})
    alpha = require_alpha(alpha)
    ((low, high),) = score_limits([task.asked(chosen, table)], alpha)
    return Interval(chosen.key, chosen.score(table), low, high, alpha, chosen.counts)


def null_distribution(
    y_true: Any = None,
    y_pred: Any = None,
    measure: Any = None,
    *,
    y_score: Any = None,
    pos_label: object = None,
) -> NullDistribution:
    """Return the distribution of a score when predictions are shuffled over the rows.

    Parameters
    ----------
    y_true
        The true labels or numbers, or a test set: a `BaseRate` or `Numbers`.
    y_pred, y_score
        The predictions, of any kind. Or a guess of your own: the number of positives or a
        `DutchDraw` with two classes; how often each class is predicted, as a mapping, with several;
        how often each answer or number is, as a mapping. Beside a test set, which has no rows: the
        counts of the classes in their order, or all scores, probabilities or numbers in any order.
        A table, `RankedScores` or `NumericPredictions` may take the place of both.
    measure
        A measure or its name.
    pos_label
        The positive class, as in `evaluate`.

    Returns
    -------
    NullDistribution
        Its `mean`, `var`, `sf` and `cdf` (both include the score itself), `ppf` and `interval`;
        `method` says how they are found, and `error` how far off they may be.

    Examples
    --------
    >>> null = null_distribution([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0], "F1")
    >>> null
    <null distribution of F1: mean 0.3429, 95% within 0 to 0.8, exact>
    >>> round(null.sf(0.8), 4)
    0.1429
    >>> from baserate import BaseRate, DutchDraw
    >>> rate = BaseRate(positives=139, total=303)
    >>> null_distribution(rate, DutchDraw(rate, theta=0.3), "F1")
    <null distribution of F1: mean 0.363, 95% within 0.2957 to 0.4348, exact>
    >>> counts = BaseRate({"a": 70, "b": 20, "c": 10})
    >>> null_distribution(counts, {"a": 62, "b": 28, "c": 10}, "macro F1")
    <null distribution of macro F1: mean 0.3303, 95% within 0.2449 to 0.429, exact>
    >>> null_distribution(BaseRate(positives=2, total=4), [0.1, 0.2, 0.2, 0.7], "AUC").interval(0.9)
    (0.125, 0.875)
    """
    require_one_measure("null_distribution", measure)
    y_pred = by_either_name(y_pred, y_score)
    if _is_guess(y_true, y_pred):
        found, chosen = _null_of_guess(y_true, y_pred, measure, pos_label)
    else:
        asked = (y_true, y_pred, measure)
        task, table, chosen, *_ = read("null_distribution", MEASURED, asked, pos_label)
        warn_of_unseen_classes({"y_pred": table})
        _, reason = chosen.score_or_reason(table)
        if reason:
            raise UndefinedMeasureError(f"{chosen.key} is undefined: {reason}")
        found = task.null_of(chosen, table)
    found.score_of = chosen.key
    return found


def _is_guess(y_true: Any, y_pred: Any) -> bool:
    """Return whether predictions are given without their order."""
    if y_pred is None or is_measure(y_pred) or is_counted(y_pred):
        return False
    return is_number(y_pred) or isinstance(y_pred, DutchDraw | Mapping) or is_counted(y_true)


def _null_of_guess(
    y_true: Any, guess: Any, measure: Any, pos_label: object
) -> tuple[NullDistribution, Measure[Any]]:
    test_set = guess.base_rate if y_true is None and isinstance(guess, DutchDraw) else y_true
    task, counted, chosen = _test_set_and_measure(None, test_set, measure, pos_label)
    if isinstance(guess, DutchDraw):
        if guess.base_rate != counted:
            raise InvalidPredictionsError(
                f"must be a draw on the test set (got one on {guess.base_rate})",
                parameter="y_pred",
            )
        guess = guess.predicted_positives
    return task.null_of_guess(chosen, counted, guess), chosen


def _test_set_and_measure(
    task: str | None, test_set: Any, measure: Any, pos_label: object
) -> tuple[Task[Any], Any, Any]:
    if is_measure(test_set):
        BINARY.test_set_of(test_set, pos_label)  # which says what it must be
    asked = Request.of(task, [measure], test_set, pos_label)
    kind = asked.kind(lambda: (test_set, ()))
    counted = kind.test_set_of(test_set, pos_label)
    chosen = settled(kind, counted)
    return chosen, counted, chosen.chosen([measure])[0]
