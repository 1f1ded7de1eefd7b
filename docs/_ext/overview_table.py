"""Write which measure has which baseline, and what it misleads about, from the records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import baserate as br
import class_pages
import number_pages
import score_pages
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from written import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.core.observed import TestSet

CLEVELAND = br.BaseRate(positives=139, total=303)
LABEL_MEASURES = [*TWO_CLASS_MEASURES.values(), br.get_measure("PT")]
_HEAD = ["", "meaning", "best guess", "its score", "when it misleads"]


class Section(NamedTuple):
    """The measures of a kind of prediction, with the test set of the example."""

    title: str
    example: str
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
        """Return the pages for the sidebar."""
        lines = "\n".join(f"/measures/{page}" for page in self.pages)
        return f"```{{toctree}}\n:hidden:\n:caption: {self.title}\n\n{lines}\n```\n"

    def _row(self, measure: Any) -> list[str]:
        link = f"[{measure.key}]({self.file_of(measure)}.md) {measure.direction.arrow}"
        return [link, measure.meaning, *self._free(measure), measure.pitfall]

    def _free(self, measure: Any) -> tuple[str, str]:
        """Return the best guess, and its expected score."""
        if getattr(measure, "no_baseline", ""):
            return "none", ""
        base = br.baseline(self.test_set, measure)
        return base.guess.replace("*", r"\*"), f"{base.value:.6g}"


LABELS = Section(
    "Two classes",
    f"the Cleveland Heart Disease data, {CLEVELAND.described}",
    CLEVELAND,
    LABEL_MEASURES,
    lambda measure: str(measure.key),
)
CLASSES = Section(
    "Several classes",
    class_pages.EXAMPLE.described,
    class_pages.EXAMPLE,
    class_pages.MEASURES,
    lambda measure: f"several/{class_pages.file_of(measure)}",
)
SCORES = Section(
    "Scores and probabilities",
    score_pages.EXAMPLE.described,
    score_pages.EXAMPLE,
    score_pages.MEASURES,
    lambda measure: f"scores/{score_pages.file_of(measure)}",
)
NUMBERS = Section(
    "Numbers",
    "the true numbers 1, 2, 3, 10 and 100",
    number_pages.EXAMPLE,
    number_pages.MEASURES,
    lambda measure: f"numbers/{number_pages.file_of(measure)}",
)
SECTIONS = (LABELS, CLASSES, SCORES, NUMBERS)
