"""A comparison as a document: who is better, by how much, and every difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.core.measure import Direction
from baserate.formatting import (
    confidence,
    dropped_rows,
    in_words,
    number_format,
    printable,
)
from baserate.report.answer import grouping, number, p_cell, short_p
from baserate.report.document import Answer, Cell, Column, Document, Row, Step, Strip, Table
from baserate.verdicts.difference import Better
from baserate.verdicts.outcome import Standard
from baserate.verdicts.wording import (
    capitalised,
    difference_explanation,
    evidence,
    group_name,
    in_clusters,
    measure_name,
    measure_title,
    rows_in,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from baserate.report.comparison import Comparison
    from baserate.verdicts.difference import Difference

# Browsers are slow with more rows, and readers with more steps and wider squares.
_MOST_ROWS, _MOST_STEPS, _MOST_SQUARE = 2000, 8, 8

_OF_MODELS = (("✓", "best score"), ("~", "too close to call"), ("✗", "worse than the best"))
_OF_PAIRS = (("✓", "first is better"), ("~", "no difference shown"))


@dataclass(frozen=True)
class Duel:
    """A difference with the better score first."""

    difference: Difference

    @cached_property
    def is_turned(self) -> bool:
        """Whether the second model has the better score."""
        minimizes = self.difference.direction is Direction.MINIMIZE
        return (self.difference.difference > 0) == minimizes and self.difference.difference != 0

    @property
    def sign(self) -> float:
        """The sign that turns the difference into an advantage."""
        return -1.0 if self.difference.direction is Direction.MINIMIZE else 1.0

    @property
    def names(self) -> tuple[str, str]:
        """The model with the better score, and the other one."""
        names = printable(self.difference.first), printable(self.difference.second)
        return names[::-1] if self.is_turned else names

    @property
    def scores(self) -> tuple[float, float]:
        """The scores, in this order."""
        scores = self.difference.first_score, self.difference.second_score
        return scores[::-1] if self.is_turned else scores

    @property
    def numbers(self) -> tuple[float, float, float]:
        """The difference of the scores in this order, and its interval."""
        found = self.difference
        if self.is_turned:
            return -found.difference, -found.high, -found.low
        return found.difference, found.low, found.high

    @property
    def advantages(self) -> tuple[float, float, float]:
        """How much better the first one is, with the interval; both in the measure's direction."""
        at, low, high = self.numbers
        return (at, low, high) if self.sign > 0 else (-at, -high, -low)

    @property
    def mark(self) -> str:
        """✓ if one is better, ~ if no difference is shown, and – if there is no score."""
        if self.difference.outcome is Better.UNDEFINED:
            return "–"
        return "~" if self.difference.winner is None else "✓"

    @property
    def said(self) -> str:
        """The outcome in a few words."""
        outcome = self.difference.outcome
        if outcome in (Better.FIRST, Better.SECOND):
            return (
                "first is better"
                if self.names[0] == printable(str(self.difference.winner))
                else "second is better"
            )
        return {
            Better.UNSURE: "differ, unclear which",
            Better.NO_EVIDENCE: "no difference shown",
        }.get(outcome, "undefined")

    @cached_property
    def texts(self) -> tuple[str, str, str, str]:
        """Both scores, the difference with its sign, and the interval, as they are shown."""
        write = number_format(self.scores, counted=self.difference.counts)
        at, low, high = self.numbers
        one, other = map(write, self.scores)
        if math.isnan(at):
            return one, other, "", ""
        plus = "+" if at > 0 else ""
        ends = "" if math.isnan(low) else f"{write(low)} to {write(high)}"
        return one, other, f"{plus}{write(at)}", ends


def comparison_document(comparison: Comparison) -> Document:
    """Return all that is said of a comparison."""
    shown = comparison.overall or comparison
    duels = [Duel(each) for each in shown] if len(shown.groups) < 2 else []
    by_measure: dict[str, list[Duel]] = {}
    for duel in duels:
        by_measure.setdefault(duel.difference.measure, []).append(duel)
    square = 2 < len(comparison.models) <= _MOST_SQUARE
    return Document(
        kind="difference",
        answer=comparison_answer(comparison),
        facts=(f"{_described(comparison)}.",) if comparison else (),
        tables=_models(by_measure) if duels and len(comparison.models) > 2 else (),
        strips=_strips(by_measure) if duels else (),
        duels=tuple(map(_square, by_measure.values())) if square and duels else (),
        steps=_steps(duels),
        notes=_notes(comparison),
        ends=("no difference", ""),
        every=_every(comparison),
        legend=_OF_MODELS if duels and len(comparison.models) > 2 else _OF_PAIRS,
        filters=_OF_PAIRS,
        terms=_terms(comparison),
    )


