"""Outcomes, and the evidence that a claim needs."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.multiple_testing import ALPHA, adjusted, require_alpha, require_tries

if TYPE_CHECKING:
    from baserate.core.multiple_testing import Adjustment


class Outcome(enum.StrEnum):
    """The outcome of a verdict: a stable code, which `sentence` puts in words.

    Examples
    --------
    >>> Outcome("unsure").sentence
    'better than the baseline, but not significantly'
    >>> [outcome.value for outcome in Outcome if outcome.fails]
    ['learned', 'no_evidence', 'reversed', 'worse']
    """

    CLEARS = "clears"
    UNSURE = "unsure"
    LEARNED = "learned"
    NO_EVIDENCE = "no_evidence"
    REVERSED = "reversed"
    WORSE = "worse"
    UNINFORMATIVE = "uninformative"
    UNDEFINED = "undefined"

    @property
    def sentence(self) -> str:
        """The outcome in words, against the best guess."""
        return _SENTENCES[self]

    @property
    def mark(self) -> str:
        """A sign for tables: ✓ beats the baseline, ~ unsure, ✗ no better, – not judged."""
        return _MARKS.get(self, "✗")

    @property
    def fails(self) -> bool:
        """Whether the score is no better than the baseline, and could have been."""
        return self in (Outcome.LEARNED, Outcome.NO_EVIDENCE, Outcome.REVERSED, Outcome.WORSE)


_SENTENCES = {
    Outcome.CLEARS: "beats the baseline",
    Outcome.UNSURE: "better than the baseline, but not significantly",
    Outcome.LEARNED: "no better than the baseline, but it learned something",
    Outcome.NO_EVIDENCE: "no better than the baseline, no evidence of learning",
    Outcome.REVERSED: "worse than chance",
    Outcome.WORSE: "worse than the reference",
    Outcome.UNINFORMATIVE: "not judged: a guess is perfect by this measure",
    Outcome.UNDEFINED: "undefined",
}
_MARKS = {
    Outcome.CLEARS: "✓",
    Outcome.UNSURE: "~",
    Outcome.UNINFORMATIVE: "–",
    Outcome.UNDEFINED: "–",
}


@dataclass(frozen=True)
class Standard:
    """How often claims may be wrong, and how many were tried.

    Parameters
    ----------
    alpha
        The significance level of each claim.
    adjust
        How p-values are adjusted for many models and groups: ``"holm"``, ``"bh"`` or None.
    tries
        How many attempts each model is the best of.
    """

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
