"""The files that `make paper` writes: a page, a document and figures."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, NamedTuple

import pytest
from playwright.sync_api import sync_playwright

from reproduction.__main__ import main
from reproduction.html import typeset
from reproduction.latex import _table
from reproduction.reproduction import Reproduction, reproduce
from tools import BROWSER_FLAGS, CHROMIUM, ROOT

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"
FILES = {"index.html", "paper.tex", "cleveland.png", "splits.png", "g2.png"}


class Run(NamedTuple):
    """One run of the command: what it computed, where it wrote it and what it said."""

    found: Reproduction
    folder: Path
    said: str


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The command, with few splits; once for all tests."""
    folder = tmp_path_factory.mktemp("paper") / "new" / "paper"
    computed: list[Reproduction] = []

    def recorded(splits: int, seed: int) -> Reproduction:
        computed.append(reproduce(splits, seed))
        return computed[-1]

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as said:
        patch.setattr("reproduction.__main__.reproduce", recorded)
        main(["-o", str(folder), "--splits", "3", "--seed", "5"])
    return Run(computed[0], folder, said.getvalue())


@pytest.fixture
def found(run: Run) -> Reproduction:
    """Everything that the command computed."""
    return run.found


def test_typeset() -> None:
    """Text is escaped, and formulas become MathML with spaced operators."""
    text = typeset(r"a < b, $\text{TP} = \Theta^* \setminus \{0\}$ & c")
    assert text.startswith("a &lt; b, <math")
    assert text.endswith("</math> &amp; c")
    assert '<mi mathvariant="normal">TP</mi><mo>' in text
    assert "<mtext>" not in text


def test_the_command(run: Run) -> None:
    """It writes five files, and says where they are and how often models fall below."""
    folder, said = run.folder, run.said
    assert {path.name for path in folder.iterdir()} == FILES
    assert said.startswith(f"{folder} has index.html")
    assert "Over 3 random splits" in said
    assert "as in the paper" in said
    assert "seed 5" in (folder / "paper.tex").read_text(encoding="utf-8")
    for name in FILES:
        if name.endswith(".png"):
            assert (folder / name).read_bytes().startswith(b"\x89PNG")


def test_bad_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    """Zero splits are an error before any work."""
    with pytest.raises(SystemExit):
        main(["--splits", "0"])
    assert "must be at least 1 (got 0)" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(run: Run, tmp_path: Path) -> None:
    """With amsmath and booktabs alone, and nothing sticks out."""
    source = (run.folder / "paper.tex").read_text(encoding="utf-8")
    assert re.findall(r"^\\usepackage\{(\w+)\}", source, flags=re.MULTILINE) == [
        "amsmath",
        "booktabs",
    ]
    (tmp_path / "paper.tex").write_text(source, encoding="utf-8")
    compiled = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        errors="replace",
        env=os.environ | {"TEXMFVAR": str(tmp_path)},
    )
    assert compiled.returncode == 0, compiled.stdout[-3000:]
    assert "Overfull" not in compiled.stdout
    assert source.count(r"\fbox{11687}\,$^{[9]}$") == 1


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")
def test_the_page_in_a_browser(run: Run) -> None:
    """It loads nothing and complains of nothing; marked cells lead to what is said of them."""
    path = run.folder / "index.html"
    said: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=BROWSER_FLAGS)
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
        assert page.locator(".br-scroll").evaluate_all(
            "boxes => boxes.every(box => box.scrollWidth <= box.clientWidth)"
        )
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        browser.close()
    assert said == [path.as_uri()]


def test_the_documentation_is_what_the_command_writes(found: Reproduction) -> None:
    """docs/paper has current tables, small figures, and the same answer in both texts."""
    folder = DOCS / "paper"
    source = (folder / "paper.tex").read_text(encoding="utf-8")
    for table in (*found.tables, found.uci, found.g2.table):
        assert _table(table) in source
    readme = (folder / "README.md").read_text(encoding="utf-8")
    (answer,) = re.findall(r"Over 200 random splits.*?as in the paper\.", source)
    assert answer.replace(r"\%", "%") in " ".join(readme.split())
    assert all(path.stat().st_size < 150_000 for path in folder.glob("*.png"))
