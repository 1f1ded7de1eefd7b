"""The paper's tables and figures, as `make paper` computes them."""

from __future__ import annotations

import contextlib
import re
from math import sqrt

import pytest

import baserate as br
from exact import DEFINITIONS, real
from reproduction import g2, uci
from reproduction.errata import ERRATA, errata_of
from reproduction.splits import BELOW_BY, Splits, split_many
from reproduction.tables import tables
from tools import ROOT

DOCS = ROOT / "docs"


def test_errata_are_those_of_the_document() -> None:
    """Each erratum is about the same table in both, and each one about a table is shown."""
    text = (DOCS / "errata.md").read_text(encoding="utf-8")
    entries = {
        int(number): title
        for number, title in re.findall(r"^(\d+)\. \*\*(.+?)\*\*", text, flags=re.MULTILINE)
    }
    uci_entries = text.partition("## The UCI table")[2].partition("\n## ")[0]
    for number, erratum in ERRATA.items():
        if erratum.table == "UCI table":
            assert f"\n{number}. " in uci_entries
        else:
            assert erratum.table in entries[number]
    shown = {number for table in (*tables(), uci.uci_table()) for number in table.errata}
    assert shown == set(ERRATA) == set(range(1, 13))


def test_every_erratum_about_cells_marks_some() -> None:
    """Errata that name rows are marked in them."""
    for table in (*tables(), uci.uci_table()):
        marks = {cell.erratum for row in table.rows for cell in row if cell.erratum}
        assert marks == {number for number in errata_of(table.name) if ERRATA[number].keys}


# The UCI table.


def _exact_maximum(key: str, positives: int, total: int) -> float:
    """The best constant prediction by definition; 0 if both are undefined."""
    scores = []
    for counts in ((positives, total - positives, 0, 0), (0, 0, positives, total - positives)):
        with contextlib.suppress(ZeroDivisionError):
            scores.append(float(real(DEFINITIONS[key](*counts))))
    return max(scores, default=0)


def test_marked_cells_are_those_that_differ() -> None:
    """A cell is marked as corrected exactly if the maximum differs from the printed value."""
    differing = {
        (key, name)
        for key, row in uci.PRINTED.items()
        for (name, size), printed in zip(uci.DATA_SETS.items(), row.split(), strict=True)
        if key != "G2" and round(_exact_maximum(key, *size), 3) != float(printed)
    }
    cells = uci.cells()
    assert {(cell.key, cell.data_set) for cell in cells if cell.cell.corrected} == differing
    assert differing == {(key, name) for key in ("FN", "FP") for name in uci.DATA_SETS}
    assert {cell.erratum for cell in cells if cell.differs} == {9}


# The example in the discussion.


def test_g2_has_the_numbers_of_the_text() -> None:
    """The values are 3/10, 4√2/15 and 1/10, with the maximum at 3/10."""
    example = g2.example()
    values = {r"\frac{3}{10}": 3 / 10, r"\frac{4\sqrt{2}}{15}": 4 * sqrt(2) / 15,
              r"\frac{1}{10}": 1 / 10}  # fmt: skip
    for count, printed in g2.PRINTED.items():
        assert example.scores[count] == pytest.approx(values[printed], rel=1e-15)
    assert example.best == (3,)  # as the paper says
    assert example.scores[0] == example.scores[10] == 0
    assert example.table.rows[3][3].text == "the maximum"


# The splits.


@pytest.fixture(scope="module")
def some() -> Splits:
    """The first splits."""
    return split_many(2)


def test_f1_and_ts_fall_below_together(some: Splits) -> None:
    """One is a function of the other that keeps the order, so their signs agree."""
    for model in some.models:
        f1, ts = (some.margins(model, measure) < 0 for measure in ("F1", "TS"))
        assert f1.tolist() == ts.tolist()


def _splits(*tables_: dict[str, br.ConfusionMatrix]) -> Splits:
    return Splits(0, tuple(br.evaluate(None, each, BELOW_BY) for each in tables_))


def test_counts_of_splits() -> None:
    """A model exactly at the baseline is not below it."""
    good, poor = br.ConfusionMatrix(tp=5, tn=5), br.ConfusionMatrix(tp=1, fn=4, fp=4, tn=1)
    all_positive = br.ConfusionMatrix(tp=5, fp=5)
    names = ("decision tree", "k-nearest neighbours")
    splits = _splits(*(dict(zip(names, pair, strict=True)) for pair in (
        (poor, poor), (poor, good), (all_positive, poor), (good, good)
    )))  # fmt: skip
    assert [splits.below(name, "F1") for name in names] == [2, 2]
    assert splits.below_all(*names) == 1
    assert [cell.text for cell in splits.table.rows[0]][1:] == ["2 (50.0%)"] * 4
    assert "decision tree in 50.0%, 50.0% and 50.0%" in splits.answer[0]
    assert splits.answer[1].startswith("In 25.0%, decision tree and k-nearest neighbours")
