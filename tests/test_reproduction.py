"""The paper's tables and figures, as `baserate paper` computes and writes them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from itertools import chain
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from playwright.sync_api import sync_playwright

import baserate as br
from baserate.cli.program import program
from baserate.paper import g2, uci
from baserate.paper.errata import ERRATA, errata_of
from baserate.paper.html import render_html, typeset
from baserate.paper.latex import _table, render_latex
from baserate.paper.pictures import pictures
from baserate.paper.reproduction import Reproduction, reproduce
from baserate.paper.splits import MEASURES, Splits, split_many
from baserate.paper.tables import baselines, definitions, expectations, requirements, symbol, tables
from exact import DEFINITIONS, real
from test_report_in_browser import CHROMIUM, FLAGS

if TYPE_CHECKING:
    from baserate.paper.table import Cell, Table

DOCS = Path(__file__).parent.parent / "docs"
FILES = {"index.html", "paper.tex", "cleveland.png", "splits.png", "g2.png"}
SPLITS = 3
EVERY = r"$\Theta^*$"
ALL_BUT_0, ALL_BUT_1 = r"$\Theta^* \setminus \{0\}$", r"$\Theta^* \setminus \{1\}$"


@pytest.fixture(scope="module")
def found() -> Reproduction:
    """Everything, with few splits."""
    return reproduce(SPLITS)


def _row(table: Table, key: str) -> tuple[Cell, ...]:
    return next(row for row in table.rows if symbol(key) in row[0].text.split(", "))


# Tables 1 to 4.


def test_table_1_has_every_measure() -> None:
    """All 22 and PT, each with the definition of its record."""
    rows = definitions().rows
    assert len(rows) == len(br.MEASURES) + 1
    texts = [row[2].text for row in rows]
    for measure in (*br.MEASURES.values(), br.get_measure("PT")):
        assert any(text.endswith(f" = {measure.definition.latex}$") for text in texts)
    assert "Prevalence" in rows[-2][0].text


def test_table_2_has_every_measure_once() -> None:
    """In the paper's groups, with the requirements of the records; κ has its own."""
    table = requirements()
    groups = [row[0].text.split(", ") for row in table.rows]
    assert sorted(chain(*groups)) == sorted(map(symbol, br.MEASURES))
    assert groups[1] == [symbol("TPR"), symbol("FNR"), symbol("TS")]
    for key in br.MEASURES.keys() - {"KAPPA"}:
        cells = zip(("P", "N", "P̂", "N̂"), _row(table, key)[1:5], strict=True)
        needed = [f"{name} > 0" for name, cell in cells if cell.text == "$> 0$"]
        assert needed == [need.text for need in br.MEASURES[key].requirements]
    assert _row(table, "KAPPA")[5].text == r"$P \cdot \hat{N} + N \cdot \hat{P} > 0$"


def test_table_3_has_the_formulas_of_the_records() -> None:
    """Expectation, a and b; G2 and TS have none."""
    table = expectations()
    assert [row[0].text for row in table.rows] == [symbol(key) for key in br.MEASURES]
    for key, measure in br.MEASURES.items():
        formulas = (measure.expectation, measure.slope, measure.intercept)
        for cell, formula in zip(_row(table, key)[1:], formulas, strict=True):
            assert (cell.text == f"${formula.latex}$") if formula else key in ("G2", "TS")


def test_table_4_has_the_formulas_of_the_records() -> None:
    """Both values, and where they are attained, with the cases that the errata add."""
    table = baselines()
    assert [row[0].text for row in table.rows] == [symbol(key) for key in br.MEASURES]
    for key, measure in br.MEASURES.items():
        _, high, _, low, _ = _row(table, key)
        assert high.text == (f"${measure.maximum.value.latex}$" if measure.maximum else "–")
        assert low.text == f"${measure.minimum.value.latex}$"


@pytest.mark.parametrize(
    ("key", "places"),
    [
        ("TP", r"$\{1\}$; $\Theta^*$ if $P = 0$"),
        ("TNR", r"$\{0\}$"),
        ("PPV", ALL_BUT_0),
        ("NPV", ALL_BUT_1),
        ("MCC", r"$\Theta^* \setminus \{0, 1\}$"),
        ("ACC", r"$\{[P > \frac{M}{2}]\}$; $\Theta^*$ if $P = \frac{M}{2}$"),
        ("KAPPA", f"{EVERY}; {ALL_BUT_0} if $P = 0$; {ALL_BUT_1} if $P = M$"),
        ("G2", "–"),
    ],
)
def test_places_of_table_4(key: str, places: str) -> None:
    """The maximisers as Table 4 should print them."""
    assert _row(baselines(), key)[2].text == places


