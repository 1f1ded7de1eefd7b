"""Confidence intervals over test sets like this one, by one bootstrap.

A score, a margin or a difference is a function of sums over the rows. Rows are given random weights
(`weights.py`), and the interval is made of the numbers that result, by the rule that a measure
follows:

- *with an end* (labels, rankings): one spare row is added where it does most harm, and one where it
  does most good. Of a proportion these are the limits of Clopper and Pearson (1934); of a mean with
  ends, those of Learned-Miller and Thomas (2019).
- *a loss*, which has no end: the distance from the mean of the resamples, stretched by Student's t
  with the degrees of freedom of Satterthwaite (1946).
- *a correlation*: the worst row that was seen as a spare one, Student's t on Fisher's scale, and
  never narrower than Fisher's own interval.

docs/ideas/intervals.md has how often each is wrong, and how wide it is. All functions take arrays
with leading axes, so that many test sets are resampled at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Rule
from baserate.intervals.weights import (
    batches,
    exponential_weights,
    gamma_weights,
    spare_weights,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from baserate.intervals.weights import Batch

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

# More units than this are merged with those of nearly the same influence, but for so many at
# either end.
MOST_UNITS, _AT_ENDS = 1_024, 256
# With fewer rows, nothing can be said of how much others differ.
FEWEST_ROWS = 3
# Sums that differ by less are the same.
_SAME = 1e-9
# The most sums that are read at once: they should stay near the processor.
AT_ONCE = 2**18


@dataclass(frozen=True)
class Scale:
    """A scale on which a number is nearly normal."""

    to: Callable[[Any], Any]
    back: Callable[[Any], Any]


PLAIN = Scale(lambda x: x, lambda z: z)
LOG = Scale(np.log, np.exp)
SHARE = Scale(lambda x: -np.log1p(-x), lambda z: -np.expm1(-z))
FISHER = Scale(np.arctanh, np.tanh)


@dataclass(frozen=True, eq=False)
class Statistic:
    """A number as a function of sums over units: distinct rows, or clusters of them.

    Parameters
    ----------
    of
        The number, of sums along the last axis, and of facts. Sums are scaled to as many rows as
        were observed.
    rows
        How many units are alike, of shape (…, units).
    columns
        What one unit adds to each sum, of shape (…, units, sums); None if the sums are the units.
    sizes
        How many rows a unit has; one, if left out.
    rule, scale
        How its interval is made, and on which scale.
    spares
        What one spare row may add to the sums, of shape (ways, sums), for measures with an end.
    ends
        Between which values it is.
    observed
        Its value, if the units are too coarse for it.
    shrunk
        How near the ends are, beside those of these units alone: less than 1 if they are a sample.
    fisher
        Whether the interval is at least as wide as Fisher's of a correlation.
    of_clusters
        The sums of clusters of rows, from what was observed of each, and how many rows they have.
    facts
        What else the number depends on, such as the best guess of a test set. Statistics with the
        same function are resampled at once; they differ in their units and in these.
    """

    of: Callable[..., Floats]
    rows: Floats
    rule: Rule
    columns: Any = None
    sizes: Floats | None = None
    scale: Scale = PLAIN
    spares: Any = None
    ends: tuple[float, float] = (-math.inf, math.inf)
    observed: Floats | None = None
    shrunk: float = 1.0
    fisher: bool = False
    of_clusters: Callable[[Sequence[Any]], tuple[Any, Floats]] | None = None
    facts: tuple[Any, ...] = ()

    @property
    def alike(self) -> Hashable:
        """What those have in common that are resampled at once; None if it must be alone."""
        if self.rows.ndim > 1 or self.rows.size > MOST_UNITS or self.sizes is not None:
            return None
        shapes = [None if each is None else each.shape for each in (self.columns, self.spares)]
        how = self.rule, self.scale, self.ends, self.observed is None, self.shrunk, self.fisher
        return (self.of, self.rows.size, *shapes, *how)

    @classmethod
    def stacked(cls, statistics: Sequence[Statistic]) -> Statistic:
        """Return statistics that are alike as one, with an axis for them in front."""

        def stack(name: str) -> Any:
            first = getattr(statistics[0], name)
            return None if first is None else np.stack([getattr(s, name) for s in statistics])

        names = ("rows", "columns", "spares", "observed")
        facts = tuple(map(np.array, zip(*(each.facts for each in statistics), strict=True)))
        return replace(statistics[0], **{name: stack(name) for name in names}, facts=facts)

    def clustered(self, clusters: Sequence[Any]) -> Statistic | None:
        """Return the same number with clusters as its units; None if their sums are not known."""
        if self.of_clusters is None:
            return None
        sums, sizes = self.of_clusters(clusters)
        columns = _dense(sums).astype(float)
        # In an order that does not depend on that of the rows; those without rows say nothing.
        order = np.lexsort([*np.round(columns, 9).T, sizes])
        order = order[sizes[order] > 0]
        return replace(
            self,
            rows=np.ones(order.size),
            rule=Rule.SEEN,
            columns=columns[order],
            sizes=np.asarray(sizes[order], dtype=float),
            spares=None,
            shrunk=1.0,
            fisher=False,
        )


class Interval:
    """The ends of a confidence interval; each is wrong about alpha / 2 of the time.

    Parameters
    ----------
    statistic
        The number. With fewer than three units, its interval is nan.
    alpha
        How often the interval may miss it.
    """

    def __init__(self, statistic: Statistic, alpha: float) -> None:
        self.alpha = alpha
        with np.errstate(all="ignore"):
            self.units = statistic.rows.sum(axis=-1)
            self.statistic, self.ranks, self.influences = _in_order(_merged(statistic))
            self.sums = _sums(self.statistic, self.statistic.rows[..., np.newaxis, :])[..., 0, :]
            self.of_units = _read(self.statistic, self.sums[..., np.newaxis, :])[..., 0]
            known = statistic.observed
            self.at = self.of_units if known is None else np.asarray(known)
            self.drawn = [self._drawn(batch) for batch in batches(alpha)]

    @cached_property
    def low(self) -> Floats:
        """The lower end."""
        return self._end(-1)

    @cached_property
    def high(self) -> Floats:
        """The upper end."""
        return self._end(1)

    @cached_property
    def error(self) -> Floats:
        """The standard error: the standard deviation of the resamples of the lower end."""
        with np.errstate(all="ignore"):
            known = np.isfinite(self._of_low)
            number = known.sum(axis=-1)
            values = np.where(known, self._of_low, 0.0)
            mean = values.sum(axis=-1, keepdims=True) / number[..., np.newaxis]
            second = (np.where(known, values - mean, 0.0) ** 2).sum(axis=-1) / number
            return np.where(self.units < FEWEST_ROWS, np.nan, self.statistic.shrunk * second**0.5)

    @cached_property
    def _of_low(self) -> Floats:
        """The resamples that the lower end is made of."""
        is_loss = self.statistic.rule is Rule.LOSS
        return self._resampled(None if is_loss else self._spare(-1))

    def _drawn(self, batch: Batch) -> tuple[Floats, Floats, Floats]:
        """Return the sums of resamples, how many rows they have, and a spare row's weight."""
        rows = self.statistic.rows
        if (rows == 1).all() and self.statistic.columns is not None:
            weights = exponential_weights(rows.shape[-1], batch)
        else:
            weights = gamma_weights(rows, self.ranks, batch)
        sizes = self.statistic.sizes
        total = weights.sum(axis=-1) if sizes is None else weights @ sizes
        return _sums(self.statistic, weights), total, spare_weights(batch)

    def _resampled(self, spare: tuple[Floats, float] | None) -> Floats:
        """Return the number of each resample, with a spare unit if its sums and size are given."""
        found = []
        for sums, total, weight in self.drawn:
            if spare is not None:
                # With the draws side by side in memory, as those of the sums are.
                more = np.moveaxis(np.moveaxis(spare[0], -1, 0)[..., np.newaxis] * weight, 0, -1)
                found.append(_read(self.statistic, sums + more, total + weight * spare[1]))
            else:
                found.append(_read(self.statistic, sums, total))
        return np.concatenate(found, axis=-1)

    def _end(self, side: int) -> Floats:
        from scipy.special import ndtri, stdtrit

        statistic, rule, n = self.statistic, self.statistic.rule, self.units
        to, back = statistic.scale.to, statistic.scale.back
        z = -float(ndtri(self.alpha / 2))
        with np.errstate(all="ignore"):
            same = side < 0 or rule is Rule.LOSS
            values = self._of_low if same else self._resampled(self._spare(side))
            center, shift, stretch = to(self.at), to(self.of_units) - to(self.at), 1.0
            if rule is Rule.LOSS:
                # A guess that is chosen again is better in each resample: counted once, not twice.
                shift = np.nansum(to(values), axis=-1) / (~np.isnan(values)).sum(axis=-1) - center
            if rule not in (Rule.END, Rule.AVERAGE):
                freedom = n - 1 if rule is Rule.CORRELATION else self._freedom
                stretch = stdtrit(freedom, 1 - self.alpha / 2) / z * np.sqrt((n + 1) / (n - 1))
            quantile = _quantile(values, self.alpha / 2 if side < 0 else 1 - self.alpha / 2)
            shift = np.where(np.isfinite(shift), shift, 0.0)
            end = back(center + statistic.shrunk * stretch * (to(quantile) - shift - center))
            end = np.where(np.isfinite(end), end, quantile)
            if rule is Rule.LOSS:
                # Rows that all lose the same say nothing of how much others lose.
                is_same = np.ptp(values, axis=-1) <= COMPUTATION * np.abs(values).max(axis=-1)
                if is_same.any():
                    end = np.where(is_same, self._of_spare(side, quantile), end)
            if rule is Rule.AVERAGE:
                half = stdtrit(self._freedom, 1 - self.alpha / 2) * self._jackknifed
                end = _outer(side, end, self.at + side * statistic.shrunk * half)
            if statistic.fisher:
                half = z / np.sqrt(np.maximum(n / statistic.shrunk**2 - 3, 0.1))
                end = _outer(side, end, np.tanh(np.arctanh(self.at) + side * half))
            end = np.where(np.isnan(end), end, _outer(side, end, self.at))
        return np.where(n < FEWEST_ROWS, np.nan, np.clip(end, *statistic.ends))

    def _of_spare(self, side: int, same: Floats) -> Floats:
        """Return the end by a spare row, if there is one; a loss without an end has none."""
        if self.statistic.spares is None:
            return same * (np.nan if self.statistic.scale is LOG else 1.0)
        found = Interval(replace(self.statistic, rule=Rule.END), self.alpha)
        return found.low if side < 0 else found.high

    def _spare(self, side: int) -> tuple[Floats, float]:
        """Return what the spare unit that moves the number most to one side adds, and its rows."""
        statistic = self.statistic
        if statistic.rule in (Rule.END, Rule.AVERAGE) and statistic.spares is not None:
            ways = statistic.spares
            effects = self._of_spares
        else:
            ways, effects = statistic.columns, self.influences
        worst = np.argmax(np.where(np.isnan(effects), -np.inf, side * effects), axis=-1)
        if statistic.sizes is not None:
            return ways[worst], float(statistic.sizes[worst])
        if ways is None:
            return np.asarray(np.eye(statistic.rows.shape[-1])[worst]), 1.0
        if ways.ndim == 2:
            return _dense(ways[worst]), 1.0
        found = np.take_along_axis(ways, worst[..., np.newaxis, np.newaxis], -2)
        return np.asarray(found[..., 0, :]), 1.0

    @cached_property
    def _of_spares(self) -> Floats:
        """By how much each spare row moves the number."""
        return _effects(self.statistic, self.sums, self.statistic.spares, 1.0, self.of_units)

    @cached_property
    def _left_out(self) -> Floats:
        """By how much each unit moves the number, times the units: the jackknife's influences."""
        statistic, n = self.statistic, self.units[..., np.newaxis]
        effects = _effects(statistic, self.sums, statistic.columns, -1.0, self.of_units)
        found = np.where(np.isfinite(effects), -(n - 1) * effects, n * self.influences)
        found = np.where(np.isfinite(found) & (statistic.rows > 0), found, 0.0)
        return np.asarray(found - (statistic.rows * found).sum(axis=-1, keepdims=True) / n)

    @cached_property
    def _jackknifed(self) -> Floats:
        """The jackknife's standard error."""
        n = self.units
        second = (self.statistic.rows * self._left_out**2).sum(axis=-1) / n
        return np.asarray(np.sqrt(second / (n - 1)))

    @cached_property
    def _freedom(self) -> Floats:
        """The degrees of freedom of that error: few, if few units carry it (Satterthwaite)."""
        n, rows = self.units, self.statistic.rows
        second = (rows * self._left_out**2).sum(axis=-1) / n
        kurtosis = (rows * self._left_out**4).sum(axis=-1) / n / second**2
        found = 2 * n / np.maximum(kurtosis - (n - 3) / (n - 1), 1e-9)
        return np.asarray(np.where(second > 0, np.minimum(found, n - 1), n - 1))