def _described(comparison: Comparison) -> str:
    one = next(iter(comparison.overall or comparison))
    table = one.pair.table
    held = rows_in(table.first.test_set.total, one.pair.clusters)
    remark = getattr(table, "remark", "")  # only rows that stayed in an engine need one
    described = "; ".join(filter(None, (table.first.test_set.described, held, remark)))
    return (
        described if one.group is None else f"{group_name(one.group, comparison.by)}: {described}"
    )


def _wins(duels: Sequence[Difference], model: str) -> tuple[set[str], set[str]]:
    """Return whom a model beats by some measure, and who beats it."""
    beaten = {_other(each, model) for each in duels if each.winner == model}
    mine = [each for each in duels if model in (each.first, each.second)]
    losing = {str(each.winner) for each in mine if each.winner not in (None, model)}
    return beaten, losing


def _other(difference: Difference, model: str) -> str:
    return difference.second if difference.first == model else difference.first


def comparison_answer(comparison: Comparison) -> Answer:
    """Return the first sentence of a comparison."""
    shown = comparison.overall or comparison
    found = [each for each in shown if each.outcome is not Better.UNDEFINED]
    if not comparison:
        return Answer("–", "No differences.")
    if not found:
        why = difference_explanation(next(iter(shown)))
        return Answer("–", "The models cannot be compared.", why)
    if not comparison.overall and len(comparison.groups) > 1:
        return _groups_alone(comparison)
    models = list(shown.models)
    these = f"these {found[0].pair.table.first.test_set.total:,} rows"
    if all(each.winner is None for each in found):
        answer = Answer("~", _no_difference(found, models, these), _largest(found))
    elif len(models) == 2:
        answer = _of_two(found)
    else:
        answer = _of_many(found, models, these)
    second = " ".join(filter(None, (answer.second, _in_groups(comparison))))
    return answer._replace(second=second)


def _of_many(found: Sequence[Difference], models: Sequence[str], these: str) -> Answer:
    """Say who leads."""
    outcome = {model: _wins(found, model) for model in models}
    leaders = [model for model in models if not outcome[model][1] and outcome[model][0]]
    if len(leaders) == 1:
        return _leader(found, leaders[0], models, outcome[leaders[0]][0])
    if not leaders:
        shows = number(sum(each.winner is not None for each in found))
        said = f"No model leads: {shows} of {len(found)} differences are shown, some each way."
        return Answer("~", said)
    both = "two" if len(leaders) == 2 else number(len(leaders))
    names = in_words([printable(model) for model in leaders])
    said = f"{names} lead; {these} cannot tell the {both} apart."
    rest = [model for model in models if model not in leaders]
    if not all(outcome[model][0] >= set(rest) for model in leaders):
        return Answer("✓", said)
    who = "Both beat" if len(leaders) == 2 else "All beat"
    return Answer("✓", said, f"{who} {_few(rest)}.")


def _no_difference(found: Sequence[Difference], models: Sequence[str], these: str) -> str:
    if not any(each.disagreements for each in found):
        return (
            "All models give the same answers."
            if len(models) > 2
            else "Both models give the same answers."
        )
    who = (
        f"{printable(models[0])} and {printable(models[1])}"
        if len(models) == 2
        else f"the {number(len(models))} models"
    )
    return f"{capitalised(these)} show no difference between {who}."


def _largest(found: Sequence[Difference]) -> str:
    """Write the difference with the smallest p-value."""
    known = [each for each in found if not math.isnan(each.low)]
    if not known or not any(each.disagreements for each in known):
        return ""
    duel = Duel(min(known, key=lambda each: each.p_adjusted))
    *_, at, ends = duel.texts
    level = confidence(duel.difference.alpha)
    name = measure_name(duel.difference)
    first, second = duel.names
    return f"The clearest is {name}, {first} over {second}: {at} ({level} interval {ends})."


