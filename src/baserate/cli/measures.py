"""`baserate measures`: explain a measure, or list them all."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, cast

import click

from baserate.cli.completers import measure_keys
from baserate.cli.mathtext import plain
from baserate.cli.options import HELP, examples
from baserate.cli.output import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.binary.measures import Measure
    from baserate.binary.measures.extreme import Extreme
    from baserate.core.measure import AnyMeasure

_WIDTH = 100
_LABEL = 13
SYMBOLS = (
    "M observations, of which P are positive and N negative, P̂ predicted positive and N̂ negative; "
    "θ* is the fraction that a draw predicts positive, and Θ* are all that the measure allows."
)


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
    type=click.Choice(["binary", "multiclass", "scores", "class-scores", "regression"]),
    help="What is predicted, for names that several tasks have, such as accuracy.",
)
def measures(name: str | None, task: str | None) -> None:
    """Explain a measure: its meaning, formula, requirements and baseline; or list them all."""
    from baserate.tasks import get_measure

    show(_listed(task) if name is None else described(get_measure(name, task=task)))


def _listed(task: str | None) -> str:
    from baserate.binary.measures import get_measure
    from baserate.support.formatting import ARROWS
    from baserate.tasks import TASKS, task_named

    tasks = list(TASKS.values()) if task is None else [task_named(task)]
    with_draws = [each for each in tasks if each.takes_positive and not each.takes_scores]
    blocks = []
    for each in tasks:
        known = each.chosen("all")
        known += (get_measure("PT"),) if each in with_draws else ()
        blocks.append("\n".join([f"{each.title}:", *_lines(known)]))
    return "\n\n".join([*blocks, f"{ARROWS}{'; PT has no baseline' if with_draws else ''}"])


def _lines(measures: Sequence[AnyMeasure[Any]]) -> list[str]:
    names = [f"{each.key} {each.direction.arrow}" for each in measures]
    width = max(_LABEL, *(len(name) + 2 for name in names))
    texts = (each.meaning for each in measures)
    return [_fact(name, text, width) for name, text in zip(names, texts, strict=True)]


def described(measure: AnyMeasure[Any]) -> str:
    """Return all facts of a measure, for a terminal."""
    from baserate.class_scores.measures import ClassScoreMeasure
    from baserate.cli import class_measures, number_measures, score_measures
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.ranking.measures.record import ScoreMeasure
    from baserate.regression.measures.record import NumberMeasure

    if isinstance(measure, ClassMeasure):
        found, names = class_measures.class_facts(measure), class_measures.SYMBOLS
    elif isinstance(measure, ScoreMeasure):
        found, names = score_measures.score_facts(measure), score_measures.SYMBOLS
    elif isinstance(measure, ClassScoreMeasure):
        found, names = score_measures.class_score_facts(measure), score_measures.CLASS_SYMBOLS
    elif isinstance(measure, NumberMeasure):
        found, names = number_measures.number_facts(measure), number_measures.SYMBOLS
    else:
        found, names = _facts(cast("Measure", measure)), SYMBOLS
    facts = "\n".join(_fact(label, text) for label, text in found)
    meaning = textwrap.fill(measure.meaning, _WIDTH)
    symbols = textwrap.fill(names, _WIDTH)
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


def _facts(measure: Measure) -> Iterator[tuple[str, str]]:
    if measure.aliases:
        yield "also called", ", ".join(measure.aliases)
    yield "formula", plain(measure.definition.latex) + _beta(measure)
    yield "values", f"{measure.codomain}, {measure.direction.better} is better"
    yield "needs", " and ".join(need.text for need in measure.requirements) or "nothing"
    if measure.no_baseline:
        yield "baseline", f"none: {measure.no_baseline}"
    else:
        yield from _baselines(measure)
    if measure.section:
        yield "derived in", f"appendix {measure.section} of the paper"


def _beta(measure: Measure) -> str:
    """Say what β is, if the formula has one: the key is F followed by β."""
    return f", β = {measure.key.removeprefix('F')}" if r"\beta" in measure.definition.latex else ""


def _baselines(measure: Measure) -> Iterator[tuple[str, str]]:
    from baserate.binary.measures import Direction
    from baserate.binary.measures.extreme import ALWAYS, NEVER

    computed = "computed, as there is no formula"
    expectation = measure.draw.expectation
    yield "expectation", plain(expectation.latex) if expectation else computed
    maximize = measure.direction is Direction.MAXIMIZE
    ends = (
        ("highest", measure.draw.maximum, maximize),
        ("lowest", measure.draw.minimum, not maximize),
    )
    for name, extreme, is_best in ends:
        to_beat = " (to beat)" if is_best else ""
        yield name, (_extreme(extreme) if extreme else computed) + to_beat
    if measure.draw.constant is ALWAYS:
        yield "", "All draws expect the same."
    elif measure.draw.constant is not NEVER:
        yield "", f"All draws expect the same if {plain(measure.draw.constant.latex)}."


def _extreme(extreme: Extreme) -> str:
    return f"{plain(extreme.value.latex)}, at θ* in {plain(extreme.place.latex)}"
