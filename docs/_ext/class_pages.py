"""Write the page of a measure of several classes from its record."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from baserate.baselines.class_search import class_baseline
from baserate.cli.measures import SYMBOLS
from baserate.core.measure import Direction
from baserate.measures.classes import CLASS_MEASURES, get_class_measure
from baserate.measures.classes_record import Place
from baserate.observed.labels import BaseRate
from sklearn_lines import class_sklearn_line, without_score
from written import display, found_by, math, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.measures.classes_record import ClassMeasure

EXAMPLE = BaseRate({"a": 70, "b": 20, "c": 10})
TEST_SETS = [
    EXAMPLE,
    BaseRate({"a": 40, "b": 40, "c": 20}),
    BaseRate({"a": 90, "b": 9, "c": 1}),
]
LEGEND = re.sub(
    r"([nmC])_(\w+)",
    lambda found: math(f"{found[1]}_{{{found[2]}}}"),
    f"{SYMBOLS['multiclass']} A mix is how often each class is predicted.",
)
MEASURES = list(CLASS_MEASURES.values())
_AVERAGES = ("macro", "weighted")
_BETAS = (0.5, 1, 2)
_WITHOUT = ("only one class occurs and it is always predicted", "only one class occurs")
_ZERO_DIVISIONS = (0.0, 1.0, float("nan"))


def file_of(measure: ClassMeasure) -> str:
    """Return the name of a page, without its suffix."""
    return measure.key.lower().replace(" ", "-")


def page(measure: ClassMeasure) -> str:
    """Return the page of a measure."""
    words = found_by(measure.key, measure.name, *measure.aliases)
    parts = [f"# {title(measure)}", words, measure.meaning, table(["", ""], facts(measure))]
    parts += ["## Formula", display(measure.definition.latex), LEGEND]
    parts += ["## The best guess", *_guesses(measure)]
    parts += ["## Could it be chance?", _chance(measure)]
    parts += ["## When it misleads", measure.pitfall, *_choices(measure)]
    return "\n\n".join(parts) + "\n"


def title(measure: ClassMeasure) -> str:
    """Return the key and the name of a measure, or one of them if it says both."""
    is_named = measure.key.casefold() in measure.name.casefold()
    return measure.name if is_named else f"{measure.key}: {measure.name}"


def facts(measure: ClassMeasure) -> list[list[str]]:
    """Return the facts that fit on one line each."""
    rows = [
        ["key", f"`{measure.key}`"],
        ["also called", ", ".join(measure.aliases)],
        ["values", f"{measure.codomain}, {measure.direction.better} is better"],
        ["0/0", _zero_division(measure)],
        ["scikit-learn", class_sklearn_line(measure)],
    ]
    if measure.ordered:
        rows.append(["order", "The order of the classes matters: that of the sorted labels."])
    return rows


def _zero_division(measure: ClassMeasure) -> str:
    """Say what 0/0 is, and where there is no score at all."""
    said = measure.zero_division
    if without_score(measure):
        said += f" There is no score if {_WITHOUT[len(without_score(measure)) > 1]}."
    return said.strip() or "It never is."


def is_constant(measure: ClassMeasure) -> bool:
    """Return whether all guesses have the same expected score."""
    return measure.maximum is measure.minimum is Place.EVERYWHERE


def _guesses(measure: ClassMeasure) -> Iterator[str]:
    yield (
        "A guess never looks at its input. It is a [mix](../../ideas/class-mixes.md) of classes: "
        "how often it names each, on random rows."
    )
    if is_constant(measure):
        yield "All guesses have the same expected score. On test sets with M = 100:"
        rows = [[_classes(each), values(measure, each)[0]] for each in TEST_SETS]
        yield table(["classes", "every guess expects"], rows)
        return
    places = (measure.maximum, measure.minimum)
    best, worst = places if measure.direction is Direction.MAXIMIZE else places[::-1]
    rows = [["best, to beat", f"{_where(best)}."], ["worst", f"{_where(worst)}."]]
    yield table(["", "mixes"], rows)
    yield (
        "On test sets with M = 100; the baseline to beat is **bold**. A mix is written in the "
        "order of the classes."
    )
    head = ["classes", "lowest", "mixes", "highest", "mixes"]
    yield table(head, [[_classes(each), *values(measure, each)] for each in TEST_SETS])
    yield (
        f"![Expected {measure.key} of every mix on 70 a, 20 b and 10 c, as a triangle]"
        f"({file_of(measure)}.svg)"
    )
    yield (
        "Each point of the triangle is a mix on 70 a, 20 b and 10 c: in a corner it has one class "
        "only, and in the middle all three equally often."
    )


def _where(place: Place) -> str:
    """Return which mixes have an extreme, as the start of a sentence."""
    if place is Place.SEARCH:
        return "Found by a search, as there is no rule"
    return place.value[0].upper() + place.value[1:]


def values(measure: ClassMeasure, counts: BaseRate) -> list[str]:
    """Return both optima on a test set, with their mixes."""
    base = class_baseline(counts, measure)
    cells = []
    for optimum in (base.min, base.max):
        value = f"{optimum.value:.6g}"
        cells += [f"**{value}**" if optimum is base.best else value, f"{optimum.guesses}"]
    return cells


def _classes(counts: BaseRate) -> str:
    pairs = zip(counts.labels, counts.counts, strict=True)
    return ", ".join(f"{count} {label}" for label, count in pairs)


def _chance(measure: ClassMeasure) -> str:
    shuffled = (
        "The p-value is the chance that the model's own predictions, shuffled, score at "
        "least as well."
    )
    if measure.monotone:
        others = [each.key for each in MEASURES if each.monotone and each is not measure]
        return (
            f"{shuffled} Given how often each class occurs and is predicted, {measure.key} depends "
            "only on the number of right answers. So it shares one p-value with "
            f"{', '.join(others[:-1])} and {others[-1]}."
        )
    return (
        f"{shuffled} It matters which classes are right, so {measure.key} has its own p-value, "
        "which `br.evaluate` and `br.p_value` compute."
    )


def _choices(measure: ClassMeasure) -> Iterator[str]:
    """Yield what the measure is with another β, or with another value of 0/0."""
    name = measure.key.partition(" ")[0]
    if name not in _AVERAGES:
        return
    if measure.key.endswith("F1"):
        keys = [f"{name} F{beta:g}" for beta in _BETAS]
        yield "## Fβ"
        yield (
            "A name such as `macro F2` or `f2_macro` gives the others: recall counts β times as "
            "much as precision."
        )
        yield _with_baselines([get_class_measure(key) for key in keys])
    elif measure.key.endswith("precision"):
        yield "## What 0/0 is"
        yield (
            "The precision of a class that is never predicted is 0/0. "
            f'`br.get_measure("{measure.key}", zero_division=1)` counts it as 1, and `math.nan` '
            "leaves the class out. That decides which mix is best:"
        )
        yield _with_baselines(
            [get_class_measure(measure, zero_division=z) for z in _ZERO_DIVISIONS]
        )


def _with_baselines(measures: list[ClassMeasure]) -> str:
    rows = []
    for each in measures:
        base = class_baseline(EXAMPLE, each)
        rows.append(
            [each.key, f"`{each.sklearn}`", f"{base.best.value:.6g}", str(base.best.guesses)]
        )
    return table(["", "scikit-learn", "best guess on 70 a, 20 b, 10 c", "best mixes"], rows)