def _of_two(found: Sequence[Difference]) -> Answer:
    """Say which of two models is better, by which measures."""
    winners = sorted({each.winner for each in found if each.winner is not None})
    if len(winners) > 1:
        parts = []
        for name in winners:
            measures = [measure_name(each) for each in found if each.winner == name]
            parts.append(f"{printable(name)} is better by {in_words(measures)}")
        return Answer("~", f"It depends: {', '.join(parts)}.")
    won = [each for each in found if each.winner is not None]
    winner, loser = printable(winners[0]), printable(_other(won[0], winners[0]))
    by = in_words([measure_name(each) for each in won])
    if len(won) > 3:
        by = f"{number(len(won))} of {number(len(found))} measures"
    if len(won) == len(found) > 1:
        by = "both measures" if len(won) == 2 else "every measure"
    *scores, at, ends = Duel(won[0]).texts
    level = f"{confidence(won[0].alpha)} interval {ends}; " if ends else ""
    measured = f"{capitalised(measure_name(won[0]))} {' and '.join(scores)}, a difference of {at}"
    told = f"{measured} ({level}{short_p(won[0].p_adjusted)})."
    mark = "✓" if len(won) == len(found) else "~"
    return Answer(mark, f"{winner} is better than {loser} by {by}.", told)


def _leader(
    found: Sequence[Difference], leader: str, models: Sequence[str], beaten: set[str]
) -> Answer:
    """Say how far the one model leads that nobody beats."""
    others, name = len(models) - 1, printable(leader)
    mine = [each for each in found if leader in (each.first, each.second)]
    if all(each.winner == leader for each in mine):
        by = measure_name(mine[0]) if len({each.measure for each in mine}) == 1 else "every measure"
        return Answer("✓", f"{name} is better than all {number(others)} others by {by}.")
    if len(beaten) == others:
        said = f"{name} leads: it is better than each of the others by some measure."
        return Answer("✓", said)
    left = [model for model in models if model != leader and model not in beaten]
    second = f"No difference from {_few(left)} is shown."
    return Answer("✓", f"{name} leads: it is better than {_few(beaten)}.", second)


def _in_groups(comparison: Comparison) -> str:
    """Say in how many groups a difference is shown."""
    if not (comparison.groups and comparison.overall):
        return ""
    shown = {
        each.group for each in comparison if each.group is not None and each.winner is not None
    }
    count, total = len(shown), len(comparison.groups)
    names = grouping(comparison.by, total)
    if not shown:
        return f"No difference is shown in any of {number(total)} {names}."
    return f"Differences are shown in {number(count)} of {number(total)} {names}."


def _groups_alone(comparison: Comparison) -> Answer:
    shown = {each.group for each in comparison if each.winner is not None}
    names = grouping(comparison.by, len(comparison.groups))
    total = number(len(comparison.groups))
    said = f"Differences are shown in {number(len(shown))} of {total} {names}."
    return Answer("✓" if shown else "~", said)


def _models(by_measure: dict[str, list[Duel]]) -> tuple[Table, ...]:
    """Return a row per model: its score, and how far it is from the best one."""
    firsts = [duels[0].difference for duels in by_measure.values()]
    heads = (Column("Model", is_text=True), *(Column(*measure_title(each)) for each in firsts))
    scores = [_scores(duels) for duels in by_measure.values()]
    order = sorted(
        scores[0],
        key=lambda name: -scores[0][name] if not math.isnan(scores[0][name]) else math.inf,
    )
    if firsts[0].direction is Direction.MINIMIZE:
        order = sorted(
            scores[0],
            key=lambda name: scores[0][name] if not math.isnan(scores[0][name]) else math.inf,
        )
    found = [each for duels in by_measure.values() for each in (duel.difference for duel in duels)]
    rows = []
    for name in order:
        cells = [
            _beside_best(name, of, duels)
            for of, duels in zip(scores, by_measure.values(), strict=True)
        ]
        rows.append(Row((Cell(printable(name), small=_versus(found, name)), *cells)))
    return (Table(heads, tuple(rows)),)


