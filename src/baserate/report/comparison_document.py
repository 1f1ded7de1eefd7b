"""A comparison as a document: who is better, by how much, and every difference."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from baserate.core.measure import Direction
from baserate.formatting import confidence, in_words, number_format, printable
from baserate.report.digest import MOST_NAMES, grouping, notes_of_all, number, place
from baserate.report.document import (
    AHEAD,
    Answer,
    Cell,
    Column,
    Document,
    Row,
    Step,
    Strip,
    Table,
    blocks,
    p_cell,
    rows_cell,
    short_p,
    signed,
    span,
)
from baserate.verdicts.verdict import Better
from baserate.verdicts.wording import (
    capitalised,
    difference_explanation,
    group_name,
    measure_name,
    measure_title,
    rows_in,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from baserate.data.rows import Group
    from baserate.report import Comparison
    from baserate.verdicts.verdict import Difference

# Browsers are slow with more rows, and readers with more steps and wider squares.
_MOST_ROWS, _MOST_STRIPS, _MOST_STEPS, _MOST_SQUARE = 2000, 40, 8, 8

_OF_MODELS = (("✓", "best score"), ("~", "too close to call"), ("✗", "worse than the best"))
_OF_TWO = (("✓", "better"), ("~", "no difference shown"), ("✗", "worse"))
_OF_PAIRS = (("✓", "first is better"), ("~", "no difference shown"))


class Duel(NamedTuple):
    """A difference between two models, of which either may come first.

    The mark is ✓ if the first is better, ✗ if it is worse, ~ if no difference is shown, and – if
    there is no score. Texts are both scores, the difference with its sign, and the interval.
    """

    difference: Difference
    pair: tuple[str, str]
    scores: tuple[float, float]
    numbers: tuple[float, float, float]
    mark: str

    @classmethod
    def of(cls, found: Difference, lead: str | None = None) -> Duel:
        """Put a model first, or the better score."""
        at = found.difference
        is_worse = at > 0 if found.direction is Direction.MINIMIZE else at < 0
        is_turned = is_worse if lead is None else lead == found.second
        pair, scores = (found.first, found.second), (found.first_score, found.second_score)
        numbers = at, found.low, found.high
        if is_turned:
            pair, scores, numbers = pair[::-1], scores[::-1], (-at, -found.high, -found.low)
        mark = "~" if found.winner is None else "✓" if found.winner == pair[0] else "✗"
        return cls(found, pair, scores, numbers, "–" if found.outcome is Better.UNDEFINED else mark)

    @property
    def names(self) -> tuple[str, str]:
        """The names of both models, as they are shown."""
        return printable(self.pair[0]), printable(self.pair[1])

    @property
    def advantages(self) -> tuple[float, float, float]:
        """How much better the first one is, with the interval; both in the measure's direction."""
        at, low, high = self.numbers
        minimizes = self.difference.direction is Direction.MINIMIZE
        return (-at, -high, -low) if minimizes else (at, low, high)

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """Both scores, the difference with its sign, and the interval, as they are shown."""
        write = number_format(self.scores, counted=self.difference.counts)
        at, low, high = self.numbers
        ends = "" if math.isnan(at) else span(low, high, write)
        return write(self.scores[0]), write(self.scores[1]), signed(at, write), ends

    def cell(self, reach: float) -> Cell:
        """Return the difference with its picture."""
        strip = Strip.of(*self.advantages, reach)
        said = difference_explanation(self.difference)
        return Cell(self.texts[2], self.mark, said=said, strip=strip)


