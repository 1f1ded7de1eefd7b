"""Render rulings as JUnit XML for GitLab, Jenkins and others: one test case per verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from baserate.cli.rulings import Rulings
    from baserate.evaluation.gate import Ruling


def render(rulings: Rulings) -> str:
    """Return a document with one suite."""
    from xml.etree.ElementTree import Element, indent, tostring

    from baserate.evaluation.gate import Status

    counts = {
        "tests": len(rulings.rulings),
        "failures": len(rulings.failed),
        "errors": 0,
        "skipped": len(rulings.having(Status.NOT_JUDGED)),
    }
    facts = {"name": "baserate"} | {name: str(count) for name, count in counts.items()}
    document, suite = Element("testsuites", facts), Element("testsuite", facts)
    document.append(suite)
    suite.extend(_case(ruling, rulings.report.by) for ruling in rulings.rulings)
    indent(document)
    xml: str = tostring(document, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'


def _case(ruling: Ruling, by: str | None) -> Element:
    from xml.etree.ElementTree import Element, SubElement

    from baserate.evaluation.gate import Status
    from baserate.harmless import printable
    from baserate.verdicts.outcome import Outcome
    from baserate.verdicts.wording import subject

    verdict = ruling.verdict
    # XML cannot hold control characters, not even escaped.
    name = f"{printable(verdict.measure)} of {subject(verdict.performance, by)}"
    case = Element("testcase", classname=f"baserate.{printable(verdict.model)}", name=name)
    if ruling.status is Status.FAILED:
        # A verdict that clears the baseline and still fails misses the margin.
        why = "margin" if verdict.outcome is Outcome.CLEARS else verdict.outcome.value
        failure = SubElement(case, "failure", message=ruling.sentence, type=why)
        failure.text = ruling.sentence
    elif ruling.status is Status.NOT_JUDGED:
        SubElement(case, "skipped", message=ruling.sentence)
    else:
        SubElement(case, "system-out").text = ruling.sentence
    return case
