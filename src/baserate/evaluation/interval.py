"""The interval of one score, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.core.multiple_testing import ALPHA, require_alpha
from baserate.evaluation.calls import measured, warn_of_unseen_classes
from baserate.evaluation.evaluate import evaluate
from baserate.evaluation.references import row_by_row
from baserate.formatting import number_format, whole
from baserate.tasks import task_observed

if TYPE_CHECKING:
    from baserate.core.measure import AnyMeasure
    from baserate.data.columns import Labels


@dataclass(frozen=True)
class Interval:
    """A score, and between which limits it is over test sets like this one.

    Parameters
    ----------
    measure
        The key of the measure.
    score
        The score.
    low, high
        The limits; each is wrong about alpha / 2 of the time at most.
    alpha
        How often the interval may be wrong.
    counts
        Whether these are numbers of observations, which are shown without decimals.

    Examples
    --------
    >>> import baserate as br
    >>> found = br.interval([1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 1], "ACC", alpha=0.1)
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
        numbers = self.score, self.low, self.high
        write = whole if self.counts else number_format(numbers)
        level = f"{100 * (1 - self.alpha):.6g}%"
        limits = f"{level} interval {write(self.low)} to {write(self.high)}"
        return f"{self.measure} {write(self.score)} ({limits})"


def interval(
    y_true: Any,
    y_pred: Any,
    measure: str | AnyMeasure[Any] | None = None,
    *,
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
    y_true, y_pred
        The true and the predicted labels or numbers, or scores in place of predicted labels; or a
        table in place of both: a `Confusion`, a `ConfusionMatrix` of several classes, `Scores` or
        a `Fit`.
    measure
        A measure or its name.
    alpha
        How often the interval may be wrong.
    pos_label
        The positive class, against the rest. It may be left out for labels 0/1, -1/1 or booleans.
    clusters
        The cluster of each observation, if several belong together: whole clusters are drawn.

    Examples
    --------
    >>> from baserate import Confusion
    >>> found = interval(Confusion(tp=98, fp=62, fn=41, tn=102), "F1")
    >>> print(found)
    F1 0.656 (95% interval 0.588 to 0.717)
    >>> round(found.low, 3), round(found.high, 3)
    (0.588, 0.717)
    >>> print(interval([0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.2, 0.3, 0.5, 0.6, 0.8, 0.9], "AUC"))
    AUC 0.938 (95% interval 0.319 to 1.000)
    >>> truth, said = [0, 0, 1, 1] * 8, [0, 0, 1, 1] * 4 + [0, 1, 1, 1] * 2 + [1, 1, 1, 0] * 2
    >>> print(interval(truth, said, "ACC"))
    ACC 0.750 (95% interval 0.566 to 0.885)
    >>> print(interval(truth, said, "ACC", clusters=[row // 4 for row in range(32)]))
    ACC 0.750 (95% interval 0.372 to 1.000)
    """
    if clusters is not None:
        asked = row_by_row("interval", (y_true, y_pred, measure))
        (found,) = evaluate(
            *asked[:2], [asked[2]], pos_label=pos_label, clusters=clusters, alpha=alpha
        )
        ends = found.low, found.high
        return Interval(found.measure, found.score, *ends, found.alpha, found.counts)
    table, chosen = measured("interval", (y_true, y_pred, measure), pos_label=pos_label)
    warn_of_unseen_classes({"y_pred": table})
    alpha = require_alpha(alpha)
    low, high = task_observed(table.task).uncertainty(table, alpha).score(chosen)
    return Interval(chosen.key, chosen.score(table), low, high, alpha, chosen.counts)
