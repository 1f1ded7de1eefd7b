"""`baserate measures` and `baserate baseline`: measures, and what the best guesses score."""

from __future__ import annotations

import re
import textwrap
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from baserate.cli import options
from baserate.cli.console import say, show
from baserate.cli.options import HELP, examples, measure_keys
from baserate.exceptions import InvalidCountError, UndefinedMeasureError
from baserate.formatting import ARROWS, UNDEFINED, dropped_rows, number_format
from baserate.records import csv_text, json_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.core.baseline import Baseline
    from baserate.core.measure import Measure
    from baserate.core.observed import TestSet
    from baserate.evaluation.request import Request
    from baserate.task import Task

_WIDTH = 100
_LABEL = 13
SYMBOLS = {
    "binary": "M observations, of which P are positive and N negative, P̂ predicted positive and N̂ "
    "negative; θ* is the fraction that a draw predicts positive, and Θ* are all that the measure "
    "allows.",
    "multiclass": "M observations of K classes; class k occurs n_k times, is predicted m_k times, "
    "and C_jk of class j are predicted as k.",
    "scores": "M observations, of which P are positive and N negative; observation i has the score "
    "sᵢ, higher for what is likelier positive, and the truth yᵢ.",
    "class-scores": "A column of scores per class; measures of probabilities take rows that "
    "sum to 1. Measures of labels are those of the highest score.",
    "regression": "M observations; observation i has the true number yᵢ and the prediction ŷᵢ.",
}
"""What the letters of a formula are, for each task."""


@click.command(
    context_settings=HELP,
    short_help="Explain a measure, or list them all.",
    epilog=examples(
        "baserate measures",
        "baserate measures F1",
        "baserate measures 'macro F1'",
        "baserate measures AUC",
        "baserate measures Brier --task class-scores",
        "baserate measures RMSE",
    ),
)
@click.argument("name", required=False, shell_complete=measure_keys)
@click.option(
    "--task",
    type=click.Choice(list(SYMBOLS)),
    help="What is predicted, for names that several tasks have, such as accuracy.",
)
def measures(name: str | None, task: str | None) -> None:
    """Explain a measure: its meaning, formula and baseline; or list them all."""
    from baserate.task import get_measure

    show(_listed(task) if name is None else described(get_measure(name, task=task)))


def _listed(task: str | None) -> str:
    from baserate.task import TASKS, task_named

    blocks = []
    for each in TASKS.values() if task is None else [task_named(task)]:
        names = {f"{of.key} {of.direction.arrow}": of.meaning for of in each.chosen("all")}
        width = max(_LABEL, *(len(name) + 2 for name in names))
        facts = [_fact(name, meaning, width) for name, meaning in names.items()]
        blocks.append("\n".join([f"{each.title}:", *facts]))
    return "\n\n".join([*blocks, ARROWS])


def described(measure: Measure[Any]) -> str:
    """Return all facts of a measure, for a terminal."""
    from baserate.task import TASKS

    task = next(each for each in TASKS.values() if each.named(measure) is not None)
    facts = "\n".join(_fact(label, text) for label, text in _facts(measure, task) if text)
    meaning = textwrap.fill(measure.meaning, _WIDTH)
    symbols = textwrap.fill(SYMBOLS[task.name], _WIDTH)
    return f"{measure.key}: {measure.name}\n{meaning}\n\n{facts}\n\n{symbols}"


def _fact(label: str, text: str, width: int = _LABEL) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=f"{label:<{width}}",
        subsequent_indent=" " * width,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _facts(measure: Measure[Any], task: Task[Any]) -> Iterator[tuple[str, str]]:
    """Yield what each fact is called, and the fact; empty if the measure has none."""
    from baserate.measures.two_classes_record import TwoClassMeasure

    yield "also called", ", ".join(measure.aliases)
    definition: Any = getattr(measure, "definition", "")
    beta = re.fullmatch(r"F([\d.]+)", measure.key)
    value = f", β = {beta[1]}" if beta else ""
    yield "formula", plain(getattr(definition, "latex", definition)) + value
    yield "values", f"{measure.codomain}, {measure.direction.better} is better"
    yield "0/0", getattr(measure, "zero_division", "")
    if isinstance(measure, TwoClassMeasure):
        yield "needs", " and ".join(need.text for need in measure.requirements) or "nothing"
        expectation = measure.draw.expectation
        yield "expectation", f"{plain(expectation.latex)}, of a draw" if expectation else ""
    yield from _guesses(measure, task)
    yield "scikit-learn", "" if measure.sklearn is None else str(measure.sklearn)
    yield "misleads", measure.pitfall