def _outer(side: int, end: Floats, other: Floats) -> Floats:
    """Return the end that is farther out; one that is not known says nothing."""
    return np.fmin(end, other) if side < 0 else np.fmax(end, other)


def _dense(columns: Any) -> Floats:
    return np.asarray(columns if isinstance(columns, np.ndarray) else columns.toarray())


def _size(statistic: Statistic) -> Floats:
    """Return how many rows there are."""
    rows, sizes = statistic.rows, statistic.sizes
    return np.asarray((rows if sizes is None else rows * sizes).sum(axis=-1))


def _sums(statistic: Statistic, weights: Floats) -> Floats:
    """Return the sums of each set of weights of the units."""
    columns = statistic.columns
    if columns is None:
        return weights
    if not isinstance(columns, np.ndarray):
        return np.asarray(weights @ columns)
    # With the draws side by side in memory.
    found = np.swapaxes(columns, -1, -2) @ np.swapaxes(weights, -1, -2)
    return np.asarray(np.swapaxes(found, -1, -2))


def _read(statistic: Statistic, sums: Floats, total: Floats | None = None) -> Floats:
    """Return the number of some sums, which are of so many rows."""
    if total is not None:
        factor = _size(statistic)[..., np.newaxis] / total
        sums = sums * factor[..., np.newaxis]
    found = statistic.of(sums, *(each[..., np.newaxis] for each in statistic.facts))
    return np.where(np.isfinite(found), found, np.nan)


