"""Render a gate's rulings on a report, for readers and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.evaluation.gate import Status
from baserate.report.panels import is_adjustable, low_bar, standard
from baserate.support.serialising import json_text
from baserate.verdicts.standard import Standard

if TYPE_CHECKING:
    from baserate.evaluation.gate import Gate, Ruling
    from baserate.report import Report

_SCHEMA = "baserate.check/2"
# The most passing verdicts to print; those that do not pass are always printed.
_MOST_PASSED = 12


@dataclass(frozen=True)
class Rulings:
    """A gate's rulings on a report.

    Parameters
    ----------
    gate
        The gate.
    report
        The report.
    rulings
        The ruling on each verdict.
    """

    gate: Gate
    report: Report
    rulings: tuple[Ruling, ...]

    @classmethod
    def of(cls, gate: Gate, report: Report) -> Rulings:
        """Return a gate's rulings on a report."""
        return cls(gate, report, gate.rulings(report))

    def having(self, status: Status) -> tuple[Ruling, ...]:
        """Return the rulings with one status."""
        return tuple(ruling for ruling in self.rulings if ruling.status is status)

    @property
    def failed(self) -> tuple[Ruling, ...]:
        """The rulings that fail."""
        return self.having(Status.FAILED)

    def text(self) -> str:
        """Return a line per verdict, those that do not pass first, and the totals."""
        others = map(_line, (*self.failed, *self.having(Status.NOT_JUDGED)))
        return "\n".join([*others, *self.passed(), *self.told()])

    def passed(self) -> list[str]:
        """Return a line per verdict that passes, or some of them and how many more there are."""
        passed = self.having(Status.PASSED)
        rest = len(passed) - _MOST_PASSED
        more = [f"… and {rest} more {Status.PASSED}"] if rest > 0 else []
        return [*map(_line, passed[:_MOST_PASSED]), *more]

    def told(self) -> list[str]:
        """Return the totals, after a weak reference and the standard of evidence if unusual."""
        is_usual = self.report.standard == Standard() and not is_adjustable(self.report)
        says_none = self.gate.alpha is None or is_usual
        said = (low_bar(self.report), "" if says_none else standard(self.report))
        return [*filter(None, said), self.summary()]

    def summary(self) -> str:
        """Say how many verdicts fail, if any."""
        status = Status.FAILED if self.failed else Status.PASSED
        total, skipped = len(self.rulings), len(self.having(Status.NOT_JUDGED))
        rest = f", {skipped} not judged" if skipped else ""
        verdicts = "verdict" if total == 1 else "verdicts"
        return f"{len(self.having(status))} of {total} {verdicts} {status}{rest}."

    def json(self) -> str:
        """Return the gate and the ruling on each verdict as JSON, with every digit."""
        standard = self.report.standard
        asked = {
            "margin": float(self.gate.margin),
            "alpha": self.gate.alpha,
            "adjust": standard.adjust,
            "tries": standard.tries,
        }
        found = [
            {"status": ruling.status.value, "sentence": ruling.sentence} | record
            for ruling, record in zip(self.rulings, self.report.to_dicts(), strict=True)
        ]
        document = {"schema": _SCHEMA} | asked | {"passed": not self.failed, "rulings": found}
        return json_text(document)


def _line(ruling: Ruling) -> str:
    return f"{ruling.status}: {ruling.sentence}"
