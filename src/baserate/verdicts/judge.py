"""Judge models against the best guess, against a reference, and against each other.

No kind of prediction is known here by name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from baserate.core.baseline import Scale
from baserate.core.measure import Direction
from baserate.core.multiple_testing import (
    Limits,
    Tails,
    adjusted,
    claims_at,
    null_levels,
    widened,
)
from baserate.core.observed import Clustered, SwapTest, score_test
from baserate.exceptions import UndefinedMeasureError
from baserate.formatting import printable
from baserate.intervals.limits import difference_limits, margin_limits, score_limits
from baserate.progress import watched
from baserate.verdicts.power import rows_to_settle, rows_to_tell_apart
from baserate.verdicts.verdict import (
    VERDICT_NUMBERS,
    Better,
    Difference,
    Outcome,
    Performance,
    Significance,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from baserate.core.baseline import Baseline
    from baserate.data.rows import Group
    from baserate.task import Task
    from baserate.verdicts.verdict import Pair

J = TypeVar("J", Verdict, Difference)
_DEFAULT = Significance()
_UNKNOWN = Limits(math.nan, math.nan)
# The intervals of so many performances are found at once.
AT_ONCE = 64


def verdicts(
    task: Task[Any],
    observed: Mapping[str, Mapping[Group | None, Any]],
    measures: Sequence[Any],
    significance: Significance = _DEFAULT,
) -> tuple[Verdict, ...]:
    """Judge what each model did, on the whole test set and on each group, by every measure."""
    counted = [(model, *item) for model, groups in observed.items() for item in groups.items()]
    tables, places = _different([table for _, _, table in counted])
    baselines = _Baselines(task)
    found: list[Verdict] = []
    with claims_at(significance.of_each(len(counted) * len(measures))):
        parts = [tables[start : start + AT_ONCE] for start in range(0, len(tables), AT_ONCE)]
        several = len(parts) > 1
        for part in (
            watched(parts, len(tables), "evaluating", "tables", size=len) if several else parts
        ):
            found.extend(_judged(part, measures, baselines, significance))
    if significance.adjust is None:  # what is concluded of equal tables is the same
        return tuple(_of_all(counted, places, _concluded(found, significance)))
    return tuple(_concluded(_of_all(counted, places, found), significance))


def _different(tables: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Return tables that differ, and which of them each is: many small groups are alike."""
    if len(tables) == 1 or any(isinstance(each, Clustered) for each in tables):
        return list(tables), list(range(len(tables)))
    known: dict[Any, int] = {}
    places = [known.setdefault(table, len(known)) for table in tables]
    return list(known), places


def _split(table: Any) -> tuple[Any, Sequence[Any]]:
    """Return what was observed of all rows, and of each cluster if they are in clusters."""
    return table if isinstance(table, Clustered) else (table, ())


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
            named: Any = {"model": model, "group": group, "table": _split(table)[0]}
            performance = replace(some[0].performance, **named)
            verdicts += [verdict.changed(performance=performance) for verdict in some]
    return verdicts


@dataclass
class _Baselines:
    """The baseline of each measure, or why it has none; found once for each test set."""

    task: Task[Any]
    known: dict[tuple[Hashable, Any], Baseline | str] = field(default_factory=dict)

    def of(self, test_set: Hashable, measure: Any) -> Baseline | str:
        found = self.known.get((test_set, measure))
        if found is None:
            try:
                found = self.task.baseline(test_set, measure)
            except UndefinedMeasureError as error:
                found = str(error)
            self.known[test_set, measure] = found
        return found


