"""A page for each measure, from its record: nothing is typed twice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import baserate as br
from baserate.cli.measures import SYMBOLS
from measure_pictures import draw
from written import display, math, table, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

    from baserate.measures.optimum import Extreme

TOTAL = 200
TEST_SETS = [br.BaseRate(positives=positives, total=TOTAL) for positives in (20, 60, 100)]
CLEVELAND = br.BaseRate(positives=139, total=303)
MEASURES = [*br.MEASURES.values(), br.get_measure("PT")]
BETAS = (0.5, 1, 2)
_COMPUTED = "computed, as there is no formula"


def page(measure: br.Measure) -> str:
    """Return the page of a measure."""
    parts = [f"# {measure.key}: {measure.name}", measure.meaning, table(["", ""], facts(measure))]
    parts += ["## Formula", display(measure.definition.latex)]
    if r"\beta" in measure.definition.latex:
        parts.append(f"Here β = {measure.key.removeprefix('F')}.")
    parts += list(_without_baseline(measure) if measure.no_baseline else _with_baseline(measure))
    parts += ["## When it misleads", measure.pitfall]
    if measure.key == "F1":
        parts += _other_betas()
    return "\n\n".join(parts) + "\n"


def facts(measure: br.Measure) -> list[list[str]]:
    """Return what fits in a line each."""
    higher = measure.direction is br.Direction.MAXIMIZE
    twin = f"`{measure.twin}`" if measure.twin else "has no function for it"
    return [
        ["also called", ", ".join(measure.aliases) or "nothing else"],
        ["values", f"{measure.codomain}, {'higher' if higher else 'lower'} is better"],
        ["needs", " and ".join(need.text for need in measure.requirements) or "nothing"],
        ["scikit-learn", twin],
        ["derived in", f"appendix {measure.section} of the paper"],
    ]


def _without_baseline(measure: br.Measure) -> Iterator[str]:
    yield "## What comes for free"
    yield f"There is no baseline: {measure.no_baseline}."


def _with_baseline(measure: br.Measure) -> Iterator[str]:
    yield "## Its law under a draw"
    yield law(measure)
    formula = measure.expectation
    expected = f"\n\n{display(formula.latex)}" if formula else f"{_COMPUTED}."
    yield f"Its expectation is {expected}"
    yield "## What comes for free"
    yield table(["", "expected score", "at θ*"], optima(measure))
    yield _constancy(measure)
    yield (
        f"On test sets of M = {TOTAL}, with the θ that round to these θ\\*; **bold**: the baseline "
        "to beat."
    )
    yield table(["P", "lowest", "θ", "highest", "θ"], [values(measure, rate) for rate in TEST_SETS])
    yield (
        f"![{measure.key} of draws: expectation and central 95% for three base rates]"
        f"({measure.key}.svg)"
    )


def law(measure: br.Measure) -> str:
    """Say how the score is distributed."""
    size, drawn = math(r"\hat{P} = M \cdot \theta^*"), math(r"\hat{P}")
    count = (
        f"Of a draw of {size} observations, TP is hypergeometric: it counts the positives among "
        f"{drawn} taken from M, of which P are positive."
    )
    if measure.slope is None or measure.intercept is None:
        return f"{count} {measure.key} is not linear in TP; its law is that of TP, score by score."
    line = rf"a \cdot \text{{TP}} + b, \quad a = {measure.slope.latex}, \quad b = "
    return f"{count} {measure.key} is linear in it:\n\n{display(line + measure.intercept.latex)}"


def optima(measure: br.Measure) -> list[list[str]]:
    """Return both optima as formulas."""
    lowest, highest = "lowest", "highest"
    if measure.direction is br.Direction.MAXIMIZE:
        highest += ", to beat"
    else:
        lowest += ", to beat"
    return [[lowest, *_extreme(measure.minimum)], [highest, *_extreme(measure.maximum)]]


def _extreme(extreme: Extreme | None) -> list[str]:
    if extreme is None:
        return [_COMPUTED, ""]
    return [math(rf"\displaystyle {latex}") for latex in (extreme.value.latex, extreme.place.latex)]


def _constancy(measure: br.Measure) -> str:
    condition = measure.constant.latex
    if "always" in condition:
        return "All draws expect the same."
    return "" if "never" in condition else f"All draws expect the same if {math(condition)}."


def values(measure: br.Measure, rate: br.BaseRate) -> list[str]:
    """Return both optima on a test set, with the paper's intervals."""
    base = br.baseline(rate, measure)
    cells = [str(rate.positives)]
    for optimum in (base.min, base.max):
        value = f"{optimum.value:.6g}"
        shown = f"**{value}**" if optimum is base.best else value
        cells += [shown, " ∪ ".join(map(str, optimum.thetas))]
    return cells


def _other_betas() -> list[str]:
    measures = [br.fbeta(beta) for beta in BETAS]
    rows = [
        [each.key, f"`{each.twin}`"]
        + [f"{br.baseline(rate, each).best.value:.6g}" for rate in TEST_SETS]
        for each in measures
    ]
    head = ["", "scikit-learn", *(f"P = {rate.positives}" for rate in TEST_SETS)]
    sentence = (
        "`br.fbeta(β)` makes the others, or a name such as `F2`: recall counts β times as much as "
        f"precision. What comes for free on M = {TOTAL}, always at θ\\* = 1:"
    )
    return ["## Fβ", sentence, table(head, rows)]


def index() -> str:
    """Return the page that lists all measures."""
    rows = [
        [f"[{each.key}]({each.key}.md) {each.direction.arrow}", each.meaning, _free(each)]
        for each in MEASURES
    ]
    toctree = "\n".join(f"{each.key}" for each in MEASURES)
    rate = f"{CLEVELAND.positives} positives among {CLEVELAND.total} observations"
    return f"""# Measures

{SYMBOLS} ↑ higher is better, ↓ lower is better.

The last column is the baseline on the Cleveland Heart Disease data, {rate}.

{table(["", "meaning", "for free"], rows)}

```{{toctree}}
:hidden:

{toctree}
```
"""


def _free(measure: br.Measure) -> str:
    return "none" if measure.no_baseline else f"{br.baseline(CLEVELAND, measure).best.value:.6g}"


def write_pages(app: Sphinx) -> None:
    """Write all pages and their pictures."""
    folder = Path(app.srcdir) / "measures"
    write(folder / "index.md", index())
    for measure in MEASURES:
        write(folder / f"{measure.key}.md", page(measure))
        if not measure.no_baseline:
            draw(measure, TEST_SETS, folder / f"{measure.key}.svg")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before they are read."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