def _scores(duels: Sequence[Duel]) -> dict[str, float]:
    found: dict[str, float] = {}
    for duel in duels:
        found[duel.difference.first] = duel.difference.first_score
        found[duel.difference.second] = duel.difference.second_score
    return found


def _versus(found: Sequence[Difference], name: str) -> str:
    """Say whom a model beats and who beats it."""
    beaten, losing = _wins(found, name)
    parts = [
        f"{words} {_few(some)}"
        for words, some in (("beats", beaten - losing), ("worse than", losing - beaten))
        if some
    ]
    return "; ".join(parts) or "no difference shown"


def _few(models: Collection[str]) -> str:
    """Name models, or count them if they are many."""
    if len(models) < 4:
        return in_words(sorted(map(printable, models)))
    return f"{number(len(models))} others"


def _beside_best(name: str, scores: dict[str, float], duels: Sequence[Duel]) -> Cell:
    """Return a score and how far it is from the best: ✓ the best, ~ too close to call, ✗ worse."""
    write = number_format(scores.values(), counted=duels[0].difference.counts)
    if math.isnan(scores[name]):
        return Cell(write(scores[name]), "–")
    pick = max if duels[0].sign > 0 else min
    best = pick((each for each in scores if not math.isnan(scores[each])), key=scores.__getitem__)
    if scores[name] == scores[best]:
        return Cell(write(scores[name]), "✓", small="best")
    pair = {name, best}
    met = next(d.difference for d in duels if {d.difference.first, d.difference.second} == pair)
    mark = "✗" if met.winner == best else "~"
    return Cell(write(scores[name]), mark, small=f"{write(scores[name] - scores[best])}")


def _strips(by_measure: dict[str, list[Duel]]) -> tuple[Table, ...]:
    """Return a picture of each difference, a row per pair with the better score first."""
    firsts = [duels[0].difference for duels in by_measure.values()]
    heads = (
        Column("First over second", is_text=True),
        *(Column(*measure_title(each)) for each in firsts),
    )
    pairs = list(
        dict.fromkeys(
            (d.difference.first, d.difference.second) for d in next(iter(by_measure.values()))
        )
    )
    reach = {
        key: max(
            (abs(end) for duel in duels for end in duel.advantages if math.isfinite(end)),
            default=0.0,
        )
        for key, duels in by_measure.items()
    }
    rows = []
    for pair in pairs:
        mine = [
            next(d for d in duels if (d.difference.first, d.difference.second) == pair)
            for duels in by_measure.values()
        ]
        turned = mine[0].is_turned
        cells = []
        for duel in mine:
            at, low, high = duel.advantages
            if duel.is_turned != turned:
                at, low, high = -at, -high, -low
            mark = duel.mark if duel.mark != "✓" or at > 0 else "✗"
            room = Strip.of(at, low, high, reach[duel.difference.measure])
            text = duel.texts[2] if duel.is_turned == turned else _negated(duel)
            cells.append(Cell(text, mark, said=difference_explanation(duel.difference), strip=room))
        rows.append(Row((Cell(" over ".join(mine[0].names)), *cells)))
    return (Table(heads, tuple(rows)),)


def _negated(duel: Duel) -> str:
    write = number_format(duel.scores, counted=duel.difference.counts)
    at = -duel.numbers[0]
    return "" if math.isnan(at) else f"{'+' if at > 0 else ''}{write(at)}"


def _square(duels: Sequence[Duel]) -> Table:
    """Return who beats whom by one measure: row against column."""
    scores = _scores(duels)
    met = {frozenset((d.difference.first, d.difference.second)): d for d in duels}
    title, key = measure_title(duels[0].difference)
    heads = (Column("", is_text=True), *(Column(printable(name)) for name in scores))
    rows = []
    for name in scores:
        cells = []
        for other in scores:
            if name == other:
                cells.append(Cell("·"))
                continue
            duel = met[frozenset((name, other))]
            mark = duel.mark if duel.mark != "✓" else "✓" if duel.difference.winner == name else "✗"
            is_first = duel.names[0] == printable(name)
            cells.append(Cell("", mark, small=duel.texts[2] if is_first else _negated(duel)))
        rows.append(Row((Cell(printable(name)), *cells)))
    return Table(heads, tuple(rows), Column(title, key).full)


