"""Write a page for each measure from its record: nothing is typed twice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import baserate as br
import class_pages
import deck_pictures
import number_pages
import score_pages
from baserate.cli.measures import SYMBOLS
from baserate.core.measure import Direction
from baserate.measures.two_classes_record import ALWAYS, NEVER
from measure_pictures import draw
from overview_table import CLASSES, LABELS, NUMBERS, SCORES, SECTIONS
from overview_table import LABEL_MEASURES as MEASURES
from sklearn_lines import sklearn_line
from written import display, math, table, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

    from baserate.measures.two_classes_record import Extreme

TOTAL = 200
TEST_SETS = [br.BaseRate(positives=positives, total=TOTAL) for positives in (20, 60, 100)]
BETAS = (0.5, 1, 2)
_COMPUTED = "computed, as there is no formula"
_SYMBOLS = (
    "M observations, P positive and N negative, P̂ predicted positive and N̂ negative; θ is the "
    "fraction that a draw is asked for, and θ\\* the fraction that it takes in whole observations. "
    "[All symbols](index.md)."
)
_LEGEND = (
    SYMBOLS["binary"].replace("*", "\\*") + " θ is the fraction that a draw is asked for; it takes "
    "[whole observations](../ideas/draw.md#whole-observations), and θ\\* is the fraction that it "
    "really takes."
)


def page(measure: br.Measure) -> str:
    """Return the page of a measure."""
    parts = [f"# {measure.key}: {measure.name}", measure.meaning, table(["", ""], facts(measure))]
    parts += ["## Formula", display(measure.definition.latex)]
    if r"\beta" in measure.definition.latex:
        parts += _reduced(measure)
    parts.append(_SYMBOLS)
    parts += list(_without_baseline(measure) if measure.no_baseline else _with_baseline(measure))
    parts += ["## When it misleads", measure.pitfall]
    if measure.key == "F1":
        parts += _other_betas()
    return "\n\n".join(parts) + "\n"


def facts(measure: br.Measure) -> list[list[str]]:
    """Return the facts that fit on one line each."""
    higher = measure.direction is Direction.MAXIMIZE
    rows = [
        ["also called", ", ".join(measure.aliases) or "nothing else"],
        ["values", f"{measure.codomain}, {'higher' if higher else 'lower'} is better"],
        ["needs", " and ".join(need.text for need in measure.requirements) or "nothing"],
        ["scikit-learn", sklearn_line(measure)],
    ]
    if measure.section:
        rows.append(["derived in", f"appendix {measure.section} of the paper"])
    return rows


def _reduced(measure: br.Measure) -> Iterator[str]:
    """Say what Fβ is if the paper's form divides by zero."""
    yield (
        f"Here β = {measure.key.removeprefix('F')}. This is the paper's form, which divides by "
        "zero if TP = 0. The library computes the reduced form, which is 0 there "
        "([erratum 7](../errata.md#values-and-sets)):"
    )
    yield display(
        r"\frac{(1+\beta^2) \cdot \text{TP}}{\beta^2 \cdot P + \hat{P}}"
        r" = \frac{2 \cdot \text{TP}}{P + \hat{P}} \quad \text{for } \beta = 1"
    )


def _without_baseline(measure: br.Measure) -> Iterator[str]:
    yield "## What comes for free"
    yield f"There is no baseline: {measure.no_baseline}."


def _with_baseline(measure: br.Measure) -> Iterator[str]:
    yield "## Its distribution under a draw"
    yield distribution(measure)
    formula = measure.draw.expectation
    expected = f"\n\n{display(formula.latex)}" if formula else f"{_COMPUTED}."
    yield f"Its expectation is {expected}"
    yield "## What comes for free"
    yield table(["", "expected score", "at θ*"], optima(measure))
    yield from _bracket(measure)
    yield _constancy(measure)
    yield (
        f"On test sets with M = {TOTAL}; the baseline to beat is **bold**. A draw takes "
        "[whole observations](../ideas/draw.md#whole-observations), so a range of θ gives the same "
        "θ\\*. Beside each value is the range of θ that attains it."
    )
    head = ["P", "lowest", "for θ in", "highest", "for θ in"]
    yield table(head, [values(measure, rate) for rate in TEST_SETS])
    yield (
        f"![{measure.key} of draws: expectation and central 95% for three base rates]"
        f"({measure.key}.svg)"
    )


