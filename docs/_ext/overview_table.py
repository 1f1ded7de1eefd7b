"""Write which measure has which baseline, and what it misleads about, from the records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import baserate as br
import class_pages
import number_pages
import score_pages
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.tasks import TASKS
from written import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.core.observed import TestSet

CLEVELAND = br.BaseRate(positives=139, total=303)
LABEL_MEASURES = [*TWO_CLASS_MEASURES.values(), br.get_measure("PT")]
_HEAD = ["", "meaning", "best without looking", "score", "what it misleads about"]
# A draw of all or of none is a constant, which needs no θ*.
_CONSTANTS = {0.0: "calling no one positive", 1.0: "calling everyone positive"}


class Section(NamedTuple):
    """The measures of a task, with the test set that their baselines are shown on."""

    task: str
    test_set: TestSet
    measures: Sequence[Any]
    file_of: Callable[[Any], str]

    @property
    def pages(self) -> list[str]:
        """The page of each measure, without its suffix."""
        return [self.file_of(each) for each in self.measures]

    def table(self) -> str:
        """Return the table of the task."""
        return table(_HEAD, [self._row(each) for each in self.measures])

    def toctree(self) -> str:
        """Return the pages for the sidebar of the task's first page."""
        lines = "\n".join(f"/measures/{page}" for page in self.pages)
        return f"```{{toctree}}\n:hidden:\n:caption: Measures\n\n{lines}\n```\n"

    def _row(self, measure: Any) -> list[str]:
        link = f"[{measure.key}]({self.file_of(measure)}.md) {measure.direction.arrow}"
        return [link, measure.meaning, *self._free(measure), measure.pitfall]

    def _free(self, measure: Any) -> tuple[str, str]:
        """Return the best prediction that ignores its input, and its expected score."""
        if getattr(measure, "no_baseline", ""):
            return "none", ""
        baseline = TASKS[self.task].baseline(self.test_set, measure)
        words = baseline.reference
        if not words.startswith("any "):
            words = _CONSTANTS.get(baseline.theta_star, words)
        return words.replace("*", r"\*"), f"{baseline.base.best.value:.6g}"


LABELS = Section("binary", CLEVELAND, LABEL_MEASURES, lambda measure: str(measure.key))
CLASSES = Section(
    "multiclass",
    class_pages.EXAMPLE,
    class_pages.MEASURES,
    lambda measure: f"several/{class_pages.file_of(measure)}",
)
SCORES = Section(
    "scores",
    score_pages.EXAMPLE,
    score_pages.MEASURES,
    lambda measure: f"scores/{score_pages.file_of(measure)}",
)
NUMBERS = Section(
    "regression",
    number_pages.EXAMPLE,
    number_pages.MEASURES,
    lambda measure: f"numbers/{number_pages.file_of(measure)}",
)
SECTIONS = {
    "labels": LABELS,
    "several-classes": CLASSES,
    "scores": SCORES,
    "numbers": NUMBERS,
}
