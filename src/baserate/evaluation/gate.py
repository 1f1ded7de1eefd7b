"""The rule by which a test suite or a pipeline lets a model pass: one definition for both."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.confidence import ALPHA, require_alpha
from baserate.core.rounding import FORMULA
from baserate.exceptions import InvalidMeasureError
from baserate.exceptions.base import shown
from baserate.support.arguments import as_float, is_number
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.sentences import explanation

if TYPE_CHECKING:
    from baserate.report import Report
    from baserate.verdicts.verdict import Verdict


class Status(enum.StrEnum):
    """Whether a verdict passes a gate."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Ruling:
    """A gate's decision on one verdict.

    Parameters
    ----------
    verdict
        The verdict.
    status
        Whether it passes.
    sentence
        What the verdict says, and why it fails if it does.
    """

    verdict: Verdict
    status: Status
    sentence: str


@dataclass(frozen=True)
class Gate:
    """The minimum that a model must achieve.

    Parameters
    ----------
    margin
        How much better than the baseline a model must be, in the measure's direction.
    alpha
        How often a model may pass by chance; None compares the numbers only.

    Examples
    --------
    >>> import baserate as br
    >>> report = br.evaluate(None, br.Confusion(tp=120, fp=30, fn=19, tn=134), "F1")
    >>> Gate().shortfall(report["model", "F1"])
    ''
    >>> print(Gate(margin=0.2).shortfall(report["model", "F1"]))
    F1 of model: 0.830 clears the baseline 0.629 of the draw θ* = 1: the margin is 0.201 (95%
    interval 0.143 to 0.258; p = 1.0e-34). The lower limit of the margin is 0.142809, not 0.2.
    """

    margin: float = 0
    alpha: float | None = ALPHA

    def __post_init__(self) -> None:
        if not (is_number(self.margin) and self.margin >= 0):
            raise InvalidMeasureError(
                f"must be a number of at least 0 (got {shown(self.margin)})", parameter="margin"
            )
        if self.alpha is not None:
            require_alpha(self.alpha)

    def shortfall(self, verdict: Verdict, by: str | None = None) -> str:
        """Say why a verdict does not pass; return an empty text if it does.

        Parameters
        ----------
        verdict
            The verdict.
        by
            The name of the grouping, if it has one.
        """
        says = explanation(verdict, by)
        wants_evidence = self.alpha is not None
        if not (verdict.outcome is Outcome.CLEARS if wants_evidence else verdict.beats):
            return says
        if self.alpha is not None and verdict.alpha > self.alpha:
            return f"{says} That was judged at alpha = {verdict.alpha:g}, not {self.alpha:g}."
        # 0.9 - 0.8 is a little less than 0.1, and enough.
        rounding = 2 * FORMULA * max(abs(verdict.score), abs(verdict.baseline))
        reached = verdict.margin_low if wants_evidence else verdict.margin
        if reached + rounding < self.margin:
            which = "lower limit of the margin" if wants_evidence else "margin"
            return f"{says} The {which} is {reached:.6g}, not {as_float(self.margin):g}."
        return ""

    def rulings(self, report: Report) -> tuple[Ruling, ...]:
        """Return the ruling on each verdict of a report.

        A group that cannot be judged, such as one with a single class, does not fail. The whole
        test set does, so a gate cannot open because nothing was judged.
        """
        return tuple(self._ruling(verdict, report.by) for verdict in report)

    def _ruling(self, verdict: Verdict, by: str | None) -> Ruling:
        if verdict.group is not None and not verdict.informative and not verdict.fails:
            return Ruling(verdict, Status.NOT_JUDGED, explanation(verdict, by))
        why = self.shortfall(verdict, by)
        status = Status.FAILED if why else Status.PASSED
        return Ruling(verdict, status, why or explanation(verdict, by))
