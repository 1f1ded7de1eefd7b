"""`baserate check`: what passes, what fails, and how a pipeline learns of it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import polars as pl
import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.program import program
from renderings import Xml

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from syrupy.assertion import SnapshotAssertion

# In A the tree is right; in B it is no better than its baseline; C has a single class.
HEADER = "y,tree,knn,ward\n"
ROWS = (
    HEADER
    + 5
    * """\
1,1,0,A
1,1,1,A
1,1,0,A
0,0,0,A
0,0,0,A
1,1,0,B
1,0,0,B
0,0,1,B
0,0,1,C
0,0,0,C
0,0,0,C
"""
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a file of predictions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (tmp_path / "preds.csv").write_text(ROWS)
    return tmp_path


def _run(options: str) -> Result:
    return CliRunner().invoke(program, f"check preds.csv --truth y {options}".split())


def _report(by: str | None = None) -> br.Report:
    return br.evaluate(br.scan("preds.csv"), ["tree", "knn"], "F1", truth="y", by=by)


def test_what_passes() -> None:
    """Success is exit code 0 and what each verdict is worth: score, baseline and margin."""
    run = _run("--model tree -m F1")
    verdict = _report()["tree", "F1"]
    assert (run.exit_code, run.output) == (0, f"passed: {verdict}\n1 of 1 verdict passed.\n")
    ends = f"{verdict.margin_low:.3f} to {verdict.margin_high:.3f}"
    for number in (f"{verdict.score:.3f}", f"{verdict.baseline:.3f}", f"{verdict.margin:.3f}"):
        assert number in run.output
    assert f"95% CI {ends}" in run.output


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ("--margin 0.05", 0, "1 of 1 verdict passed"),
        ("--margin 0.2", 1, "the bar: the lower limit of the margin is 0.0"),
        ("--margin 0.2 --alpha none", 0, "1 of 1 verdict passed"),
        ("--margin 0.4 --alpha None", 1, "the bar: the margin is 0.263889, 0.14 below 0.4. "),
        ("--alpha 0.01", 0, "Each claim is tested at the 1% level."),
        ("--tries 20", 0, "each model is the best of 20 tries"),
        ("--adjust holm", 0, "Each claim is tested at the 5% level."),
        ("--tries 1000000000", 1, "but not significantly"),
        ("--margin -1", 2, "Error: --margin must be a number of at least 0 (got -1.0)"),
        ("--margin nan", 2, "Error: --margin must be a number of at least 0"),
        ("--alpha 5", 2, "Error: --alpha must be between 0.001 and 0.5 (got 5.0); 5% is written"),
        ("--alpha few", 2, "Error: Invalid value for '--alpha': 'few' is not a valid float"),
        ("--tries 0", 2, "Error: --tries must be from 1 to 1,000,000,000 (got 0)"),
        ("--adjust all", 2, "'all' is not one of 'holm', 'bh'"),
    ],
)
def test_margin_and_alpha(options: str, code: int, says: str) -> None:
    """Margin and alpha are those of `assert_beats_baseline`."""
    run = _run(f"--model tree -m F1 {options}")
    assert run.exit_code == code
    assert says in run.output


def test_a_group_that_is_not_judged_does_not_fail(folder: Path) -> None:
    """A group that is not judged is still listed."""
    rows = [line for line in ROWS.splitlines(keepends=True) if not line.endswith("B\n")]
    (folder / "preds.csv").write_text("".join(rows))
    run = _run("--model tree -m F1 --by ward")
    assert run.exit_code == 0
    assert run.output.startswith("not judged: F1 of tree in ward C")
    assert "predicts no positives" not in run.output  # which is right where there are none
    assert run.output.endswith("2 of 3 verdicts passed, 1 not judged.\n")


def test_scores_weights_and_references() -> None:
    """The gate takes the options of an evaluation, and needs a measure."""
    columns = {"y": [1, 0] * 40, "s": [0.9, 0.1, 0.4, 0.6] * 20, "t": [0.5, 0.4, 0.3, 0.2] * 20}
    pl.DataFrame(columns).write_csv("preds.csv")
    assert _run("--score s -m AUC --margin 0.1").exit_code == 0
    run = _run("--score t --reference s -m AUC --format json")
    record = json.loads(run.stdout)["rulings"][0]
    assert (run.exit_code, record["against"], record["status"]) == (1, "s", "failed")
    pl.DataFrame({"y": [1, 0], "tree": [1, 0], "times": [30, 40]}).write_csv("preds.csv")
    assert _run("--model tree -m F1").exit_code == 1
    assert _run("--model tree -m F1 --weight times --weights frequency").exit_code == 0
    run = _run("--model tree")
    assert (run.exit_code, run.stdout) == (2, "")
    assert run.stderr.startswith("Error: Missing option '-m' / '--measure'; see '")


def test_json_has_what_became_of_each_verdict() -> None:
    """JSON has the gate's options, and each verdict's status, sentence and numbers."""
    run = _run("--model tree --model knn -m F1 --by ward --format json")
    document = json.loads(run.stdout)
    rulings = document["rulings"]
    assert (document["schema"], document["passed"]) == ("baserate.check/2", False)
    assert [(each["model"], each["group"]) for each in rulings if each["status"] == "failed"] == [
        ("tree", "B"), ("knn", None), ("knn", "A"), ("knn", "B")
    ]  # fmt: skip
    verdicts = [br.Report((verdict,)).to_dicts()[0] for verdict in _report("ward")]
    assert [each | {"status": None, "sentence": None} for each in rulings] == [
        each | {"status": None, "sentence": None} for each in verdicts
    ]
    run = _run("--model tree -m F1 --margin 0.5 --alpha 0.01 --adjust bh --tries 2 --format json")
    document = json.loads(run.stdout)
    asked = {"margin": 0.5, "alpha": 0.01, "adjust": "bh", "tries": 2}
    assert {name: document[name] for name in asked} == asked
    assert " below 0.5. " in document["rulings"][0]["sentence"]
    assert 'type="margin"' in _run("--model tree -m F1 --margin 0.5 --format junit").stdout
    run = _run("--model tree -m F1 --format json")
    assert (run.exit_code, json.loads(run.stdout)["passed"]) == (0, True)


def test_junit_has_a_case_for_each_verdict(snapshot: SnapshotAssertion) -> None:
    """With its sentence where it fails, and skipped where it is not judged."""
    run = _run("--model tree -m F1 --by ward --format junit")
    assert run.exit_code == 1
    assert run.stdout == snapshot.use_extension(Xml)
    (suite,) = ElementTree.fromstring(run.stdout)
    facts = {"name": "baserate", "tests": "4", "failures": "1", "errors": "0", "skipped": "1"}
    assert suite.attrib == facts
    cases = {case.attrib["name"]: [child.tag for child in case] for case in suite}
    assert cases == {
        "F1 of tree": ["system-out"],
        "F1 of tree in ward A": ["system-out"],
        "F1 of tree in ward B": ["failure"],
        "F1 of tree in ward C": ["skipped"],
    }
    (failure,) = suite.iter("failure")
    assert failure.attrib["message"] == failure.text
    assert failure.attrib["type"] == "no_evidence"


def test_github_is_told_by_its_commands(snapshot: SnapshotAssertion) -> None:
    """An error for what fails, a notice for what is not judged, and how many there are."""
    run = _run("--model tree -m F1 --by ward --format github")
    assert run.exit_code == 1
    assert run.output == snapshot


def test_github_s_signs_are_escaped() -> None:
    """A colon, a comma or a percent sign in a name ends no property and no command."""
    name = "50%: a, b::c\r\nd"
    pl.read_csv("preds.csv").rename({"knn": name}).write_parquet("preds.parquet")
    arguments = ["check", "preds.parquet", "--truth", "y", "--model", name, "-m", "F1"]
    run = CliRunner().invoke(program, [*arguments, "--format", "github"])
    command = run.output.splitlines()[0]
    match = re.fullmatch(r"::error title=([^:,]*)::(.*)", command)
    assert match is not None
    assert match[1] == "F1 of 50%25%3A a%2C b%3A%3Ac  d failed"
    assert match[2].startswith("F1 of 50%25: a, b::c  d misses the bar: ")
