"""How verdicts are put into words: it depends on what a score is judged against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.verdicts.outcome import Outcome
    from baserate.verdicts.verdict import Verdict


class Voice(Protocol):
    """What renderers say of the bar that a score must clear, and of the evidence for it."""

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcomes that there are."""

    @property
    def title(self) -> str:
        """The title of what a score must beat, by itself."""

    @property
    def to_beat(self) -> str:
        """The same before a number."""

    @property
    def noun(self) -> str:
        """What kind of thing that is, in one word."""

    @property
    def judge(self) -> str:
        """What scores stand beside, in the middle of a sentence."""

    @property
    def lead(self) -> str:
        """What that is, for a reader who does not know it."""

    @property
    def beside(self) -> tuple[str, ...]:
        """The titles of the columns that stand before the scores in a narrow table."""

    @property
    def marks_title(self) -> str:
        """The common title of two such columns in a wide table."""

    @property
    def marks(self) -> tuple[str, str]:
        """The titles of these two."""

    @property
    def tables(self) -> str:
        """The title of tables of scores."""

    @property
    def track(self) -> tuple[str, str, str]:
        """What is at the left, in the middle and at the right of a picture."""

    @property
    def pictures(self) -> str:
        """The title of pictures."""

    @property
    def rescaled(self) -> tuple[str, str]:
        """What a rescaled score is called, and what its scale is."""

    @property
    def has_worst(self) -> bool:
        """Whether there is a worst score to measure by what is no better."""

    @property
    def has_luck(self) -> bool:
        """Whether it is known what luck gives."""

    @property
    def in_groups(self) -> str:
        """How groups are judged."""

    @property
    def in_a_group(self) -> str:
        """What a model must beat in a group."""

    def key(self, level: str) -> str:
        """Explain a picture, with intervals at a level."""

    def quiet(self, measures: int) -> str:
        """Say why some measures show nothing."""

    def terms(self, level: str, evidence: str) -> list[tuple[str, str]]:
        """Explain the columns of a table, with intervals at a level and this much evidence."""

    def says(self, outcome: Outcome) -> str:
        """Say an outcome in a few words."""

    def meaning(self, outcome: Outcome, alpha: float) -> str:
        """Explain an outcome, if evidence is a p-value below alpha."""

    def predicate(self, verdict: Verdict) -> str:
        """Explain a verdict, after its subject."""

    def way(self, verdict: Verdict) -> str:
        """Say what a rescaled score means."""

    def too_small(self, places: str, alpha: float) -> str:
        """Warn of places where nothing can be shown: they and their verb begin the sentence."""

    def low_bar(self, measures: Sequence[str]) -> str:
        """Warn if what comes for free is as good as what is to be beaten, by these measures."""

    def summary(self, who: str, verdicts: Sequence[Verdict]) -> str:
        """Say in one sentence how a model did, from all the verdicts of one performance."""