@dataclass(frozen=True)
class Contest:
    """All differences by one measure, and the best guess."""

    found: tuple[Difference, ...]

    @property
    def first(self) -> Difference:
        """One of the differences, for what they share: the measure and its best guess."""
        return self.found[0]

    @property
    def column(self) -> Column:
        """The head of the measure's column."""
        return Column(*measure_title(self.first))

    @cached_property
    def scores(self) -> dict[str, float]:
        """The score of each model."""
        found: dict[str, float] = {}
        for each in self.found:
            found |= {each.first: each.first_score, each.second: each.second_score}
        return found

    @cached_property
    def order(self) -> list[str]:
        """The models, the best first and those without a score last."""
        sign = 1 if self.first.direction is Direction.MINIMIZE else -1
        keys = {name: (math.isnan(score), sign * score) for name, score in self.scores.items()}
        return sorted(keys, key=lambda name: keys[name])

    @cached_property
    def met(self) -> dict[frozenset[str], Difference]:
        """The difference of each pair."""
        return {frozenset((each.first, each.second)): each for each in self.found}

    @cached_property
    def reach(self) -> float:
        """The largest advantage, or end of an interval."""
        ends = (abs(end) for each in self.found for end in Duel.of(each).advantages)
        return max(filter(math.isfinite, ends), default=0.0)

    def score(self, name: str) -> Cell:
        """Return a score and how far it is from the best: ✓ the best, ~ too close, ✗ worse."""
        write = number_format(self.scores.values(), counted=self.first.counts)
        leader = self.order[0]
        score, best = self.scores[name], self.scores[leader]
        if math.isnan(score) or score == best:
            text = write(score)
            return Cell(text, "–") if math.isnan(score) else Cell(text, "✓", small="best")
        is_worse = self.met[frozenset((name, leader))].winner == leader
        return Cell(write(score), "✗" if is_worse else "~", small=write(score - best))

    @property
    def guess(self) -> Cell:
        """Return what the best guess scores."""
        baseline, counts = self.first.baseline, self.first.counts
        write = number_format([*self.scores.values(), baseline], counted=counts)
        return Cell(write(baseline), small=printable(self.first.reference))

    def is_ahead(self, score: float) -> bool:
        """Whether a score is better than that of the best guess."""
        margin = score - self.first.baseline
        return margin < 0 if self.first.direction is Direction.MINIMIZE else margin > 0

    @property
    def can_show(self) -> bool:
        """Whether a model can be better than the best guess."""
        return self.is_ahead(self.first.perfect)