def _judged(
    tables: Sequence[Any],
    measures: Sequence[Any],
    baselines: _Baselines,
    significance: Significance,
) -> Iterator[Verdict]:
    """Return the verdict of each measure on each table, of a model without a name."""
    task = baselines.task
    split = list(map(_split, tables))
    whole = [observed for observed, _ in split]
    nulls: Sequence[Any] = [_ScoreTests(task, *each) for each in split if each[1]]
    chances = [null.tails(None, 0.0) for null in nulls]
    if not nulls:
        nulls = task.nulls(tables, null_levels(significance.alpha, significance.tries))
        task.find_together(nulls, measures)
        chances = task.tails(tables, nulls)
    bases = [[baselines.of(each.test_set, measure) for measure in measures] for each in whole]
    limits = _limits(task, split, measures, bases, significance.alpha)
    for (observed, parts), null, chance, of_each, known in zip(
        split, nulls, chances, bases, limits, strict=True
    ):
        shared = chance.of_best(significance.tries)
        performance = Performance(
            model="",
            group=None,
            table=observed,
            p_value=shared.better,
            clusters=len(parts) or None,
        )
        for measure, base, (ends, of_margin) in zip(measures, of_each, known, strict=True):
            score, reason = measure.score_or_reason(observed)
            facts: dict[str, Any] = {"score": score, "low": ends[0], "high": ends[1]}
            if isinstance(base, str):
                p_value = shared.better if measure.monotone else math.nan
                p_values = dict.fromkeys(("p_value", "p_low", "p_adjusted"), p_value)
                yield _verdict(performance, measure, significance, base, **facts, **p_values)
                continue
            tails = shared
            if not measure.monotone:
                tails = null.tails(measure, score).of_best(significance.tries)
            if not reason:
                facts["null_low"], facts["null_high"] = null.null_interval(measure)
            yield _verdict(
                performance,
                measure,
                significance,
                f"it is undefined: {reason}" if reason else "",
                **facts,
                **_beside(base.scale, score, of_margin),
                baseline_min=base.min.value,
                baseline_max=base.max.value,
                theta_star=base.theta_star,
                reference=base.guess,
                p_value=tails.better,
                p_low=tails.better if math.isnan(tails.least) else tails.least,
                p_adjusted=tails.better,
                p_worse=tails.worse,
                exact=null.is_exact(measure),
                dutch_scaler=base.oracle_weight(score),
            )


def _limits(
    task: Task[Any],
    split: Sequence[tuple[Any, Sequence[Any]]],
    measures: Sequence[Any],
    bases: Sequence[Sequence[Any]],
    alpha: float,
) -> list[list[tuple[Limits, Limits]]]:
    """Return the intervals of each score and of its margin, those of all tables at once."""
    columns = []
    for measure, of_measure in zip(measures, zip(*bases, strict=True), strict=True):
        asked = [task.asked(measure, *each) for each in split]
        scores = score_limits(asked, alpha)
        margins = margin_limits(asked, of_measure, scores, alpha)
        columns.append(list(zip(scores, margins, strict=True)))
    return [list(row) for row in zip(*columns, strict=True)]


@dataclass(frozen=True, eq=False)
class _ScoreTests:
    """The score test of a model whose rows are in clusters, in place of its null distribution."""

    task: Task[Any]
    whole: Any
    clusters: Sequence[Any]

    def tails(self, measure: Any, score: float) -> Tails:
        """Return the p-values of no association; nan if there is no score."""
        found = score_test(self.task.contributions(self.whole, self.clusters, measure))
        return found._replace(better=math.nan, worse=math.nan) if math.isnan(score) else found

    def null_interval(self, measure: Any) -> tuple[float, float]:  # noqa: ARG002
        """Return nan: shuffled predictions would not belong together."""
        return math.nan, math.nan

    def is_exact(self, measure: Any) -> bool:  # noqa: ARG002
        """Return False: Student's t is an approximation."""
        return False


def _beside(scale: Scale, score: float, limits: Limits) -> dict[str, Any]:
    """Return how a score compares with what it has to beat."""
    margin = scale.advantage(score, scale.best)
    return {
        "baseline": scale.best,
        "perfect": scale.perfect,
        "beats": margin > 0,
        "margin": margin,
        "margin_low": limits[0],
        "margin_high": limits[1],
        "margin_error": limits.error,
        "rescaled": scale.rescaled_margin(margin),
        "informative": scale.informative or margin > 0,
    }


_NOTHING: dict[str, Any] = dict.fromkeys(VERDICT_NUMBERS, math.nan) | {
    "beats": False,
    "informative": False,
    "reference": "",
    "exact": True,
}


def _verdict(
    performance: Performance, measure: Any, significance: Significance, reason: str, **facts: Any
) -> Verdict:
    """Return a verdict with what is known of it; what is concluded comes later."""
    return Verdict(
        performance=performance,
        measure=measure.key,
        name=measure.name,
        direction=measure.direction,
        counts=measure.counts,
        alpha=significance.alpha,
        outcome=Outcome.UNDEFINED,
        remedy=measure.remedy or performance.table.words.remedy,
        reason=reason,
        **_NOTHING | {"score_error": measure.score_error(performance.table)} | facts,
    )


def verdicts_against(
    task: Task[Any], pairs: Sequence[Pair], measures: Sequence[Any], significance: Significance
) -> tuple[Verdict, ...]:
    """Judge the second model of every pair against the first, by every measure."""
    baselines, work = _Baselines(task), ("evaluating", "tables")
    ask = partial(_judged_against, measures, baselines, significance)
    return _of_pairs(ask, pairs, measures, significance, work)


