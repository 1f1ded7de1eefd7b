"""Every model and every group, judged against another model. No task is known here by name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.core.baseline import Scale
from baserate.core.clusters import Clustered, plain
from baserate.core.measure import Direction
from baserate.core.multiple_testing import Tails
from baserate.formatting import printable
from baserate.null.permutations import claims_at
from baserate.progress import watched
from baserate.verdicts.judge import Baselines, settled
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.verdict import Performance, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.core.baseline import Baseline
    from baserate.core.observed import Joint, Paired, Uncertainty
    from baserate.task import Task
    from baserate.verdicts.difference import Pair
    from baserate.verdicts.outcome import Standard


def verdicts_against(
    task: Task[Any], pairs: Sequence[Pair], measures: Sequence[Any], standard: Standard
) -> tuple[Verdict, ...]:
    """Judge the second model of every pair against the first, by every measure.

    Parameters
    ----------
    task
        What kind of prediction it is.
    pairs
        The reference and a model each, on the whole test set or on a group.
    measures
        The measures of that task.
    standard
        The evidence that a claim needs.
    """
    judge = _Judge(task, measures, standard)
    found: list[Verdict] = []
    with claims_at(standard.of_each(len(pairs) * len(measures))):
        for pair in watched(pairs, len(pairs), "evaluating", "tables", size=lambda _: 1):
            found.extend(judge.verdicts(pair))
    return tuple(settled(found, standard, decided))


def decided(verdict: Verdict) -> Outcome:
    """Return the outcome that the numbers of a verdict against another model allow.

    The p-value is of a difference in either direction, and the interval has both ends: of two
    models that are alike, a claim that the second is better is made at most alpha / 2 of the time.
    """
    if math.isnan(verdict.score) or math.isnan(verdict.baseline):
        return Outcome.UNDEFINED
    if verdict.beats:
        is_sure = verdict.p_adjusted < verdict.alpha and verdict.margin_low > 0
        return Outcome.CLEARS if is_sure else Outcome.UNSURE
    if verdict.p_worse < verdict.alpha and verdict.margin_high < 0:
        return Outcome.WORSE
    return Outcome.NO_EVIDENCE if verdict.informative else Outcome.UNINFORMATIVE


@dataclass
class _Judge:
    """Judge one pair at a time; those on the same test set share its best guesses."""

    task: Task[Any]
    measures: Sequence[Any]
    standard: Standard

    @cached_property
    def baselines(self) -> Baselines:
        """Those of the test sets that were met."""
        return Baselines(self.task)

    def verdicts(self, pair: Pair) -> Iterator[Verdict]:
        """Return the verdict of each measure on one pair."""
        counted: Any = pair.table
        alpha, (joint, clusters) = self.standard.alpha, plain(counted)
        second = joint.second
        if clusters is not None:
            second = Clustered(second, [each.second for each in counted.clusters])
        case = _Case(
            Performance(
                model=pair.second,
                group=pair.group,
                table=joint.second,
                p_value=math.nan,
                against=pair.first,
                clusters=clusters,
            ),
            joint,
            self.task.paired(counted, alpha),
            self.task.uncertainty(second, alpha),
            self.standard,
        )
        for measure in self.measures:
            yield case.judged(measure, self.baselines.of(joint.second.test_set, measure))


@dataclass(frozen=True)
class _Case:
    """A model beside a reference, on the same rows."""

    performance: Performance
    joint: Joint
    paired: Paired
    uncertainty: Uncertainty
    standard: Standard

    def judged(self, measure: Any, guesses: Baseline | str) -> Verdict:
        """Return the verdict of one measure; what is concluded comes later."""
        score, score_reason = measure.score_or_reason(self.joint.second)
        baseline, baseline_reason = measure.score_or_reason(self.joint.first)
        reason = self._reason(score_reason, baseline_reason)
        found = _NOT_COMPARED if reason else self._compared(measure)
        lowest = highest = perfect = math.nan  # no verdict depends on the best guess
        if not isinstance(guesses, str):
            lowest, highest, perfect = guesses.min.value, guesses.max.value, guesses.perfect
        scale = Scale(math.nan, baseline, perfect, measure.direction, measure.rounds)
        margin = scale.advantage(score, baseline)
        low, high = self.uncertainty.score(measure)
        return Verdict(
            performance=self.performance,
            measure=measure.key,
            name=measure.name,
            direction=measure.direction,
            counts=measure.counts,
            score=score,
            score_error=measure.score_error(self.joint.second),
            low=low,
            high=high,
            baseline=baseline,
            baseline_min=lowest,
            baseline_max=highest,
            theta_star=math.nan,
            reference=str(self.performance.against),
            perfect=perfect,
            beats=margin > 0,
            margin=margin,
            margin_low=found.low,
            margin_high=found.high,
            margin_error=found.error,
            p_value=found.tails.better,
            p_low=found.tails.least,
            p_adjusted=found.tails.better,
            p_worse=found.tails.worse,
            exact=found.exact,
            null_low=math.nan,
            null_high=math.nan,
            rescaled=scale.rescaled_margin(margin),
            dutch_scaler=math.nan,
            informative=scale.informative or margin > 0,
            alpha=self.standard.alpha,
            outcome=Outcome.UNDEFINED,
            reason=reason,
        )

    def _compared(self, measure: Any) -> _Compared:
        """Return the interval of the margin, and the test of swapping answers."""
        limits = self.paired.limits(measure)
        low, high = limits
        if measure.direction is Direction.MINIMIZE:
            low, high = -high, -low
        found = self.paired.swap_test(measure)
        tails = Tails(found.p_value, found.p_value, found.least).of_best(self.standard.tries)
        return _Compared(low, high, limits.error, tails, found.exact)

    def _reason(self, of_model: str, of_reference: str) -> str:
        """Say whose score is missing, and why; empty if none is."""
        if of_model:
            return f"it is undefined: {of_model}"
        if not of_reference:
            return ""
        why = self.joint.first.one_class or f"has no score: {of_reference}"
        return f"it has nothing to beat: {printable(str(self.performance.against))} {why}"


class _Compared(NamedTuple):
    """The limits of a margin, and the chances of one as large."""

    low: float
    high: float
    error: float
    tails: Tails
    exact: bool


_NOT_COMPARED = _Compared(math.nan, math.nan, math.nan, Tails(math.nan, math.nan), exact=True)
