"""CONTRIBUTING.md's examples of measures of classes run and obey the laws; its tables are true."""

from __future__ import annotations

import dataclasses
import re
from itertools import product
from typing import Any

import numpy as np
import pytest

import baserate as br
import class_pages
import exact
import exact_tables
from baserate.baselines.class_mix_search import class_baseline
from baserate.core import baseline as optimum
from baserate.core import measure as codomain
from baserate.core import measure as formula
from baserate.core import measure as sklearn_call
from baserate.core.measure import Measure
from baserate.kinds.classes.null import null_of
from baserate.measures import classes as recalls
from baserate.measures import classes_record as forms
from baserate.measures import classes_record as place
from baserate.measures import classes_record as tables
from baserate.measures import numbers_record as of_numbers
from baserate.measures import scores_record as of_rankings
from baserate.measures import scoring_rules as rules
from baserate.measures import two_classes as agreement
from baserate.measures import two_classes_record as extreme
from baserate.measures import two_classes_record as margins
from baserate.measures import two_classes_record as requirement
from baserate.measures import two_classes_record as under_draw
from baserate.measures.classes_record import ClassMeasure
from baserate.measures.numbers_record import NumberMeasure
from baserate.measures.scores_record import ScoreMeasure
from baserate.measures.scoring_rules import ScoringRule
from baserate.measures.two_classes_record import UnderDraw
from baserate.null import rankings as null
from baserate.observed import scores as deck
from baserate.observed.classes import ClassCounts
from latex_formula import value
from laws import LAWS_ON_DRAWS, LAWS_ON_TABLES, law_of_sklearn
from tools import members
from worked_examples import (
    NUMBERS,
    RANKINGS,
    RULES,
    SECTIONS,
    SEVERAL,
    TEXT,
    TWO,
    code_of,
    example,
    listed_fields,
    named,
    rows,
)

SMALL = [(positives, total) for total in range(1, 7) for positives in range(total + 1)]
MODULES = (
    br,
    agreement,
    codomain,
    deck,
    extreme,
    formula,
    forms,
    margins,
    null,
    of_numbers,
    of_rankings,
    optimum,
    place,
    requirement,
    rules,
    sklearn_call,
    tables,
    under_draw,
)


@pytest.fixture(scope="module")
def measure() -> br.Measure:
    """The worked record, evaluated with the names of the file it belongs in."""
    found: br.Measure = example(TWO, "ERR", agreement)
    return found


def test_the_record_obeys_the_laws(measure: br.Measure) -> None:
    """On every table and draw of a few observations, and on labels that scikit-learn scores."""
    for counts in product(range(3), repeat=4):
        table = br.Confusion(**dict(zip(("tp", "fp", "fn", "tn"), counts, strict=True)))
        for law in LAWS_ON_TABLES:
            law(measure, table)
    for positives, total in SMALL:
        rate = br.BaseRate(positives=positives, total=total)
        for law, drawn in product(LAWS_ON_DRAWS, range(total + 1)):
            law(measure, br.DutchDraw(rate, predicted_positives=drawn))
    law_of_sklearn(measure, np.random.default_rng(0))


