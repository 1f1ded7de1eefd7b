"""Judge every model and group by every measure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from baserate.binary.dutch_scaler import Scaler
from baserate.binary.law.chance import Chance, chances, p_values
from baserate.binary.optimum.baseline import baseline
from baserate.binary.rescaling import Scale
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureError
from baserate.support.progress import watched
from baserate.verdicts.outcome import SIGNIFICANT, Outcome
from baserate.verdicts.verdict import NUMBERS, Performance, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure
    from baserate.binary.predictions import Tables


def verdicts(tables: Tables, measures: tuple[Measure, ...]) -> Iterator[Verdict]:
    """Judge every model and group by every measure."""
    judge = _Judge(measures)
    performances = _performances(tables)
    lucks = chances([performance.table for performance in performances])
    for performance, chance in watched(
        zip(performances, lucks, strict=True),
        len(performances),
        "evaluating",
        "tables",
        size=lambda _: 1,
    ):
        yield from judge.verdicts(performance, chance)


def _performances(tables: Tables) -> list[Performance]:
    """Return the performance of each model, as a whole and in each group."""
    counted = [(model, *item) for model, groups in tables.items() for item in groups.items()]
    found = p_values([table for _, _, table in counted])
    return [
        Performance(model=model, group=group, table=table, p_value=p_value)
        for (model, group, table), p_value in zip(counted, found, strict=True)
    ]


@dataclass
class _Judge:
    """Judge one performance at a time; those on the same test set share its baselines."""

    measures: tuple[Measure, ...]
    known: dict[BaseRate, list[Scaler | str]] = field(default_factory=dict)

    def verdicts(self, performance: Performance, chance: Chance) -> Iterator[Verdict]:
        """Yield the verdict of each measure on one performance."""
        scales = self.known.get(chance.base_rate)
        if scales is None:
            scales = [_scaler(chance.base_rate, measure) for measure in self.measures]
            self.known[chance.base_rate] = scales
        for measure, found in zip(self.measures, scales, strict=True):
            if isinstance(found, str):
                yield _without_baseline(performance, measure, found)
            else:
                yield _judged(performance, chance, found)


def _scaler(rate: BaseRate, measure: Measure) -> Scaler | str:
    """Return the baseline and the scale around it, or why there is none."""
    try:
        base = baseline(rate, measure)
        return Scaler(base, Scale.of(base))
    except UndefinedMeasureError as error:
        return str(error)


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


def _judged(performance: Performance, chance: Chance, scaler: Scaler) -> Verdict:
    base, scale = scaler.base, scaler.scale
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
        rescaled=scale.rescaled_margin(margin),
        dutch_scaler=_dutch_scaler(scaler, score, margin),
        informative=scale.informative or margin > 0,
        outcome=_outcome(scale, score, margin, performance.p_value),
        reason=f"it is undefined: {reason}" if reason else "",
    )


def _dutch_scaler(scaler: Scaler, score: float, margin: float) -> float:
    if not margin >= 0:  # a score below the baseline has no Dutch Scaler, and that is fine
        return math.nan
    try:
        return scaler.weight(score)
    except (UndefinedMeasureError, InvalidMeasureError):
        # The baseline is already perfect, or a user's function rejects fractional counts.
        return math.nan


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
