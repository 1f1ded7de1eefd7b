"""Every example of CONTRIBUTING.md runs, and is what it says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest

import baserate as br
import class_pages
import exact
import exact_numbers
import exact_scores
import exact_tables
from baserate.measures import class_scores as of_class_scores
from baserate.measures import classes as of_classes
from baserate.measures import numbers_errors as of_numbers
from baserate.measures import probabilities as of_rules
from baserate.measures import probabilities as rules
from baserate.measures import rankings as top
from baserate.measures import two_classes as of_two_classes
from baserate.observed import best_constants as constants
from enumeration import of_counts, of_table
from latex_formula import value
from properties.enumerated import KINDS, check_guesses, check_score_and_shuffles, check_swaps
from tools import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

EXAMPLES: list[str] = re.findall(
    r"^```python\n(.*?)^```$",
    (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


def _example(name: str, *modules: Any) -> Any:
    """Return a record of an example, which is run with the names of the files it belongs in."""
    (code,) = (each for each in EXAMPLES if f"\n{name} = " in f"\n{each}")
    names: dict[str, Any] = {}
    for module in modules:
        names |= vars(module)
    exec(code, names)
    return names[name]


def _r_precision(
    truth: Sequence[int], scores: Sequence[Fraction], weights: Sequence[Fraction]
) -> Any:
    positives = sum(t * weight for t, weight in zip(truth, weights, strict=True))
    return exact_scores.positives_in_top(truth, scores, positives, weights) / positives


def _power_loss(
    truth: Sequence[int], rows: Sequence[Sequence[Fraction]], weights: Sequence[Fraction]
) -> Any:
    reals = [[exact_numbers.real(each) for each in row] for row in rows]
    losses = (
        1 - 1.5 * mpmath.sqrt(row[t]) + sum(p**1.5 for p in row) / 2
        for t, row in zip(truth, reals, strict=True)
    )
    return exact_scores.mean(losses, weights)


def _shortage(y: Any, z: Any) -> Any:
    return max(3 * (y - z), z - y)


ERR = _example("ERR", of_two_classes)
BALANCED_ERROR = _example("BALANCED_ERROR", of_classes)
POWER_LOSS = _example("POWER_LOSS", rules)
SHORTAGE = _example("SHORTAGE", constants, of_numbers)
# A measure of each family, and what a textbook would say that it is.
DEFINED: dict[str, tuple[str, Any, Any]] = {
    "labels": (
        "two classes", ERR, of_counts(lambda *cells: 1 - exact.DEFINITIONS["ACC"](*cells)),
    ),
    "weighted labels": (
        "weighted labels", ERR, of_counts(lambda *cells: 1 - exact.DEFINITIONS["ACC"](*cells)),
    ),
    "classes": (
        "several classes", BALANCED_ERROR,
        of_table(lambda table: 1 - exact_tables.DEFINITIONS["balanced accuracy"](table)),
    ),
    "rankings": ("rankings", _example("R_PRECISION", top), _r_precision),
    "probabilities": (
        "probabilities", of_rules.of_rule(POWER_LOSS),
        lambda truth, scores, weights: _power_loss(
            truth, exact_scores.of_positive(scores), weights
        ),
    ),
    "class probabilities": (
        "class probabilities", of_class_scores.of_rule(POWER_LOSS), _power_loss,
    ),
    "weighted classes": (
        "weighted classes", BALANCED_ERROR,
        of_table(lambda table: 1 - exact_tables.DEFINITIONS["balanced accuracy"](table)),
    ),
    "weighted rankings": ("weighted rankings", _example("R_PRECISION", top), _r_precision),
    "weighted class probabilities": (
        "weighted class probabilities", of_class_scores.of_rule(POWER_LOSS), _power_loss,
    ),
    "numbers": ("numbers", SHORTAGE, exact_numbers.average(_shortage)),
    "weighted numbers": ("weighted numbers", SHORTAGE, exact_numbers.average(_shortage)),
}  # fmt: skip


def test_there_is_an_example_for_each_family() -> None:
    """Each is run below, and its lines are not too long."""
    assert len(EXAMPLES) == 5
    assert max(len(line) for each in EXAMPLES for line in each.splitlines()) <= 100


@pytest.mark.parametrize("name", DEFINED)
def test_the_record_is_what_the_oracle_enumerates(name: str) -> None:
    """Scores, p-values and best guesses are those of all shuffles, swaps and guesses."""
    kind, measure, score = DEFINED[name]
    for check in (check_score_and_shuffles, check_swaps, check_guesses):
        check(KINDS[kind], measure, score)


@pytest.mark.parametrize("name", DEFINED)
def test_the_record_is_judged(name: str) -> None:
    """It has a verdict with an interval, and a difference with one."""
    kind, measure, _ = DEFINED[name]
    rows = KINDS[kind].cases[0]
    truth, first, second = (
        np.array([np.array(each, dtype=float) for each in column] * 6)
        for column in (rows.truth, rows.first, rows.second)
    )
    options = {
        key: each * 6 if key == "sample_weight" else each for key, each in rows.options.items()
    }
    asked: Any = {"task": KINDS[kind].task, **options}
    (verdict,) = br.evaluate(truth, {"a": first}, measure, **asked)
    assert verdict.low <= verdict.score <= verdict.high
    assert verdict.margin_low <= verdict.margin <= verdict.margin_high
    (difference,) = br.compare(truth, {"a": first, "b": second}, measure, **asked)
    assert difference.low <= difference.difference <= difference.high


def test_the_interval_of_the_record_of_two_classes() -> None:
    """It is that of accuracy, turned around."""
    table = br.ConfusionMatrix(tp=9, fp=2, fn=4, tn=25)
    right, wrong = br.confidence_interval(table, "ACC"), br.confidence_interval(table, ERR)
    assert (wrong.low, wrong.high) == pytest.approx((1 - right.high, 1 - right.low))


def test_the_record_of_classes_is_printed_as_it_is_computed() -> None:
    """Its LaTeX gives the score of a table, and its page has its facts."""
    table = np.array([[5, 2, 1], [3, 4, 2], [1, 1, 6]])
    names = {"C": table, "n": table.sum(axis=1), "K": 3}
    score = float(BALANCED_ERROR.scores(table.astype(float)))
    assert value(BALANCED_ERROR.definition.latex, names) == pytest.approx(score, rel=1e-14)
    page = class_pages.page(BALANCED_ERROR)
    for fact in (BALANCED_ERROR.name, BALANCED_ERROR.meaning, *BALANCED_ERROR.aliases):
        assert fact in page


def test_the_loss_has_parts() -> None:
    """Those of any proper loss add up, and uncertainty is what the base rate has."""
    truth, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.2, 0.6, 0.9, 0.9]
    parts = of_rules.parts_of(POWER_LOSS, br.RankedScores.of(truth, scores))
    assert sum(part for _, part in parts.terms) == pytest.approx(parts.score)
    assert parts.uncertainty == pytest.approx(1 - 2 * 0.5**1.5)
    assert min(parts.miscalibration, parts.discrimination) > 0