def _guesses(measure: Measure[Any], task: Task[Any]) -> Iterator[tuple[str, str]]:
    """Yield the baseline on one test set, and the score of the worst guess."""
    from baserate.observed.labels import BaseRate
    from baserate.observed.numbers import Numbers

    test_set: Any = BaseRate({"a": 70, "b": 20, "c": 10})
    if task.takes_numbers:
        test_set = Numbers((1.0, 2.0, 3.0, 10.0, 100.0))
    elif task.takes_positive:
        test_set = BaseRate(positives=10, total=100)
    try:
        baseline = task.baseline(test_set, measure)
    except UndefinedMeasureError as error:
        yield "baseline", f"none: {error}"
        return
    best, worst = baseline.value, baseline.worst.value
    write = number_format([best, worst], counted=measure.counts)
    yield "example", test_set.described
    yield "baseline", f"{write(best)}: {baseline.guess}"
    yield "worst guess", write(worst) if abs(worst - best) > 0 else ""


# Formulas for a terminal: the LaTeX of a measure as plain text.

_SYMBOLS = {
    r"\theta": "θ", r"\Theta": "Θ", r"\alpha": "α", r"\beta": "β", r"\delta": "δ", r"\pi": "π",
    r"\varepsilon": "ε", r"\infty": "∞", r"\cdot": "·", r"\setminus": "∖", r"\le": "≤", r"\ge": "≥",
    r"\lVert": "‖", r"\rVert": "‖", r"\sum": "Σ", r"\prod": "Π", r"\int": "∫", r"\in": "in",
    r"\log": " log ", r"\max": "max", r"\min": "min", r"\left": "", r"\right": "", r"\Big": "",
    r"\,": " ", r"\;": " ", r"\quad": " ", "\\ ": " ", r"\{": "⦃", r"\}": "⦄", r"\#": "#",
}  # fmt: skip
_INDEXES = str.maketrans("0123456789oeijk", "₀₁₂₃₄₅₆₇₈₉ₒₑᵢⱼₖ")
# What is written with braces, the innermost first; and brackets around what is one already.
_WITH_BRACES = {
    r"\\(?:text|operatorname)\{([^{}]*)\}": r"\1",
    r"\\hat\{([^{}]*)\}": "\\1\N{COMBINING CIRCUMFLEX ACCENT}",
    r"\\bar\{([^{}]*)\}": "\\1\N{COMBINING MACRON}",
    r"\\sqrt\{([^{}]*)\}": r"√(\1)",
    r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}": r"(\1)/(\2)",
    r"([_^])\{([^{}]*)\}": r"\1(\2)",
}
_ONE = r"[^\s()·/+,|-]+"
_CALL = rf"{_ONE}\([^()]*\)"
_PRODUCT = rf"{_ONE}(?: {_ONE})*(?=\)/)"
_BRACKETED = re.compile(rf"(?<![\w^])\(\s*({_ONE}|{_CALL}|{_PRODUCT})\s*\)")


