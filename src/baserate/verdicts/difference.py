"""The difference between two models, and what may be concluded from it."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from baserate.core.clusters import plain
from baserate.records import EqualByFacts
from baserate.verdicts.wording import difference_explanation

if TYPE_CHECKING:
    from baserate.core.measure import Direction
    from baserate.core.observed import Joint
    from baserate.data.groups import Group

# The numbers of a difference that may be undefined.
NUMBERS = (
    "first_score",
    "second_score",
    "difference",
    "low",
    "high",
    "error",
    "p_value",
    "p_low",
    "p_adjusted",
    "rows_needed",
    "baseline",
    "perfect",
)


class Better(enum.StrEnum):
    """Which of two models is better, as far as there is evidence: a stable code.

    Examples
    --------
    >>> Better("no_evidence").sentence
    'no evidence of a difference'
    """

    FIRST = "first"
    SECOND = "second"
    UNSURE = "unsure"
    NO_EVIDENCE = "no_evidence"
    UNDEFINED = "undefined"

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        return _SENTENCES[self]


_SENTENCES = {
    Better.FIRST: "the first is better",
    Better.SECOND: "the second is better",
    Better.UNSURE: "differ, but which is better is unclear",
    Better.NO_EVIDENCE: "no evidence of a difference",
    Better.UNDEFINED: "undefined",
}


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two models on the test set, or on one group of it.

    Parameters
    ----------
    first, second
        The names of the models.
    group
        The group; None for the whole test set.
    table
        Their joint table; while they are counted, that of each cluster too.
    clusters
        How many clusters of rows that belong together there are; None if rows are independent.
    """

    first: str
    second: str
    group: Group | None
    table: Joint
    clusters: int | None = None

    @property
    def plain(self) -> Pair:
        """The same with what was observed of all rows alone, if it was of clusters too."""
        table, clusters = plain(self.table)
        return self if clusters is None else replace(self, table=table, clusters=clusters)


@dataclass(frozen=True, kw_only=True, eq=False)
class Difference(EqualByFacts):
    """The difference between two models by one measure. Undefined numbers are nan.

    Parameters
    ----------
    pair
        The two models, the group and their joint table.
    measure, name
        The key and the full name of the measure.
    direction
        Whether a larger or a smaller score is better.
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
    alpha
        The significance level of each claim.
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
    reason
        Why a number is undefined, if one is.
    counts
        Whether scores are numbers of observations, which are shown without decimals. It is not
        written into records, and read again from the name of the measure.

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
    def p_floor(self) -> float:
        """The adjusted p-value, if it cannot be told from smaller ones; 0 if it can."""
        return self.p_adjusted if self.p_low == 0 < self.p_value else 0.0

    @property
    def winner(self) -> str | None:
        """The name of the better model; None if there is no evidence that one is."""
        return {Better.FIRST: self.first, Better.SECOND: self.second}.get(self.outcome)

    def __str__(self) -> str:
        return difference_explanation(self)

    def __repr__(self) -> str:
        return str(self)
