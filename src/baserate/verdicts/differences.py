"""Every pair of models, compared by every measure, as a whole and in each group."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from baserate.core.measure import Direction
from baserate.core.multiple_testing import Limits, adjusted, widened
from baserate.null.permutations import claims_at
from baserate.progress import watched
from baserate.verdicts.difference import Better, Difference
from baserate.verdicts.judge import Baselines
from baserate.verdicts.reach import rows_to_tell_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.core.observed import Paired
    from baserate.task import Task
    from baserate.verdicts.difference import Pair
    from baserate.verdicts.outcome import Standard

_NONE = Limits(math.nan, math.nan)


def differences(
    task: Task[Any], pairs: Sequence[Pair], measures: Sequence[Any], standard: Standard
) -> tuple[Difference, ...]:
    """Compare every pair by every measure.

    Parameters
    ----------
    task
        What kind of prediction it is.
    pairs
        Two models each, on the whole test set or on a group.
    measures
        The measures of that task.
    standard
        The evidence that a claim needs.
    """
    found: list[Difference] = []
    baselines = Baselines(task)
    with claims_at(standard.of_each(len(pairs) * len(measures))):
        for pair in watched(pairs, len(pairs), "comparing", "pairs", size=lambda _: 1):
            paired = task.paired(pair.table, standard.alpha)
            compared = _Compared(pair.plain, paired, standard.alpha)
            found.extend(
                replace(
                    compared.difference(measure), **_guess(baselines, pair.plain.table, measure)
                )
                for measure in measures
            )
    return tuple(_decided(found, standard))


def _decided(found: Sequence[Difference], standard: Standard) -> Sequence[Difference]:
    """Adjust p-values and intervals over all claims together, if that is asked for, and decide."""
    p_values = adjusted([difference.p_value for difference in found], standard.adjust)
    claims = sum(not math.isnan(p_value) for p_value in p_values)
    changed = []
    for difference, p_adjusted in zip(found, p_values, strict=True):
        together = replace(difference, p_adjusted=p_adjusted)
        if standard.adjust == "holm":
            low, high = widened(
                difference.difference,
                (difference.low, difference.high),
                difference.pair.clusters or difference.pair.table.first.test_set.total,
                standard.alpha,
                claims,
            )
            together = replace(together, low=low, high=high)
        outcome = _outcome(together)
        is_open = outcome in (Better.NO_EVIDENCE, Better.UNSURE)
        rows = rows_to_tell_apart(together, standard) if is_open else math.nan
        changed.append(replace(together, outcome=outcome, rows_needed=rows))
    return changed


def _outcome(difference: Difference) -> Better:
    if difference.reason:
        return Better.UNDEFINED
    if not difference.p_adjusted < difference.alpha:
        return Better.NO_EVIDENCE
    # Models that are not alike may still have equal scores: one is better if the interval says so.
    if not (difference.low > 0 or difference.high < 0):
        return Better.UNSURE
    is_maximized = difference.direction is Direction.MAXIMIZE
    return Better.FIRST if (difference.difference > 0) == is_maximized else Better.SECOND


def _guess(baselines: Baselines, table: Any, measure: Any) -> dict[str, Any]:
    """Return what the best guess scores, what a perfect prediction does, and the guess in words."""
    of = getattr(measure, "of", measure)  # of labels at a threshold, or with weights
    base = "" if of.is_custom else baselines.of(table.first.test_set, measure)
    if isinstance(base, str):  # there is none; and no comparison waits for a search
        return {}
    return {"baseline": base.value, "perfect": base.perfect, "reference": base.guess}


@dataclass(frozen=True, eq=False)
class _Compared:
    """Two models, by one measure after another."""

    pair: Pair
    paired: Paired
    alpha: float

    def difference(self, measure: Any) -> Difference:
        """Return the difference by a measure; what is concluded comes later."""
        table = self.pair.table
        first, first_reason = measure.score_or_reason(table.first)
        second, second_reason = measure.score_or_reason(table.second)
        reason = _reason(self.pair, first_reason, second_reason)
        # The limits are of the second score minus the first.
        limits = _NONE if reason else self.paired.limits(measure)
        swapped = self.paired.swap_test(measure)
        return Difference(
            pair=self.pair,
            measure=measure.key,
            name=measure.name,
            direction=measure.direction,
            counts=measure.counts,
            first_score=first,
            second_score=second,
            difference=first - second,
            low=-limits[1],
            high=-limits[0],
            error=limits.error,
            p_value=swapped.p_value,
            p_low=swapped.least,
            p_adjusted=swapped.p_value,
            exact=swapped.exact,
            alpha=self.alpha,
            outcome=Better.NO_EVIDENCE,
            reason=reason,
        )


def _reason(pair: Pair, first: str, second: str) -> str:
    """Say which of two scores is missing, and why."""
    if first and second:
        return f"neither has a score: {first}"
    if not (first or second):
        return ""
    name, table = (pair.first, pair.table.first) if first else (pair.second, pair.table.second)
    why = f"{name} {table.one_class}, so " if table.one_class else f"{first or second}, so "
    return f"{why}{'it' if table.one_class else name} has no score"
