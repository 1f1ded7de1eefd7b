"""The tables of a comparison: one per test set, a row for each pair and measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.formatting import UNDEFINED, confidence, printable, probability
from baserate.verdicts.difference import Better
from baserate.verdicts.difference_sentences import interval, numbers
from baserate.verdicts.sentences import evidence, group_name, in_clusters, rows_in
from baserate.verdicts.standard import Standard

if TYPE_CHECKING:
    from baserate.data.groups import Group
    from baserate.report.comparison.collection import Comparison
    from baserate.verdicts.difference import Difference

# A table of this many rows is put in sentences, row by row.
_FEW = 12


@dataclass(frozen=True)
class Table:
    """The differences on one test set, or on one group of it.

    Parameters
    ----------
    title
        The test set, in words.
    differences
        The differences.
    said
        Those that are put in a sentence.
    """

    title: str
    differences: tuple[Difference, ...]
    said: tuple[Difference, ...]


def tables(comparison: Comparison) -> list[Table]:
    """Return the differences of the whole test set, and of each group.

    A short first table comes with all sentences, and the others with those that name a better
    model.
    """
    parts: dict[Group | None, list[Difference]] = {}
    for each in comparison:
        parts.setdefault(each.group, []).append(each)
    found: list[Table] = []
    for part in parts.values():
        says_all = not found and len(part) <= _FEW
        said = (each for each in part if says_all or each.winner is not None)
        found.append(Table(_title(part[0], comparison.by), tuple(part), tuple(said)))
    return found


def note(comparison: Comparison) -> str:
    """Say how much evidence each claim needed, and how many were tested; empty if one was."""
    of_clusters = in_clusters([each.clusters for each in comparison.pairs])
    is_adjustable = len(comparison.pairs) > 1
    if comparison.standard == Standard() and not is_adjustable:
        return of_clusters
    claims = sum(each.outcome is not Better.UNDEFINED for each in comparison)
    said = evidence(comparison.standard, claims, adjustable=is_adjustable)
    return " ".join(filter(None, (of_clusters, said)))


def header(comparison: Comparison) -> tuple[str, ...]:
    """Return the names of the columns of every table."""
    p = "p-value" if comparison.standard.adjust is None else "adjusted p"
    ends = f"{confidence(comparison.alpha)} interval"
    return ("models", "measure", "scores", "difference", ends, p, "better")


def cells(difference: Difference) -> tuple[str, ...]:
    """Return the cells of a row, in the order of the header."""
    shown = numbers(difference)
    return (
        f"{printable(difference.first)} − {printable(difference.second)}",
        f"{printable(difference.measure)} {difference.direction.arrow}",
        f"{shown['first']} − {shown['second']}",
        shown["difference"],
        interval(difference),
        probability(difference.p_adjusted, exact=difference.exact, floor=difference.p_floor),
        better(difference),
    )


def better(difference: Difference) -> str:
    """Name the better model, or say why there is none; without evidence, a dash."""
    if difference.winner is not None:
        return printable(difference.winner)
    is_none = difference.outcome is Better.NO_EVIDENCE
    return UNDEFINED if is_none else difference.outcome.value


def _title(difference: Difference, by: str | None) -> str:
    table = difference.pair.table
    # Only rows that stayed in an engine need a remark.
    remark = getattr(table, "remark", "")
    test_set = table.first.test_set
    held = rows_in(test_set.total, difference.pair.clusters)
    described = "; ".join(filter(None, (test_set.described, held, remark)))
    if difference.group is None:
        return described
    return f"{group_name(difference.group, by)}: {described}"
