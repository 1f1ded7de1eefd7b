"""Every model and every group, judged by every measure. No task is known here by name."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.core.clusters import Clustered, plain
from baserate.core.multiple_testing import adjusted, null_levels, widened
from baserate.exceptions import UndefinedMeasureError
from baserate.intervals.limits import found_together
from baserate.null.permutations import claims_at
from baserate.progress import watched
from baserate.verdicts.outcome import Outcome, Standard
from baserate.verdicts.reach import rows_to_settle
from baserate.verdicts.verdict import NUMBERS, Performance, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from baserate.core.baseline import Baseline
    from baserate.core.multiple_testing import Tails
    from baserate.core.observed import Null
    from baserate.data.groups import Group
    from baserate.intervals.limits import Sure
    from baserate.task import Task

_DEFAULT = Standard()
# The intervals of so many performances are found at once.
AT_ONCE = 64


def verdicts(
    task: Task[Any],
    observed: Mapping[str, Mapping[Group | None, Any]],
    measures: Sequence[Any],
    standard: Standard = _DEFAULT,
) -> tuple[Verdict, ...]:
    """Judge every model and group by every measure.

    Parameters
    ----------
    task
        What kind of prediction it is.
    observed
        What each model did, on the whole test set and on each group.
    measures
        The measures of that task.
    standard
        The evidence that a claim needs.
    """
    counted = [(model, *item) for model, groups in observed.items() for item in groups.items()]
    tables, places = _different([table for _, _, table in counted])
    judge = _Judge(task, measures, standard)
    found: list[Verdict] = []
    with claims_at(standard.of_each(len(counted) * len(measures))):
        parts = (tables[start : start + AT_ONCE] for start in range(0, len(tables), AT_ONCE))
        for part in watched(parts, len(tables), "evaluating", "tables", size=len):
            found.extend(judge.verdicts(part))
    if standard.adjust is None:  # what is concluded of equal tables is the same
        return tuple(_of_all(counted, places, settled(found, standard, decided)))
    return tuple(settled(_of_all(counted, places, found), standard, decided))


def _different(tables: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Return tables that differ, and which of them each is: many small groups are alike."""
    if len(tables) == 1 or any(isinstance(each, Clustered) for each in tables):
        return list(tables), list(range(len(tables)))
    known: dict[Any, int] = {}
    places = [known.setdefault(table, len(known)) for table in tables]
    return list(known), places


def _of_all(
    counted: Sequence[tuple[str, Group | None, Any]],
    places: Sequence[int],
    found: Sequence[Verdict],
) -> list[Verdict]:
    """Return the verdicts of every model and group, by those of the tables that differ."""
    verdicts, each = [], len(found) // max(max(places, default=0) + 1, 1)
    for (model, group, table), place in zip(counted, places, strict=True):
        some = found[place * each : (place + 1) * each]
        if some:
            named: Any = {"model": model, "group": group, "table": plain(table)[0]}
            performance = replace(some[0].performance, **named)
            verdicts += [verdict.changed(performance=performance) for verdict in some]
    return verdicts


def settled(
    found: Sequence[Verdict], standard: Standard, decide: Callable[[Verdict], Outcome]
) -> Sequence[Verdict]:
    """Adjust p-values and intervals over all claims together, if that is asked for, and decide."""
    if standard.adjust is None:
        return [_with_outcome(verdict, decide(verdict), standard) for verdict in found]
    better = adjusted([verdict.p_adjusted for verdict in found], standard.adjust)
    worse = adjusted([verdict.p_worse for verdict in found], standard.adjust)
    claims = sum(not math.isnan(p_value) for p_value in better)
    changed = []
    for verdict, p_adjusted, p_worse in zip(found, better, worse, strict=True):
        facts: dict[str, Any] = {"p_adjusted": p_adjusted, "p_worse": p_worse}
        if standard.adjust == "holm":
            facts["margin_low"], facts["margin_high"] = widened(
                verdict.margin,
                (verdict.margin_low, verdict.margin_high),
                verdict.performance.clusters or verdict.performance.table.test_set.total,
                standard.alpha,
                claims,
            )
        together = verdict.changed(**facts)
        changed.append(_with_outcome(together, decide(together), standard))
    return changed


def _with_outcome(verdict: Verdict, outcome: Outcome, standard: Standard) -> Verdict:
    """Return a verdict with its outcome; only a model that learned something has a remedy."""
    remedy = verdict.remedy if outcome is Outcome.LEARNED else ""
    rows = rows_to_settle(verdict, standard) if outcome is Outcome.UNSURE else math.nan
    return verdict.changed(outcome=outcome, remedy=remedy, rows_needed=rows)


def decided(verdict: Verdict) -> Outcome:
    """Return the outcome that the numbers of a verdict allow."""
    has_learned = verdict.p_adjusted < verdict.alpha
    if math.isnan(verdict.score) or math.isnan(verdict.baseline):
        return Outcome.UNDEFINED
    if verdict.beats:
        return Outcome.CLEARS if has_learned and verdict.margin_low > 0 else Outcome.UNSURE
    if not verdict.informative:
        return Outcome.UNINFORMATIVE
    if verdict.p_worse < verdict.alpha:
        return Outcome.REVERSED
    return Outcome.LEARNED if has_learned else Outcome.NO_EVIDENCE