def differences(
    task: Task[Any], pairs: Sequence[Pair], measures: Sequence[Any], significance: Significance
) -> tuple[Difference, ...]:
    """Compare the two models of every pair by every measure."""
    baselines, work = _Baselines(task), ("comparing", "pairs")
    ask = partial(_compared, measures, baselines, significance)
    return _of_pairs(ask, pairs, measures, significance, work)


def _of_pairs(
    ask: Callable[[Pair, Sequence[Any]], Iterator[J]],
    pairs: Sequence[Pair],
    measures: Sequence[Any],
    significance: Significance,
    work: tuple[str, str],
) -> tuple[J, ...]:
    """Ask about every pair, and about its clusters if it has any."""
    found: list[J] = []
    with claims_at(significance.of_each(len(pairs) * len(measures))):
        several = len(pairs) > 1
        for pair in watched(pairs, len(pairs), *work, size=lambda _: 1) if several else pairs:
            table, clusters = _split(pair.table)
            whole = replace(pair, table=table, clusters=len(clusters) or None)
            found.extend(ask(whole, clusters))
    return tuple(_concluded(found, significance))


def _judged_against(
    measures: Sequence[Any],
    baselines: _Baselines,
    significance: Significance,
    pair: Pair,
    clusters: Sequence[Any],
) -> Iterator[Verdict]:
    task, joint = baselines.task, cast("Any", pair.table)
    performance = Performance(
        model=pair.second,
        group=pair.group,
        table=joint.second,
        p_value=math.nan,
        against=pair.first,
        clusters=pair.clusters,
    )
    of_second = [each.second for each in clusters]
    for measure in measures:
        score, why = measure.score_or_reason(joint.second)
        mark, why_not = measure.score_or_reason(joint.first)
        reason = _nothing_to_judge(pair.first, joint, why, why_not)
        limits, swapped = _UNKNOWN, SwapTest(math.nan)
        if not reason:
            asked = task.asked(measure, joint, clusters)
            limits, swapped = difference_limits(asked, significance.alpha), asked.swap_test()
        tails = Tails(swapped.p_value, swapped.p_value, swapped.least).of_best(significance.tries)
        # No verdict depends on the best guess.
        base = baselines.of(joint.second.test_set, measure)
        known, perfect = {}, math.nan
        if not isinstance(base, str):
            known, perfect = {"baseline_min": base.min.value}, base.perfect
            known["baseline_max"] = base.max.value
        scale = Scale(math.nan, mark, perfect, measure.direction, measure.rounds)
        alone = task.asked(measure, joint.second, of_second)
        ((low, high),) = score_limits([alone], significance.alpha)
        is_maximized = measure.direction is Direction.MAXIMIZE
        yield _verdict(
            performance,
            measure,
            significance,
            reason,
            **_beside(scale, score, limits if is_maximized else -limits),
            **known,
            score=score,
            low=low,
            high=high,
            reference=pair.first,
            p_value=tails.better,
            p_low=tails.least,
            p_adjusted=tails.better,
            p_worse=tails.worse,
            exact=swapped.exact,
        )


def _nothing_to_judge(against: str, joint: Any, of_model: str, of_reference: str) -> str:
    """Say whose score is missing, and why; empty if none is."""
    if of_model:
        return f"it is undefined: {of_model}"
    if not of_reference:
        return ""
    why = joint.first.one_class or f"has no score: {of_reference}"
    return f"it has nothing to beat: {printable(against)} {why}"


def _guess(baselines: _Baselines, table: Any, measure: Any) -> dict[str, Any]:
    """Return what the best guess scores, what a perfect prediction does, and the guess in words."""
    of = getattr(measure, "of", measure)  # of labels at a threshold, or with weights
    base = "" if of.is_custom else baselines.of(table.first.test_set, measure)
    if isinstance(base, str):  # there is none; and no comparison waits for a search
        return {}
    return {"baseline": base.value, "perfect": base.perfect, "reference": base.guess}


def _compared(
    measures: Sequence[Any],
    baselines: _Baselines,
    significance: Significance,
    pair: Pair,
    clusters: Sequence[Any],
) -> Iterator[Difference]:
    for measure in measures:
        first, first_reason = measure.score_or_reason(pair.table.first)
        second, second_reason = measure.score_or_reason(pair.table.second)
        reason = _not_compared(pair, first_reason, second_reason)
        # The limits are of the second score minus the first.
        asked = baselines.task.asked(measure, pair.table, clusters)
        limits = _UNKNOWN if reason else -difference_limits(asked, significance.alpha)
        swapped = asked.swap_test()
        yield Difference(
            pair=pair,
            measure=measure.key,
            name=measure.name,
            direction=measure.direction,
            counts=measure.counts,
            first_score=first,
            second_score=second,
            difference=first - second,
            low=limits[0],
            high=limits[1],
            error=limits.error,
            p_value=swapped.p_value,
            p_low=swapped.least,
            p_adjusted=swapped.p_value,
            exact=swapped.exact,
            alpha=significance.alpha,
            outcome=Better.NO_EVIDENCE,
            reason=reason,
            **_guess(baselines, pair.table, measure),
        )


