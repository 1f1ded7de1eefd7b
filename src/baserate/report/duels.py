"""Two models by one measure, and all of them: what tables and pictures of a comparison show."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.core.measure import Direction
from baserate.formatting import number_format, printable
from baserate.report.document import Cell, Column, Strip
from baserate.verdicts.verdict import Better
from baserate.verdicts.wording import difference_explanation, measure_title

if TYPE_CHECKING:
    from baserate.verdicts.verdict import Difference


@dataclass(frozen=True)
class Duel:
    """A difference between two models, of which either may come first."""

    difference: Difference
    is_turned: bool

    @classmethod
    def of(cls, difference: Difference) -> Duel:
        """Put the better score first."""
        at, minimizes = difference.difference, difference.direction is Direction.MINIMIZE
        return cls(difference, at > 0 if minimizes else at < 0)

    def led_by(self, model: str) -> Duel:
        """Put a model first."""
        return replace(self, is_turned=model == self.difference.second)

    @property
    def pair(self) -> tuple[str, str]:
        """The first model and the second."""
        pair = self.difference.first, self.difference.second
        return pair[::-1] if self.is_turned else pair

    @property
    def names(self) -> tuple[str, str]:
        """Their names, as they are shown."""
        first, second = map(printable, self.pair)
        return first, second

    @property
    def scores(self) -> tuple[float, float]:
        """The scores, in this order."""
        scores = self.difference.first_score, self.difference.second_score
        return scores[::-1] if self.is_turned else scores

    @property
    def numbers(self) -> tuple[float, float, float]:
        """The difference of the scores in this order, and its interval."""
        found = self.difference
        if self.is_turned:
            return -found.difference, -found.high, -found.low
        return found.difference, found.low, found.high

    @property
    def advantages(self) -> tuple[float, float, float]:
        """How much better the first one is, with the interval; both in the measure's direction."""
        at, low, high = self.numbers
        minimizes = self.difference.direction is Direction.MINIMIZE
        return (-at, -high, -low) if minimizes else (at, low, high)

    @property
    def mark(self) -> str:
        """✓ the first is better, ✗ it is worse, ~ no difference is shown, – there is no score."""
        if self.difference.outcome is Better.UNDEFINED:
            return "–"
        winner = self.difference.winner
        return "~" if winner is None else "✓" if winner == self.pair[0] else "✗"

    @property
    def said(self) -> str:
        """The outcome in a few words."""
        if self.difference.outcome is Better.UNSURE:
            return "differ, unclear which"
        words = {"✓": "first is better", "✗": "second is better", "~": "no difference shown"}
        return words.get(self.mark, "undefined")

    @cached_property
    def texts(self) -> tuple[str, str, str, str]:
        """Both scores, the difference with its sign, and the interval, as they are shown."""
        write = number_format(self.scores, counted=self.difference.counts)
        at, low, high = self.numbers
        one, other = map(write, self.scores)
        if math.isnan(at):
            return one, other, "", ""
        plus = "+" if at > 0 else ""
        ends = "" if math.isnan(low) else f"{write(low)} to {write(high)}"
        return one, other, f"{plus}{write(at)}", ends

    def cell(self, reach: float) -> Cell:
        """Return the difference with its picture."""
        strip = Strip.of(*self.advantages, reach)
        said = difference_explanation(self.difference)
        return Cell(self.texts[2], self.mark, said=said, strip=strip)


@dataclass(frozen=True)
class Contest:
    """All duels by one measure, and the best guess."""

    duels: tuple[Duel, ...]

    @property
    def first(self) -> Difference:
        """One of the differences, for what they share: the measure and its best guess."""
        return self.duels[0].difference

    @property
    def column(self) -> Column:
        """The head of the measure's column."""
        return Column(*measure_title(self.first))

    @property
    def sign(self) -> float:
        """The sign that turns a difference into an advantage."""
        return -1.0 if self.first.direction is Direction.MINIMIZE else 1.0

    @cached_property
    def scores(self) -> dict[str, float]:
        """The score of each model."""
        found: dict[str, float] = {}
        for each in (duel.difference for duel in self.duels):
            found |= {each.first: each.first_score, each.second: each.second_score}
        return found

    @cached_property
    def best(self) -> str:
        """The model with the best score."""
        known = [name for name, score in self.scores.items() if not math.isnan(score)]
        return max(known or self.scores, key=lambda name: self.sign * self.scores[name])

    @cached_property
    def met(self) -> dict[frozenset[str], Duel]:
        """The duel of each pair."""
        return {frozenset(duel.pair): duel for duel in self.duels}

    @cached_property
    def reach(self) -> float:
        """The largest advantage, or end of an interval."""
        ends = [abs(end) for duel in self.duels for end in duel.advantages if math.isfinite(end)]
        return max(ends, default=0.0)

    def score(self, name: str) -> Cell:
        """Return a score and how far it is from the best: ✓ the best, ~ too close, ✗ worse."""
        write = number_format(self.scores.values(), counted=self.first.counts)
        score, best = self.scores[name], self.scores[self.best]
        if math.isnan(score):
            return Cell(write(score), "–")
        if score == best:
            return Cell(write(score), "✓", small="best")
        met = self.met[frozenset((name, self.best))].difference
        return Cell(
            write(score), "✗" if met.winner == self.best else "~", small=write(score - best)
        )

    @property
    def guess(self) -> Cell:
        """Return what the best guess scores."""
        write = number_format(
            [*self.scores.values(), self.first.baseline], counted=self.first.counts
        )
        return Cell(write(self.first.baseline), small=printable(self.first.reference))

    @property
    def can_show(self) -> bool:
        """Whether a model can be better than the best guess."""
        return self.sign * (self.first.perfect - self.first.baseline) > 0

    def is_ahead(self, name: str) -> bool:
        """Whether a model scores better than the best guess."""
        return self.sign * (self.scores[name] - self.first.baseline) > 0
