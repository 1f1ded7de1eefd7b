"""The possible outcomes of a verdict."""

from __future__ import annotations

import enum


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