def _not_compared(pair: Pair, first: str, second: str) -> str:
    """Say which of two scores is missing, and why; empty if none is."""
    if first and second:
        return f"neither has a score: {first}"
    if not (first or second):
        return ""
    name, table = (pair.first, pair.table.first) if first else (pair.second, pair.table.second)
    why = f"{name} {table.one_class}, so " if table.one_class else f"{first or second}, so "
    return f"{why}{'it' if table.one_class else name} has no score"


# What may be concluded.


def _concluded(found: Sequence[J], significance: Significance) -> list[J]:
    """Adjust p-values and intervals over all claims together, if that is asked for, and decide."""
    if significance.adjust is not None:
        found = _adjusted_together(found, significance)
    return [each.changed(**_conclusion(each, significance)) for each in found]


def _adjusted_together(found: Sequence[J], significance: Significance) -> list[J]:
    p_values = adjusted([each.p_adjusted for each in found], significance.adjust)
    claims = sum(not math.isnan(p_value) for p_value in p_values)
    worse = [each.p_worse if isinstance(each, Verdict) else math.nan for each in found]
    changed = []
    for each, p_value, p_worse in zip(
        found, p_values, adjusted(worse, significance.adjust), strict=True
    ):
        facts: dict[str, Any] = {"p_adjusted": p_value}
        if isinstance(each, Verdict):
            facts["p_worse"] = p_worse
        if significance.adjust == "holm":
            (number, low, high), rows = _claim(each)
            ends = getattr(each, low), getattr(each, high)
            ends = widened(getattr(each, number), ends, rows, significance.alpha, claims)
            facts |= {low: ends[0], high: ends[1]}
        changed.append(each.changed(**facts))
    return changed


def _claim(judged: Verdict | Difference) -> tuple[tuple[str, str, str], int]:
    """Return what a claim is about, a number with its interval, and how many rows or clusters."""
    if isinstance(judged, Verdict):
        of = judged.performance
        return ("margin", "margin_low", "margin_high"), of.clusters or of.table.test_set.total
    pair = judged.pair
    return ("difference", "low", "high"), pair.clusters or pair.table.first.test_set.total


def _conclusion(judged: Verdict | Difference, significance: Significance) -> dict[str, Any]:
    """Return the outcome, and about how many more rows would settle what is open."""
    if isinstance(judged, Difference):
        better = _better(judged)
        is_open = better in (Better.NO_EVIDENCE, Better.UNSURE)
        rows = rows_to_tell_apart(judged, significance) if is_open else math.nan
        return {"outcome": better, "rows_needed": rows}
    outcome = _outcome(judged)
    rows = rows_to_settle(judged, significance) if outcome is Outcome.UNSURE else math.nan
    remedy = judged.remedy if outcome is Outcome.LEARNED else ""
    return {"outcome": outcome, "remedy": remedy, "rows_needed": rows}


def _outcome(verdict: Verdict) -> Outcome:
    """Return the outcome that the numbers of a verdict allow.

    Against another model, the p-value is of a difference in either direction, and the interval has
    both ends: of two that are alike, the second is called better at most alpha / 2 of the time.
    """
    if math.isnan(verdict.score) or math.isnan(verdict.baseline):
        return Outcome.UNDEFINED
    is_evident = verdict.p_adjusted < verdict.alpha
    if verdict.beats:
        return Outcome.CLEARS if is_evident and verdict.margin_low > 0 else Outcome.UNSURE
    is_worse, is_against = verdict.p_worse < verdict.alpha, verdict.performance.against is not None
    if is_against and is_worse and verdict.margin_high < 0:
        return Outcome.WORSE
    if not verdict.informative:
        return Outcome.UNINFORMATIVE
    if is_worse and not is_against:
        return Outcome.REVERSED
    is_learned = is_evident and not is_against
    return Outcome.LEARNED if is_learned else Outcome.NO_EVIDENCE


def _better(difference: Difference) -> Better:
    if difference.reason:
        return Better.UNDEFINED
    if not difference.p_adjusted < difference.alpha:
        return Better.NO_EVIDENCE
    # Models that are not alike may still have equal scores: one is better if the interval says so.
    if not (difference.low > 0 or difference.high < 0):
        return Better.UNSURE
    is_maximized = difference.direction is Direction.MAXIMIZE
    return Better.FIRST if (difference.difference > 0) == is_maximized else Better.SECOND
