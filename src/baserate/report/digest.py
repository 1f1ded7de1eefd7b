"""What a report counts: models on each test set, and by which measures each beats the bar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.formatting import dropped_rows, in_words, number_format, printable
from baserate.report.records import holders
from baserate.task import task_observed
from baserate.verdicts import wording
from baserate.verdicts.verdict import Outcome, Significance
from baserate.verdicts.wording import group_name, measure_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from baserate.core.observed import TestSet
    from baserate.data.rows import Group
    from baserate.report.collection import Collected, Report
    from baserate.verdicts.verdict import Performance, Verdict

_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_UNTESTED = ("uninformative", "undefined")
# A sentence names this many groups, models or measures and counts more; a note names more.
MOST_NAMES, _MOST_IN_NOTES = 3, 12


def number(count: int) -> str:
    """Write a small number as a word."""
    return _NUMBERS[count] if count < len(_NUMBERS) else f"{count:,}"


def is_judged(verdict: Verdict) -> bool:
    """Whether a verdict shows something: the score is defined, and a guess is not perfect."""
    return verdict.fails or verdict.outcome not in (Outcome.UNINFORMATIVE, Outcome.UNDEFINED)


def place(group: Group, by: str | None) -> str:
    """Name a group; one that is a word needs no more."""
    name = str(group)
    is_word = isinstance(group, str) and len(name) > 1 and not name[0].isdigit()
    return printable(name) if is_word else group_name(group, by)


def grouping(by: str | None, count: int) -> str:
    """Name groups, one or several."""
    name = by if by is not None and by.isalpha() and len(by) > 2 else "group"
    if count == 1:
        return name
    if name.endswith(("s", "x", "ch", "sh")):
        return f"{name}es"
    return f"{name[:-1]}ies" if name[-1] == "y" and name[-2:-1] not in "aeiou" else f"{name}s"


# The models on one test set.


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
        held = wording.rows_in(self.test_set.total, self.performances[0].clusters)
        described = "; ".join(filter(None, (self.test_set.described, held, *remarks)))
        return described if self.group is None else f"{group_name(self.group, by)}: {described}"


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


def shown_score(verdict: Verdict) -> float:
    """Return the score, or the baseline if they differ by rounding only: a tie looks like one."""
    return verdict.baseline if verdict.margin == 0 else verdict.score


def writer(verdicts: Sequence[Verdict | None]) -> Callable[[float], str]:
    """Return the format of all numbers of a measure: counts have no decimals."""
    known = [verdict for verdict in verdicts if verdict is not None]
    numbers = [each for v in known for each in (v.score, v.baseline_min, v.baseline_max)]
    return number_format(numbers, counted=known[0].counts)


# By which measures each model beats the bar.


@dataclass(frozen=True)
class Tally:
    """One model on one test set: by which measures it beats the bar, and by which it does not."""

    performance: Performance
    verdicts: tuple[Verdict, ...]

    @property
    def model(self) -> str:
        """The name of the model, as it is shown."""
        return printable(self.performance.model)

    @cached_property
    def judged(self) -> tuple[Verdict, ...]:
        """The verdicts that can show something."""
        return tuple(filter(is_judged, self.verdicts))

    @cached_property
    def cleared(self) -> tuple[Verdict, ...]:
        """Those that beat the bar."""
        return self.having(Outcome.CLEARS)

    @cached_property
    def unsure(self) -> tuple[Verdict, ...]:
        """Those that are better, but not significantly."""
        return self.having(Outcome.UNSURE)

    @cached_property
    def failing(self) -> tuple[Verdict, ...]:
        """Those that are no better."""
        return tuple(verdict for verdict in self.verdicts if verdict.fails)

    def having(self, outcome: Outcome) -> tuple[Verdict, ...]:
        """Return the verdicts with an outcome."""
        return tuple(verdict for verdict in self.verdicts if verdict.outcome is outcome)

    @property
    def passes(self) -> bool:
        """Whether it beats the bar by every measure."""
        return 0 < len(self.judged) == len(self.cleared)

    @property
    def beats(self) -> bool:
        """Whether it beats the bar by some measure, and fails by none."""
        return bool(self.cleared) and not self.failing

    @property
    def fails(self) -> bool:
        """Whether it is no better by some measure, and beats the bar by none."""
        return bool(self.failing) and not self.cleared

    @property
    def p(self) -> float:
        """The smallest p-value of what fails; nan if there is none."""
        known = [v.p_adjusted for v in self.failing if not math.isnan(v.p_adjusted)]
        return min(known, default=math.nan)


@dataclass(frozen=True)
class Digest:
    """The tallies of a report: of the whole test set, and of each group."""

    report: Report
    # What is to be beaten: guessing, or another model.
    bar: str
    overall: tuple[Tally, ...]
    of_group: dict[Group, list[Tally]]

    @classmethod
    def of(cls, report: Report) -> Digest:
        """Count by which measures each model beats the bar, on the whole and in each group."""
        overall, of_group = list[Tally](), dict[Any, list[Tally]]()
        for performance, verdicts in report.by_performance.items():
            tally, group = Tally(performance, tuple(verdicts)), performance.group
            (overall if group is None else of_group.setdefault(group, [])).append(tally)
        if not overall and len(of_group) == 1:
            overall = of_group.popitem()[1]
        against = next((verdict.performance.against for verdict in report), None)
        bar = "guessing" if against is None else wording.reference_name(against)
        return cls(report, bar, tuple(overall), of_group)

    @cached_property
    def tiny(self) -> tuple[Group, ...]:
        """The groups that are too small to judge."""
        small = frozenset(self.report.too_small)
        return tuple(
            group
            for group, found in self.of_group.items()
            if not any(each.judged and each.performance not in small for each in found)
        )

    @cached_property
    def large(self) -> dict[Group, list[Tally]]:
        """The tallies of all other groups, the worst group first."""
        tiny = frozenset(self.tiny)
        found = [each for each in self.of_group.items() if each[0] not in tiny]
        return dict(sorted(found, key=lambda each: _badness(each[1])))

    @cached_property
    def states(self) -> dict[str, list[Group]]:
        """The large groups by how models do there.

        They are bad where all models fail by all that is judged, partly bad where some model fails
        by some measure, open where nothing is shown, and otherwise good.
        """
        states: dict[str, list[Group]] = {"bad": [], "partly": [], "open": [], "good": []}
        for group, found in self.large.items():
            state = "good" if any(each.cleared for each in found) else "open"
            state = "partly" if any(each.failing for each in found) else state
            states["bad" if all(each.fails for each in found) else state].append(group)
        return states

    def named(self, groups: Collection[Group]) -> str:
        """Name groups, or count them if they are many."""
        by = self.report.by
        if len(groups) > MOST_NAMES:
            return f"{number(len(groups))} {grouping(by, len(groups))}"
        return in_words([place(group, by) for group in groups])

    @property
    def rest(self) -> str:
        """What to know of the other groups."""
        said, states = [], self.states
        if states["partly"] and states["bad"]:
            said.append(f"Some measures fail for {self.named(states['partly'])}.")
        if states["open"]:
            said.append(f"For {self.named(states['open'])} there are too few rows to be sure.")
        if self.tiny:
            are = "is" if len(self.tiny) == 1 else "are"
            said.append(f"{self.named(self.tiny)} {are} too small to judge.")
        return " ".join(said)


def _badness(found: Sequence[Tally]) -> tuple[int, int, int, float]:
    """Return what sorts the groups to the top where models fail."""
    verdicts = [verdict for tally in found for verdict in tally.verdicts]
    backwards = sum(v.outcome in (Outcome.REVERSED, Outcome.WORSE) for v in verdicts)
    failing = sum(len(tally.failing) for tally in found)
    unsure = sum(len(tally.unsure) for tally in found)
    known = [v.p_adjusted for v in verdicts if not math.isnan(v.p_adjusted)]
    return -backwards, -failing, -unsure, -max(known, default=0.0)


# What a reader must know.


def significance(found: Collected[Any], *, unless_usual: bool = False) -> str:
    """Say how much evidence each claim needed, and how many were tested."""
    # An adjustment takes the p-values of several models, pairs or groups together.
    is_adjustable = len(holders(found)) > 1
    if unless_usual and found.significance == Significance() and not is_adjustable:
        return ""
    claims = sum(each.outcome.value not in _UNTESTED for each in found)
    return wording.evidence(found.significance, claims, adjustable=is_adjustable)


def notes_of_all(found: Collected[Any]) -> tuple[str, ...]:
    """Return what a reader must know of all claims: clusters, missing rows, the level of tests."""
    said = (
        wording.in_clusters([each.clusters for each in holders(found)]),
        dropped_rows(found.dropped) if found.dropped else "",
        significance(found, unless_usual=True),
    )
    return tuple(filter(None, said))


def low_bar(report: Report) -> str:
    """Say by which measures a reference does not beat the best guess; empty if by none."""
    return wording.low_bar(tuple(report.overall or report))


def notes(report: Report) -> tuple[str, ...]:
    """Return what a reader must know: what is not judged, how scores add up, the level of tests."""
    shown = shown_panels(report)
    found = [
        *(note for panel in shown for note in _not_judged(panel)),
        *(part for panel in shown for part in _parts(panel)),
        _too_small(report),
        low_bar(report),
        *notes_of_all(report),
    ]
    return tuple(filter(None, found))


def guesses(panel: Panel) -> str:
    """Say what the best guess is, by each measure."""
    if panel.performances[0].against is not None:
        return ""
    of_guess: dict[str, list[str]] = {}
    for verdict in map(first, panel.judged):
        of_guess.setdefault(printable(verdict.reference), []).append(measure_name(verdict))
    if len(of_guess) == 1:
        return f"The best guess is {next(iter(of_guess))}."
    said = {guess: in_words(measures) for guess, measures in of_guess.items()}
    if sum(map(len, of_guess.values())) > 2 * MOST_NAMES:
        *some, last = sorted(of_guess, key=lambda guess: len(of_guess[guess]))
        said = {guess: said[guess] for guess in some} | {last: "the other measures"}
    written = ", ".join(f"{guess} ({measures})" for guess, measures in said.items())
    return f"Best guesses: {written}." if said else ""


def _not_judged(panel: Panel) -> Iterator[str]:
    """Say which measures show nothing, and why."""
    silent = [first(row) for row in panel.rows if row not in panel.judged]
    perfect = [v for v in silent if v.outcome is Outcome.UNINFORMATIVE]
    against = panel.performances[0].against
    if len(perfect) > MOST_NAMES:
        some = ", ".join(printable(verdict.measure) for verdict in perfect[:_MOST_IN_NOTES])
        dots = ", …" if len(perfect) > _MOST_IN_NOTES else ""
        who = "a guess" if against is None else printable(against)
        yield f"Not judged: {len(perfect)} measures that {who} can max out ({some}{dots})."
        perfect = []
    for verdict in perfect:
        _, base = wording.both_scores(verdict)
        who = wording.guessing(verdict) if against is None else printable(against)
        name = wording.capitalised(wording.measure_with_key(verdict))
        yield f"{name} is not judged: {who} already scores {base}."
    for verdict in silent:
        if verdict.outcome is Outcome.UNDEFINED:
            yield wording.explanation(verdict)


def _too_small(report: Report) -> str:
    """Warn of groups, or of a test set, on which nothing can be shown."""
    found = report.too_small
    names = list(
        dict.fromkeys(
            "The test set" if each.group is None else group_name(each.group, report.by)
            for each in found
        )
    )
    if not names:
        return ""
    rest = f" and {len(names) - _MOST_IN_NOTES:,} more" if len(names) > _MOST_IN_NOTES + 1 else ""
    shown = ", ".join(names[:_MOST_IN_NOTES]) if rest else in_words(names)
    is_are = "is" if len(names) == 1 else "are"
    even = "even perfect predictions would not be evidence"
    if found[0].against is not None:
        even = f"even a model that beats {printable(found[0].against)} on every row proves nothing"
    shown = wording.capitalised(shown)
    return f"{shown}{rest} {is_are} too small: {even} at the {100 * report.alpha:.6g}% level."


def _parts(panel: Panel) -> Iterator[str]:
    """Write the parts of each score that has some, as a sum; what is negative is taken away."""
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
                terms = (
                    f"{'−' if math.copysign(1, value) < 0 else '+'} {name} {write(abs(value))}"
                    for name, value in parts
                )
                total = " ".join(terms).removeprefix("+ ")
                yield f"{whole} {write(shown_score(verdict))} = {total}"