def test_the_record_is_what_the_oracle_enumerates(
    measure: br.Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both optima and their places agree with the definition that the text gives the oracle."""
    key, definition = re.findall(r'`"(ERR)": (lambda .*),`', TWO)[0]
    monkeypatch.setitem(exact.DEFINITIONS, key, eval(definition, dict(vars(exact))))
    for positives, total in SMALL:
        base = br.baseline(br.BaseRate(positives=positives, total=total), measure)
        means = exact.expectations(key, positives, total, exact.pmf_tables)
        for optimum_, enumerated in zip((base.max, base.min), exact.extremes(means), strict=True):
            value, counts = enumerated
            assert optimum_.value == pytest.approx(float(value), rel=1e-15)
            assert members(optimum_.guesses) == counts


def test_an_optimum_that_is_left_out_is_searched(measure: br.Measure) -> None:
    """It works with either or both, with or without the formula of the expectation."""
    rate = br.BaseRate(positives=7, total=20)
    declared = br.baseline(rate, measure)
    optional = ("maximum", "minimum", "slope", "intercept", "expectation")
    for left_out in (optional[:1], optional[1:2], optional[:2], optional):
        draw = dataclasses.replace(measure.draw, **dict.fromkeys(left_out))
        found = br.baseline(rate, dataclasses.replace(measure, draw=draw, level=None))
        for optimum_, same in ((found.max, declared.max), (found.min, declared.min)):
            assert optimum_.value == pytest.approx(same.value, rel=1e-14)
            assert optimum_.guesses == same.guesses


def test_the_record_has_an_exact_interval_and_weights(measure: br.Measure) -> None:
    """Errors are the other side of accuracy, with and without importance weights."""
    table = br.Confusion(tp=9, fp=2, fn=4, tn=25)
    low, high = (getattr(br.confidence_interval(table, "ACC"), end) for end in ("low", "high"))
    errors = br.confidence_interval(table, measure)
    assert (errors.low, errors.high) == pytest.approx((1 - high, 1 - low))
    rng = np.random.default_rng(1)
    truth, predicted = rng.integers(0, 2, (2, 30))
    weights = rng.exponential(size=30)
    report = br.evaluate(
        truth, {"m": predicted}, [measure, "ACC"], sample_weight=weights, weights="importance"
    )
    one, other = report["m", "ERR"], report["m", "ACC"]
    assert one.score == pytest.approx(1 - other.score)
    assert one.baseline == pytest.approx(1 - other.baseline)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-6)


@pytest.mark.parametrize("section", [title for title in SECTIONS if title.startswith("A new ")])
def test_examples_fit_in_a_file(section: str) -> None:
    """Every section has one example, with lines that are not too long."""
    assert max(map(len, code_of(SECTIONS[section]).splitlines())) <= 100


def test_every_example_is_run() -> None:
    """No code is in a section without an example that a test runs."""
    assert TEXT.count("```python") == sum(title.startswith("A new ") for title in SECTIONS) == 5


def test_the_table_has_every_field() -> None:
    """The table lists each field once, and what happens if it is left out."""
    every = (*dataclasses.fields(br.Measure), *dataclasses.fields(UnderDraw))
    _are_all(listed_fields(TWO), {field.name: field for field in every})


def _are_all(listed: list[tuple[str, str]], fields: dict[str, Any]) -> None:
    assert sorted(name for name, _ in listed) == sorted(fields)
    for name, left_out in listed:
        assert (left_out == "required") == (fields[name].default is dataclasses.MISSING)


@pytest.mark.parametrize(
    ("section", "record"), [(RANKINGS, ScoreMeasure), (NUMBERS, NumberMeasure)]
)
def test_the_tables_of_scores_and_numbers_have_every_field(section: str, record: Any) -> None:
    """But for those that every measure has."""
    shared = {field.name for field in dataclasses.fields(Measure)}
    own = {field.name: field for field in dataclasses.fields(record) if field.name not in shared}
    assert "The fields that every measure has are as above" in section
    _are_all(listed_fields(section), own)


def test_the_table_of_rules_has_every_field() -> None:
    """The table, and the sentence above it, list each field of a rule once."""
    (sentence,) = re.findall(r"^`key`.* are as above", RULES, flags=re.MULTILINE)
    above = [(name, "required") for name in named(sentence)]
    every = {field.name: field for field in dataclasses.fields(ScoringRule)}
    _are_all([*above, *listed_fields(RULES)], every)


def test_the_table_names_what_there_is() -> None:
    """Every building block can be imported from the same place."""
    words = {name for row in rows(TEXT) for cell in row[1:] for name in named(cell)}
    blocks = {name for name in words if not name.islower()} - {"True", "False"}
    assert len(blocks) > 30
    for block in blocks:
        assert any(hasattr(module, block) for module in MODULES), block


@pytest.fixture(scope="module")
def class_measure() -> ClassMeasure:
    """The worked record of several classes, evaluated with the names of its file."""
    found: ClassMeasure = example(SEVERAL, "BALANCED_ERROR", recalls)
    return found


def test_the_class_record_is_what_the_oracle_enumerates(
    class_measure: ClassMeasure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both optima, all their decks and all p-values agree with the definition in the text."""
    key, definition = re.findall(r'`"(balanced error)": (lambda .*),`', SEVERAL)[0]
    monkeypatch.setitem(exact_tables.DEFINITIONS, key, eval(definition, dict(vars(exact_tables))))
    for n in ((1,), (2, 1), (2, 2, 1), (3, 1, 1)):
        base = class_baseline(ClassCounts(dict(enumerate(n))), class_measure)
        ends = exact_tables.extremes(key, n)
        assert ends is not None
        for found, enumerated in zip((base.max, base.min), ends, strict=True):
            assert found.value == pytest.approx(float(enumerated.value), abs=1e-15)
            assert set(found.guesses) == enumerated.guesses
        for m in exact_tables.guesses(n):
            law, exact_law = null_of(class_measure, n, m), exact_tables.exact_law(key, n, m)
            assert exact_law is not None
            for score in exact_law.scores:
                better = law.tail(float(score), class_measure.direction)
                assert better == pytest.approx(float(exact_law.at_most(score)), rel=1e-12)


def test_the_class_record_is_printed_as_it_is_computed(class_measure: ClassMeasure) -> None:
    """Its LaTeX gives the score of a table, and its page has its facts."""
    table = np.array([[5, 2, 1], [3, 4, 2], [1, 1, 6]])
    names = {"C": table, "n": table.sum(axis=1), "K": 3}
    score = float(class_measure.scores(table.astype(float)))
    assert value(class_measure.definition.latex, names) == pytest.approx(score, rel=1e-14)
    page = class_pages.page(class_measure)
    for fact in (class_measure.name, class_measure.meaning, *class_measure.aliases):
        assert fact in page


def test_the_class_record_is_judged(class_measure: ClassMeasure) -> None:
    """It is one minus balanced accuracy, in verdicts and between models."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 60)
    models = {"a": np.where(rng.random(60) < 0.6, truth, 0), "b": rng.integers(0, 3, 60)}
    report = br.evaluate(truth, models, [class_measure, "balanced accuracy"])
    for model in models:
        one, other = report[model, "balanced error"], report[model, "balanced accuracy"]
        assert (one.score, one.p_value) == pytest.approx((1 - other.score, other.p_value))
        assert one.outcome == other.outcome
    found, expected = br.compare(truth, models, [class_measure, "balanced accuracy"])
    assert (found.difference, found.p_value) == pytest.approx(
        (-expected.difference, expected.p_value)
    )


def test_the_class_table_has_every_field() -> None:
    """The table and the sentence above it list each field of a class measure once."""
    shared = [field.name for field in dataclasses.fields(Measure)] + ["may_be_undefined"]
    (sentence,) = re.findall(r"^`key`.* are as above", SEVERAL, flags=re.MULTILINE)
    assert sorted(named(sentence)) == sorted(shared)
    fields = {field.name: field for field in dataclasses.fields(ClassMeasure)}
    _are_all(listed_fields(SEVERAL), {name: fields[name] for name in fields if name not in shared})
