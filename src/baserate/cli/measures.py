"""`baserate measures`: explain a measure, or list them all."""

from __future__ import annotations

import re
import textwrap
from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from baserate.cli.console import show
from baserate.cli.options import HELP, examples, measure_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.core.measure import Measure
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
    from baserate.tasks import get_measure

    show(_listed(task) if name is None else described(get_measure(name, task=task)))


def _listed(task: str | None) -> str:
    from baserate.formatting import ARROWS
    from baserate.tasks import TASKS, task_named

    tasks = list(TASKS.values()) if task is None else [task_named(task)]
    blocks = ["\n".join([f"{each.title}:", *_lines(each.chosen("all"))]) for each in tasks]
    return "\n\n".join([*blocks, ARROWS])


def _lines(measures: Sequence[Measure[Any]]) -> list[str]:
    names = [f"{each.key} {each.direction.arrow}" for each in measures]
    width = max(_LABEL, *(len(name) + 2 for name in names))
    return [_fact(name, each.meaning, width) for name, each in zip(names, measures, strict=True)]


def described(measure: Measure[Any]) -> str:
    """Return all facts of a measure, for a terminal."""
    from baserate.tasks import TASKS

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
    yield "formula", plain(getattr(definition, "latex", definition)) + _beta(measure)
    yield "values", f"{measure.codomain}, {measure.direction.better} is better"
    yield "0/0", getattr(measure, "zero_division", "")
    if isinstance(measure, TwoClassMeasure):
        yield "needs", " and ".join(need.text for need in measure.requirements) or "nothing"
        expectation = measure.draw.expectation
        yield "expectation", f"{plain(expectation.latex)}, of a draw" if expectation else ""
    yield from _guesses(measure, task)
    yield "scikit-learn", "" if measure.sklearn is None else str(measure.sklearn)
    yield "misleads", measure.pitfall


def _beta(measure: Measure[Any]) -> str:
    """Say what β is, if a name has one that is a number: F2."""
    found = re.fullmatch(r"F([\d.]+)", measure.key)
    return f", β = {found[1]}" if found else ""


def _guesses(measure: Measure[Any], task: Task[Any]) -> Iterator[tuple[str, str]]:
    """Yield the baseline on one test set, and the score of the worst guess."""
    from baserate.exceptions import UndefinedMeasureError
    from baserate.formatting import number_format

    test_set = _example(task)
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


def _example(task: Task[Any]) -> Any:
    """Return a small test set of a task."""
    from baserate.observed.base_rate import BaseRate
    from baserate.observed.classes import ClassCounts
    from baserate.observed.numbers import Numbers

    if task.takes_numbers:
        return Numbers((1.0, 2.0, 3.0, 10.0, 100.0))
    if task.takes_positive:
        return BaseRate(positives=10, total=100)
    return ClassCounts({"a": 70, "b": 20, "c": 10})


# Formulas for a terminal: the LaTeX of a measure as plain text.

Tokens: TypeAlias = deque[str]

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", flags=re.DOTALL)
_SYMBOLS = {
    r"\theta": "θ", r"\Theta": "Θ", r"\alpha": "α", r"\beta": "β", r"\delta": "δ",
    r"\varepsilon": "ε", r"\infty": "∞", r"\cdot": "·", r"\setminus": "∖", r"\le": "≤", r"\ge": "≥",
    r"\lVert": "‖", r"\rVert": "‖", r"\sum": "Σ", r"\prod": "Π", r"\max": "max", r"\min": "min",
    r"\{": "{", r"\}": "}", r"\left": "", r"\right": "", r"\,": "", r"\;": " ", r"\quad": " ",
    "\\ ": " ",
}  # fmt: skip
_RAISED = {"2": "²", "*": "*"}
_LOWERED = {"o": "ₒ", "e": "ₑ", "i": "ᵢ", "j": "ⱼ", "k": "ₖ"}
_ACCENTS = {r"\hat": "\N{COMBINING CIRCUMFLEX ACCENT}", r"\bar": "\N{COMBINING MACRON}"}
# A pair of brackets with at most one level of nesting.
_BRACKET = r"\((?:[^()]|\([^()]*\))*\)"
_ONE = re.compile(rf"√?(?:[^\s·/+()-]+|{_BRACKET})")


def plain(latex: str) -> str:
    r"""Return a formula as one line of text.

    Examples
    --------
    >>> plain(r"\frac{\text{TP}}{P + \text{FP}}")
    'TP/(P + FP)'
    >>> plain(r"\sqrt{\theta^* \cdot P}")
    '√(θ*·P)'
    >>> plain(r"\left(\prod_k \frac{C_{kk}}{n_k}\right)^{1/K}")
    '(Πₖ Cₖₖ/nₖ)^(1/K)'
    """
    text = _read(deque(_TOKEN.findall(latex)))
    text = re.sub(r"\b(max|min)\{([^{}]*)\}", r"\1(\2)", text)
    text = re.sub(r"\s*·\s*", "·", text)
    text = re.sub(r"\blog(?=[^\s(])", "log ", text)
    return re.sub(r"\s+", " ", text).strip()


def _read(tokens: Tokens) -> str:
    """Read to the end of a group, or of the formula."""
    parts = []
    while tokens and tokens[0] != "}":
        parts.append(_item(tokens))
    return "".join(parts)


def _group(tokens: Tokens) -> str:
    """Read a group in braces, or a single token without braces."""
    if tokens[0] != "{":
        return _item(tokens)
    tokens.popleft()
    text = _read(tokens)
    tokens.popleft()
    return text


def _item(tokens: Tokens) -> str:
    sign = tokens.popleft()
    if sign in (r"\frac", r"\tfrac"):
        above, below = _group(tokens).strip(), _group(tokens).strip()
        return f"{_as_numerator(above)}/{_as_one(below)}"
    if sign == r"\sqrt":
        return f"√{_as_one(_group(tokens).strip())}"
    if sign in (r"\text", r"\operatorname"):
        return _group(tokens)
    if sign in _ACCENTS:
        return f"{_group(tokens)}{_ACCENTS[sign]}"
    if sign in "^_":
        script = _group(tokens).strip()
        return _RAISED.get(script, f"^({script})") if sign == "^" else _lowered(script)
    # The name of a function, such as a logarithm, is its name.
    return _SYMBOLS.get(sign, sign.removeprefix("\\"))


def _lowered(indices: str) -> str:
    if all(index in _LOWERED for index in indices):
        return "".join(_LOWERED[index] for index in indices)
    return f"_{indices}" if indices.isalnum() else f"_({indices})"


def _as_one(text: str) -> str:
    """Add brackets around anything but a single symbol, a bracket or a root."""
    return text if _ONE.fullmatch(text) else f"({text})"


def _as_numerator(text: str) -> str:
    """Add brackets around a sum; a product needs none in a numerator."""
    outside = re.sub(_BRACKET, "", text)
    return f"({text})" if re.search(r"[+-]", outside) else text
