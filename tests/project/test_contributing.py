"""CONTRIBUTING.md's example of a new measure runs and obeys the laws."""

from __future__ import annotations

import dataclasses
import re
from itertools import product
from typing import Any

import numpy as np
import pytest

import baserate as br
import exact
from baserate.binary.measures import agreement, extreme, margins, requirement, under_draw
from baserate.binary.measures.under_draw import UnderDraw
from baserate.cli.measures import described
from baserate.core import codomain, formula, sklearn_call
from laws import LAWS_ON_DRAWS, LAWS_ON_TABLES, law_of_sklearn
from tools import ROOT, members

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
(RECORD,) = re.findall(r"^```python\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
SMALL = [(positives, total) for total in range(1, 7) for positives in range(total + 1)]
MODULES = (
    br,
    agreement,
    codomain,
    extreme,
    formula,
    margins,
    requirement,
    sklearn_call,
    under_draw,
)


def _named(text: str) -> list[str]:
    return re.findall(r"`(\w+)", text)


def _rows() -> list[list[str]]:
    rows = re.findall(r"^\| (`.*) \|$", TEXT, flags=re.MULTILINE)
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
    rows = [(name, row[2]) for row in _rows() for name in _named(row[0])]
    every = (*dataclasses.fields(br.Measure), *dataclasses.fields(UnderDraw))
    fields = {field.name: field for field in every}
    assert sorted(name for name, _ in rows) == sorted(fields)
    for name, left_out in rows:
        assert (left_out == "required") == (fields[name].default is dataclasses.MISSING)


def test_the_table_names_what_there_is() -> None:
    """Every building block can be imported from the same place."""
    named = {name for row in _rows() for cell in row[1:] for name in _named(cell)}
    blocks = {name for name in named if not name.islower()} - {"True", "False"}
    assert len(blocks) > 15
    for block in blocks:
        assert any(hasattr(module, block) for module in MODULES), block