def comparison_document(comparison: Comparison) -> Document:
    """Return all that is said of a comparison."""
    found: dict[Group | None, dict[str, list[Difference]]] = {}
    for each in comparison:
        found.setdefault(each.group, {}).setdefault(each.measure, []).append(each)
    places = {
        group: [Contest(tuple(differences)) for differences in by_measure.values()]
        for group, by_measure in sorted(found.items(), key=lambda each: each[0] is not None)
    }
    contests = next(iter(places.values())) if None in places or len(places) == 1 else []
    is_pair, is_square = len(comparison.models) == 2, 2 < len(comparison.models) <= _MOST_SQUARE
    tables = _of_two_models(places, comparison.by) if is_pair else _of_models(contests)
    return Document(
        kind="difference",
        answer=_answer(comparison, contests),
        facts=(f"{_described(comparison)}.",) if comparison else (),
        tables=tables,
        strips=tuple(_strips(places, comparison.by)),
        duels=tuple(map(_square, contests)) if is_square else (),
        steps=_steps([each for contest in contests for each in contest.found]),
        notes=notes_of_all(comparison),
        ends=("no difference", ""),
        key=(
            ("✓", "First is better", "the whole bar is right of 0"),
            ("~", "No difference shown", "the bar crosses 0"),
            ("✗", "First is worse", "the whole bar is left of 0"),
        ),
        every=_every(comparison),
        legend=(_OF_TWO if is_pair else _OF_MODELS) if tables else _OF_PAIRS,
        filters=_OF_PAIRS,
        level=confidence(comparison.alpha),
        alpha=comparison.alpha,
        reading={"adjust": comparison.significance.adjust},
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


# The answer in a sentence.


def _answer(comparison: Comparison, contests: Sequence[Contest]) -> Answer:
    shown = comparison.overall or comparison
    found = [each for each in shown if each.outcome is not Better.UNDEFINED]
    if not comparison:
        return Answer("–", "No differences.")
    if not found:
        why = difference_explanation(next(iter(shown)))
        return Answer("–", "The models cannot be compared.", why)
    where = ""
    if comparison.groups:
        count = len(comparison.groups)
        total = f"{number(count)} {grouping(comparison.by, count)}"
        groups = {each.group for each in comparison if each.winner is not None} - {None}
        where = f"Differences are shown in {number(len(groups))} of {total}."
        if not comparison.overall and count > 1:
            return Answer("✓" if groups else "~", where)
        where = where if groups else f"No difference is shown in any of {total}."
    models = list(shown.models)
    these = f"these {found[0].pair.table.first.test_set.total:,} rows"
    if all(each.winner is None for each in found):
        answer = _no_difference(found, models, these)
    elif len(models) == 2:
        answer = _of_two(found)
    else:
        answer = _of_many(found, models, these)
    able = [contest for contest in contests if contest.can_show]
    scored = [each.is_ahead(score) for each in able for score in each.scores.values()]
    if able and not any(scored):
        said = f"{printable(able[0].order[0])} scores best, but does not beat guessing."
        answer = Answer("✗", said, " ".join(filter(None, answer[1:])))
    where = where if comparison.overall else ""
    return answer._replace(second=" ".join(filter(None, (answer.second, where))))


def _no_difference(found: Sequence[Difference], models: Sequence[str], these: str) -> Answer:
    """Say that no difference is shown, and write the one with the smallest p-value."""
    if not any(each.disagreements for each in found):
        who = "All" if len(models) > 2 else "Both"
        return Answer("~", f"{who} models give the same answers.")
    who = f"the {number(len(models))} models"
    if len(models) == 2:
        who = f"{printable(models[0])} and {printable(models[1])}"
    said = f"{capitalised(these)} show no difference between {who}."
    known = [each for each in found if not math.isnan(each.low)]
    if not any(each.disagreements for each in known):
        return Answer("~", said)
    clearest = min(known, key=lambda each: each.p_adjusted)
    duel = Duel.of(clearest)
    *_, at, ends = duel.texts
    interval = f"{at} ({confidence(clearest.alpha)} interval {ends})"
    name, over = measure_name(clearest), " over ".join(duel.names)
    return Answer("~", said, f"The clearest is {name}, {over}: {interval}.")


def _of_two(found: Sequence[Difference]) -> Answer:
    """Say which of two models is better, by which measures."""
    won = [each for each in found if each.winner is not None]
    by_winner: dict[str, list[str]] = {}
    for each in won:
        by_winner.setdefault(str(each.winner), []).append(measure_name(each))
    if len(by_winner) > 1:
        parts = (
            f"{printable(name)} is better by {in_words(by_winner[name])}"
            for name in sorted(by_winner)
        )
        return Answer("~", f"It depends: {', '.join(parts)}.")
    ((winner, measures),) = by_winner.items()
    by = in_words(measures)
    if len(won) > MOST_NAMES:
        by = f"{number(len(won))} of {number(len(found))} measures"
    if len(won) == len(found) > 1:
        by = "both measures" if len(won) == 2 else "every measure"
    *scores, at, ends = Duel.of(won[0]).texts
    level = f"{confidence(won[0].alpha)} interval {ends}; " if ends else ""
    measured = f"{capitalised(measures[0])} {' and '.join(scores)}, a difference of {at}"
    told = f"{measured} ({level}{short_p(won[0].p_adjusted)})."
    loser = printable(_other(won[0], winner))
    mark = "✓" if len(won) == len(found) else "~"
    return Answer(mark, f"{printable(winner)} is better than {loser} by {by}.", told)


def _other(difference: Difference, model: str) -> str:
    return difference.second if difference.first == model else difference.first


def _wins(found: Sequence[Difference], model: str) -> tuple[set[str], set[str]]:
    """Return whom a model beats by some measure, and who beats it."""
    mine = [each for each in found if model in (each.first, each.second)]
    beaten = {_other(each, model) for each in mine if each.winner == model}
    return beaten, {str(each.winner) for each in mine if each.winner not in (None, model)}


def _of_many(found: Sequence[Difference], models: Sequence[str], these: str) -> Answer:
    """Say who leads."""
    outcome = {model: _wins(found, model) for model in models}
    leaders = [model for model in models if not outcome[model][1] and outcome[model][0]]
    if not leaders:
        shows = number(sum(each.winner is not None for each in found))
        said = f"No model leads: {shows} of {len(found)} differences are shown, some each way."
        return Answer("~", said)
    rest = [model for model in models if model not in leaders]
    names = in_words([printable(model) for model in leaders])
    if len(leaders) > 1:
        said = f"{names} lead; {these} cannot tell the {number(len(leaders))} apart."
        is_ahead = all(outcome[model][0] >= set(rest) for model in leaders)
        who = "Both beat" if len(leaders) == 2 else "All beat"
        return Answer("✓", said, f"{who} {_few(rest)}." if is_ahead else "")
    leader, beaten = leaders[0], outcome[leaders[0]][0]
    mine = [each for each in found if leader in (each.first, each.second)]
    if all(each.winner == leader for each in mine):
        by = measure_name(mine[0]) if len({each.measure for each in mine}) == 1 else "every measure"
        them = "both" if len(rest) == 2 else f"all {number(len(rest))}"
        return Answer("✓", f"{names} is better than {them} others by {by}.")
    if len(beaten) == len(rest):
        said = f"{names} leads: it is better than each of the others by some measure."
        return Answer("✓", said)
    second = f"No difference from {_few([each for each in rest if each not in beaten])} is shown."
    return Answer("✓", f"{names} leads: it is better than {_few(beaten)}.", second)


def _few(models: Collection[str]) -> str:
    """Name models, or count them if they are many."""
    if len(models) <= MOST_NAMES:
        return in_words(sorted(map(printable, models)))
    return f"{number(len(models))} others"


# Tables.


def _of_models(contests: Sequence[Contest]) -> tuple[Table, ...]:
    """Return a row per model, the best first, and one of the best guess."""
    tables: list[Table] = []
    differences = [each for contest in contests for each in contest.found]
    for at, block in enumerate(blocks(contests)):
        heads = [Column("Model", is_text=True), *(contest.column for contest in block)]
        heads += [] if at else [Column(AHEAD, is_text=True)]
        rows = []
        for name in contests[0].order:
            cells = [contest.score(name) for contest in block]
            cells += [] if at else [Cell(_ahead(contests, name))]
            small = "" if at else _versus(differences, name)
            rows.append(Row((Cell(printable(name), small=small), *cells)))
        guesses = [*(contest.guess for contest in block), *([] if at else [Cell()])]
        best = Cell("Best guess", small="never looks at its input")
        rows.append(Row((best, *guesses), "guess"))
        tables.append(Table(tuple(heads), tuple(rows)))
    return tuple(tables)


def _ahead(contests: Sequence[Contest], name: str) -> str:
    """Say by which measures a model scores better than the best guess."""
    able = [contest for contest in contests if contest.can_show]
    behind = [measure_name(each.first) for each in able if not each.is_ahead(each.scores[name])]
    if len(behind) == len(able):
        return "no" if able else ""
    if len(behind) > MOST_NAMES:
        return f"not by {number(len(behind))} measures"
    return f"not by {in_words(behind)}" if behind else "yes"


def _versus(found: Sequence[Difference], name: str) -> str:
    """Say whom a model beats and who beats it."""
    beaten, losing = _wins(found, name)
    said = (("beats", beaten - losing), ("worse than", losing - beaten))
    parts = (f"{words} {_few(some)}" for words, some in said if some)
    return "; ".join(parts) or "no difference shown"


def _of_two_models(places: dict[Group | None, list[Contest]], by: str | None) -> tuple[Table, ...]:
    """Return a row per measure and group: both scores, the best guess, and the difference."""
    contests = [(group, contest) for group, found in places.items() for contest in found]
    one = contests[0][1].first
    pair, level = Duel.of(one).pair, f"{confidence(one.alpha)} interval"
    titles = (*map(printable, pair), "Best guess", "Difference", level, "p-value")
    rows = []
    for group, contest in contests[:_MOST_STRIPS]:
        found = contest.first
        duel = Duel.of(found, pair[0])
        scores = (
            replace(contest.score(name), mark=Duel.of(found, name).mark, small="") for name in pair
        )
        where = "" if group is None else f"{place(group, by)}, "
        difference = replace(duel.cell(contest.reach), mark="")
        cells = (contest.guess, difference, Cell(duel.texts[3]), p_cell(found))
        rows.append(Row((Cell(f"{where}{contest.column.full}"), *scores, *cells)))
    heads = (Column("Measure", is_text=True), *map(Column, titles))
    return (Table(heads, tuple(rows), more=len(contests) - len(rows)),)


def _strips(places: dict[Group | None, list[Contest]], by: str | None) -> Iterator[Table]:
    """Yield pictures of the differences, a row per pair and group, the better score first."""
    pairs = [(at, Duel.of(each)) for at, found in places.items() for each in found[0].found]
    shown = pairs[:_MOST_STRIPS]
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
            met = (of[group].met[frozenset(duel.pair)] for of in block)
            cells = (
                Duel.of(each, duel.pair[0]).cell(reach)
                for each, reach in zip(met, reaches, strict=True)
            )
            where = "" if group is None else f", {place(group, by)}"
            rows.append(Row((Cell(" over ".join(duel.names) + where), *cells)))
        yield Table(tuple(heads), tuple(rows), more=len(pairs) - len(shown))


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
                duel = Duel.of(contest.met[frozenset((name, other))], name)
                cells.append(Cell("", duel.mark, small=duel.texts[2]))
        rows.append(Row(tuple(cells)))
    return Table(heads, tuple(rows), contest.column.full)


def _steps(found: Sequence[Difference]) -> tuple[Step, ...]:
    """Say how many more rows would tell models apart, for the pairs that need the fewest."""
    known = [each for each in found if not math.isnan(each.rows_needed)]
    best: dict[tuple[str, str], Duel] = {}
    for duel in map(Duel.of, sorted(known, key=lambda each: each.rows_needed)):
        best.setdefault(duel.names, duel)
    steps = []
    for names, duel in list(best.items())[:_MOST_STEPS]:
        needed, name = duel.difference.rows_needed, measure_name(duel.difference)
        rows = f"{needed:,.0f} more {'row' if needed == 1 else 'rows'}"
        *_, at, ends = duel.texts
        ci = f" ({confidence(duel.difference.alpha)} CI {ends})" if ends else ""
        said = f"they differ by {at} in {name}{ci}. About {rows} would settle it, if that stays so."
        steps.append(Step("~", f"{names[0]} or {names[1]}", said))
    return tuple(steps)


def _every(comparison: Comparison) -> Table:
    """Return every difference, the better score first."""
    p = "p-value" if comparison.significance.adjust is None else "Adjusted p"
    by = [capitalised(printable(comparison.by or "group"))] if comparison.groups else []
    texts = ("First", "Second", *by, "Measure", "Verdict")
    numbers = ("Scores", "Difference", f"{confidence(comparison.alpha)} CI", p, "More rows needed")
    heads = [*(Column(title, is_text=True) for title in texts), *map(Column, numbers)]
    words = {"✓": "first is better", "✗": "second is better", "~": "no difference shown"}
    rows = []
    for each in comparison.differences[:_MOST_ROWS]:
        duel = Duel.of(each)
        one, other, at, ends = duel.texts
        group = "all" if each.group is None else printable(str(each.group))
        said = words.get(duel.mark, "undefined")
        said = "differ, unclear which" if each.outcome is Better.UNSURE else said
        cells = (
            Cell(duel.names[0], said=difference_explanation(each, comparison.by)),
            Cell(duel.names[1]),
            *([Cell(group)] if by else []),
            Cell(Column(*measure_title(each)).full),
            Cell(said, duel.mark),
            Cell(f"{one} and {other}", sort=duel.scores[0]),
            Cell(at, sort=duel.numbers[0]),
            Cell(ends, sort=duel.numbers[1]),
            p_cell(each),
            rows_cell(each),
        )
        rows.append(Row(cells))
    return Table(tuple(heads), tuple(rows), more=len(comparison) - len(rows))