@dataclass
class Baselines:
    """The baseline of each measure, or why it has none; found once for each test set."""

    task: Task[Any]
    known: dict[tuple[Hashable, Any], Baseline | str] = field(default_factory=dict)

    def of(self, test_set: Hashable, measure: Any) -> Baseline | str:
        """Return the baseline of a measure on a test set, or why there is none."""
        found = self.known.get((test_set, measure))
        if found is None:
            try:
                found = self.task.baseline(test_set, measure)
            except UndefinedMeasureError as error:
                found = str(error)
            self.known[test_set, measure] = found
        return found


@dataclass
class _Judge:
    """Judge some performances at a time; those on the same test set share its baselines."""

    task: Task[Any]
    measures: Sequence[Any]
    standard: Standard

    @cached_property
    def baselines(self) -> Baselines:
        """Those of the test sets that were met."""
        return Baselines(self.task)

    def verdicts(self, tables: Sequence[Any]) -> Iterator[Verdict]:
        """Return the verdict of each measure on each table, of a model without a name."""
        tries = self.standard.tries
        nulls = self.task.nulls(tables, null_levels(self.standard.alpha, tries))
        shared_tails = [each.of_best(tries) for each in self.task.tails(tables, nulls)]
        baselines = [
            [self.baselines.of(plain(table)[0].test_set, each) for each in self.measures]
            for table in tables
        ]
        uncertain = [self.task.uncertainty(table, self.standard.alpha) for table in tables]
        sure = found_together(uncertain, self.measures, baselines)
        for table, shared, null, of_each, limits in zip(
            tables, shared_tails, nulls, baselines, sure, strict=True
        ):
            observed, clusters = plain(table)
            performance = Performance(
                model="", group=None, table=observed, p_value=shared.better, clusters=clusters
            )
            for measure, baseline, known in zip(self.measures, of_each, limits, strict=True):
                case = _Case(performance, measure, shared, null, known, self.standard)
                if isinstance(baseline, str):
                    yield case.without_baseline(baseline)
                else:
                    yield case.judged(baseline)


@dataclass(frozen=True)
class _Case:
    """One measure on one performance, and what chance does there."""

    performance: Performance
    measure: Any
    shared: Tails
    null: Null
    sure: Sure
    standard: Standard

    def without_baseline(self, reason: str) -> Verdict:
        """Return the verdict where there is a score at most, and nothing to compare it with."""
        score, _ = self.measure.score_or_reason(self.performance.table)
        low, high = self.sure.score
        p_value = self.performance.p_value if self.measure.monotone else math.nan
        numbers = dict.fromkeys(NUMBERS, math.nan) | {
            "score": score,
            "score_error": self.measure.score_error(self.performance.table),
            "low": low,
            "high": high,
            "p_value": p_value,
            "p_low": p_value,
            "p_adjusted": p_value,
        }
        return self._verdict(
            beats=False, informative=False, reference="", exact=True, reason=reason, **numbers
        )

    def judged(self, baseline: Baseline) -> Verdict:
        """Return the verdict beside a baseline."""
        scale = baseline.scale
        score, reason = self.measure.score_or_reason(self.performance.table)
        margin = scale.advantage(score, scale.best)
        low, high = self.sure.score
        limits = self.sure.margin
        tails = self._tails(score)
        chance = (math.nan, math.nan) if reason else self.null.null_interval(self.measure)
        return self._verdict(
            score=score,
            score_error=self.measure.score_error(self.performance.table),
            low=low,
            high=high,
            baseline=scale.best,
            baseline_min=baseline.min.value,
            baseline_max=baseline.max.value,
            theta_star=baseline.theta_star,
            reference=baseline.guess,
            perfect=scale.perfect,
            beats=margin > 0,
            margin=margin,
            margin_low=limits[0],
            margin_high=limits[1],
            margin_error=limits.error,
            p_value=tails.better,
            p_low=tails.better if math.isnan(tails.least) else tails.least,
            p_adjusted=tails.better,
            p_worse=tails.worse,
            exact=self.null.is_exact(self.measure),
            null_low=chance[0],
            null_high=chance[1],
            rescaled=scale.rescaled_margin(margin),
            dutch_scaler=baseline.oracle_weight(score),
            informative=scale.informative or margin > 0,
            reason=f"it is undefined: {reason}" if reason else "",
        )

    def _tails(self, score: float) -> Tails:
        if self.measure.monotone:
            return self.shared
        return self.null.tails(self.measure, score).of_best(self.standard.tries)

    def _verdict(self, **facts: Any) -> Verdict:
        return Verdict(
            performance=self.performance,
            measure=self.measure.key,
            name=self.measure.name,
            direction=self.measure.direction,
            alpha=self.standard.alpha,
            outcome=Outcome.UNDEFINED,
            counts=self.measure.counts,
            remedy=self.measure.remedy or self.performance.table.words.remedy,
            **facts,
        )