def _steps(duels: Sequence[Duel]) -> tuple[Step, ...]:
    """Say how many more rows would tell models apart, for the pairs that need the fewest."""
    known = [duel for duel in duels if not math.isnan(duel.difference.rows_needed)]
    best: dict[tuple[str, str], Duel] = {}
    for duel in sorted(known, key=lambda each: each.difference.rows_needed):
        best.setdefault(duel.names, duel)
    steps = []
    for names, duel in list(best.items())[:_MOST_STEPS]:
        needed = duel.difference.rows_needed
        rows = f"{needed:,.0f} more {'row' if needed == 1 else 'rows'}"
        name = measure_name(duel.difference)
        *_, at, ends = duel.texts
        ci = f" ({confidence(duel.difference.alpha)} CI {ends})" if ends else ""
        said = f"they differ by {at} in {name}{ci}. About {rows} would settle it, if that stays so."
        steps.append(Step("~", f"{names[0]} or {names[1]}", said))
    return tuple(steps)


def _notes(comparison: Comparison) -> tuple[str, ...]:
    """Return what a reader must know of all claims."""
    is_adjustable = len(comparison.pairs) > 1
    claims = sum(each.outcome is not Better.UNDEFINED for each in comparison)
    is_usual = comparison.standard == Standard() and not is_adjustable
    found = (
        in_clusters([each.clusters for each in comparison.pairs]),
        dropped_rows(comparison.dropped) if comparison.dropped else "",
        "" if is_usual else evidence(comparison.standard, claims, adjustable=is_adjustable),
    )
    return tuple(filter(None, found))


def _every(comparison: Comparison) -> Table:
    """Return every difference, the better score first."""
    p = "p-value" if comparison.standard.adjust is None else "Adjusted p"
    level, has_groups = confidence(comparison.alpha), bool(comparison.groups)
    by = [capitalised(printable(comparison.by or "group"))] if has_groups else []
    texts = ("First", "Second", *by, "Measure", "Verdict")
    numbers = ("Scores", "Difference", f"{level} CI", p, "More rows needed")
    heads = [*(Column(title, is_text=True) for title in texts), *map(Column, numbers)]
    rows = [
        _difference_row(each, comparison, has_groups=has_groups)
        for each in comparison.differences[:_MOST_ROWS]
    ]
    return Table(tuple(heads), tuple(rows), more=len(comparison) - len(rows))


def _difference_row(difference: Difference, comparison: Comparison, *, has_groups: bool) -> Row:
    duel = Duel(difference)
    one, other, at, ends = duel.texts
    needed = difference.rows_needed
    group = "all" if difference.group is None else printable(str(difference.group))
    return Row((
        Cell(duel.names[0], said=difference_explanation(difference, comparison.by)),
        Cell(duel.names[1]),
        *([Cell(group)] if has_groups else []),
        Cell(Column(*measure_title(difference)).full),
        Cell(duel.said, duel.mark),
        Cell(f"{one} and {other}", sort=duel.scores[0]),
        Cell(at, sort=duel.numbers[0]),
        Cell(ends, sort=duel.numbers[1]),
        p_cell(difference),
        Cell("" if math.isnan(needed) else f"≈ {needed:,.0f}", sort=needed),
    ))  # fmt: skip


def _terms(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """Explain the columns."""
    level, alpha = confidence(comparison.alpha), comparison.alpha
    adjusted = " It is adjusted for the pairs and groups." if comparison.standard.adjust else ""
    swaps = (
        "If both models were alike, their answers could be swapped on any row. This is the chance "
        "that the scores then differ at least as much, in either direction (a paired permutation "
        f"test; for accuracy it is McNemar's exact test).{adjusted}"
    )
    none = "That does not mean that there is none: the interval says how large it may be."
    first = "The score of the first model, which has the better one, minus that of the second."
    interval = "Where the difference would be on other test sets like this one."
    better = f"The p-value is below {alpha} and the interval does not include 0."
    return (
        ("Difference", first),
        (f"{level} interval (CI)", interval),
        ("p-value", swaps),
        ("✓ First is better", better),
        ("~ No difference shown", none),
    )
