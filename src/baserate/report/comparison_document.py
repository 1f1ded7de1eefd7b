"""A comparison as a document: who is better, by how much, and every difference."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from baserate.formatting import (
    confidence,
    dropped_rows,
    in_words,
    number_format,
    printable,
)
from baserate.report.answer import p_cell, short_p
from baserate.report.digest import grouping, number, place
from baserate.report.document import (
    AHEAD,
    Answer,
    Cell,
    Column,
    Document,
    Row,
    Step,
    Table,
    blocks,
)
from baserate.report.duels import Contest, Duel
from baserate.verdicts.verdict import Better, Standard
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
    from collections.abc import Collection, Iterator, Sequence

    from baserate.data.groups import Group
    from baserate.report.comparison import Comparison
    from baserate.verdicts.verdict import Difference

# Browsers are slow with more rows, and readers with more steps and wider squares.
_MOST_ROWS, _MOST_STRIPS, _MOST_STEPS, _MOST_SQUARE = 2000, 40, 8, 8
# More names than these are counted.
_FEW = 3

_OF_MODELS = (("✓", "best score"), ("~", "too close to call"), ("✗", "worse than the best"))
_OF_TWO = (("✓", "better"), ("~", "no difference shown"), ("✗", "worse"))
_OF_PAIRS = (("✓", "first is better"), ("~", "no difference shown"))


def comparison_document(comparison: Comparison) -> Document:
    """Return all that is said of a comparison."""
    found: dict[Group | None, dict[str, list[Duel]]] = {}
    for each in comparison:
        of_group = found.setdefault(each.group, {})
        of_group.setdefault(each.measure, []).append(Duel.of(each))
    places = {
        group: [Contest(tuple(duels)) for duels in by_measure.values()]
        for group, by_measure in sorted(found.items(), key=lambda each: each[0] is not None)
    }
    contests = next(iter(places.values())) if None in places or len(places) == 1 else []
    is_pair, is_square = len(comparison.models) == 2, 2 < len(comparison.models) <= _MOST_SQUARE
    tables = _of_two_models(places, comparison.by) if is_pair else _of_models(contests)
    return Document(
        kind="difference",
        answer=comparison_answer(comparison, contests),
        facts=(f"{_described(comparison)}.",) if comparison else (),
        tables=tables,
        strips=tuple(_strips(places, comparison.by)),
        duels=tuple(map(_square, contests)) if is_square else (),
        steps=_steps([duel for contest in contests for duel in contest.duels]),
        notes=_notes(comparison),
        ends=("no difference", ""),
        key=(
            ("✓", "First is better", "the whole bar is right of 0"),
            ("~", "No difference shown", "the bar crosses 0"),
            ("✗", "First is worse", "the whole bar is left of 0"),
        ),
        every=_every(comparison),
        legend=(_OF_TWO if is_pair else _OF_MODELS) if tables else _OF_PAIRS,
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


def comparison_answer(comparison: Comparison, contests: Sequence[Contest]) -> Answer:
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
    able = [contest for contest in contests if contest.can_show]
    if able and not any(each.is_ahead(name) for each in able for name in models):
        best = printable(able[0].best)
        said = f"{best} scores best, but does not beat guessing."
        answer = Answer("✗", said, " ".join(filter(None, answer[1:])))
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
    duel = Duel.of(min(known, key=lambda each: each.p_adjusted))
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
    *scores, at, ends = Duel.of(won[0]).texts
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
        them = "both" if others == 2 else f"all {number(others)}"
        return Answer("✓", f"{name} is better than {them} others by {by}.")
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


def _of_models(contests: Sequence[Contest]) -> tuple[Table, ...]:
    """Return a row per model, the best first, and one of the best guess."""
    tables: list[Table] = []
    if not contests:
        return ()
    differences = [duel.difference for contest in contests for duel in contest.duels]
    sign, scores = contests[0].sign, contests[0].scores
    # Models without a score come last.
    order = sorted(scores, key=lambda name: (math.isnan(scores[name]), -sign * scores[name]))
    for at, block in enumerate(blocks(contests)):
        heads = [Column("Model", is_text=True), *(contest.column for contest in block)]
        rows = []
        for name in order:
            cells = [contest.score(name) for contest in block]
            cells += [] if at else [Cell(_ahead(contests, name))]
            small = "" if at else _versus(differences, name)
            rows.append(Row((Cell(printable(name), small=small), *cells)))
        guesses = [*(contest.guess for contest in block), *([] if at else [Cell()])]
        best = Cell("Best guess", small="never looks at its input")
        rows.append(Row((best, *guesses), "guess"))
        heads += [] if at else [Column(AHEAD, is_text=True)]
        tables.append(Table(tuple(heads), tuple(rows)))
    return tuple(tables)


def _ahead(contests: Sequence[Contest], name: str) -> str:
    """Say by which measures a model scores better than the best guess."""
    able = [contest for contest in contests if contest.can_show]
    behind = [measure_name(each.first) for each in able if not each.is_ahead(name)]
    if len(behind) == len(able):
        return "no" if able else ""
    if len(behind) > _FEW:
        return f"not by {number(len(behind))} measures"
    return f"not by {in_words(behind)}" if behind else "yes"


def _of_two_models(places: dict[Group | None, list[Contest]], by: str | None) -> tuple[Table, ...]:
    """Return a row per measure and group: both scores, the best guess, and the difference."""
    contests = [(group, contest) for group, found in places.items() for contest in found]
    first, second = contests[0][1].duels[0].pair
    level = f"{confidence(contests[0][1].first.alpha)} interval"
    titles = (printable(first), printable(second), "Best guess", "Difference", level, "p-value")
    rows = []
    for group, contest in contests[:_MOST_STRIPS]:
        duel = contest.duels[0].led_by(first)
        scores = [
            replace(contest.score(name), mark=duel.led_by(name).mark, small="")
            for name in duel.pair
        ]
        where = "" if group is None else f"{place(group, by)}, "
        difference = replace(duel.cell(contest.reach), mark="")
        cells = (contest.guess, difference, Cell(duel.texts[3]), p_cell(duel.difference))
        rows.append(Row((Cell(f"{where}{contest.column.full}"), *scores, *cells)))
    heads = (Column("Measure", is_text=True), *map(Column, titles))
    return (Table(heads, tuple(rows), more=len(contests) - len(rows)),)


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
    if len(models) <= _FEW:
        return in_words(sorted(map(printable, models)))
    return f"{number(len(models))} others"


def _strips(places: dict[Group | None, list[Contest]], by: str | None) -> Iterator[Table]:
    """Yield pictures of the differences, a row per pair and group, the better score first."""
    duels = [(group, duel) for group, found in places.items() for duel in found[0].duels]
    shown = duels[:_MOST_STRIPS]
    # The contests of a measure, by group; its strips reach equally far in all of them.
    for block in blocks(
        [dict(zip(places, each, strict=True)) for each in zip(*places.values(), strict=True)]
    ):
        heads, reaches = [Column("First over second", is_text=True)], []
        for measure in block:
            contests = list(measure.values())
            reaches.append(max(contest.reach for contest in contests))
            write = number_format(contests[0].scores.values(), counted=contests[0].first.counts)
            heads.append(contests[0].column._replace(ends=("0", f"+{write(reaches[-1])}")))
        rows = []
        for group, duel in shown:
            met = [of[group].met[frozenset(duel.pair)].led_by(duel.pair[0]) for of in block]
            cells = [each.cell(reach) for each, reach in zip(met, reaches, strict=True)]
            where = "" if group is None else f", {place(group, by)}"
            rows.append(Row((Cell(" over ".join(duel.names) + where), *cells)))
        yield Table(tuple(heads), tuple(rows), more=len(duels) - len(shown))


def _square(contest: Contest) -> Table:
    """Return who beats whom by one measure: row against column."""
    heads = (Column("", is_text=True), *(Column(printable(name)) for name in contest.scores))
    rows = []
    for name in contest.scores:
        cells = [Cell(printable(name))]
        for other in contest.scores:
            if name == other:
                cells.append(Cell("·"))
            else:
                duel = contest.met[frozenset((name, other))].led_by(name)
                cells.append(Cell("", duel.mark, small=duel.texts[2]))
        rows.append(Row(tuple(cells)))
    return Table(heads, tuple(rows), contest.column.full)


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
    duel = Duel.of(difference)
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
