"""The Dutch Draw baseline: the largest and the smallest expected score of any draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.binary.confusion import Confusion, as_base_rate
from baserate.binary.measures.affine import affine_score
from baserate.binary.measures.catalogue import get_measure
from baserate.binary.measures.margins import Margins
from baserate.binary.optimum.gain import end_of_gain, straight
from baserate.binary.optimum.search import extremes
from baserate.binary.theta import ThetaInterval, ThetaSet
from baserate.core.optimum import TwoEnds
from baserate.exceptions import UndefinedMeasureError
from baserate.formatting import number_format

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.extreme import Extreme
    from baserate.binary.measures.record import Measure
    from baserate.binary.optimum.found import Found
    from baserate.data.columns import Labels
    from baserate.plots.null import BaselineDisplay
    from baserate.plots.theta import XScale


@dataclass(frozen=True)
class Optimum:
    """An extreme of the expected score, and all draws that attain it.

    Parameters
    ----------
    value
        The expected score.
    theta_stars
        The θ* that attain it.
    exact
        Whether the optimum is certain: it comes from a formula, from every draw, or from a known
        shape, with sums that leave nothing out. If False, a better draw may hide between those
        computed, or floats cannot distinguish the best from its neighbours, or the result relies
        on what was declared of a custom measure; see `Measure.custom`.
    """

    value: float
    theta_stars: ThetaSet
    exact: bool = True

    @classmethod
    def of(cls, found: Found, rate: BaseRate) -> Optimum:
        """Return the optimum that a search has found."""
        return cls(found.value, ThetaSet(found.counts, rate.total), found.exact)

    @property
    def decks(self) -> ThetaSet:
        """The same, by the word that every task has for it."""
        return self.theta_stars

    @property
    def thetas(self) -> tuple[ThetaInterval, ...]:
        """The θ that attain it, as the paper's intervals."""
        return self.theta_stars.intervals


@dataclass(frozen=True)
class Baseline(TwoEnds[Optimum]):
    """The score that comes for free on a test set, for one measure.

    Parameters
    ----------
    measure
        The measure.
    base_rate
        The test set.
    max, min
        The largest and the smallest expected score of any draw.
    """

    measure: Measure
    base_rate: BaseRate
    max: Optimum
    min: Optimum

    def plot(self, *, ax: Axes | None = None, xscale: XScale = "auto") -> BaselineDisplay:
        """Draw what guesses score for every θ.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        xscale
            The scale of θ: ``"linear"``, ``"log"``, or ``"auto"``, which is logarithmic if fewer
            than 5% are positive.
        """
        from baserate.plots.null import BaselineDisplay

        return BaselineDisplay(self).plot(ax, xscale=xscale)

    def __str__(self) -> str:
        best, worst = self.best, self.worst
        write = number_format((best.value, worst.value), counted=self.measure.counts)
        draws = str(best.theta_stars)
        who, rest = "every draw", ""
        if best.value != worst.value:
            who, rest = "the best draw", f"; the worst expects {write(worst.value)}"
        thetas = f"θ* in {draws}" if len(best.theta_stars) > 1 else f"θ* = {draws.strip('{}')}"
        sure = "" if best.exact else "; found by a search, and not certain"
        return (
            f"{self.measure.key} baseline {write(best.value)}: what {who} expects, {thetas}{rest} "
            f"({self.base_rate.total:,} observations, {self.base_rate.positives:,} positive){sure}"
        )


def baseline(
    test_set: BaseRate | Confusion | Labels, measure: str | Measure, *, pos_label: object = None
) -> Baseline:
    """Return the Dutch Draw baseline of a measure: the score that comes for free.

    Parameters
    ----------
    test_set
        A `BaseRate`, a `Confusion`, or the true labels.
    measure
        A measure or its name.
    pos_label
        The positive class of the labels. It may be left out when they are 0/1, -1/1 or booleans.

    Examples
    --------
    >>> from baserate import BaseRate
    >>> base = baseline(BaseRate(positives=139, total=303), "F1")
    >>> round(base.best.value, 3), base.best.theta_stars
    (0.629, ThetaSet({1}))
    >>> print(base)
    F1 baseline 0.629: what the best draw expects, θ* = 1; the worst expects 0.007
    (303 observations, 139 positive)
    >>> print(*base.min.thetas)
    [1/606, 1/202)
    """
    rate, measure = as_base_rate(test_set, pos_label), get_measure(measure)
    measure.require_baseline()
    allowed = measure.allowed(rate)
    if not allowed:
        raise no_draw(rate, measure)
    highest, lowest = _optima(rate, measure, allowed)
    return Baseline(measure, rate, max=highest, min=lowest)


def no_draw(rate: BaseRate, measure: Measure) -> UndefinedMeasureError:
    """Return the error of a measure that no draw can be scored by."""
    # Test the middle: a requirement on predictions fails there only if there is no middle.
    margins = Margins.of(rate, rate.total // 2)
    failing = measure.failing_requirement(margins)
    if failing is None or rate.total == 1:
        needs = " and ".join(need.text for need in measure.requirements)
        evidence = f"positives = {rate.positives}, total = {rate.total}"
        return UndefinedMeasureError.no_draw(measure.key, needs, evidence)
    return UndefinedMeasureError.no_draw(measure.key, failing.text, failing.evidence(margins))


def _optima(rate: BaseRate, measure: Measure, allowed: range) -> tuple[Optimum, Optimum]:
    """Return both optima: declared ones as declared, the others by one search."""
    affine = affine_score(measure, rate)
    if affine is not None:
        highest_and_lowest = straight(affine, allowed)
        return Optimum.of(highest_and_lowest[0], rate), Optimum.of(highest_and_lowest[1], rate)
    highest = _maximum(rate, measure, allowed)
    lowest = _declared(rate, measure, allowed, measure.draw.minimum)
    if highest is None or lowest is None:
        found = [Optimum.of(each, rate) for each in extremes(rate, measure, allowed)]
        return highest or found[0], lowest or found[1]
    return highest, lowest


def _maximum(rate: BaseRate, measure: Measure, allowed: range) -> Optimum | None:
    if measure.draw.maximum is None and measure.draw.gain is not None:
        return Optimum.of(end_of_gain(rate, measure, measure.draw.gain, allowed), rate)
    return _declared(rate, measure, allowed, measure.draw.maximum)


def _declared(
    rate: BaseRate, measure: Measure, allowed: range, extreme: Extreme | None
) -> Optimum | None:
    """Return an optimum of Table 4, if the measure declares it."""
    if extreme is None:
        return None
    is_constant = measure.draw.constant.holds(rate)
    counts = (allowed,) if is_constant else extreme.place.counts(rate, allowed)
    return Optimum(float(extreme.value(rate)), ThetaSet(counts, rate.total))