def distribution(measure: br.Measure) -> str:
    """Say how the score is distributed."""
    size, drawn = math(r"\hat{P} = M \cdot \theta^*"), math(r"\hat{P}")
    count = (
        f"A draw takes {size} observations. Its TP is hypergeometric: it counts the positives "
        f"among {drawn} observations taken from M, of which P are positive."
    )
    if measure.draw.slope is None or measure.draw.intercept is None:
        return (
            f"{count} {measure.key} is not linear in TP; each score has the probability of the TP "
            "that gives it."
        )
    line = rf"a \cdot \text{{TP}} + b, \quad a = {measure.draw.slope.latex}, \quad b = "
    return (
        f"{count} {measure.key} is linear in it:\n\n{display(line + measure.draw.intercept.latex)}"
    )


def optima(measure: br.Measure) -> list[list[str]]:
    """Return both optima as formulas."""
    lowest, highest = "lowest", "highest"
    if measure.direction is Direction.MAXIMIZE:
        highest += ", to beat"
    else:
        lowest += ", to beat"
    return [[lowest, *_extreme(measure.draw.minimum)], [highest, *_extreme(measure.draw.maximum)]]


def _extreme(extreme: Extreme | None) -> list[str]:
    if extreme is None:
        return [_COMPUTED, ""]
    return [math(rf"\displaystyle {latex}") for latex in (extreme.value.latex, extreme.place.latex)]


def _bracket(measure: br.Measure) -> Iterator[str]:
    """Explain Iverson's bracket if an optimum uses it."""
    if measure.draw.maximum and "[P" in measure.draw.maximum.place.latex:
        yield (
            "A bracket is 1 if its condition holds and 0 if not. So the best draw gives everyone "
            "the label of the larger class, and the worst draw that of the smaller one."
        )


def _constancy(measure: br.Measure) -> str:
    condition = measure.draw.constant.latex
    if measure.draw.constant is ALWAYS:
        return "All draws have the same expected score."
    if measure.draw.constant is NEVER:
        return ""
    return f"All draws have the same expected score if {math(condition)}."


def values(measure: br.Measure, rate: br.BaseRate) -> list[str]:
    """Return both optima on a test set, with the paper's intervals."""
    base = br.baseline(rate, measure)
    cells = [str(rate.positives)]
    for optimum in (base.min, base.max):
        value = f"{optimum.value:.6g}"
        shown = f"**{value}**" if optimum is base.best else value
        cells += [shown, " ∪ ".join(map(str, optimum.guesses.intervals))]
    return cells


def _other_betas() -> list[str]:
    measures = [br.fbeta(beta) for beta in BETAS]
    rows = [
        [each.key, f"`{each.sklearn}`"]
        + [f"{br.baseline(rate, each).best.value:.6g}" for rate in TEST_SETS]
        for each in measures
    ]
    head = ["", "scikit-learn", *(f"P = {rate.positives}" for rate in TEST_SETS)]
    sentence = (
        "`br.fbeta(β)`, or a name such as `F2`, gives the others: recall counts β times as much as "
        f"precision. These scores come for free on M = {TOTAL}, always at θ\\* = 1:"
    )
    return ["## Fβ", sentence, table(head, rows)]


def index() -> str:
    """Return the page that lists all measures."""
    return f"""# Measures

Which measure, which baseline, and what it misleads about: a table for each kind of prediction.
*Best without looking* is the prediction that ignores its input and has the best expected score on
an example; that score is beside it. ↑ higher is better, ↓ lower is better.

## Two classes

The example is the Cleveland Heart Disease data: {LABELS.test_set.described}.

{LABELS.table()}

{_LEGEND}

## Several classes

The example: {CLASSES.test_set.described}.

{CLASSES.table()}

{class_pages.LEGEND}

## Scores and probabilities

The example: {SCORES.test_set.described}.

{SCORES.table()}

{score_pages.LEGEND}

## Numbers

The example is the true numbers 1, 2, 3, 10 and 100.

{NUMBERS.table()}

{number_pages.LEGEND}
"""


def write_pages(app: Sphinx) -> None:
    """Write all pages and their pictures."""
    folder = Path(app.srcdir) / "measures"
    write(folder / "index.md", index())
    for name, section in SECTIONS.items():
        write(folder / f"{name}.txt", section.toctree())
    for measure in MEASURES:
        write(folder / f"{measure.key}.md", page(measure))
        if not measure.no_baseline:
            draw(measure, TEST_SETS, folder / f"{measure.key}.svg")
    for each in class_pages.MEASURES:
        name = class_pages.file_of(each)
        write(folder / "several" / f"{name}.md", class_pages.page(each))
        if not class_pages.is_constant(each):
            deck_pictures.draw(each, class_pages.EXAMPLE, folder / "several" / f"{name}.svg")
    for each in score_pages.MEASURES:
        write(folder / "scores" / f"{score_pages.file_of(each)}.md", score_pages.page(each))
    for one in number_pages.MEASURES:
        write(folder / "numbers" / f"{number_pages.file_of(one)}.md", number_pages.page(one))


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx reads them."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
