"""The words of verdicts on what comes for free: predictions that never look at their input."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.formatting import in_words, p_equals
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.sentences import (
    both_scores,
    margin_in_words,
    more_rows,
    one_class,
    p_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.core.words import Words
    from baserate.verdicts.verdict import Verdict

ON_OTHER_TEST_SETS = "Where the score, or the margin, would be on other test sets like this one."
IN_ITS_DIRECTION = "in the direction of the measure"
UNSURE = (
    "The score is better, but by how much is not sure: the interval of the margin includes 0, or "
    "the p-value is not below {}."
)


@dataclass(frozen=True)
class FreeVoice:
    """How the verdicts of a task speak of the best prediction that never looks at its input.

    Parameters
    ----------
    words
        The words of the task.
    """

    words: Words

    outcomes = (
        Outcome.CLEARS,
        Outcome.UNSURE,
        Outcome.LEARNED,
        Outcome.NO_EVIDENCE,
        Outcome.REVERSED,
        Outcome.UNINFORMATIVE,
        Outcome.UNDEFINED,
    )
    to_beat = "baseline"
    title = "Baseline"
    noun = "baseline"
    beside = ("baseline",)
    marks = ("lowest", "highest")
    tables = "Scores and baselines"
    rescaled = ("Rescaled", "worst, baseline, perfect")
    has_luck = True
    in_groups = "Each group is judged by its own base rate."
    in_a_group = "that group's own baseline"

    @property
    def has_worst(self) -> bool:
        """Whether one of these predictions is the worst."""
        return self.words.has_worst

    @property
    def marks_title(self) -> str:
        """The title of the lowest and the highest baseline in a table."""
        return self.words.baseline[0].upper() + self.words.baseline[1:]

    @property
    def judge(self) -> str:
        """What scores stand beside, in the middle of a sentence."""
        return f"the {self.words.baseline}"

    @property
    def lead(self) -> str:
        """What that is."""
        return (
            "the score that comes for free, by predictions that never look at their input and "
            f"know nothing but {self.words.knows}"
        )

    @property
    def track(self) -> tuple[str, str, str]:
        """The left, the middle and the right of a picture."""
        return f"worst {self.words.deck}" if self.has_worst else "worse", "baseline", "perfect"

    @property
    def pictures(self) -> str:
        """The title of the pictures."""
        if self.has_worst:
            return f"Worst {self.words.deck}, baseline, perfection"
        return "Baseline and perfection"

    def key(self, level: str) -> str:
        """Explain a picture, with intervals at a level."""
        return (
            f"The dot is the score; its {level} interval is written beside it. Right of the "
            f"baseline is better than what comes for free. The thick line is the {level} interval "
            "of the distance to the baseline, which changes from test set to test set too: a score "
            "clears the baseline only if all of the line does. The band is what luck gives: "
            f"{self._null}."
        )

    def quiet(self, measures: int) -> str:
        """Say why some measures show nothing."""
        by = "it" if measures == 1 else "them"
        return f"a {self.words.deck} is perfect by {by} or there is no baseline"

    def terms(self, level: str, evidence: str) -> list[tuple[str, str]]:
        """Explain the columns of a table, with intervals at a level and this much evidence."""
        down = f", or down to the worst {self.words.deck} (−1)" if self.has_worst else ""
        rescaled = (
            f"How far the score goes from the baseline (0) to perfection (1){down}: at 0.5 the "
            "model earns half of what does not come for free."
        )
        return [
            ("Baseline", self.words.best),
            (f"{level} interval", ON_OTHER_TEST_SETS),
            ("Margin", f"How much better the score is than the baseline, {IN_ITS_DIRECTION}."),
            ("Rescaled", rescaled),
            ("By luck", f"The central {level} of the score over {self._null}."),
            ("p-value", f"The chance that luck does at least as well: {self._shared} {evidence}"),
        ]

    def says(self, outcome: Outcome) -> str:
        """Say an outcome in a few words."""
        return outcome.sentence

    def meaning(self, outcome: Outcome, alpha: float) -> str:
        """Explain an outcome, if evidence is a p-value below alpha."""
        deck, null = self.words.deck, self.words.null
        return {
            Outcome.CLEARS: (
                "The score is better than what comes for free, and the evidence is there: the "
                f"whole interval of the margin is above 0, and the p-value below {alpha}."
            ),
            Outcome.UNSURE: UNSURE.format(alpha),
            Outcome.LEARNED: (
                f"There is evidence of learning (p below {alpha}); {self.words.remedy}."
            ),
            Outcome.NO_EVIDENCE: (
                f"A {deck} does as well, and chance may explain what the model did."
            ),
            Outcome.REVERSED: (
                f"{null[0].upper()}{null[1:]} rarely score so badly: look for {self.words.suspect}."
            ),
            Outcome.UNINFORMATIVE: (
                f"A {deck} is perfect by this measure, so that it cannot show learning by itself."
            ),
        }.get(outcome, "The measure or its baseline does not exist here; the cell says why.")

    def predicate(self, verdict: Verdict) -> str:
        """Explain a verdict, after its subject."""
        return _PREDICATES[verdict.outcome](verdict)

    def way(self, verdict: Verdict) -> str:
        """Say what a rescaled score means."""
        if verdict.baseline_min == verdict.baseline_max and verdict.rescaled < 0:
            return f"worse than any {self.words.deck} expects"
        if verdict.rescaled < 0 and not self.has_worst:
            return f"rescaled {verdict.rescaled:.2f}"
        end = f"the worst {self.words.deck}" if verdict.rescaled < 0 else "perfection"
        return f"{abs(verdict.rescaled):.0%} of the way from the baseline to {end}"

    def too_small(self, places: str, alpha: float) -> str:
        """Warn of places where nothing can be shown: they and their verb begin the sentence."""
        return (
            f"{places} too small to show that a model learned: even a prediction without errors "
            f"would have a p-value of {alpha:g} or more."
        )

    def low_bar(self, measures: Sequence[str]) -> str:  # noqa: ARG002
        """Say nothing: what comes for free is the bar."""
        return ""

    def summary(self, who: str, verdicts: Sequence[Verdict]) -> str:
        """Say in one sentence how a model did, from all the verdicts of one performance."""
        alone = verdicts[0].performance.table.one_class
        judged = [v for v in verdicts if v.fails or v.outcome in (Outcome.CLEARS, Outcome.UNSURE)]
        if alone and all(verdict.fails for verdict in judged):
            return f"{who} {alone}{_failing_alone(judged)}."
        return f"{who} {f'{alone}; it ' if alone else ''}{_clears(judged)}; {_luck(verdicts)}."

    @property
    def _shared(self) -> str:
        return f"{self.words.shared_p}."

    @property
    def _null(self) -> str:
        return self.words.null.rstrip(",")


def _relation(verdict: Verdict) -> str:
    if verdict.margin == 0:
        return "no better than"
    return "below" if verdict.direction is Direction.MAXIMIZE else "above"


def _baseline(verdict: Verdict) -> str:
    """Write the baseline and whose it is."""
    _, base = both_scores(verdict)
    return f"the baseline {base} of {verdict.reference}"


def _says_clears(verdict: Verdict) -> str:
    return f"{both_scores(verdict)[0]} clears {_baseline(verdict)}: {margin_in_words(verdict)}."


def _says_unsure(verdict: Verdict) -> str:
    return (
        f"{both_scores(verdict)[0]} is better than {_baseline(verdict)}, but not surely: "
        f"{margin_in_words(verdict)}.{more_rows(verdict)}{one_class(verdict)}"
    )


def _says_learned(verdict: Verdict) -> str:
    return (
        f"{both_scores(verdict)[0]} is {_relation(verdict)} {_baseline(verdict)}, but there is "
        f"evidence that it learned something ({p_in_words(verdict)}): {verdict.remedy}."
    )


def _says_no_evidence(verdict: Verdict) -> str:
    return (
        f"{both_scores(verdict)[0]} is {_relation(verdict)} {_baseline(verdict)}, and there is "
        f"no evidence of learning ({p_in_words(verdict)}).{one_class(verdict)}"
    )


def _says_reversed(verdict: Verdict) -> str:
    words = verdict.performance.table.words
    return (
        f"{both_scores(verdict)[0]} is {_relation(verdict)} {_baseline(verdict)} and worse than "
        f"chance: {words.null} rarely score so badly "
        f"({p_equals(verdict.p_worse, exact=verdict.exact)}). Look for {words.suspect}."
    )


def _says_uninformative(verdict: Verdict) -> str:
    score, base = both_scores(verdict)
    return (
        f"{score} shows nothing by itself: {verdict.reference} has the best possible score, "
        f"{base}, for free."
    )


def _says_undefined(verdict: Verdict) -> str:
    why = "" if math.isnan(verdict.baseline) else one_class(verdict)
    return f"{verdict.reason}.{why}"


_PREDICATES: dict[Outcome, Callable[[Verdict], str]] = {
    Outcome.CLEARS: _says_clears,
    Outcome.UNSURE: _says_unsure,
    Outcome.LEARNED: _says_learned,
    Outcome.NO_EVIDENCE: _says_no_evidence,
    Outcome.REVERSED: _says_reversed,
    Outcome.UNINFORMATIVE: _says_uninformative,
    Outcome.UNDEFINED: _says_undefined,
}


def _clears(judged: Sequence[Verdict]) -> str:
    """Say which baselines a model clears, which it may clear, and which it does not."""
    if not judged:
        return "cannot be judged by these measures"
    cleared = [verdict.measure for verdict in judged if verdict.outcome is Outcome.CLEARS]
    unsure = [verdict.measure for verdict in judged if verdict.outcome is Outcome.UNSURE]
    failing = [verdict.measure for verdict in judged if verdict.fails]
    if len(cleared) == len(judged):
        return f"clears {_all_baselines(cleared)}"
    if len(unsure) == len(judged):
        return f"is better than {_all_baselines(unsure)}, but not surely"
    if len(failing) == len(judged):
        return f"does not beat {_baselines_of(failing)}"
    rest = [f"unsure: {in_words(unsure)}"] if unsure else []
    rest += [f"not beaten: {in_words(failing)}"] if failing else []
    return f"clears {len(cleared) or 'none'} of {len(judged)} baselines ({'; '.join(rest)})"


def _all_baselines(measures: Sequence[str]) -> str:
    if len(measures) == 1:
        return _baselines_of(measures)
    return "both baselines" if len(measures) == 2 else f"all {len(measures)} baselines"


def _baselines_of(measures: Sequence[str]) -> str:
    return f"the baseline{'' if len(measures) == 1 else 's'} of {in_words(measures)}"


def _failing_alone(judged: Sequence[Verdict]) -> str:
    failing = [verdict.measure for verdict in judged]
    return f" and does not beat {_baselines_of(failing)}" if failing else ""


def _luck(verdicts: Sequence[Verdict]) -> str:
    worse = [verdict for verdict in verdicts if verdict.outcome is Outcome.REVERSED]
    if worse:
        least = max(worse, key=lambda verdict: verdict.p_worse)
        p_worse = p_equals(least.p_worse, exact=least.exact)
        suspect = least.performance.table.words.suspect
        return f"it does worse than chance ({p_worse}), so look for {suspect}"
    shared = [verdict for verdict in verdicts if verdict.shares_p_value]
    known = shared[:1] or [each for each in verdicts if not math.isnan(each.p_adjusted)]
    learned = [verdict for verdict in known if verdict.p_adjusted < verdict.alpha]
    if not learned:
        best = min(known, key=lambda verdict: verdict.p_adjusted, default=verdicts[0])
        return f"there is no evidence that it learned ({p_in_words(best)})"
    by = "" if len(learned) == len(known) else f" by {in_words([v.measure for v in learned])}"
    least = max(learned, key=lambda verdict: verdict.p_adjusted)
    return f"there is evidence that it learned something{by} ({p_in_words(least)})"
