"""`--reference`: models in files, judged against another column."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from baserate.cli.program import program

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a file of a good model, a poor one and a rule between them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    columns: dict[str, Any] = {"y": truth}
    for name, right in (("rule", 0.7), ("tree", 0.9), ("poor", 0.5)):
        columns[name] = np.where(rng.random(200) < right, truth, 1 - truth)
    for name, noise in (("last", 2.0), ("forest", 0.5)):
        columns[name] = (truth + noise * rng.random(200)).round(3)
    pl.DataFrame(columns).write_csv("preds.csv")


def _run(command: str) -> Result:
    name, _, options = command.partition(" ")
    return CliRunner().invoke(program, [name, "preds.csv", *["--truth", "y"], *options.split()])


def test_the_exit_code_of_a_gate() -> None:
    """0 if a model is surely better than the reference, 1 if not."""
    assert _run("check --model tree --reference rule -m F1").exit_code == 0
    poor = _run("check --model poor --reference rule -m F1")
    assert poor.exit_code == 1
    assert "is worse than" in poor.stdout
    assert _run("check --model tree --reference rule -m F1 --margin 0.5").exit_code == 1
    assert _run("check --score forest --reference last -m AUC").exit_code == 0


def test_the_formats_of_a_gate() -> None:
    """Programs learn which model it was judged against, and of a weak one."""
    options = "--model tree --model poor --reference rule -m F1 --format"
    record = json.loads(_run(f"check {options} json").stdout)["rulings"][1]
    assert (record["against"], record["outcome"], record["status"]) == ("rule", "worse", "failed")
    cases = ElementTree.fromstring(_run(f"check {options} junit").stdout).iter("failure")
    assert [case.get("type") for case in cases] == ["worse"]
    assert "::error title=F1 of poor failed::F1 of poor" in _run(f"check {options} github").stdout
    assert (
        "does not beat the best guess" in _run("check --model tree --reference poor -m F1").stdout
    )


def test_a_report_and_a_model_that_is_not_named() -> None:
    """The reference is no model: one column of labels is left."""
    pl.read_csv("preds.csv").select("y", "rule", "tree").write_csv("preds.csv")
    shown = _run("evaluate --reference rule -m F1")
    assert shown.exit_code == 0
    assert "tree's F1 of 0.915 beats rule" in shown.stdout
    assert "The model is column 'tree'." in shown.stderr


def test_mistakes() -> None:
    """An unknown column, and nothing but the reference."""
    unknown = _run("evaluate --model tree --reference none -m F1")
    assert unknown.exit_code == 2
    assert "no column 'none'" in unknown.stderr
    alone = _run("evaluate --model tree --reference tree -m F1")
    assert alone.exit_code == 2
    assert "--model must have a model beside the reference 'tree'" in alone.stderr
    assert _run("compare --model tree --model rule --reference poor").exit_code == 2