def plain(latex: str) -> str:
    """Return a formula as one line of text: TP/(P + FP), √(θ*·P/M), (Πₖ Cₖₖ/nₖ)^(1/K)."""
    symbol = re.compile(r"\\(?:[A-Za-z]+|.)")
    text = symbol.sub(lambda found: _SYMBOLS.get(found[0], found[0]), latex)
    before = ""
    while text != before:
        before = text
        for pattern, by in _WITH_BRACES.items():
            text = re.sub(pattern, by, text)
    index = re.compile(r"_\(([\doeijk]+)\)|_([\doeijk])")
    text = index.sub(lambda found: (found[1] or found[2]).translate(_INDEXES), text)
    text = _BRACKETED.sub(r"\1", text.replace("^2", "²").replace("^*", "*"))
    text = re.sub(r"(?<=\()\s+|\s+(?=[)₀-₉])|\s*(·)\s*", r"\1", text)
    return " ".join(text.replace("⦃", "{").replace("⦄", "}").split())


_HEADER = ("measure", "lowest  ", "highest  ", "best guess")
_LEGEND = f"{ARROWS}   * the baseline to beat"
_WAYS = "a test set must be given by --positives and --total, by --counts, or by FILES and --truth"


class Row(NamedTuple):
    """The baseline of a measure, or the reason why it has none."""

    measure: Measure[Any]
    baseline: Baseline | None
    reason: str = ""

    @classmethod
    def of(cls, task: Task[Any], test_set: TestSet, measure: Measure[Any]) -> Row:
        """Return the baseline of a measure on a test set."""
        try:
            return cls(measure, task.baseline(test_set, measure))
        except UndefinedMeasureError as error:
            return cls(measure, None, str(error))

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table; a star marks the baseline to beat."""
        label = f"{self.measure.key} {self.measure.direction.arrow}"
        base = self.baseline
        if base is None:
            return label, f"{UNDEFINED}  ", f"{UNDEFINED}  ", UNDEFINED
        ends = (base.min.value, base.max.value)
        signs = " *" if self.measure.direction.value == "maximize" else "* "
        written = map(number_format(ends, counted=self.measure.counts), ends)
        low, high = (f"{number} {sign}" for number, sign in zip(written, signs, strict=True))
        return label, low, high, base.guess

    @property
    def record(self) -> dict[str, Any]:
        """The facts, named as in a report's JSON, with None if there is no baseline."""
        found, measure = self.baseline, self.measure
        direction = measure.direction.value
        record = {"measure": measure.key, "name": measure.name, "direction": direction}
        numbers = {
            "baseline": found and found.value,
            "baseline_min": found and found.min.value,
            "baseline_max": found and found.max.value,
            "theta_star": found and found.theta_star,
        }
        words = {
            "guesses": found and str(found.guesses),
            "reference": found and found.guess,
            "reason": self.reason,
        }
        known = {name: each if each == each else None for name, each in numbers.items()}  # noqa: PLR0124
        return record | known | words


class Baselines(NamedTuple):
    """The baselines of one test set, for readers and for programs."""

    test_set: TestSet
    rows: tuple[Row, ...]

    def text(self) -> str:
        """Return a table for a terminal."""
        from baserate.report.text import padded

        columns = zip(_HEADER, *(row.cells for row in self.rows), strict=True)
        sides = (True, False, False, True)
        padding = [padded(each, left=left) for each, left in zip(columns, sides, strict=True)]
        table = "\n".join("  ".join(line).rstrip() for line in zip(*padding, strict=True))
        notes = (textwrap.fill(row.reason, 100) for row in self.rows if row.reason)
        return "\n\n".join([self.test_set.described, table, _LEGEND, *notes])

    def markdown(self) -> str:
        """Return a table for Markdown."""
        from baserate.report.markup import escaped, line_of, markdown_lines

        header = [name.strip() for name in _HEADER]
        cells = [[escaped(cell) for cell in row.cells] for row in self.rows]
        table = markdown_lines(header, [True, False, False, True], cells)
        notes = [line_of(row.reason) for row in self.rows if row.reason]
        return "\n\n".join([line_of(self.test_set.described), table, _LEGEND, *notes]) + "\n"

    def json(self) -> str:
        """Return everything as JSON, with every digit."""
        found = {"baselines": [row.record for row in self.rows]}
        return json_text({"schema": "baserate.baseline/3"} | self.test_set.facts | found)

    def csv(self) -> str:
        """Return one line per measure; empty values if there is no baseline."""
        records = [row.record for row in self.rows]
        return csv_text(list(records[0]), records)


