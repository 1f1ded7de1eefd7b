"""`baserate check`: a gate for a pipeline, and how the pipeline learns what failed."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from baserate.cli import options
from baserate.cli.console import FAILED, planned, present, show
from baserate.formatting import printable
from baserate.records import json_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    from baserate.evaluation.gate import Gate, Ruling
    from baserate.report import Report

# The most passing verdicts to print; those that do not pass are always printed.
_MOST_PASSED = 12
# What GitHub reads as a sign of its own, in the text of a command and in its title.
_IN_MESSAGES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_TITLES = _IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})


class Rulings(NamedTuple):
    """A gate's rulings on a report, one for each verdict, for readers and for programs."""

    gate: Gate
    report: Report
    rulings: tuple[Ruling, ...]

    @classmethod
    def of(cls, gate: Gate, report: Report) -> Rulings:
        """Return a gate's rulings on a report."""
        return cls(gate, report, gate.rulings(report))

    def having(self, status: str) -> list[Ruling]:
        """Return the rulings with a status: failed, not judged or passed."""
        return [ruling for ruling in self.rulings if ruling.status.value == status]

    def text(self) -> str:
        """Return a line per verdict, those that do not pass first, and the totals."""
        first = [*self.having("failed"), *self.having("not judged")]
        return "\n".join([*map(_line, first), *self._rest()])

    def github(self) -> str:
        """Return an error per failed verdict, a notice per skipped one, and lines for the rest."""
        errors = (self._command("error", ruling) for ruling in self.having("failed"))
        notices = (self._command("notice", ruling) for ruling in self.having("not judged"))
        return "\n".join([*errors, *notices, *self._rest()]) + "\n"

    def _command(self, level: str, ruling: Ruling) -> str:
        """Return a command of GitHub Actions, which appears in the summary of a run."""
        title = f"{self._name(ruling)} {ruling.status}".translate(_IN_TITLES)
        return f"::{level} title={title}::{ruling.sentence.translate(_IN_MESSAGES)}"

    def _name(self, ruling: Ruling) -> str:
        from baserate.verdicts.wording import subject

        verdict = ruling.verdict
        return f"{printable(verdict.measure)} of {subject(verdict.performance, self.report.by)}"

    def _rest(self) -> list[str]:
        """Return a line per verdict that passes, or some of them, and the totals.

        The totals come after a weak reference, and after the level of the tests if it is unusual.
        """
        from baserate.report.digest import low_bar, significance

        passed, skipped = self.having("passed"), self.having("not judged")
        more = len(passed) - _MOST_PASSED
        says = "" if self.gate.alpha is None else significance(self.report, unless_usual=True)
        status = "failed" if self.having("failed") else "passed"
        verdicts = "verdict" if len(self.rulings) == 1 else "verdicts"
        rest = f", {len(skipped)} not judged" if skipped else ""
        return [
            *map(_line, passed[:_MOST_PASSED]),
            *([f"… and {more} more passed"] if more > 0 else []),
            *filter(None, (low_bar(self.report), says)),
            f"{len(self.having(status))} of {len(self.rulings)} {verdicts} {status}{rest}.",
        ]

    def json(self) -> str:
        """Return the gate and the ruling on each verdict as JSON, with every digit."""
        found = [
            {"status": ruling.status.value, "sentence": ruling.sentence} | record
            for ruling, record in zip(self.rulings, self.report.to_dicts(), strict=True)
        ]
        return json_text(
            {
                "schema": "baserate.check/2",
                "margin": float(self.gate.margin),
                "alpha": self.gate.alpha,
                "adjust": self.report.significance.adjust,
                "tries": self.report.significance.tries,
                "passed": not self.having("failed"),
                "rulings": found,
            }
        )

    def junit(self) -> str:
        """Return JUnit XML for GitLab, Jenkins and others: one test case per verdict."""
        from xml.etree.ElementTree import Element, indent, tostring

        failed, skipped = self.having("failed"), self.having("not judged")
        counts = {"tests": self.rulings, "failures": failed, "errors": (), "skipped": skipped}
        facts = {"name": "baserate"} | {name: str(len(of)) for name, of in counts.items()}
        document, suite = Element("testsuites", facts), Element("testsuite", facts)
        document.append(suite)
        suite.extend(map(self._case, self.rulings))
        indent(document)
        xml: str = tostring(document, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'

    def _case(self, ruling: Ruling) -> Element:
        from xml.etree.ElementTree import Element, SubElement

        # XML cannot hold control characters, not even escaped.
        model = printable(ruling.verdict.model)
        case = Element("testcase", classname=f"baserate.{model}", name=self._name(ruling))
        if ruling.status.value == "failed":
            # A verdict that clears the baseline and still fails misses the margin.
            outcome = ruling.verdict.outcome.value
            why = "margin" if outcome == "clears" else outcome
            failure = SubElement(case, "failure", message=ruling.sentence, type=why)
            failure.text = ruling.sentence
        elif ruling.status.value == "not judged":
            SubElement(case, "skipped", message=ruling.sentence)
        else:
            SubElement(case, "system-out").text = ruling.sentence
        return case


def _line(ruling: Ruling) -> str:
    return f"{ruling.status}: {ruling.sentence}"


RENDERERS: dict[str, Callable[[Any], str]] = {
    name: methodcaller(name) for name in ("text", "json", "junit", "github")
}


class _Level(click.types.FloatParamType):
    """A number, or `none`."""

    def convert(self, value: Any, *place: Any) -> Any:
        """Return the number, or None."""
        return None if str(value).casefold() == "none" else super().convert(value, *place)


@click.command(
    context_settings=options.HELP,
    epilog=options.examples(
        "baserate check preds.csv --truth y --model tree -m F1 --margin 0.05",
        "baserate check preds.csv --truth y --model tree -m F1 --by hospital --format github",
        "baserate check preds.csv --truth y --model tree -m F1 --format junit -o baserate.xml",
        "baserate check preds.csv --truth y --score forest -m AUC --margin 0.1",
        "baserate check preds.csv --truth price --model forest --reference last_price -m MAE",
    ),
)
@options.predictions(measures_required=True)
@options.number(
    "--margin",
    "How much better than the baseline a model must be, in the measure's direction; 0 by default.",
    default=0.0,
)
@options.number(
    "--alpha",
    "Significance level; 0.05 by default. With `none`, any score that is better than the baseline "
    "passes.",
    type=_Level(),
    default=0.05,
)
@options.ADJUST
@options.TRIES
@options.output(RENDERERS)
def check(
    *,
    margin: float,
    alpha: float | None,
    style: str | None,
    output: str | None,
    force: bool,
    **question: Any,
) -> None:
    """Check that there is evidence that models beat the baseline.

    With --reference, they must beat that. The exit code is 0 if every verdict passes, 1 if one
    fails, and 2 if the input is bad. A group that cannot be judged, such as one with a single
    class, does not fail. FILES are as in `baserate evaluate`.
    """
    from baserate.cli.source import evaluated
    from baserate.core.multiple_testing import ALPHA
    from baserate.evaluation.gate import Gate

    chosen = planned(RENDERERS, style, output, question["files"], force=force)
    gate = Gate(margin, alpha)
    report = evaluated(**question, alpha=ALPHA if alpha is None else alpha)
    rulings = Rulings.of(gate, report)
    present(rulings, RENDERERS, chosen, output)
    if output is not None:
        show(rulings.text())
    click.get_current_context().exit(FAILED if rulings.having("failed") else 0)