def test_errata_are_those_of_the_document() -> None:
    """Each number is about the same table there, and each one about a table is shown."""
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
    """Those that name rows are marked in them."""
    for table in (*tables(), uci.uci_table()):
        marks = {cell.erratum for row in table.rows for cell in row if cell.erratum}
        assert marks == {number for number in errata_of(table.name) if ERRATA[number].keys}


# The UCI table.


def _exact_maximum(key: str, positives: int, total: int) -> float:
    """The better of the two constant predictions by the definition; 0 where it has neither."""
    scores = []
    for counts in ((positives, total - positives, 0, 0), (0, 0, positives, total - positives)):
        with contextlib.suppress(ZeroDivisionError):
            scores.append(float(real(DEFINITIONS[key](*counts))))
    return max(scores, default=0)


def test_marked_cells_are_those_that_differ() -> None:
    """A cell is marked as corrected if and only if the exact maximum is not what is printed."""
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


def test_rounded_cells_are_remarked() -> None:
    """G2's cells round to what is printed; they show more digits, and erratum 11."""
    remarked = [cell for cell in uci.cells() if cell.erratum and not cell.differs]
    assert {(cell.key, cell.erratum, cell.printed) for cell in remarked} == {("G2", 11, "0.5")}
    assert len(remarked) == 8
    assert all(0.4997 < float(cell.cell.text) < 0.5 for cell in remarked)


def test_printed_rows_stand_below_those_with_an_erratum() -> None:
    """FN, FP and G2 are followed by what the paper prints; no other row is."""
    rows = uci.uci_table().rows
    above = [rows[at - 1][0].text for at, row in enumerate(rows) if row[0].quoted]
    assert above == [symbol("FN"), symbol("FP"), symbol("G2")]
    assert len(rows) == 22 + 3
    assert [cell.text for cell in rows[2]][:4] == [symbol("FN"), "11687", "5289", "610"]
    assert [cell.text for cell in rows[3]][:4] == ["printed", "37155", "39922", "672"]


# The example of the discussion.


def test_g2_has_the_numbers_of_the_text() -> None:
    """3/10, 4√2/15 and 1/10, and the maximum at 3/10."""
    example = g2.example()
    values = {r"\frac{3}{10}": 3 / 10, r"\frac{4\sqrt{2}}{15}": 4 * sqrt(2) / 15,
              r"\frac{1}{10}": 1 / 10}  # fmt: skip
    for count, printed in g2.PRINTED.items():
        assert example.scores[count] == pytest.approx(values[printed], rel=1e-15)
    assert example.best == g2.PRINTED_BEST == (3,)
    assert example.scores[0] == example.scores[10] == 0
    assert example.table.rows[3][3].text == "the maximum"


# The splits.


def test_splits_are_reproducible(found: Reproduction) -> None:
    """A split depends on its own seed only, and the first is the figure's."""
    assert split_many(1, seed=2).reports[0] == found.splits.reports[2]
    first = found.splits.reports[0]
    assert first["decision tree", "FM"] == found.cleveland["decision tree", "FM"]
    assert len(found.cleveland) == 5 * 22


def test_f1_and_ts_fall_below_together(found: Reproduction) -> None:
    """One is a function of the other that keeps the order, so their signs agree."""
    for model in found.splits.models:
        f1, ts = (found.splits.margins(model, measure) < 0 for measure in ("F1", "TS"))
        assert f1.tolist() == ts.tolist()


def _splits(*tables_: dict[str, br.Confusion]) -> Splits:
    return Splits(0, tuple(br.evaluate(None, each, MEASURES) for each in tables_))


def test_counts_of_splits() -> None:
    """A model that is as good as the baseline is not below it."""
    good, poor = br.Confusion(tp=5, tn=5), br.Confusion(tp=1, fn=4, fp=4, tn=1)
    all_positive = br.Confusion(tp=5, fp=5)
    names = ("decision tree", "k-nearest neighbours")
    splits = _splits(*(dict(zip(names, pair, strict=True)) for pair in (
        (poor, poor), (poor, good), (all_positive, poor), (good, good)
    )))  # fmt: skip
    assert [splits.below(name, "F1") for name in names] == [2, 2]
    assert splits.below_all(*names) == 1
    assert [cell.text for cell in splits.table.rows[0]][1:] == ["2 (50.0%)"] * 4
    assert "decision tree in 50.0%, 50.0% and 50.0%" in splits.answer[0]
    assert splits.answer[1].startswith("In 25.0%, decision tree and k-nearest neighbours")


