"""What reports and comparisons look like in every format: files, letter by letter."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import baserate as br
from baserate.report.markup import escaped, line_of, markdown_lines
from baserate.report.text import KEPT, WIDTH, aligned, display_width
from renderings import Html, Latex, Markdown

if TYPE_CHECKING:
    from pathlib import Path

    from markdown_it.token import Token
    from syrupy.assertion import SnapshotAssertion


TABLES = {
    "good": br.ConfusionMatrix(tp=110, fp=20, fn=29, tn=144),
    "timid": br.ConfusionMatrix(tp=40, fp=5, fn=99, tn=159),
    "coin": br.ConfusionMatrix(tp=70, fp=83, fn=69, tn=81),
    "silent": br.ConfusionMatrix(fn=139, tn=164),
}
RNG = np.random.default_rng(3)
TRUTH = (RNG.random(300) < 0.3).astype(int)
MODELS = {name: np.where(RNG.random(300) < share, TRUTH, 1 - TRUTH)
          for name, share in {"forest": 0.85, "tree": 0.8, "stump": 0.6}.items()}  # fmt: skip
STORES = np.where(np.arange(300) < 4, "isle", np.array(["north", "south"])[RNG.integers(0, 2, 300)])
NUMBERS = RNG.normal(20, 5, 80).round(2)
CLASSES = np.array(list("abc"))[RNG.integers(0, 3, 90)]
FOUND: dict[str, Any] = {
    "models": br.evaluate(None, TABLES),
    "one model": br.evaluate(None, {"timid": TABLES["timid"]}, alpha=0.1),
    "all measures": br.evaluate(None, {name: TABLES[name] for name in ("good", "coin")}, "all"),
    "test sets": br.evaluate(
        None, {"a": TABLES["good"], "b": br.ConfusionMatrix(tp=5, fp=1, fn=1, tn=20)}, "F1"
    ),
    "groups": br.evaluate(TRUTH, {"forest": MODELS["forest"]}, ["F1", "ACC", "TPR"], by=STORES),
    "classes": br.evaluate(CLASSES, {"m": np.roll(CLASSES, 1), "n": CLASSES}, "macro F1"),
    "scores": br.evaluate(TRUTH, {"m": (TRUTH + RNG.random(300)) / 2}, ["AUC", "Brier"]),
    "numbers": br.evaluate(NUMBERS, {"m": NUMBERS + 1}, ["RMSE", "R2"]),
    "reference": br.evaluate(
        NUMBERS, {"m": NUMBERS + 1}, ["RMSE"], reference={"last": np.roll(NUMBERS, 1)}
    ),
    "counts": br.evaluate(None, br.ConfusionMatrix(tp=3, fp=1000, fn=9, tn=999_988), ["PPV", "TS"]),
    "two models": br.compare(TRUTH, {name: MODELS[name] for name in ("forest", "tree")}),
    "three models": br.compare(TRUTH, MODELS, ["ACC", "FNR"], adjust="holm"),
    "two models in groups": br.compare(
        TRUTH, {name: MODELS[name] for name in ("forest", "stump")}, "F1", by=STORES
    ),
}
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NAMES = st.text("ab1 .)(-+*_~`[]<>#!|$&;\\/={}:'\"\t", min_size=1).filter(str.strip)


@pytest.mark.parametrize("name", FOUND)
def test_text(name: str, snapshot: SnapshotAssertion) -> None:
    """A terminal shows the answer, a table that fits, and what to do next."""
    text = str(FOUND[name])
    assert text == snapshot(name=name)
    assert repr(FOUND[name]) == text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", ["models", "groups", "three models"])
def test_other_formats(name: str, snapshot: SnapshotAssertion) -> None:
    """Markdown, LaTeX and the fragment of a notebook show the same tables."""
    assert FOUND[name].to_markdown() == snapshot(name=name, extension_class=Markdown)
    assert FOUND[name].to_latex() == snapshot(name=name, extension_class=Latex)
    fragment = re.sub(r"<style>.*?</style>\n", "", FOUND[name]._repr_html_(), flags=re.DOTALL)
    assert fragment == snapshot(name=name, extension_class=Html)


@pytest.mark.parametrize("name", FOUND)
def test_a_picture_agrees_with_its_mark(name: str) -> None:
    """The bar is right of the line if a score beats the baseline, and crosses it if unsure."""
    for table in FOUND[name].document().strips:
        for cell in (cell for row in table.rows for cell in row.cells if cell.strip):
            if cell.mark == "✓":
                assert cell.strip.low > 30
            elif cell.mark == "~":
                assert cell.strip.at >= 30
            else:
                assert cell.strip.at <= 30


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    """In a document with booktabs, all tables compile, whatever the names are."""
    nasty = br.evaluate(None, {"a_b & 50% {\\x} #1 $y$ ~ ^\n\n\x1b[0m": TABLES["good"]}, "F1")
    body = "\n".join(part.to_latex() for part in (*FOUND.values(), nasty))
    preamble = r"\documentclass{article} \usepackage{booktabs} \begin{document}"
    source = f"{preamble}\n{body}\\end{{document}}"
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


def test_names_cannot_command_a_terminal() -> None:
    """Escapes and line ends in a name become blanks, and wide names fit."""
    report = br.evaluate(None, {"a\x1b[31m\nb": TABLES["good"], "模型" * 30: TABLES["coin"]}, "F1")
    assert "\x1b" not in str(report)
    assert "a [31m b" in str(report)


def test_many_groups_are_cut_short() -> None:
    """A terminal shows forty groups, a page a hundred, and both say how many more there are."""
    y_true = [1, 0, 1, 0] * 120
    report = br.evaluate(y_true, {"m": y_true}, "ACC", by=[n // 4 for n in range(480)])
    assert "… and 80 more" in str(report)
    assert "… and 20 more" in report.to_html()


def test_an_unusual_standard_is_told() -> None:
    """Each rendering says how much evidence was asked for, if it is not the usual."""
    usual = br.evaluate(None, TABLES["good"], "F1")
    told = br.evaluate(None, TABLES, "F1", alpha=0.01, adjust="bh", tries=20)
    for render in (str, br.Report.to_markdown, br.Report.to_latex):
        text = " ".join(render(told).split()).replace("\\", "")
        assert "Of 3 claims, those that are made are false at most 1% of the time" in text
        assert "p-values are adjusted by Benjamini and Hochberg" in text
        assert "each model is the best of 20 tries" in text
        assert "claim" not in render(usual)


def test_an_empty_part_is_said_to_be_empty() -> None:
    """No failures are good news, not an error."""
    none = br.evaluate(None, br.ConfusionMatrix(tp=5, tn=5), "ACC").failures
    for text in (str(none), none.to_markdown(), none.to_latex(), none.to_html()):
        assert "No verdicts." in text
    assert none.to_dicts() == []
    assert none.to_frame("polars").shape == (0, 10)
    assert br.Report.from_json(none.to_json()) == none


def test_written_files(tmp_path: Path) -> None:
    """Each writer writes what it returns; a page may have a title and notes, which are text."""
    report = FOUND["models"]
    for name in ("to_markdown", "to_latex", "to_html"):
        path = tmp_path / name
        assert getattr(report, name)(path) == path.read_text(encoding="utf-8")
    page = report.to_html(title="Q3 <b>", notes="One & two.\n\nThe <i>next</i>")
    assert "<title>Q3 &lt;b&gt;</title>" in page
    assert "The &lt;i&gt;next&lt;/i&gt;" in page
    with pytest.raises(br.exceptions.InvalidReportError, match="title"):
        report.to_html(title=3)


def _plain(token: Token) -> str:
    """The text of a token that has no markup inside."""
    assert token.children is not None
    assert {child.type for child in token.children} <= {"text", "text_special"}
    return "".join(child.content for child in token.children)


@given(NAMES)
def test_a_line_of_markdown_is_a_sentence(name: str) -> None:
    """Whatever a name begins with, the line is a paragraph that reads as the name."""
    tokens = READER.parse(line_of(name))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert _plain(tokens[1]) == " ".join(name.split())


@given(NAMES, NAMES)
def test_a_cell_of_markdown_is_a_cell(name: str, other: str) -> None:
    """Names in one row cannot end their cells, nor begin markup that the next one ends."""
    table = markdown_lines(["a", "b"], [True, True], [[escaped(name), escaped(other)]])
    cells = [token for token in READER.parse(table) if token.type == "inline"]
    assert list(map(_plain, cells)) == ["a", "b", *(" ".join(n.split()) for n in (name, other))]


WORDS = st.text("ab 模é-", max_size=12)


def test_columns_are_aligned() -> None:
    """The first to the left, the others to the right; a header may take several lines."""
    fixed = [["measure", "F1", "MCC"]]
    others = [["a long name", "✗ 0.5", "-0.125"], [f"95%{KEPT}interval", "0.1–0.2", "0–1"]]
    assert list(aligned(fixed, others)) == [
        "         a long",
        "measure    name  95% interval",
        "F1        ✗ 0.5       0.1–0.2",
        "MCC      -0.125           0–1",
    ]


@given(st.integers(1, 5), st.lists(st.lists(WORDS, min_size=4, max_size=4), min_size=1))
def test_lines_are_never_too_long(fixed: int, columns: list[list[str]]) -> None:
    """Columns that do not fit continue below, with the fixed ones repeated; none is lost."""
    names = [[f"{place}:", "x", "y", "z"] for place in range(fixed)]
    lines = list(aligned(names, columns))
    assert max(map(display_width, lines)) <= WIDTH
    assert sum("0:" in line for line in lines) >= 1
    cells = " ".join(lines)
    for column in columns:
        assert all(word in cells for cell in column[1:] for word in cell.split())
