"""Every model and every group, judged by every measure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from baserate.baselines import Baseline, baseline
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureError
from baserate.mixture import weight_of_oracle
from baserate.outcome import SIGNIFICANT, Outcome
from baserate.progress import watched
from baserate.scaling import Scale
from baserate.significance import Chance
from baserate.verdict import NUMBERS, Performance, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.base_rate import BaseRate
    from baserate.measures.record import Measure
    from baserate.predictions import Tables


def verdicts(tables: Tables, measures: tuple[Measure, ...]) -> Iterator[Verdict]:
    """Judge every model and group by every measure."""
    judge = _Judge(measures)
    counted = [(model, *item) for model, groups in tables.items() for item in groups.items()]
    for model, group, table in watched(
        counted, len(counted), "evaluating", "tables", size=lambda _: 1
    ):
        chance = Chance.of(table)
        p_value = chance.p_value(table.tp)
        performance = Performance(model=model, group=group, table=table, p_value=p_value)
        yield from judge.verdicts(performance, chance)


@dataclass
class _Judge:
    """Judges one performance after another; those on one test set share its baselines."""

    measures: tuple[Measure, ...]
    known: dict[tuple[BaseRate, str], tuple[Baseline, Scale] | str] = field(default_factory=dict)

    def verdicts(self, performance: Performance, chance: Chance) -> Iterator[Verdict]:
        """Return the verdict of each measure on one performance."""
        for measure in self.measures:
            found = self._scale(performance.table.base_rate, measure)
            if isinstance(found, str):
                yield _without_baseline(performance, measure, found)
            else:
                yield _judged(performance, chance, *found)

    def _scale(self, rate: BaseRate, measure: Measure) -> tuple[Baseline, Scale] | str:
        """Return the baseline and the scale around it, or why there is none."""
        key = (rate, measure.key)
        if key not in self.known:
            try:
                base = baseline(rate, measure)
                self.known[key] = base, Scale.of(base)
            except UndefinedMeasureError as error:
                self.known[key] = str(error)
        return self.known[key]


def _without_baseline(performance: Performance, measure: Measure, reason: str) -> Verdict:
    nothing = dict.fromkeys(NUMBERS, math.nan)
    score, _ = measure.score_or_reason(performance.table)
    return Verdict(
        performance=performance,
        measure=measure.key,
        name=measure.name,
        direction=measure.direction,
        outcome=Outcome.UNDEFINED,
        beats=False,
        informative=False,
        reason=reason,
        **(nothing | {"score": score}),
    )


def _judged(performance: Performance, chance: Chance, base: Baseline, scale: Scale) -> Verdict:
    measure = base.measure
    score, reason = measure.score_or_reason(performance.table)
    margin = scale.advantage(score, scale.best)
    low, high = (math.nan, math.nan) if reason else chance.luck_interval(measure)
    return Verdict(
        performance=performance,
        measure=measure.key,
        name=measure.name,
        direction=measure.direction,
        score=score,
        baseline=scale.best,
        baseline_min=base.min.value,
        baseline_max=base.max.value,
        theta_star=next(iter(base.best.theta_stars)),
        perfect=scale.perfect,
        beats=margin > 0,
        margin=margin,
        luck_low=low,
        luck_high=high,
        rescaled=scale.rescaled(score),
        dutch_scaler=_dutch_scaler(base, scale, score),
        informative=scale.informative or margin > 0,
        outcome=_outcome(scale, score, performance.p_value),
        reason=f"it is undefined: {reason}" if reason else "",
    )


def _dutch_scaler(base: Baseline, scale: Scale, score: float) -> float:
    try:
        return weight_of_oracle(base, scale, score)
    except (UndefinedMeasureError, InvalidMeasureError):
        # Below the baseline there is none; and a user's function may not take parts of a count.
        return math.nan


def _outcome(scale: Scale, score: float, p_value: float) -> Outcome:
    if math.isnan(score):
        return Outcome.UNDEFINED
    if scale.advantage(score, scale.best) > 0:
        return Outcome.CLEARS
    if not scale.informative:
        return Outcome.UNINFORMATIVE
    if scale.is_worse_than_every_draw(score):
        return Outcome.WORSE
    return Outcome.LEARNED if p_value < SIGNIFICANT else Outcome.NO_EVIDENCE
