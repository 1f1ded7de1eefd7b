"""A report as a document: the answer, its tables, and every verdict."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from baserate.formatting import confidence, printable
from baserate.report.answer import clause, in_short, report_answer, report_steps
from baserate.report.digest import (
    Digest,
    first,
    grouping,
    guesses,
    is_judged,
    notes,
    number,
    shown_panels,
    shown_score,
    significance,
    writer,
)
from baserate.report.document import (
    Cell,
    Column,
    Document,
    HeatMap,
    Row,
    Strip,
    Table,
    blocks,
    curve_figures,
    p_cell,
    reliability_figure,
    rows_cell,
    signed,
    span,
)
from baserate.verdicts.verdict import Outcome
from baserate.verdicts.wording import capitalised, explanation, measure_title, says

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from baserate.data.rows import Group
    from baserate.report.collection import Report
    from baserate.report.digest import Panel, Tally
    from baserate.verdicts.verdict import Verdict

# More marks side by side are divided over one table per model.
_MARKS_ACROSS = 12
# Browsers are slow with more than these, and so are readers.
_MOST_GROUPS, _MOST_VERDICTS, _MOST_MAPS = 100, 2000, 12
_MOST_STRIPS, _MOST_MODELS = 30, 6
# Where the widest interval ends on the way to the right end, by a measure without a perfect score.
_WIDEST = 0.85
# The order in which a page explains outcomes.
_OUTCOMES = (
    Outcome.CLEARS, Outcome.UNSURE, Outcome.LEARNED, Outcome.NO_EVIDENCE, Outcome.REVERSED,
    Outcome.WORSE, Outcome.UNINFORMATIVE, Outcome.UNDEFINED,
)  # fmt: skip


def report_document(report: Report) -> Document:
    """Return all that is said of a report."""
    digest, shown = Digest.of(report), shown_panels(report)
    bar, has_groups = digest.bar, len(report.groups) > 1
    facts = [f"{shown[0].title(report.by)}."] if len(shown) == 1 else []
    if len(shown) > 1:
        facts = [f"{capitalised(number(len(shown)))} test sets, each with its own best guess."]
    if bar == "guessing":
        facts.append("A guess is a prediction that never looks at its input.")
    if has_groups and bar == "guessing":
        facts.append(f"Each {grouping(report.by, 1)} is judged against its own best guess.")
    marks = (("✓", f"beats {bar}"), ("~", "unsure"), ("✗", "no better"))
    strips = _group_strips(digest) if has_groups else (_strips(panel, report) for panel in shown)
    return Document(
        kind="verdict",
        answer=report_answer(digest),
        facts=tuple(facts),
        tables=tuple(table for panel in shown for table in _answers(panel, digest)),
        groups=_groups(digest) if has_groups else (),
        strips=tuple(table for tables in strips for table in tables),
        steps=report_steps(digest),
        notes=notes(report),
        guesses=guesses(shown[0]) if len(shown) == 1 else "",
        ends=("best guess" if bar == "guessing" else bar, "perfect"),
        key=(
            ("✓", f"Beats {bar}", "the whole bar is right of the line"),
            ("~", "Unsure", "better on these rows, but the bar crosses the line"),
            ("✗", "No better", "the score is on or left of the line (◂: further left than shown)"),
        ),
        counts=_counts(shown, bar),
        maps=tuple(
            (printable(each.model), HeatMap.of(each.table.grid))
            for panel in shown[:_MOST_MAPS]
            for each in panel.performances[:_MOST_MAPS]
            if each.table.grid is not None
        ),
        curves=tuple(
            figures
            for panel in shown[:_MOST_MAPS]
            if (figures := (*curve_figures(panel), *reliability_figure(panel)))
        ),
        every=_every(report),
        legend=marks,
        filters=(*marks, ("–", "not judged")),
        level=confidence(report.alpha),
        alpha=report.alpha,
        reading=_reading(report, bar) if report else {},
    )


def _answers(panel: Panel, digest: Digest) -> list[Table]:
    """Return the tables of a test set: models down, or measures down if there is one model."""
    report, bar = digest.report, digest.bar
    if not panel.judged:
        return []
    if len(report.models) == 1:
        return [_of_one(panel, report)]
    clauses = {tally.performance: clause(tally, bar) for tally in digest.overall}
    has_p = all(each.shares_p_value for row in panel.judged for each in row if each is not None)
    found = []
    for at, block in enumerate(blocks(panel.judged)):
        writers, shows_p = list(map(writer, block)), has_p and not at
        heads = [Column("Model", is_text=True), *(Column(*measure_title(first(r))) for r in block)]
        heads += [Column("p-value", _tested(panel))] if shows_p else []
        rows = _bars(panel, block, bar, [Cell()] * shows_p)
        for place, performance in enumerate(panel.performances):
            name = Cell(printable(performance.model), small="" if at else clauses[performance])
            cells = [_score(place, *each, report.by) for each in zip(block, writers, strict=True)]
            mine = next(filter(None, (row[place] for row in panel.judged)), None)
            cells += [p_cell(mine) if mine else Cell()] if shows_p else []
            rows.append(Row((name, *cells)))
        found.append(Table(tuple(heads), tuple(rows), panel.title(report.by)))
    return found


def _bars(
    panel: Panel, block: Sequence[Sequence[Verdict | None]], bar: str, rest: list[Cell]
) -> list[Row]:
    """Return the row of the best guess, and that of the reference if there is one."""
    guess, reference = [], []
    for row in block:
        verdict, write = first(row), writer(row)
        words = "" if verdict.performance.against is not None else printable(verdict.reference)
        guess.append(Cell(write(verdict.free), small=words))
        reference.append(Cell(write(verdict.baseline)))
    best = Row((Cell("Best guess", small="never looks at its input"), *guess, *rest), "guess")
    if panel.performances[0].against is None:
        return [best]
    return [best, Row((Cell(bar, small="the model to beat"), *reference, *rest), "guess")]


def _tested(panel: Panel) -> str:
    """Say what p-values compare a model with."""
    return "vs shuffled" if panel.performances[0].against is None else "vs swapped"


def _of_one(panel: Panel, report: Report) -> Table:
    """Return the scores and margins of one model, a row per measure."""
    level = f"{confidence(report.alpha)} interval"
    against = panel.performances[0].against
    to_beat = "Best guess" if against is None else printable(against)
    heads = (Column("Measure", is_text=True), Column("Score"), Column(to_beat), Column("Margin"),
             Column(level), Column("p-value", _tested(panel)))  # fmt: skip
    rows = []
    for row in panel.judged:
        verdict, write = first(row), writer(row)
        words = "" if against is not None else printable(verdict.reference)
        cells = (
            Cell(_full(verdict)),
            _score(0, row, write, report.by),
            Cell(write(verdict.baseline), small=words),
            Cell(signed(verdict.margin, write)),
            Cell(span(verdict.margin_low, verdict.margin_high, write)),
            p_cell(verdict),
        )
        rows.append(Row(cells))
    return Table(heads, tuple(rows), panel.title(report.by))


def _full(verdict: Verdict) -> str:
    return Column(*measure_title(verdict)).full


def _score(
    place: int, row: Sequence[Verdict | None], write: Callable[[float], str], by: str | None = None
) -> Cell:
    """Return a score with its mark, its picture and its sentence."""
    verdict = row[place]
    if verdict is None:
        return Cell()
    ends = span(verdict.margin_low, verdict.margin_high, write)
    margin = filter(None, (signed(verdict.margin, write), ends and f"({ends})"))
    return Cell(
        write(shown_score(verdict)),
        verdict.mark if is_judged(verdict) else "–",
        small="" if math.isnan(verdict.margin) else " ".join(margin),
        said=explanation(verdict, by),
        strip=_strip(verdict, row),
        sort=verdict.score,
    )


def _strip(verdict: Verdict, row: Sequence[Verdict | None]) -> Strip | None:
    """Return where a score stands between the best guess and perfection."""
    if not is_judged(verdict):
        return None
    room = verdict.scale.advantage(verdict.perfect, verdict.baseline)
    if math.isnan(room):
        shown = [number for each in row if each for number in (each.margin, each.margin_high)]
        room = max(filter(math.isfinite, shown), default=0.0) / _WIDEST
    worst = verdict.scale.advantage(verdict.scale.worst, verdict.baseline)
    return Strip.of(verdict.margin, verdict.margin_low, verdict.margin_high, room, worst)


def _strips(panel: Panel, report: Report) -> list[Table]:
    """Return tables of pictures: models down and measures across, or the other way round."""
    if len(report.models) > 1:
        names = [printable(each.model) for each in panel.performances]
        return [_strip_table("Model", names, block) for block in blocks(panel.judged)]
    across = (Column("Measure", is_text=True), Column("From guessing to perfect"))
    base = "best guess" if panel.performances[0].against is None else "reference"
    down = []
    for row in panel.judged:
        write = writer(row)
        name = Cell(_full(first(row)), small=f"{base} {write(first(row).baseline)}")
        down.append(Row((name, _score(0, row, write))))
    return [Table(across, tuple(down))] if down else []


def _strip_table(
    title: str, names: Sequence[str], block: Sequence[Sequence[Verdict | None]], of: str = ""
) -> Table:
    heads, writers = [Column(title, is_text=True)], list(map(writer, block))
    for row, write in zip(block, writers, strict=True):
        numbers = {(each.baseline, each.perfect) for each in row if each is not None}
        ends = tuple(map(write, numbers.pop())) if len(numbers) == 1 else ()
        heads.append(Column(*measure_title(first(row)), ends=ends))
    rows = [
        Row((Cell(name), *(_score(place, r, w) for r, w in zip(block, writers, strict=True))))
        for place, name in enumerate(names)
    ]
    return Table(tuple(heads), tuple(rows), of)


def _group_strips(digest: Digest) -> Iterator[list[Table]]:
    """Yield the pictures of each model: the whole test set, and the groups, worst first."""
    report, measures = digest.report, _judged_measures(digest.report)
    worst = list(digest.large.items())[:_MOST_STRIPS]
    parts = {printable(str(group)): _by_name(found) for group, found in worst}
    if digest.overall:
        parts = {f"All {grouping(report.by, 2)}": _by_name(digest.overall)} | parts
    by = capitalised(printable(report.by or "group"))
    for model in report.models[:_MOST_MODELS]:
        rows = [[of.get((model, each.measure)) for of in parts.values()] for each in measures]
        known = [row for row in rows if any(row)]
        yield [_strip_table(by, list(parts), block, printable(model)) for block in blocks(known)]


def _by_name(found: Sequence[Tally]) -> dict[tuple[str, str], Verdict]:
    return {(v.model, v.measure): v for tally in found for v in tally.verdicts}


def _judged_measures(report: Report) -> list[Verdict]:
    """Return a verdict of each measure that can show something."""
    judged = {v.measure: v for v in reversed(report.verdicts) if is_judged(v)}
    return [judged[key] for key in report.measures if key in judged]


def _groups(digest: Digest) -> tuple[Table, ...]:
    """Return the marks of groups, worst first and those that are too small last."""
    measures, models = _judged_measures(digest.report), digest.report.models
    if not measures:
        return ()
    groups = [*digest.large.items(), *((each, digest.of_group[each]) for each in digest.tiny)]
    per_table = max(1, _MARKS_ACROSS // len(measures))
    return tuple(
        _marks(digest, models[at : at + per_table], measures, groups)
        for at in range(0, len(models), per_table)
    )


def _marks(
    digest: Digest,
    models: Sequence[str],
    measures: Sequence[Verdict],
    groups: Sequence[tuple[Group, list[Tally]]],
) -> Table:
    """Return the marks of some models: a row per group."""
    by, tiny = digest.report.by, frozenset(digest.tiny)
    share, _ = groups[0][1][0].performance.table.test_set.share
    heads = [Column(capitalised(by or "group"), is_text=True), Column("In short", is_text=True)]
    heads.append(Column(share))
    heads += [Column(*measure_title(v), over=printable(m)) for m in models for v in measures]
    rows = []
    for group, found in groups[:_MOST_GROUPS]:
        is_tiny, verdicts = group in tiny, _by_name(found)
        asked = (verdicts.get((model, each.measure)) for model in models for each in measures)
        cells = [_mark(verdict, by, dim=is_tiny) if verdict else Cell() for verdict in asked]
        _, share = found[0].performance.table.test_set.share
        kind = "dim" if is_tiny else "fail" if all(tally.fails for tally in found) else ""
        said = "too small" if is_tiny else in_short(found, digest.bar)
        rows.append(Row((Cell(printable(str(group))), Cell(said), Cell(share), *cells), kind))
    title = f"By {printable(by or 'group')}, worst first"
    return Table(tuple(heads), tuple(rows), title, only_marks=True, more=len(groups) - len(rows))


def _mark(verdict: Verdict, by: str | None, *, dim: bool) -> Cell:
    mark = "" if dim else verdict.mark if is_judged(verdict) else "–"
    return Cell(writer([verdict])(shown_score(verdict)), mark, said=explanation(verdict, by))


def _counts(shown: Sequence[Panel], bar: str) -> Table | None:
    """Return what was right and wrong of two classes, a row per model and per best guess."""
    if len(shown) != 1:
        return None
    panel = shown[0]
    flats = [(printable(each.model), each.table.flat) for each in panel.performances]
    if not all({"tp", "fp", "fn", "tn"} <= flat.keys() for _, flat in flats):
        return None
    positives, negatives = (
        flats[0][1][a] + flats[0][1][b] for a, b in (("tp", "fn"), ("tn", "fp"))
    )
    heads = (
        Column("Model", is_text=True),
        Column("found", "TP", f"{positives:,} positive"),
        Column("missed", "FN"),
        Column("cleared", "TN", f"{negatives:,} negative"),
        Column("false alarms", "FP"),
    )
    rows = [_count_row(name, flat) for name, flat in flats]
    if bar == "guessing":
        thetas = {first(row).theta_star for row in panel.judged}
        guesses = (
            (0.0, "everyone negative", {"fn": positives, "tn": negatives}),
            (1.0, "everyone positive", {"tp": positives, "fp": negatives}),
        )
        rows += [_count_row(name, flat, "guess") for at, name, flat in guesses if at in thetas]
    return Table(heads, tuple(rows))


def _count_row(name: str, flat: dict[str, int], kind: str = "") -> Row:
    cells = [Cell(name)]
    for right, wrong in (("tp", "fn"), ("tn", "fp")):
        counts = flat.get(right, 0), flat.get(wrong, 0)
        cells.append(Cell(f"{counts[0]:,}", sort=100 * counts[0] / max(sum(counts), 1)))
        cells.append(Cell(f"{counts[1]:,}"))
    return Row(tuple(cells), kind)


def _every(report: Report) -> Table:
    """Return every verdict, failures first if they are too many for a browser."""
    level, has_groups = f"{confidence(report.alpha)} CI", bool(report.groups)
    against = next((verdict.performance.against for verdict in report), None)
    by = [capitalised(printable(report.by or "group"))] if has_groups else []
    heads = [Column(title, is_text=True) for title in ("Model", *by, "Measure", "Verdict")]
    to_beat = "Best guess" if against is None else printable(against)
    heads += [Column("Score", level), Column(to_beat), Column("Margin", level)]
    heads += [Column(title) for title in ("Way to perfect", "p-value", "More rows needed")]
    chosen: Sequence[Verdict] = report.verdicts
    if len(chosen) > _MOST_VERDICTS:
        chosen = sorted(chosen, key=lambda verdict: (not verdict.fails, not is_judged(verdict)))
    rows = tuple(
        _verdict_row(each, report, has_groups=has_groups) for each in chosen[:_MOST_VERDICTS]
    )
    return Table(tuple(heads), rows, more=len(chosen) - len(rows))


def _verdict_row(verdict: Verdict, report: Report, *, has_groups: bool) -> Row:
    write, judged = writer([verdict]), is_judged(verdict)
    group = "all" if verdict.group is None else printable(str(verdict.group))
    way = f"{verdict.rescaled:.0%}" if judged and verdict.rescaled > 0 else ""
    score = span(verdict.low, verdict.high, write)
    margin = span(verdict.margin_low, verdict.margin_high, write)
    return Row((
        Cell(printable(verdict.model), said=explanation(verdict, report.by)),
        *([Cell(group)] if has_groups else []),
        Cell(_full(verdict)),
        Cell(_short(verdict), verdict.mark if judged else "–"),
        Cell(write(shown_score(verdict)), small=score, sort=verdict.score),
        Cell(write(verdict.baseline), sort=verdict.baseline),
        Cell(signed(verdict.margin, write), small=margin, sort=verdict.margin),
        Cell(way, sort=verdict.rescaled),
        p_cell(verdict),
        rows_cell(verdict),
    ))  # fmt: skip


def _short(verdict: Verdict) -> str:
    """Say an outcome in two or three words."""
    if verdict.performance.against is not None:
        return {"clears": "better", "no_evidence": "no better"}.get(
            verdict.outcome.value, verdict.outcome.value
        )
    return {
        Outcome.CLEARS: "beats guessing",
        Outcome.UNSURE: "unsure",
        Outcome.LEARNED: "no better, but learned",
        Outcome.NO_EVIDENCE: "no better",
        Outcome.REVERSED: "worse than chance",
        Outcome.UNINFORMATIVE: "not judged",
    }.get(verdict.outcome, "undefined")


def _reading(report: Report, bar: str) -> dict[str, Any]:
    """Return the facts with which a page explains its columns and marks."""
    one = report.verdicts[0].performance
    elsewhere = (Outcome.LEARNED, Outcome.REVERSED) if one.against else (Outcome.WORSE,)
    return {
        "against": one.against,
        "bar": bar,
        "words": one.table.words,
        "significance": significance(report),
        "outcomes": [
            (outcome.value, f"{outcome.mark} {capitalised(says(outcome, one.against))}")
            for outcome in _OUTCOMES
            if outcome not in elsewhere
        ],
    }
