"""The confidence intervals of a score, of its margin over the best guess, and of a difference."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from baserate.core.measure import Direction
from baserate.core.multiple_testing import Limits
from baserate.intervals.bootstrap import AT_ONCE, MOST_UNITS, Interval
from baserate.intervals.weights import DRAWS, batches

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from baserate.core.observed import SwapTest
    from baserate.intervals.bootstrap import Statistic


_NONE = Limits(math.nan, math.nan)


class Proportion(NamedTuple):
    """A score that rises or falls with a proportion of rows, whose interval is exact."""

    hits: int
    misses: int
    score: Callable[[float], float]

    def limits(self, alpha: float) -> Limits:
        """Return the limits of Clopper and Pearson, by quantiles of beta distributions.

        Examples
        --------
        >>> found = Proportion(8, 2, lambda share: share).limits(0.05)
        >>> [round(each, 4) for each in (*found, found.error)]
        [0.4439, 0.9748, 0.1265]
        """
        from scipy.special import betaincinv

        low = float(betaincinv(self.hits, self.misses + 1, alpha / 2)) if self.hits else 0.0
        high = 1.0
        if self.misses:
            high = float(betaincinv(self.hits + 1, self.misses, 1 - alpha / 2))
        first, second = sorted((float(self.score(low)), float(self.score(high))))
        rows = self.hits + self.misses
        share = self.hits / rows
        error = math.sqrt(share * (1 - share) / rows)
        ends = (self.score(min(share + error, 1.0)), self.score(max(share - error, 0.0)))
        return Limits(first, second, abs(float(ends[0]) - float(ends[1])) / 2)


class Margin(NamedTuple):
    """How much better a score is than the guess that is best in each resample, or for the data.

    A perfect model where half are positive beats each guess by a half. In each resample one of
    them is better than that, so an upper end by `chosen` would be too low: it is by `kept`.
    """

    chosen: Statistic
    kept: Statistic | None = None  # None if it is the same


class Family(Protocol):
    """What a kind of prediction knows of its numbers, as functions of how much rows weigh."""

    def proportion(self, measure: Any, observed: Any) -> Proportion | None:
        """Return the proportion that decides a score, if one does."""

    def score(self, measure: Any, observed: Any) -> Statistic | None:
        """Return a score; None if nothing is known of how it varies."""

    def margin(self, baseline: Any, observed: Any) -> Margin | None:
        """Return a margin; None if the baseline is the same on all test sets."""

    def difference(self, measure: Any, joint: Any) -> Statistic | None:
        """Return the second score minus the first; None if it is not known how that varies."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A measure of what one model did, or two: on all rows, and on each cluster if there are any.

    The family knows how its numbers vary, and the test whether two models differ.
    """

    family: Family
    test: Callable[..., SwapTest]
    measure: Any
    observed: Any
    clusters: Sequence[Any] = ()

    @cached_property
    def score(self) -> float:
        """The score; nan if it has no value here."""
        score, reason = self.measure.score_or_reason(self.observed)
        return math.nan if reason else float(score)

    def swap_test(self) -> SwapTest:
        """Return the p-value of swapping two models row by row, or by whole clusters."""
        clusters = (self.clusters,) if self.clusters else ()
        with np.errstate(all="ignore"):  # squares may be beyond the range of floats
            return self.test(self.measure, self.observed, *clusters)


def score_limits(asked: Sequence[Asked], alpha: float) -> list[Limits]:
    """Return the intervals of scores; nan where there is none."""
    known: list[Limits | None] = []
    wanted: list[Statistic | None] = []
    for each in asked:
        score, of = each.score, (each.measure, each.observed)
        share = None if math.isnan(score) else each.family.proportion(*of)
        found = None if share is None else share.limits(alpha)
        known.append(found and Limits(min(found[0], score), max(found[1], score), found.error))
        is_known = math.isnan(score) or (share is not None and not each.clusters)
        with np.errstate(all="ignore"):  # numbers may have squares that no float holds
            wanted.append(None if is_known else each.family.score(*of))
    return _limits(asked, wanted, alpha, known=known)


def margin_limits(
    asked: Sequence[Asked], baselines: Sequence[Any], scores: Sequence[Limits], alpha: float
) -> list[Limits]:
    """Return the intervals of how much better scores are than the best guesses.

    A baseline is a text where there is none. If it is the same on all test sets, the interval of
    the margin is that of the score, moved.
    """
    margins: list[Margin | None] = []
    for each, base in zip(asked, baselines, strict=True):
        is_judged = not isinstance(base, str) and not math.isnan(each.score)
        with np.errstate(all="ignore"):
            margins.append(each.family.margin(base, each.observed) if is_judged else None)
    chosen = [margin and margin.chosen for margin in margins]
    kept = [margin and margin.kept for margin in margins]
    lower = _limits(asked, chosen, alpha, [0 if each is None else -1 for each in kept])
    upper = _limits(asked, kept, alpha, [1] * len(kept))
    found = []
    for each, base, margin, known, low, high in zip(
        asked, baselines, margins, scores, lower, upper, strict=True
    ):
        if isinstance(base, str) or math.isnan(each.score):
            found.append(_NONE)
            continue
        scale, score = base.scale, each.score
        ends = low if margin is None or margin.kept is None else _upwards(low, high)
        if margin is None:
            moved = Limits(known[0] - scale.best, known[1] - scale.best, known.error)
            ends = moved if scale.direction is Direction.MAXIMIZE else -moved
        if not math.isnan(ends[0] + ends[1]):
            slack, best = scale.slack(score, scale.best), scale.advantage(score, scale.best)
            first, last = (0.0 if abs(end) <= slack else end for end in ends)
            ends = Limits(min(first, best), max(last, best), ends.error)
        found.append(_NONE if math.isnan(ends[0] + ends[1]) else ends)
    return found


def difference_limits(asked: Asked, alpha: float) -> Limits:
    """Return the interval of the second score minus the first; nan if one is missing."""
    joint = asked.observed
    first, second = (replace(asked, observed=each).score for each in (joint.first, joint.second))
    if math.isnan(first) or math.isnan(second):
        return _NONE
    if not joint.disagreements:
        return Limits(0.0, 0.0, 0.0)
    # Random numbers are given to cells in their order. So that who is called first does not
    # matter, the model with the larger score is the second; of equal ones, each is in turn.
    both = [asked] if first <= second else []
    if first >= second:
        turned = [each.mirrored for each in asked.clusters]
        both.append(replace(asked, observed=joint.mirrored, clusters=turned))
    with np.errstate(all="ignore"):
        wanted = [each.family.difference(each.measure, each.observed) for each in both]
    found = _limits(both, wanted, alpha)
    if first >= second:
        found[-1] = -found[-1]
    return found[0] if len(found) == 1 else _outer(*found)


# --- Many numbers at once -------------------------------------------------------------------------


def _limits(
    asked: Sequence[Asked],
    numbers: Sequence[Statistic | None],
    alpha: float,
    sides: Sequence[int] | None = None,
    known: Sequence[Limits | None] | None = None,
) -> list[Limits]:
    """Return the intervals of numbers: by rows, and never narrower than by clusters.

    Those by rows may be known.
    """
    known = known or [None] * len(numbers)
    open_ = [n if k is None else None for n, k in zip(numbers, known, strict=True)]
    rows = [k or e for k, e in zip(known, _resampled(open_, alpha, sides), strict=True)]
    if not any(each.clusters for each in asked):
        return rows
    whole = [n and n.clustered(each.clusters) for n, each in zip(numbers, asked, strict=True)]
    clusters = _resampled(whole, alpha)
    return list(map(_outer, rows, clusters))


def _resampled(
    numbers: Sequence[Statistic | None], alpha: float, sides: Sequence[int] | None = None
) -> list[Limits]:
    """Return the intervals of numbers, or one end; many that are alike are resampled at once."""
    sides = sides or [0] * len(numbers)
    alike: dict[tuple[Hashable, int], list[tuple[int, Statistic]]] = defaultdict(list)
    for place, (number, side) in enumerate(zip(numbers, sides, strict=True)):
        if number is not None:
            alike[_alike(number) or place, side].append((place, number))
    found, draws = [_NONE] * len(numbers), DRAWS * len(batches(alpha))
    for (_, side), together in alike.items():
        of = together[0][1]
        sums = of.rows.size if of.columns is None else of.columns.shape[-1]
        step = -(-AT_ONCE // (draws * sums))
        for start in range(0, len(together), step):
            places, some = zip(*together[start : start + step], strict=True)
            interval = Interval(_stacked(some), alpha)
            ends = [np.ravel(each).tolist() for each in interval.ends(side)]
            for place, low, high, error in zip(places, *ends, strict=True):
                found[place] = Limits(low, high, error if math.isfinite(error) else math.nan)
    return found


def _alike(of: Statistic) -> Hashable:
    """Return what those have in common that are resampled at once; None if it must be alone."""
    if of.rows.ndim > 1 or of.rows.size > MOST_UNITS or of.sizes is not None:
        return None
    shapes = [None if each is None else each.shape for each in (of.columns, of.spares)]
    how = of.rule, of.scale, of.ends, of.observed is None, of.shrunk, of.fisher
    return (of.of, of.rows.size, *shapes, *how)


def _stacked(statistics: Sequence[Statistic]) -> Statistic:
    """Return statistics that are alike as one, with an axis for them in front if they are many."""
    if len(statistics) == 1:
        return statistics[0]

    def stack(name: str) -> Any:
        first = getattr(statistics[0], name)
        return None if first is None else np.stack([getattr(s, name) for s in statistics])

    names = ("rows", "columns", "spares", "observed")
    facts = tuple(map(np.array, zip(*(each.facts for each in statistics), strict=True)))
    return replace(statistics[0], **{name: stack(name) for name in names}, facts=facts)


def _outer(rows: Limits, clusters: Limits) -> Limits:
    """Return the interval of clusters, never narrower than that of rows."""
    if math.isnan(clusters[0] + clusters[1]):
        return clusters
    low, high = float(np.fmin(rows[0], clusters[0])), float(np.fmax(rows[1], clusters[1]))
    return Limits(low, high, max(rows.error, clusters.error))


def _upwards(lower: Limits, upper: Limits) -> Limits:
    """Return the lower end of one interval and the upper one of another, no lower than its own."""
    high = math.nan if math.isnan(upper[1]) else float(np.fmax(lower[1], upper[1]))
    return Limits(lower[0], high, lower.error)
