"""A report as a page: what is in it, apart from how a browser shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import baserate as br
from baserate.exceptions import InvalidReportError
from renderings import Html

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

TABLES = {
    "good": br.Confusion(tp=110, fp=20, fn=29, tn=144),
    "timid": br.Confusion(tp=40, fp=5, fn=99, tn=159),
    "swapped": br.Confusion(tp=29, fp=144, fn=110, tn=20),
    "silent": br.Confusion(fn=139, tn=164),
}
COIN = br.Confusion(tp=70, fp=83, fn=69, tn=81)


def test_page(snapshot: SnapshotAssertion) -> None:
    """The pictures, what the page says in short, and its tables, each cell with its sentence."""
    page = br.evaluate(None, TABLES, ["FNR", "F1"]).to_html()
    main = page.partition("<main>")[2].partition('<section aria-labelledby="how-to-read">')[0]
    assert main == snapshot.use_extension(Html)


def test_many_groups_and_verdicts_are_cut_short() -> None:
    """A page shows what a browser can bear, the worst first, and says how much more there is."""
    y_true = [1, 0, 1, 0] * 120
    y_pred = [1, 0, 1, 0] * 119 + [0, 1, 0, 1]
    report = br.evaluate(y_true, {"m": y_pred}, ["F1", "ACC"], by=[n // 4 for n in range(480)])
    page = report.to_html()
    assert "… and 20 more groups" in page
    matrix = page.partition('<table class="br-panel br-matrix">')[2]
    assert matrix.partition('<th scope="row">')[2].startswith("119")
    assert page.count("<tr data-outcome") == len(report)
    many = br.evaluate(None, {f"m{n}": COIN for n in range(300)}, "all").to_html()
    assert many.count("<tr data-outcome") == 5000
    assert "The first 5000 of 6600 verdicts" in many
    assert "… and 260 more models" in many


def test_models_on_different_test_sets() -> None:
    """Each test set has its own pictures and tables, and too many are counted."""
    tables = {f"m{n}": br.Confusion(tp=5 + n, fp=1, fn=1, tn=20) for n in range(45)}
    page = br.evaluate(None, tables, "F1").to_html()
    assert page.count('<table class="br-panel">') == page.count('<table class="br-counts">') == 40
    assert "… and 5 more test sets" in page


def test_parts_of_a_report() -> None:
    """One group is shown as a test set is; several are matrices; nothing is said to be nothing."""
    y_true = [1, 0, 0, 0] * 20
    report = br.evaluate(y_true, {"m": y_true}, ["F1"], by=["a"] * 40 + ["b"] * 40)
    one = report.group("a").to_html()
    assert "br-card" in one
    assert "br-matrix" not in one.partition("<main>")[2]
    groups = br.Report(tuple(verdict for verdict in report if verdict.group is not None)).to_html()
    assert "br-matrix" in groups.partition("<main>")[2]
    assert "No verdicts." in report.failures.to_html()
    assert "No verdicts." in report.failures._repr_html_()


def test_uninformative_measures_come_last() -> None:
    """Everywhere: in the pictures, in the tables, and among the verdicts."""
    main = br.evaluate(None, TABLES["good"], ["TPR", "F1"]).to_html().partition("<main>")[2]
    names = re.findall(r'(?:<strong>|<abbr title="[^"]*">)(TPR|F1)<', main)
    assert names == ["F1", "TPR"] * 3


def test_one_number_says_how_far_a_score_goes() -> None:
    """The rescaled score is explained; the Dutch Scaler beside it would confuse."""
    verdict = br.evaluate(None, TABLES["good"], "F1")["model", "F1"]
    page = br.Report((verdict,)).to_html()
    assert f"{verdict.rescaled:.0%} of the way from the baseline to perfection" in page
    assert f"{verdict.rescaled:.3f}" in page
    assert "Dutch Scaler" not in page
    assert f"{verdict.dutch_scaler:.3f}" not in page


def test_title_and_notes_are_written(tmp_path: Path) -> None:
    """The file has what the call returns."""
    report = br.evaluate(None, TABLES["good"], "F1")
    page = report.to_html(
        tmp_path / "report.html", title="Third quarter", notes="From the <store>."
    )
    assert page == (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<title>Third quarter</title>" in page
    assert "From the &lt;store&gt;." in page


def test_a_title_is_text() -> None:
    """So are notes; the error says what was got."""
    report = br.evaluate(None, TABLES["good"], "F1")
    with pytest.raises(InvalidReportError, match=r"title must be text \(got 3\)"):
        report.to_html(title=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidReportError, match=r"notes must be text \(got \['a', 'b'\]\)"):
        report.to_html(notes=["a", "b"])  # type: ignore[arg-type]