def _effects(statistic: Statistic, sums: Floats, columns: Any, times: float, at: Floats) -> Floats:
    """Return by how much the number changes if a row is added, or left out, for each column."""
    units = statistic.rows.shape[-1] if columns is None else columns.shape[-2]
    sizes = np.ones(units)
    if statistic.sizes is not None and columns is statistic.columns:
        sizes = statistic.sizes
    total = _size(statistic)[..., np.newaxis]
    step = max(AT_ONCE // max(sums.size, 1), 1)
    found = []
    for start in range(0, units, step):
        part = slice(start, start + step)
        some = np.eye(units)[part] if columns is None else _dense(columns[..., part, :])
        added = sums[..., np.newaxis, :] + times * some
        found.append(_read(statistic, added, total + times * sizes[part]))
    return np.concatenate(found, axis=-1) - at[..., np.newaxis]


def _influences(statistic: Statistic, sums: Floats, at: Floats) -> Floats:
    """Return by how much one more unit of each kind changes the number.

    Of many units with few sums, it is the sum of what those do.
    """
    columns, units = statistic.columns, statistic.rows.size
    if units <= MOST_UNITS or columns is None or isinstance(columns, np.ndarray):
        return _effects(statistic, sums, columns, 1.0, at)
    from scipy.sparse import eye_array

    slopes = _effects(statistic, sums, eye_array(sums.size, format="csr"), 1.0, at)
    return np.asarray(columns @ np.nan_to_num(slopes))


def _in_order(statistic: Statistic, *, merging: bool = False) -> tuple[Statistic, Ints, Floats]:
    """Return the units, the ranks of what they do, and their influences.

    They are ordered by how many rows they have, or first by their influences for merging.
    The stream of random numbers is given to them by rank. So the interval is the same whatever the
    order of rows and classes, and mirrored for a number with the other sign.
    """
    sums = _sums(statistic, statistic.rows[..., np.newaxis, :])[..., 0, :]
    at = _read(statistic, sums[..., np.newaxis, :])[..., 0]
    influences = np.nan_to_num(_influences(statistic, sums, at))
    largest = np.abs(influences).max(axis=-1, keepdims=True)
    key = np.round(influences / np.where(largest > 0, largest, 1.0), 9)
    skew = (statistic.rows * key**3).sum(axis=-1, keepdims=True)
    side = np.where(np.abs(skew) > _SAME, skew, at[..., np.newaxis])
    keys = np.where(side < 0, -key, key), statistic.rows
    order = np.lexsort(keys[::-1] if merging else keys, axis=-1)
    if statistic.columns is None:
        return statistic, np.argsort(order, axis=-1), influences
    sizes = None if statistic.sizes is None else statistic.sizes[order]
    rows, influences = (
        np.take_along_axis(each, order, -1) for each in (statistic.rows, influences)
    )
    if order.ndim > 1:
        columns = np.take_along_axis(statistic.columns, order[..., np.newaxis], -2)
    else:
        columns = statistic.columns[order]
    ordered = replace(statistic, rows=rows, columns=columns, sizes=sizes)
    return ordered, np.broadcast_to(np.arange(order.shape[-1]), order.shape), influences


def _merged(statistic: Statistic) -> Statistic:
    """Return fewer units, those of nearly the same influence together, if there are many.

    What is lost is the spread within them.
    """
    columns, units = statistic.columns, statistic.rows.size
    if units <= MOST_UNITS or columns is None or columns.ndim > 2:
        return statistic
    if statistic.rule is Rule.AVERAGE:  # the jackknife needs small classes as they are
        return statistic
    ordered, _, _ = _in_order(statistic, merging=True)
    inner = np.linspace(_AT_ENDS, units - _AT_ENDS, MOST_UNITS - 2 * _AT_ENDS + 1).astype(np.int64)
    starts = np.unique(
        np.concatenate([np.arange(_AT_ENDS), inner, np.arange(units - _AT_ENDS, units)])
    )
    rows = np.add.reduceat(ordered.rows, starts)
    if isinstance(columns, np.ndarray):
        sums = np.add.reduceat(ordered.columns * ordered.rows[:, np.newaxis], starts, axis=0)
        sizes = ordered.sizes
        if sizes is not None:
            sizes = np.add.reduceat(sizes * ordered.rows, starts) / rows
        return replace(ordered, rows=rows, columns=sums / rows[:, np.newaxis], sizes=sizes)
    from scipy.sparse import csr_array

    group = np.repeat(np.arange(starts.size), np.diff(starts, append=units))
    shares = csr_array((ordered.rows / rows[group], (group, np.arange(units))))
    return replace(ordered, rows=rows, columns=shares @ ordered.columns)


def _quantile(values: Floats, level: float) -> Floats:
    """Return a quantile along the last axis by Hazen's rule; nan values do not count."""
    known = (~np.isnan(values)).sum(axis=-1)
    place = np.clip(level * known - 0.5, 0, np.maximum(known - 1, 0))
    below = place.astype(np.int64)
    above = np.minimum(below + 1, np.maximum(known - 1, 0))
    if (known == values.shape[-1]).all():
        ordered = np.partition(values, (int(below.flat[0]), int(above.flat[0])), axis=-1)
    else:
        ordered = np.sort(values, axis=-1)
    low, high = (
        np.take_along_axis(ordered, each[..., np.newaxis], -1)[..., 0] for each in (below, above)
    )
    return np.asarray(low + (place - below) * (high - low))
