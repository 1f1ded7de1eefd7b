"""The models of a report on one test set, and what a reader must know of its claims."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.formatting import dropped_rows, in_words, number_format, printable
from baserate.tasks import task_observed
from baserate.verdicts import wording
from baserate.verdicts.verdict import Outcome, Standard
from baserate.verdicts.wording import (
    evidence,
    group_name,
    in_clusters,
    measure_name,
    measure_with_key,
    rows_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from baserate.core.observed import TestSet
    from baserate.data.groups import Group
    from baserate.report.collection import Report
    from baserate.verdicts.verdict import Performance, Verdict

# A note names this many groups or measures and counts the others.
_MOST_NAMES = 12
_FEW = 3


@dataclass(frozen=True)
class Panel:
    """The performances of models on one test set, or on one group of it.

    A row has the verdicts of a measure on every model, None if there is none; measures that can
    show nothing come last.
    """

    group: Group | None
    test_set: TestSet
    performances: tuple[Performance, ...]
    rows: tuple[tuple[Verdict | None, ...], ...]

    @property
    def judged(self) -> tuple[tuple[Verdict | None, ...], ...]:
        """The rows of measures that can show something about one of the models."""
        return tuple(row for row in self.rows if any(each and is_judged(each) for each in row))

    def title(self, by: str | None) -> str:
        """Describe the test set, and the group if it is one."""
        remarks = dict.fromkeys(performance.table.remark for performance in self.performances)
        held = rows_in(self.test_set.total, self.performances[0].clusters)
        described = "; ".join(filter(None, (self.test_set.described, held, *remarks)))
        if self.group is None:
            return described
        return f"{group_name(self.group, by)}: {described}"


def panels(report: Report) -> tuple[Panel, ...]:
    """Return the models on each test set, the whole one first."""
    together: dict[tuple[Group | None, TestSet], list[Verdict]] = {}
    for verdict in report:
        key = (verdict.group, verdict.performance.table.test_set)
        together.setdefault(key, []).append(verdict)
    ordered = sorted(together, key=lambda key: key[0] is not None)
    return tuple(_panel(*key, together[key]) for key in ordered)


def shown_panels(report: Report) -> tuple[Panel, ...]:
    """Return the whole test set, or the only group; several groups have a table of marks."""
    return panels(report.overall) or (panels(report) if len(report.groups) < 2 else ())


def _panel(group: Group | None, test_set: TestSet, verdicts: list[Verdict]) -> Panel:
    performances = tuple(dict.fromkeys(verdict.performance for verdict in verdicts))
    by_measure: dict[str, dict[Performance, Verdict]] = {}
    for verdict in verdicts:
        by_measure.setdefault(verdict.measure, {})[verdict.performance] = verdict
    rows = [tuple(map(found.get, performances)) for found in by_measure.values()]
    rows.sort(key=lambda row: not any(each is not None and is_judged(each) for each in row))
    return Panel(group, test_set, performances, tuple(rows))


def first(row: Sequence[Verdict | None]) -> Verdict:
    """Return one of the verdicts, for what they share: the measure and its baselines."""
    return next(verdict for verdict in row if verdict is not None)


def is_judged(verdict: Verdict) -> bool:
    """Whether a verdict shows something: the score is defined, and a guess is not perfect."""
    return verdict.fails or verdict.outcome not in (Outcome.UNINFORMATIVE, Outcome.UNDEFINED)


def shown_score(verdict: Verdict) -> float:
    """Return the score, or the baseline if they differ by rounding only: a tie looks like one."""
    return verdict.baseline if verdict.margin == 0 else verdict.score


def writer(verdicts: Sequence[Verdict | None]) -> Callable[[float], str]:
    """Return the format of all numbers of a measure: counts have no decimals."""
    known = [verdict for verdict in verdicts if verdict is not None]
    numbers = [each for v in known for each in (v.score, v.baseline_min, v.baseline_max)]
    return number_format(numbers, counted=known[0].counts)


def standard(report: Report) -> str:
    """Say how much evidence each claim of a report needed, and how many were tested."""
    untested = (Outcome.UNINFORMATIVE, Outcome.UNDEFINED)
    claims = sum(verdict.outcome not in untested for verdict in report)
    return evidence(report.standard, claims, adjustable=is_adjustable(report))


def is_adjustable(report: Report) -> bool:
    """Whether there are several models or groups, whose p-values an adjustment takes together."""
    return len(report.performances) > 1


def low_bar(report: Report) -> str:
    """Say by which measures a reference does not beat the best guess; empty if by none."""
    return wording.low_bar(tuple(report.overall or report))


def notes(report: Report) -> tuple[str, ...]:
    """Return what a reader must know: what is not judged, how scores add up, and the standard."""
    shown = shown_panels(report)
    is_usual = report.standard == Standard() and not is_adjustable(report)
    found = [
        *(note for panel in shown for note in _not_judged(panel)),
        *(part for panel in shown for part in _parts(panel)),
        _too_small(report),
        in_clusters([each.clusters for each in report.performances]),
        low_bar(report),
        dropped_rows(report.dropped) if report.dropped else "",
        "" if is_usual else standard(report),
    ]
    return tuple(filter(None, found))


def guesses(panel: Panel) -> str:
    """Say what the best guess is, by each measure."""
    if panel.performances[0].against is not None:
        return ""
    of_guess: dict[str, list[str]] = {}
    for row in panel.judged:
        verdict = first(row)
        of_guess.setdefault(printable(verdict.reference), []).append(measure_name(verdict))
    if len(of_guess) == 1:
        return f"The best guess is {next(iter(of_guess))}."
    said = [f"{guess} ({in_words(measures)})" for guess, measures in of_guess.items()]
    if len(said) > 1 and sum(map(len, of_guess.values())) > 2 * _FEW:
        *some, last = sorted(of_guess, key=lambda guess: len(of_guess[guess]))
        said = [f"{guess} ({in_words(of_guess[guess])})" for guess in some]
        said.append(f"{last} (the other measures)")
    return f"Best guesses: {', '.join(said)}." if said else ""


def _not_judged(panel: Panel) -> Iterator[str]:
    """Say which measures show nothing, and why."""
    silent = [row for row in panel.rows if row not in panel.judged]
    perfect = [v for v in map(first, silent) if v.outcome is Outcome.UNINFORMATIVE]
    against = panel.performances[0].against
    if len(perfect) > _FEW:
        some = ", ".join(printable(verdict.measure) for verdict in perfect[:_MOST_NAMES])
        dots = ", …" if len(perfect) > _MOST_NAMES else ""
        who = "a guess" if against is None else printable(against)
        yield f"Not judged: {len(perfect)} measures that {who} can max out ({some}{dots})."
    else:
        for verdict in perfect:
            _, base = wording.both_scores(verdict)
            guess = verdict.reference
            guess = f"guessing {guess}" if guess.startswith("everyone") else guess
            who = guess if against is None else printable(against)
            name = wording.capitalised(measure_with_key(verdict))
            yield f"{name} is not judged: {who} already scores {base}."
    for row in silent:
        verdict = first(row)
        if verdict.outcome is Outcome.UNDEFINED:
            yield wording.explanation(verdict)


def _too_small(report: Report) -> str:
    """Warn of groups, or of a test set, on which nothing can be shown."""
    found = report.too_small
    names = list(dict.fromkeys(_place(each, report.by) for each in found))
    if not names:
        return ""
    rest = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES + 1 else ""
    shown = ", ".join(names[:_MOST_NAMES]) if rest else in_words(names)
    is_are = "is" if len(names) == 1 else "are"
    if found[0].against is None:
        even = "even perfect predictions would not be evidence"
    else:
        even = f"even a model that beats {printable(found[0].against)} on every row proves nothing"
    return f"{shown}{rest} {is_are} too small: {even} at the {100 * report.alpha:.6g}% level."


def _place(performance: Performance, by: str | None) -> str:
    return "The test set" if performance.group is None else group_name(performance.group, by)


def _parts(panel: Panel) -> Iterator[str]:
    """Write the parts of each score that has some."""
    for row in panel.rows:
        write = writer(row)
        for verdict in row:
            if verdict is None or math.isnan(verdict.score):
                continue
            table = verdict.performance.table
            measure = task_observed(table.task).named(verdict.measure)
            parts = () if measure is None else measure.parts(table)
            if parts:
                whole = f"{printable(verdict.measure)} of {printable(verdict.model)}"
                yield f"{whole} {write(shown_score(verdict))} = {written_parts(parts, write)}"


def written_parts(parts: Sequence[tuple[str, float]], write: Callable[[float], str]) -> str:
    """Write parts as a sum; what is negative is taken away.

    Examples
    --------
    >>> parts = ("miscalibration", 0.012), ("discrimination", -0.08), ("uncertainty", 0.21)
    >>> written_parts(parts, "{:.3f}".format)
    'miscalibration 0.012 − discrimination 0.080 + uncertainty 0.210'
    """
    signs = ["−" if math.copysign(1, value) < 0 else "+" for _, value in parts]
    terms = [f"{name} {write(abs(value))}" for name, value in parts]
    start, *others = (f"{sign} {term}" for sign, term in zip(signs, terms, strict=True))
    return " ".join([start.removeprefix("+ "), *others])
