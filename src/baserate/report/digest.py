"""By which measures models beat the bar, on the whole test set and in each group."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.formatting import in_words, printable
from baserate.report.panels import is_judged
from baserate.verdicts.verdict import Outcome
from baserate.verdicts.wording import group_name, reference_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from baserate.data.groups import Group
    from baserate.report.collection import Report
    from baserate.verdicts.verdict import Performance, Verdict

_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
# More names than these are counted.
MOST_NAMES = 3


def number(count: int) -> str:
    """Write a small number as a word."""
    return _NUMBERS[count] if count < len(_NUMBERS) else f"{count:,}"


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
        return cls(report, bar_of(report), tuple(overall), of_group)

    @cached_property
    def tiny(self) -> frozenset[Group]:
        """The groups that are too small to judge."""
        small = frozenset(self.report.too_small)
        return frozenset(
            group
            for group, found in self.of_group.items()
            if not any(each.judged and each.performance not in small for each in found)
        )

    @cached_property
    def large(self) -> dict[Group, list[Tally]]:
        """The tallies of all other groups, the worst group first."""
        found = {group: of for group, of in self.of_group.items() if group not in self.tiny}
        return dict(sorted(found.items(), key=lambda each: _badness(each[1])))

    @cached_property
    def bad(self) -> list[Group]:
        """Where all models fail by all that is judged."""
        return self._where(lambda found: all(each.fails for each in found))

    @cached_property
    def partly(self) -> list[Group]:
        """Where some model fails by some measure."""
        bad = frozenset(self.bad)
        some = self._where(lambda found: any(each.failing for each in found))
        return [group for group in some if group not in bad]

    @cached_property
    def open(self) -> list[Group]:
        """Where nothing is shown."""
        failing = frozenset([*self.bad, *self.partly])
        none = self._where(lambda found: not any(each.cleared for each in found))
        return [group for group in none if group not in failing]

    @cached_property
    def fine(self) -> list[Group]:
        """Where some model beats the bar."""
        return self._where(lambda found: any(each.beats for each in found))

    def _where(self, condition: Callable[[list[Tally]], bool]) -> list[Group]:
        return [group for group, found in self.large.items() if condition(found)]

    def named(self, groups: Collection[Group]) -> str:
        """Name groups, or count them if they are many."""
        by = self.report.by
        if len(groups) > MOST_NAMES:
            return f"{number(len(groups))} {grouping(by, len(groups))}"
        return in_words([place(group, by) for group in groups])

    @property
    def rest(self) -> str:
        """What to know of the other groups."""
        said = []
        if self.partly and self.bad:
            said.append(f"Some measures fail for {self.named(self.partly)}.")
        if self.open:
            said.append(f"For {self.named(self.open)} there are too few rows to be sure.")
        if self.tiny:
            tiny = [group for group in self.of_group if group in self.tiny]
            are = "is" if len(tiny) == 1 else "are"
            said.append(f"{self.named(tiny)} {are} too small to judge.")
        return " ".join(said)


def place(group: Group, by: str | None) -> str:
    """Name a group; one that is a word needs no more."""
    name = str(group)
    is_word = isinstance(group, str) and len(name) > 1 and not name[0].isdigit()
    return printable(name) if is_word else group_name(group, by)


def bar_of(report: Report) -> str:
    """Name what is to be beaten: guessing, or another model."""
    against = next((verdict.performance.against for verdict in report), None)
    return "guessing" if against is None else reference_name(against)


def grouping(by: str | None, count: int) -> str:
    """Name groups, one or several."""
    name = by if by is not None and by.isalpha() and len(by) > 2 else "group"
    if count == 1:
        return name
    if name.endswith(("s", "x", "ch", "sh")):
        return f"{name}es"
    return f"{name[:-1]}ies" if name[-1] == "y" and name[-2:-1] not in "aeiou" else f"{name}s"


def _badness(found: Sequence[Tally]) -> tuple[int, int, int, float]:
    """Return what sorts the groups to the top where models fail."""
    verdicts = [verdict for tally in found for verdict in tally.verdicts]
    backwards = sum(v.outcome in (Outcome.REVERSED, Outcome.WORSE) for v in verdicts)
    failing, unsure = (sum(len(part) for part in parts) for parts in (
        [tally.failing for tally in found], [tally.unsure for tally in found]
    ))  # fmt: skip
    known = [v.p_adjusted for v in verdicts if not math.isnan(v.p_adjusted)]
    return -backwards, -failing, -unsure, -max(known, default=0.0)
