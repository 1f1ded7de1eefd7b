"""What a measure says of a model, or of two: the records of all numbers and their outcome."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from baserate.core.baseline import Scale
from baserate.core.measure import Direction
from baserate.core.multiple_testing import ALPHA, adjusted, require_alpha, require_tries
from baserate.formatting import Spoken, confidence, number_format, probability
from baserate.records import EqualByFacts

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

    from baserate.core.multiple_testing import Adjustment
    from baserate.core.observed import Joint, Observed
    from baserate.data.rows import Group
    from baserate.plots.strips import ComparisonDisplay, ReportDisplay


class Coded(enum.StrEnum):
    """A stable code, which `sentence` puts in words."""

    sentence: str

    def __new__(cls, code: str, sentence: str = "") -> Self:
        """Return a code with its sentence."""
        found = str.__new__(cls, code)
        found._value_, found.sentence = code, sentence
        return found


class Outcome(Coded):
    """The outcome of a verdict: a stable code, which `sentence` puts in words.

    Examples
    --------
    >>> Outcome("unsure").sentence
    'better than the baseline, but not significantly'
    >>> [outcome.value for outcome in Outcome if outcome.fails]
    ['learned', 'no_evidence', 'reversed', 'worse']
    """

    CLEARS = "clears", "beats the baseline"
    UNSURE = "unsure", "better than the baseline, but not significantly"
    LEARNED = "learned", "no better than the baseline, but it learned something"
    NO_EVIDENCE = "no_evidence", "no better than the baseline, no evidence of learning"
    REVERSED = "reversed", "worse than chance"
    WORSE = "worse", "worse than the reference"
    UNINFORMATIVE = "uninformative", "not judged: a guess is perfect by this measure"
    UNDEFINED = "undefined", "undefined"

    @property
    def mark(self) -> str:
        """A sign for tables: ✓ beats the baseline, ~ unsure, ✗ no better, – not judged."""
        return {"clears": "✓", "unsure": "~"}.get(self.value, "✗" if self.fails else "–")

    @property
    def fails(self) -> bool:
        """Whether the score is no better than the baseline, and could have been."""
        return self in (Outcome.LEARNED, Outcome.NO_EVIDENCE, Outcome.REVERSED, Outcome.WORSE)


class Better(Coded):
    """Which of two models is better, as far as there is evidence: a stable code.

    Examples
    --------
    >>> Better("no_evidence").sentence
    'no evidence of a difference'
    """

    FIRST = "first", "the first is better"
    SECOND = "second", "the second is better"
    UNSURE = "unsure", "differ, but which is better is unclear"
    NO_EVIDENCE = "no_evidence", "no evidence of a difference"
    UNDEFINED = "undefined", "undefined"


@dataclass(frozen=True)
class Significance:
    """How often claims may be wrong, how many are judged together, and how many were tried."""

    alpha: float = ALPHA
    adjust: Adjustment = None
    tries: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", require_alpha(self.alpha))
        adjusted([], self.adjust)  # an unknown way is an error at once
        object.__setattr__(self, "tries", require_tries(self.tries))

    def of_each(self, claims: int) -> float:
        """Return the level of the strictest of some claims, and of one try of several."""
        return self.alpha / self.tries / (1 if self.adjust is None else max(claims, 1))


class _Judged(Spoken, EqualByFacts):
    """What a verdict and a difference have in common."""

    p_value: float
    p_low: float
    p_adjusted: float

    @property
    def p_floor(self) -> float:
        """The adjusted p-value, if it cannot be told from smaller ones; 0 if it can."""
        return self.p_adjusted if self.p_low == 0 < self.p_value else 0.0

    def plot(self, *, ax: Axes | None = None) -> ReportDisplay | ComparisonDisplay:
        """Draw it as a strip: the number with its interval, beside the best guess or beside zero.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        """
        from baserate.plots.strips import display_of_one

        return display_of_one(self, ax)  # type: ignore[arg-type]

    def changed(self, **facts: Any) -> Self:
        """Return the same with other facts, in a tenth of the time of `dataclasses.replace`."""
        found = object.__new__(type(self))
        object.__setattr__(found, "__dict__", self.__dict__ | facts)
        return found


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
        What it did, in counts: a `ConfusionMatrix`, of two or of several classes.
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Verdict(_Judged):
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
    >>> report = br.evaluate(None, br.ConfusionMatrix(tp=52, fp=41, fn=87, tn=123))
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
        return self._ends[1]

    @property
    def _ends(self) -> tuple[float, float]:
        """The expected scores of the worst and of the best guess."""
        ends = self.baseline_min, self.baseline_max
        return ends if self.direction is Direction.MAXIMIZE else ends[::-1]

    @property
    def is_low_bar(self) -> bool:
        """Whether it is judged against another model that the best guess is as good as."""
        is_against = self.performance.against is not None
        return is_against and self.scale.advantage(self.baseline, self.free) <= 0

    @property
    def scale(self) -> Scale:
        """The worst baseline, what is to be beaten, and perfection."""
        worst = self._ends[0] if self.performance.against is None else math.nan
        return Scale(worst, self.baseline, self.perfect, self.direction)

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

    def facts_in_words(self) -> dict[str, str]:
        """Return the numbers by their names."""
        write = number_format((self.score, self.baseline), counted=self.counts)
        level = confidence(self.alpha)
        return {
            "model": self.model,
            **({} if self.group is None else {"group": str(self.group)}),
            "measure": self.name,
            "score": f"{write(self.score)} ({level} CI {write(self.low)} to {write(self.high)})",
            "baseline": f"{write(self.baseline)} ({self.reference})",
            "margin": f"{write(self.margin)} ({level} CI {write(self.margin_low)} to "
            f"{write(self.margin_high)})",
            "p-value": probability(self.p_adjusted, exact=self.exact, floor=self.p_floor),
            "outcome": f"{self.mark} {self.outcome.value}",
        }

    def __str__(self) -> str:
        from baserate.verdicts.wording import explanation

        return explanation(self)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two models on the test set, or on one group of it."""

    first: str
    second: str
    group: Group | None  # None for the whole test set
    table: Joint  # while they are counted, with that of each cluster
    clusters: int | None = None  # how many there are; None if rows are independent


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Difference(_Judged):
    """The difference between two models by one measure. Undefined numbers are nan.

    Parameters
    ----------
    pair
        The two models, the group and their joint table.
    measure, name, direction, alpha, reason, counts
        As in a `Verdict`.
    first_score, second_score
        The scores of both models.
    difference
        The first score minus the second, whichever direction is better.
    low, high
        The interval of the difference, at 1 - alpha, over test sets like this one.
    error
        The standard error of the difference.
    p_value
        The chance that scores differ at least as much if the answers of the models are swapped at
        random, row by row.
    p_low
        0 if the p-value cannot be told from smaller ones, and otherwise the p-value itself.
    p_adjusted
        The same, adjusted for the pairs and groups of the comparison if that was asked for.
    exact
        Whether all swaps are counted, and not a random sample of them.
    outcome
        Which model is better, as far as there is evidence.
    rows_needed
        About how many more rows like these would settle it, with a power of 80%; nan if one of the
        models is better, or nothing can be said.
    baseline, perfect
        The expected score of the best guess, which never looks at its input, and that of a
        prediction without errors.
    reference
        The best guess in words.

    Examples
    --------
    >>> import baserate as br
    >>> y_true = [1] * 20 + [0] * 20
    >>> tree, forest = [1] * 10 + [0] * 30, [1] * 18 + [0] * 22
    >>> (difference,) = br.compare(y_true, {"tree": tree, "forest": forest}, "ACC")
    >>> difference.winner, round(difference.difference, 3), round(difference.p_value, 4)
    ('forest', -0.2, 0.0078)
    >>> print(difference)
    forest is better than tree by accuracy: tree 0.750, forest 0.950, a difference of -0.200 (95%
    CI -0.356 to -0.045; p = 0.008).
    """

    pair: Pair
    measure: str
    name: str
    direction: Direction
    first_score: float
    second_score: float
    difference: float
    low: float
    high: float
    error: float
    p_value: float
    p_low: float
    p_adjusted: float
    exact: bool
    alpha: float
    outcome: Better
    rows_needed: float = math.nan
    baseline: float = math.nan
    perfect: float = math.nan
    reference: str = ""
    reason: str = ""
    counts: bool = False

    @property
    def first(self) -> str:
        """The name of the first model."""
        return self.pair.first

    @property
    def second(self) -> str:
        """The name of the second model."""
        return self.pair.second

    @property
    def group(self) -> Group | None:
        """The group; None for the whole test set."""
        return self.pair.group

    @property
    def disagreements(self) -> int:
        """The number of observations on which the models give different answers."""
        return self.pair.table.disagreements

    @property
    def winner(self) -> str | None:
        """The name of the better model; None if there is no evidence that one is."""
        return {Better.FIRST: self.first, Better.SECOND: self.second}.get(self.outcome)

    def facts_in_words(self) -> dict[str, str]:
        """Return the numbers by their names."""
        write = number_format((self.first_score, self.second_score), counted=self.counts)
        between = f"{confidence(self.alpha)} CI {write(self.low)} to {write(self.high)}"
        return {
            **({} if self.group is None else {"group": str(self.group)}),
            "measure": self.name,
            self.first: write(self.first_score),
            self.second: write(self.second_score),
            "difference": f"{write(self.difference)} ({between})",
            "p-value": probability(self.p_adjusted, exact=self.exact, floor=self.p_floor),
            "better": self.winner or "not shown",
        }

    def __str__(self) -> str:
        from baserate.verdicts.wording import difference_explanation

        return difference_explanation(self)


def _numbers(kind: Any) -> tuple[str, ...]:
    """Return the names of the numbers of a record that may be undefined."""
    return tuple(e.name for e in fields(kind) if e.type == "float" and e.name != "alpha")


VERDICT_NUMBERS = _numbers(Verdict)
DIFFERENCE_NUMBERS = _numbers(Difference)
