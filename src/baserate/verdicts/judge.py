"""Every model and every group, judged by every measure. No task is known here by name."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from baserate.exceptions import UndefinedMeasureError
from baserate.support.progress import watched
from baserate.verdicts.outcome import SIGNIFICANT, Outcome
from baserate.verdicts.verdict import NUMBERS, Performance, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from baserate.core.scale import Scale
    from baserate.core.task import Null, Task, Yardstick
    from baserate.data.groups import Group


def verdicts(
    task: Task[Any],
    observed: Mapping[str, Mapping[Group | None, Any]],
    measures: Sequence[Any],
) -> Iterator[Verdict]:
    """Judge every model and group by every measure.

    Parameters
    ----------
    task
        What kind of prediction it is.
    observed
        What each model did, on the whole test set and on each group.
    measures
        The measures of that task.
    """
    judge = _Judge(task, measures)
    performances = _performances(task, observed)
    nulls = task.nulls([performance.table for performance in performances])
    for performance, null in watched(
        zip(performances, nulls, strict=True),
        len(performances),
        "evaluating",
        "tables",
        size=lambda _: 1,
    ):
        yield from judge.verdicts(performance, null)


def _performances(
    task: Task[Any], observed: Mapping[str, Mapping[Group | None, Any]]
) -> list[Performance]:
    """Return what each model did, as a whole and in each group."""
    counted = [(model, *item) for model, groups in observed.items() for item in groups.items()]
    found = task.p_values([each for _, _, each in counted])
    return [
        Performance(model=model, group=group, table=each, p_value=p_value)
        for (model, group, each), p_value in zip(counted, found, strict=True)
    ]


@dataclass
class _Judge:
    """Judge one performance at a time; those on the same test set share its baselines."""

    task: Task[Any]
    measures: Sequence[Any]
    known: dict[Hashable, list[Yardstick | str]] = field(default_factory=dict)

    def verdicts(self, performance: Performance, null: Null) -> Iterator[Verdict]:
        """Return the verdict of each measure on one performance."""
        test_set = self.task.test_set(performance.table)
        yardsticks = self.known.get(test_set)
        if yardsticks is None:
            yardsticks = [self._yardstick(test_set, measure) for measure in self.measures]
            self.known[test_set] = yardsticks
        for measure, found in zip(self.measures, yardsticks, strict=True):
            if isinstance(found, str):
                yield _without_baseline(performance, measure, found)
            else:
                yield _judged(performance, null, found)

    def _yardstick(self, test_set: Hashable, measure: Any) -> Yardstick | str:
        """Return the baseline and the scale around it, or why there is none."""
        try:
            return self.task.yardstick(test_set, measure)
        except UndefinedMeasureError as error:
            return str(error)


def _without_baseline(performance: Performance, measure: Any, reason: str) -> Verdict:
    numbers = dict.fromkeys(NUMBERS, math.nan)
    if measure.monotone:
        numbers["p_value"] = performance.p_value
    numbers["score"], _ = measure.score_or_reason(performance.table)
    return Verdict(
        performance=performance,
        measure=measure.key,
        name=measure.name,
        direction=measure.direction,
        outcome=Outcome.UNDEFINED,
        beats=False,
        informative=False,
        reason=reason,
        **numbers,
    )


def _judged(performance: Performance, null: Null, yardstick: Yardstick) -> Verdict:
    base, scale = yardstick.base, yardstick.scale
    measure: Any = base.measure
    score, reason = measure.score_or_reason(performance.table)
    margin = scale.advantage(score, scale.best)
    low, high = (math.nan, math.nan) if reason else null.luck_interval(measure)
    p_value = performance.p_value if measure.monotone else null.p_value(measure, score)
    return Verdict(
        performance=performance,
        measure=measure.key,
        name=measure.name,
        direction=measure.direction,
        score=score,
        baseline=scale.best,
        baseline_min=base.min.value,
        baseline_max=base.max.value,
        theta_star=yardstick.theta_star,
        perfect=scale.perfect,
        beats=margin > 0,
        margin=margin,
        p_value=p_value,
        luck_low=low,
        luck_high=high,
        rescaled=scale.rescaled_margin(margin),
        dutch_scaler=yardstick.oracle_weight(score, margin),
        informative=scale.informative or margin > 0,
        outcome=_outcome(scale, score, margin, p_value),
        reason=f"it is undefined: {reason}" if reason else "",
    )


def _outcome(scale: Scale, score: float, margin: float, p_value: float) -> Outcome:
    if math.isnan(score):
        return Outcome.UNDEFINED
    if margin > 0:
        return Outcome.CLEARS
    if not scale.informative:
        return Outcome.UNINFORMATIVE
    if scale.is_worse_than_every_draw(score):
        return Outcome.WORSE
    return Outcome.LEARNED if p_value < SIGNIFICANT else Outcome.NO_EVIDENCE
