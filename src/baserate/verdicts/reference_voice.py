"""The words of verdicts against another model, such as the last value of a time series."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.formatting import in_words, printable
from baserate.verdicts.free_voice import IN_ITS_DIRECTION, ON_OTHER_TEST_SETS, UNSURE
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.sentences import (
    both_scores,
    margin_in_words,
    more_rows,
    one_class,
    p_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.verdicts.verdict import Verdict


@dataclass(frozen=True)
class ReferenceVoice:
    """How verdicts speak of another model that a score must beat.

    Parameters
    ----------
    reference
        The name of that model.
    unit
        What is swapped: a row, or a cluster of rows.
    """

    reference: str
    unit: str = "row"

    outcomes = (
        Outcome.CLEARS,
        Outcome.UNSURE,
        Outcome.NO_EVIDENCE,
        Outcome.WORSE,
        Outcome.UNINFORMATIVE,
        Outcome.UNDEFINED,
    )
    lead = "another model's predictions of the same observations"
    noun = "reference"
    marks_title = "References"
    tables = "Scores"
    rescaled = ("Skill score", "reference 0, perfect 1")
    has_worst = False
    has_luck = False
    in_groups = "In each group, the model and the reference are scored on its rows alone."

    @cached_property
    def name(self) -> str:
        """The name of the reference, as it is shown."""
        return printable(self.reference)

    @property
    def title(self) -> str:
        """The title of what a score must beat, by itself."""
        return self.name

    @property
    def to_beat(self) -> str:
        """The same before a number."""
        return self.name

    @property
    def judge(self) -> str:
        """The reference in the middle of a sentence."""
        return f"the {self.name}" if self.name == self.noun else self.name

    @property
    def beside(self) -> tuple[str, ...]:
        """The titles of the columns before the scores: what comes for free, and the reference."""
        return self.marks

    @property
    def marks(self) -> tuple[str, str]:
        """The titles of both: what comes for free, and the reference."""
        return "baseline", self.name

    @property
    def track(self) -> tuple[str, str, str]:
        """What is at the left, in the middle and at the right of a picture."""
        return "worse", self.name, "perfect"

    @property
    def pictures(self) -> str:
        """The title of pictures."""
        return f"From {self.judge} to perfection"

    @property
    def in_a_group(self) -> str:
        """What a model must beat in a group."""
        return f"{self.judge} there"

    def key(self, level: str) -> str:
        """Explain a picture, with intervals at a level."""
        return (
            f"The dot is the score; its {level} interval is written beside it. Right of the middle "
            f"is better than {self.judge}. The thick line is the {level} interval of the "
            f"difference: a score is surely better than that of {self.judge} only if all of the "
            "line is."
        )

    def quiet(self, measures: int) -> str:
        """Say why some measures show nothing."""
        by = "it" if measures == 1 else "them"
        return f"{self.judge} is perfect by {by} or has no score"

    def terms(self, level: str, evidence: str) -> list[tuple[str, str]]:
        """Explain the columns of a table, with intervals at a level and this much evidence."""
        free = (
            "The score that comes for free, by the best prediction that never looks at its input. "
            "It shows what the reference itself is worth; no verdict depends on it."
        )
        skill = (
            f"How far the score goes from that of {self.judge} (0) to perfection (1); for a loss "
            "that is 1 minus the ratio of both. Below 0 the model is worse."
        )
        swaps = (
            "The chance that the scores differ at least as much, in either direction, if the "
            f"answers of the model and of {self.judge} are swapped at random, {self.unit} by "
            f"{self.unit}. The {self.unit}s are taken to be independent. {evidence}"
        )
        better = f"How much better the score is than that of {self.judge}, {IN_ITS_DIRECTION}."
        return [
            (self.name, f"The reference: {self.lead}."),
            ("Baseline", free),
            (f"{level} interval", ON_OTHER_TEST_SETS),
            ("Margin", better),
            ("Skill score", skill),
            ("p-value", swaps),
        ]

    def says(self, outcome: Outcome) -> str:
        """Say an outcome in a few words."""
        return {
            Outcome.CLEARS: f"better than {self.judge}",
            Outcome.UNSURE: f"better than {self.judge}, but not surely",
            Outcome.NO_EVIDENCE: f"no better than {self.judge}, but not surely worse",
            Outcome.WORSE: f"worse than {self.judge}",
            Outcome.UNINFORMATIVE: "the reference is perfect",
        }.get(outcome, outcome.sentence)

    def meaning(self, outcome: Outcome, alpha: float) -> str:
        """Explain an outcome, if evidence is a p-value below alpha."""
        evidence = f"of the margin is %s 0, and the p-value below {alpha}"
        return {
            Outcome.CLEARS: f"There is evidence: the whole interval {evidence % 'above'}.",
            Outcome.UNSURE: UNSURE.format(alpha),
            Outcome.NO_EVIDENCE: (
                "The score is no better, but on another test set like this one it might be."
            ),
            Outcome.WORSE: f"There is evidence: the whole interval {evidence % 'below'}.",
            Outcome.UNINFORMATIVE: "No model can be better by this measure here.",
        }.get(outcome, "The model or the reference has no score here; the cell says why.")

    def predicate(self, verdict: Verdict) -> str:
        """Explain a verdict, after its subject."""
        score, base = both_scores(verdict)
        if verdict.outcome is Outcome.UNDEFINED:
            return f"{verdict.reason}.{one_class(verdict) if math.isnan(verdict.score) else ''}"
        if verdict.outcome is Outcome.UNINFORMATIVE:
            return (
                f"{score} cannot be better: {self.judge} has the best possible score, {base}, "
                "already."
            )
        than = f"than {base} of {self.judge}"
        is_what = {
            Outcome.CLEARS: f"is better {than}",
            Outcome.UNSURE: f"is better {than}, but not surely",
            Outcome.NO_EVIDENCE: f"is no better {than}, but not surely worse",
            Outcome.WORSE: f"is worse {than}",
        }[verdict.outcome]
        alone = one_class(verdict) if verdict.outcome is not Outcome.CLEARS else ""
        return f"{score} {is_what}: {margin_in_words(verdict)}.{more_rows(verdict)}{alone}"

    def way(self, verdict: Verdict) -> str:
        """Say what a skill score means."""
        if verdict.rescaled < 0:
            return f"skill score {verdict.rescaled:.2f}"
        return f"{verdict.rescaled:.0%} of the way from {self.judge} to perfection"

    def too_small(self, places: str, alpha: float) -> str:
        """Warn of places where nothing can be shown: they and their verb begin the sentence."""
        return (
            f"{places} too small to show that a model is better than {self.judge}: even a model "
            f"that is better on every row would have a p-value of {alpha:g} or more."
        )

    def low_bar(self, measures: Sequence[str]) -> str:
        """Warn of a reference that what comes for free is as good as, by these measures."""
        return (
            f"By {in_words(measures)}, {self.judge} itself is no better than the baseline, which "
            f"comes for free: to be better than {self.judge} shows little."
        )

    def summary(self, who: str, verdicts: Sequence[Verdict]) -> str:
        """Say in one sentence how a model did, from all the verdicts of one performance."""
        alone = verdicts[0].performance.table.one_class
        found = [part for outcome, words in _BY.items() if (part := _by(verdicts, outcome, words))]
        said = "; ".join(found) or "cannot be judged by these measures"
        return f"{who}{f' ({alone})' if alone else ''} against {self.judge}: {said}."


_BY = {
    Outcome.CLEARS: "better by",
    Outcome.UNSURE: "better, but not surely, by",
    Outcome.NO_EVIDENCE: "no better, but not surely worse, by",
    Outcome.WORSE: "worse by",
    Outcome.UNDEFINED: "undefined by",
}


def _by(verdicts: Sequence[Verdict], outcome: Outcome, words: str) -> str:
    """Name the measures with an outcome, and the p-value of what is claimed; empty if none."""
    found = [verdict for verdict in verdicts if verdict.outcome is outcome]
    if not found:
        return ""
    named = f"{words} {in_words([printable(each.measure) for each in found])}"
    if outcome not in (Outcome.CLEARS, Outcome.WORSE):
        return named
    least = max(found, key=lambda verdict: verdict.p_adjusted)
    largest = "" if len(found) == 1 else "largest "
    return f"{named} ({largest}{p_in_words(least)})"