RENDERERS = {
    "table": methodcaller("text"),
    "json": methodcaller("json"),
    "csv": methodcaller("csv"),
    "markdown": methodcaller("markdown"),
}


@click.command(
    context_settings=options.HELP,
    short_help="Print the scores of the best guesses.",
    epilog=options.examples(
        "baserate baseline --positives 139 --total 303 -m F1 -m MCC",
        "baserate baseline --positives 10 --total 100 -m AUC",
        "baserate baseline --counts a=70,b=20,c=10 -m 'macro F1'",
        "baserate baseline preds.csv --truth y -m all --format json",
    ),
)
@options.files(required=False)
@options.number("--positives", "How many observations are positive.", type=int, metavar="P")
@options.number("--total", "How many observations there are.", type=int, metavar="M")
@click.option(
    "--counts", metavar="CLASS=COUNT,…", help="How many observations there are of each class."
)
@options.truth(required=False)
@options.measures(required=False)
@options.POS_LABEL
@options.MISSING
@options.written(RENDERERS)
def baseline(*, measures: tuple[str, ...], **test_set: Any) -> Baselines:
    """Print the scores of the best guesses, on a test set of counts or of labels in FILES."""
    from baserate.cli.source import chosen_measures
    from baserate.evaluation.request import Request

    asked = Request.of(None, chosen_measures(measures), None, test_set["pos_label"])
    task, found = _test_set(asked, **test_set)
    rows = tuple(Row.of(task, found, measure) for measure in asked.of_task(task))
    if all(row.baseline is None for row in rows):
        raise UndefinedMeasureError(rows[0].reason)
    return Baselines(found, rows)


def _test_set(
    asked: Request,
    *,
    files: tuple[str, ...],
    positives: int | None,
    total: int | None,
    counts: str | None,
    truth: str | None,
    **labels: Any,
) -> tuple[Task[Any], TestSet]:
    """Return the test set, which must be given in exactly one of three ways, and its task."""
    from baserate.evaluation.request import Request
    from baserate.observed.labels import BaseRate

    ways = (bool(files or truth), (positives, total) != (None, None), counts is not None)
    is_whole = bool(files) == bool(truth) and (positives is None) == (total is None)
    if sum(ways) != 1 or not is_whole:
        raise click.UsageError(_WAYS, click.get_current_context())
    if files and truth:
        return _counted(asked, files, truth, **labels)
    given: Any
    if counts is not None:
        given = BaseRate(_class_counts(counts))
    else:
        assert positives is not None and total is not None  # noqa: S101, PT018
        given = BaseRate(positives=positives, total=total)
    return next(Request.of(None, asked.measures, given).tasks()), given


def _class_counts(text: str) -> dict[str, Any]:
    """Return counts as typed in a shell: a=70,b=20,c=10."""
    parts = text.split(",")
    found = dict(part.rpartition("=")[::2] for part in parts)
    is_typed = all(label and count.strip().isdigit() for label, count in found.items())
    if len(found) < len(parts) or not is_typed:
        raise InvalidCountError(
            f"must be a count for each class, such as a=70,b=20,c=10 (got {text!r})",
            parameter="counts",
        )
    return {label: int(count) for label, count in found.items()}


def _counted(
    asked: Request, files: Sequence[str], truth: str, pos_label: str | None, missing: str
) -> tuple[Task[Any], TestSet]:
    from baserate.cli.source import opened, typed_label
    from baserate.core.observed import Rows
    from baserate.data.engines.query import first_rows
    from baserate.evaluation.request import settled

    with opened(files) as relation:
        label = typed_label(relation, truth, pos_label)
        rows = Rows(pos_label=label, drop=missing == "drop", measures=asked.measures)
        kind = asked.kind(lambda: first_rows(relation, truth, {}, rows))
        found, dropped = kind.count_column(relation, truth, rows)
        task = settled(kind, found)
    if dropped:
        say(dropped_rows(dropped))
    return task, found
