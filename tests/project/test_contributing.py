"""CONTRIBUTING.md's example of a new measure runs and obeys the laws."""

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
from baserate.binary.measures import agreement, extreme, margins, requirement, under_draw
from baserate.binary.measures.under_draw import UnderDraw
from baserate.cli.measures import described
from baserate.core import codomain, formula, sklearn_call
from baserate.core.measure import AnyMeasure
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.law.score_law import law_of
from baserate.multiclass.measures import forms, place, recalls, tables
from baserate.multiclass.measures.record import ClassMeasure
from baserate.multiclass.optimum.baseline import class_baseline
from latex_formula import value
from laws import LAWS_ON_DRAWS, LAWS_ON_TABLES, law_of_sklearn
from tools import ROOT, members

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECORD, CLASS_RECORD = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
BINARY, SEVERAL = TEXT.split("## A new measure of several classes")
SMALL = [(positives, total) for total in range(1, 7) for positives in range(total + 1)]
MODULES = (
    br,
    agreement,
    codomain,
    extreme,
    formula,
    forms,
    margins,
    place,
    requirement,
    sklearn_call,
    tables,
    under_draw,
)


def _named(text: str) -> list[str]:
    return re.findall(r"`(\w+)", text)


def _rows(text: str) -> list[list[str]]:
    rows = re.findall(r"^\| (`.*) \|$", text, flags=re.MULTILINE)
    return [row.split(" | ") for row in rows]


@pytest.fixture(scope="module")
def measure() -> br.Measure:
    """The worked record, evaluated with the names of the file it belongs in."""
    names: dict[str, Any] = dict(vars(agreement))
    exec(RECORD, names)
    found: br.Measure = names["ERR"]
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
    key, definition = re.findall(r'`"(ERR)": (lambda .*),`', TEXT)[0]
    monkeypatch.setitem(exact.DEFINITIONS, key, eval(definition, dict(vars(exact))))
    for positives, total in SMALL:
        base = br.baseline(br.BaseRate(positives=positives, total=total), measure)
        means = exact.expectations(key, positives, total, exact.pmf_tables)
        for optimum_, enumerated in zip((base.max, base.min), exact.extremes(means), strict=True):
            value, counts = enumerated
            assert optimum_.value == pytest.approx(float(value), rel=1e-15)
            assert members(optimum_.theta_stars) == counts


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
            assert optimum_.theta_stars == same.theta_stars


def test_the_record_is_not_the_paper_s(measure: br.Measure) -> None:
    """The record names no appendix, and its lines fit in a file."""
    assert "derived in" not in described(measure)
    assert max(map(len, RECORD.splitlines())) <= 100


def test_the_table_has_every_field() -> None:
    """The table lists each field once, and what happens if it is left out."""
    rows = [(name, row[2]) for row in _rows(BINARY) for name in _named(row[0])]
    every = (*dataclasses.fields(br.Measure), *dataclasses.fields(UnderDraw))
    fields = {field.name: field for field in every}
    assert sorted(name for name, _ in rows) == sorted(fields)
    for name, left_out in rows:
        assert (left_out == "required") == (fields[name].default is dataclasses.MISSING)


def test_the_table_names_what_there_is() -> None:
    """Every building block can be imported from the same place."""
    named = {name for row in _rows(TEXT) for cell in row[1:] for name in _named(cell)}
    blocks = {name for name in named if not name.islower()} - {"True", "False"}
    assert len(blocks) > 15
    for block in blocks:
        assert any(hasattr(module, block) for module in MODULES), block


@pytest.fixture(scope="module")
def class_measure() -> ClassMeasure:
    """The worked record of several classes, evaluated with the names of its file."""
    names: dict[str, Any] = dict(vars(recalls))
    exec(CLASS_RECORD, names)
    found: ClassMeasure = names["BALANCED_ERROR"]
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
        for optimum, enumerated in zip((base.max, base.min), ends, strict=True):
            assert optimum.value == pytest.approx(float(enumerated.value), abs=1e-15)
            assert set(optimum.decks) == enumerated.decks
        for m in exact_tables.decks(n):
            law, exact_law = law_of(class_measure, n, m), exact_tables.exact_law(key, n, m)
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


def test_the_class_table_has_every_field() -> None:
    """The table and the sentence above it list each field of a class measure once."""
    rows = [(name, row[2]) for row in _rows(SEVERAL) for name in _named(row[0])]
    shared = [field.name for field in dataclasses.fields(AnyMeasure)] + ["may_be_undefined"]
    (sentence,) = re.findall(r"^`key`.* are as above", SEVERAL, flags=re.MULTILINE)
    assert sorted(_named(sentence)) == sorted(shared)
    fields = {field.name: field for field in dataclasses.fields(ClassMeasure)}
    assert sorted([*shared, *(name for name, _ in rows)]) == sorted(fields)
    for name, left_out in rows:
        assert (left_out == "required") == (fields[name].default is dataclasses.MISSING)
