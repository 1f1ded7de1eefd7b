"""A model's performance, and the verdict of a measure on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.core.baseline import Scale
from baserate.core.measure import Direction
from baserate.records import EqualByFacts
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.wording import explanation

if TYPE_CHECKING:
    from baserate.core.observed import Observed
    from baserate.data.groups import Group

# The numbers of a verdict that may be undefined.
NUMBERS = (
    "score", "score_error", "low", "high", "baseline", "baseline_min", "baseline_max",
    "theta_star", "perfect", "margin", "margin_low", "margin_high", "margin_error",
    "p_value", "p_low", "p_adjusted", "p_worse", "null_low", "null_high", "rescaled",
    "dutch_scaler", "rows_needed",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Performance(EqualByFacts):
    """One model's performance on the test set, or on one group of it.

    Parameters
    ----------
    model
        The model's name.
    group
        The group; None for the whole test set.
    table
        What it did, in counts: a `Confusion`, or a `ConfusionMatrix` of several classes.
    p_value
        The chance that the same predictions, shuffled, have at least as many right answers; see
        `baserate.p_value`. All measures that are monotone in them share it. If the model is
        the best of several tries, so is chance. nan if it is judged against another model.
    against
        The name of the model that it is judged against; None if that is the best guess.
    clusters
        How many clusters of rows that belong together there are; None if rows are independent.
    """

    model: str
    group: Group | None
    table: Observed
    p_value: float
    against: str | None = None
    clusters: int | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdict(EqualByFacts):
    """The verdict of one measure on one performance. Undefined numbers are nan.

    Parameters
    ----------
    performance
        The model, the group and what it did there.
    measure, name
        The key and the full name of the measure.
    direction
        Whether a larger or a smaller score is better.
    score
        The model's score.
    score_error
        How far it may be from the score of the rows, if only bins of scores left a data frame;
        0 otherwise.
    low, high
        The interval of the score, at 1 - alpha, over test sets like this one.
    baseline
        The expected score of the best guess, which never looks at its input. Against another
        model, that model's score.
    baseline_min, baseline_max
        The lowest and the highest expected score of a guess.
    theta_star
        The fraction that the best Dutch Draw predicts positive; the smallest, if there are
        several, and nan if there are more than two classes.
    reference
        The best guess in words, or the name of the model that it is judged against.
    perfect
        The score of a prediction without errors.
    beats
        Whether the score is better than the baseline; a tie is not better.
    margin
        How much better it is, in the measure's direction; negative if it is worse.
    margin_low, margin_high
        The interval of the margin, at 1 - alpha, over test sets like this one.
    margin_error
        The standard error of the margin.
    p_value
        The chance that the same predictions, shuffled, score at least as well; nan if the
        scores of a custom measure are too many to tell. If it is known by a bracket, it is the
        upper end. Against another model, the chance that scores differ at least as much if the
        answers of both are swapped at random, row by row.
    p_low
        0 if the p-value is the smallest that its method can tell, and `p_value` itself otherwise.
    p_adjusted
        The same, adjusted for the models and groups of the report if that was asked for.
    p_worse
        The chance that a single such shuffle scores at most as well, adjusted likewise. Against
        another model, that of swapping again.
    exact
        Whether these chances are exact, and no approximation or simulation.
    null_low, null_high
        The central scores, 1 - alpha of them, of the same predictions shuffled; nan against
        another model.
    rescaled
        -1 at the worst baseline, 0 at the best, 1 for a perfect score; see
        `baserate.rescaled_score`. Against another model it is the skill score: 0 at that model's
        score, 1 for a perfect one, and negative without end if it is worse.
    dutch_scaler
        The weight of an oracle that explains the score; see `baserate.dutch_scaler`.
    informative
        Whether a prediction without errors, or this one, is better than the baseline.
    rows_needed
        About how many more rows like these would settle it, with a power of 80%; nan unless the
        outcome is `unsure`.
    alpha
        The significance level of each claim.
    outcome
        The outcome, in one word.
    remedy
        What to look for in a model that learned something and does not beat the baseline; empty
        for every other outcome.
    reason
        Why a number is undefined, if one is.
    counts
        Whether scores are numbers of observations, which are shown without decimals. It is not
        written into records, and read again from the name of the measure.

    Examples
    --------
    >>> import baserate as br
    >>> report = br.evaluate(None, br.Confusion(tp=52, fp=41, fn=87, tn=123))
    >>> verdict = report["model", "F1"]
    >>> verdict.beats, round(verdict.margin, 3), verdict.outcome
    (False, -0.181, <Outcome.LEARNED: 'learned'>)
    >>> print(verdict)
    F1 of model: 0.448 is below the baseline of 0.629 (everyone positive), but the model learned
    something (p = 0.014): the threshold or the class balance may not suit this measure.
    """

    performance: Performance
    measure: str
    name: str
    direction: Direction
    score: float
    score_error: float
    low: float
    high: float
    baseline: float
    baseline_min: float
    baseline_max: float
    theta_star: float
    reference: str
    perfect: float
    beats: bool
    margin: float
    margin_low: float
    margin_high: float
    margin_error: float
    p_value: float
    p_low: float
    p_adjusted: float
    p_worse: float
    exact: bool
    null_low: float
    null_high: float
    rescaled: float
    dutch_scaler: float
    informative: bool
    alpha: float
    outcome: Outcome
    rows_needed: float = math.nan
    remedy: str = ""
    reason: str = ""
    counts: bool = False

    @property
    def model(self) -> str:
        """The model's name."""
        return self.performance.model

    @property
    def group(self) -> Group | None:
        """The group; None for the whole test set."""
        return self.performance.group

    @property
    def mark(self) -> str:
        """A sign for tables: ✓ beats the baseline, ~ unsure, ✗ no better, – not judged."""
        return "✗" if self.fails else self.outcome.mark

    @property
    def free(self) -> float:
        """The expected score of the best guess, in the measure's direction."""
        is_maximized = self.direction is Direction.MAXIMIZE
        return self.baseline_max if is_maximized else self.baseline_min

    @property
    def is_low_bar(self) -> bool:
        """Whether it is judged against another model that the best guess is as good as."""
        is_against = self.performance.against is not None
        return is_against and self.scale.advantage(self.baseline, self.free) <= 0

    @property
    def scale(self) -> Scale:
        """The worst baseline, what is to be beaten, and perfection."""
        if self.performance.against is not None:
            return Scale(math.nan, self.baseline, self.perfect, self.direction)
        is_maximized = self.direction is Direction.MAXIMIZE
        worst = self.baseline_min if is_maximized else self.baseline_max
        return Scale(worst, self.baseline, self.perfect, self.direction)

    @property
    def p_floor(self) -> float:
        """The adjusted p-value, if it cannot be told from smaller ones; 0 if it can."""
        return self.p_adjusted if self.p_low == 0 < self.p_value else 0.0

    @property
    def fails(self) -> bool:
        """Whether the score is no better than the baseline, and could have been.

        So does a model without a score because it predicts one class only.
        """
        predicts_one = self.performance.table.one_class and not math.isnan(self.baseline)
        is_without = self.outcome is Outcome.UNDEFINED and self.informative
        return self.outcome.fails or bool(is_without and predicts_one)

    @property
    def shares_p_value(self) -> bool:
        """Whether its p-value is that of the performance, as of every monotone measure."""
        return self.p_value == self.performance.p_value

    def changed(self, **facts: Any) -> Verdict:
        """Return the verdict with other facts, in a tenth of the time of `dataclasses.replace`."""
        found = object.__new__(Verdict)
        found.__dict__.update(self.__dict__, **facts)
        return found

    def __str__(self) -> str:
        return explanation(self)

    def __repr__(self) -> str:
        return str(self)