# The files.


def test_typeset() -> None:
    """Words are escaped, and formulas become MathML with operators in space."""
    text = typeset(r"a < b, $\text{TP} = \Theta^* \setminus \{0\}$ & c")
    assert text.startswith("a &lt; b, <math")
    assert text.endswith("</math> &amp; c")
    assert '<mi mathvariant="normal">TP</mi><mo>' in text
    assert "<mtext>" not in text


def test_the_command(tmp_path: Path) -> None:
    """It writes five files, and says where they are and how often models fall below."""
    folder = tmp_path / "new" / "paper"
    run = CliRunner().invoke(program, ["paper", "-o", str(folder), "--splits", "2", "--seed", "5"])
    assert run.exit_code == 0, run.output
    assert {path.name for path in folder.iterdir()} == FILES
    assert run.output.startswith(f"{folder} has index.html")
    assert "Over 2 random splits" in run.output
    assert "as in the paper" in run.output
    assert "seed 5" in (folder / "paper.tex").read_text(encoding="utf-8")
    for name in FILES:
        if name.endswith(".png"):
            assert (folder / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("package", ["sklearn", "matplotlib", "latex2mathml"])
def test_without_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """It says what to install, in one sentence, before it works or writes."""
    monkeypatch.setitem(sys.modules, package, None)
    run = CliRunner().invoke(program, ["paper", "-o", str(tmp_path / "paper")])
    assert run.exit_code == 2
    assert run.stderr == (
        "Error: the paper needs 'baserate[paper]', which is not installed: "
        "pip install 'baserate[paper]'\n"
    )
    assert not (tmp_path / "paper").exists()


def test_bad_arguments(tmp_path: Path) -> None:
    """No splits, and a folder that cannot be made, are one sentence each."""
    (tmp_path / "file").write_text("")
    for arguments, words in (
        (["--splits", "0"], "'--splits': 0 is not in the range"),
        (["-o", str(tmp_path / "file" / "paper")], "could not be written"),
    ):
        run = CliRunner().invoke(program, ["paper", *arguments])
        assert run.exit_code == 2
        assert words in run.stderr
        assert len(run.stderr.splitlines()) == 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(found: Reproduction, tmp_path: Path) -> None:
    """With amsmath and booktabs alone, and nothing sticks out."""
    source = render_latex(found)
    assert re.findall(r"^\\usepackage\{(\w+)\}", source, flags=re.MULTILINE) == [
        "amsmath",
        "booktabs",
    ]
    (tmp_path / "paper.tex").write_text(source, encoding="utf-8")
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        errors="replace",
        env=os.environ | {"TEXMFVAR": str(tmp_path)},
    )
    assert run.returncode == 0, run.stdout[-3000:]
    assert "Overfull" not in run.stdout
    assert source.count(r"\fbox{11687}\,$^{[9]}$") == 1


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")
def test_the_page_in_a_browser(found: Reproduction, tmp_path: Path) -> None:
    """It loads nothing and complains of nothing; marked cells lead to what is said of them."""
    path = tmp_path / "index.html"
    path.write_text(render_html(found, pictures(found)), encoding="utf-8")
    said: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url))
        page.goto(path.as_uri())
        assert page.locator("#uci .pr-corrected").count() == 16
        assert page.locator("#uci td sup").all_inner_texts() == ["[9]"] * 16 + ["[11]"] * 8
        assert page.evaluate("[...document.images].every(image => image.naturalWidth > 300)")
        targets = page.locator("sup a").evaluate_all(
            "links => links.every(link => document.querySelector(link.getAttribute('href')))"
        )
        assert targets
        assert "$" not in page.locator("body").inner_text()
        assert "\\" not in page.locator("#table-1").inner_text()
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        browser.close()
    assert said == [path.as_uri()]


def test_the_documentation_is_what_the_command_writes(found: Reproduction) -> None:
    """docs/paper has today's tables, small pictures, and one answer in both its texts."""
    folder = DOCS / "paper"
    source = (folder / "paper.tex").read_text(encoding="utf-8")
    for table in (*found.tables, found.uci, found.g2.table):
        assert _table(table) in source
    readme = (folder / "README.md").read_text(encoding="utf-8")
    (answer,) = re.findall(r"Over 200 random splits.*?as in the paper\.", source)
    assert answer.replace(r"\%", "%") in " ".join(readme.split())
    assert all(path.stat().st_size < 150_000 for path in folder.glob("*.png"))
