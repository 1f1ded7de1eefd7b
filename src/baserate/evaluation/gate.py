"""The gate: `assert_beats_baseline`, and the rule by which a pipeline lets a model pass."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.arguments import as_float, is_number
from baserate.core.baseline import FORMULA
from baserate.core.multiple_testing import ALPHA, require_alpha
from baserate.evaluation.evaluate import evaluate
from baserate.evaluation.request import MEASURED, by_either_name, read, row_by_row
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import probability, shown
from baserate.verdicts.verdict import Outcome
from baserate.verdicts.wording import explanation, predicate, score_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.core.measure import Measure
    from baserate.data.columns import Labels
    from baserate.data.weights import Kind
    from baserate.report import Report
    from baserate.verdicts.verdict import Verdict


class Status(enum.StrEnum):
    """Whether a verdict passes a gate."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Ruling:
    """A gate's decision on one verdict: what this says, and why it fails if it does."""

    verdict: Verdict
    status: Status
    sentence: str


@dataclass(frozen=True)
class Gate:
    """The minimum that a model must achieve.

    It must be so much better than the baseline, in the measure's direction; without alpha, only
    the numbers are compared.

    Examples
    --------
    >>> import baserate as br
    >>> report = br.evaluate(None, br.ConfusionMatrix(tp=120, fp=30, fn=19, tn=134), "F1")
    >>> Gate().shortfall(report["model", "F1"])
    ''
    >>> print(Gate(margin=0.2).shortfall(report["model", "F1"]))
    F1 of model misses the bar: the lower limit of the margin is 0.142385, 0.058 below 0.2. 0.830
    beats the baseline of 0.629 (everyone positive): the margin is 0.201 (95% CI 0.142 to 0.256; p
    = 1.0e-34).
    """

    margin: float = 0
    alpha: float | None = ALPHA

    def __post_init__(self) -> None:
        if not (is_number(self.margin) and self.margin >= 0):
            raise InvalidMeasureError(
                f"must be a number of at least 0 (got {shown(self.margin)})", parameter="margin"
            )
        if self.alpha is not None:
            require_alpha(self.alpha)

    def shortfall(self, verdict: Verdict, by: str | None = None) -> str:
        """Say why a verdict does not pass; return an empty text if it does."""
        if verdict.outcome in (Outcome.UNDEFINED, Outcome.UNINFORMATIVE):
            return explanation(verdict, by)
        missed = "; ".join(self._missed(verdict))
        bar = f"{score_of(verdict, by)} misses the bar: {missed}. {predicate(verdict)}"
        return bar if missed else ""

    def _missed(self, verdict: Verdict) -> Iterator[str]:
        """Name each bar that a verdict misses, and how far it is from it."""
        bar = as_float(self.margin)
        reached, name = verdict.margin, "margin"
        if self.alpha is not None and verdict.beats:
            reached, name = verdict.margin_low, "lower limit of the margin"
        # 0.9 - 0.8 is a little less than 0.1, and enough.
        rounding = 2 * FORMULA * max(abs(verdict.score), abs(verdict.baseline))
        if math.isnan(reached):
            yield "the margin has no interval"
        elif not reached > 0:
            needed = f"at least {bar:g}" if bar else "above 0"
            yield f"the {name} is {reached:.6g}, and must be {needed}"
        elif reached + rounding < bar:
            yield f"the {name} is {reached:.6g}, {bar - reached:.2g} below {bar:g}"
        if self.alpha is not None and not verdict.p_adjusted < verdict.alpha:
            p = probability(verdict.p_adjusted, exact=verdict.exact, floor=verdict.p_floor)
            yield f"the p-value is {p}, and must be below {verdict.alpha:g}"

    def rulings(self, report: Report) -> tuple[Ruling, ...]:
        """Return the ruling on each verdict of a report.

        A group that cannot be judged, such as one with a single class, does not fail. The whole
        test set does, so a gate cannot open because nothing was judged.
        """
        return tuple(self._ruling(verdict, report.by) for verdict in report)

    def _ruling(self, verdict: Verdict, by: str | None) -> Ruling:
        if verdict.group is not None and not verdict.informative and not verdict.fails:
            return Ruling(verdict, Status.NOT_JUDGED, explanation(verdict, by))
        why = self.shortfall(verdict, by)
        status = Status.FAILED if why else Status.PASSED
        return Ruling(verdict, status, why or explanation(verdict, by))


def assert_beats_baseline(
    y_true: Any,
    y_pred: Any = None,
    measure: str | Measure[Any] | None = None,
    *,
    y_score: Any = None,
    margin: float = 0,
    alpha: float | None = ALPHA,
    tries: int = 1,
    pos_label: object = None,
    threshold: float | None = None,
    by: Labels | None = None,
    clusters: Labels | None = None,
    reference: Any = None,
    sample_weight: Any = None,
    weights: Kind | None = None,
) -> None:
    """Raise unless there is evidence that a model beats the baseline; made for test suites.

    Parameters
    ----------
    y_true, y_pred, y_score
        The true and the predicted labels or numbers of one model; scores in place of predicted
        labels; or a table in place of both.
    measure
        A measure or its name.
    margin
        How much better than the baseline the model must be, in the measure's direction.
    alpha
        How often a model may pass by chance: its verdict must be that it clears the baseline, and
        the lower limit of its margin must reach `margin`. None compares the numbers only, as the
        paper does: half of all coin flips pass.
    tries
        How many attempts the model is the best of.
    by
        The group of each observation: the model must pass on the whole test set and in each group
        that can be judged.
    pos_label, threshold, clusters, reference, sample_weight, weights
        As in `evaluate`.

    Raises
    ------
    AssertionError
        With the verdict as its message; with groups, with that of each that fails.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> assert_beats_baseline(ConfusionMatrix(tp=120, fp=30, fn=19, tn=134), "F1")
    >>> assert_beats_baseline(ConfusionMatrix(tp=98, fp=62, fn=41, tn=102), "F1")
    Traceback (most recent call last):
        ...
    AssertionError: F1 of model misses the bar: the lower limit of the margin is -0.0376624, and
    must be above 0. 0.656 exceeds the baseline of 0.629 (everyone positive), but not
    significantly: the margin is 0.027 (95% CI -0.038 to 0.084; p = 9.5e-09). About 2,900 more rows
    like these would settle it (80% power).
    >>> assert_beats_baseline(ConfusionMatrix(tp=98, fp=62, fn=41, tn=102), "F1", alpha=None)
    """
    __tracebackhide__ = True  # pytest shows the line of the test, and the sentence
    gate = Gate(margin, alpha)
    level: Any = {"alpha": ALPHA if alpha is None else alpha, "tries": tries}
    asked = (y_true, by_either_name(y_pred, y_score), measure)
    rows: Any = {"threshold": threshold, "by": by, "clusters": clusters, "reference": reference}
    rows |= {"sample_weight": sample_weight, "weights": weights}
    if all(each is None for each in rows.values()):
        found = read("assert_beats_baseline", MEASURED, asked, pos_label)
        report = evaluate(None, found.table, found.measure, task=found.task.name, **level)
    else:
        truth, predicted, named = row_by_row("assert_beats_baseline", asked)
        # In a list, so that "all" is the name of a measure that there is not.
        report = evaluate(truth, predicted, [named], pos_label=pos_label, **rows, **level)
    failed = [each.sentence for each in gate.rulings(report) if each.status is Status.FAILED]
    if failed:
        raise AssertionError("\n".join(failed))
