"""`baserate baseline`, `baserate measures` and `baserate demo`."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import baserate as br
from baserate.binary.measures.catalogue import REPORTED
from baserate.cli.mathtext import plain
from baserate.cli.program import program
from renderings import Markdown

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from syrupy.assertion import SnapshotAssertion

RATE = br.BaseRate(positives=139, total=303)
COUNTS = "--positives 139 --total 303"
ALL = (*br.MEASURES.values(), br.get_measure("PT"), br.fbeta(2))


def _run(command: str) -> Result:
    return CliRunner().invoke(program, command.split())


def test_two_counts_are_enough(snapshot: SnapshotAssertion) -> None:
    """Lowest, highest, the one to beat and where it is attained."""
    run = _run(f"baseline {COUNTS} -m F1 -m FPR -m TP")
    assert run.exit_code == 0
    assert run.output == snapshot


def test_programs_get_every_digit() -> None:
    """JSON and CSV hold the library's baselines."""
    document = json.loads(_run(f"baseline {COUNTS} -m all --format json").output)
    assert (document["positives"], document["total"]) == (139, 303)
    lines = list(csv.DictReader(io.StringIO(_run(f"baseline {COUNTS} -m all --format csv").output)))
    for key, record, line in zip(br.MEASURES, document["baselines"], lines, strict=True):
        base = br.baseline(RATE, key)
        assert record["measure"] == key
        assert record["baseline"] == base.best.value
        assert (record["baseline_min"], record["baseline_max"]) == (base.min.value, base.max.value)
        assert record["theta_star"] == next(iter(base.best.theta_stars))
        assert record["decks"] == str(base.best.theta_stars)
        assert line == {name: str(value) for name, value in record.items()}


def test_the_measures_that_people_report_by_default() -> None:
    """Like `baserate evaluate`."""
    document = json.loads(_run(f"baseline {COUNTS} --format json").output)
    assert tuple(record["measure"] for record in document["baselines"]) == REPORTED


def test_markdown_is_a_table(snapshot: SnapshotAssertion) -> None:
    """Of as many columns in each row."""
    output = _run(f"baseline {COUNTS} -m all --format markdown").output
    assert output == snapshot.use_extension(Markdown)
    rows = [line for line in output.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}


@pytest.mark.parametrize("labels", ["1 0 1", "yes no yes", "true false true", "ill well ill"])
def test_labels_of_a_file_are_counted(tmp_path: Path, labels: str) -> None:
    """Of three labels two are positive; a missing one is left out."""
    path = tmp_path / "truth.csv"
    path.write_text("\n".join(["y,x", *(f"{label},1" for label in labels.split()), ",1\n"]))
    options = f"--truth y --pos-label {labels.split(maxsplit=1)[0]} -m F1 --format json"
    run = _run(f"baseline {path} {options} --missing drop")
    assert run.stderr == "1 observation with a missing value left out.\n"
    document = json.loads(run.stdout)
    assert (document["positives"], document["total"]) == (2, 3)
    run = _run(f"baseline {path} {options}")
    assert run.exit_code == 2
    assert "labels must not be missing (got 1 in 'y')" in run.stderr


def test_a_measure_without_a_baseline_says_why(snapshot: SnapshotAssertion) -> None:
    """Beside others; an error if no other is asked for."""
    run = _run("baseline --positives 0 --total 10 -m F1 -m ACC")
    assert run.exit_code == 0
    assert run.stdout == snapshot
    for options in (f"{COUNTS} -m PT", "--positives 0 --total 10 -m F1"):
        run = _run(f"baseline {options}")
        assert run.exit_code == 2
        assert re.match(r"Error: (PT|F1) has (scores and )?no baseline", run.stderr)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            "",
            (
                "a test set must be given by --positives and --total, by --counts, or by FILES and "
                "--truth"
            ),
        ),
        ("--positives 3", "a test set must be given by"),
        ("--total 3 --truth y", "a test set must be given by"),
        ("preds.csv", "a test set must be given by"),
        (f"preds.csv --truth y {COUNTS}", "a test set must be given by"),
        ("--positives 4 --total 3", "--positives must be between 0 and 3 (got 4)"),
        ("--positives 0 --total 0", "--total must be at least 1 (got 0)"),
        ("--positives few --total 3", "'few' is not a valid integer"),
        (f"{COUNTS} -m F", "unknown measure 'F'"),
    ],
)
def test_what_is_no_test_set(options: str, says: str) -> None:
    """A test set given wrongly is one sentence that says what is needed."""
    run = _run(f"baseline {options}")
    assert (run.exit_code, run.stdout) == (2, "")
    assert re.fullmatch(r"Error: [^\n]+\n", run.stderr)
    assert says in run.stderr


def test_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rich, a colour terminal says what to install."""
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    run = _run(f"baseline {COUNTS} -m F1")
    assert run.exit_code == 2
    assert run.stderr.endswith("needs rich, which is not installed: pip install rich\n")


# Measures.


def test_all_measures_are_listed() -> None:
    """All measures and PT are listed, each with its direction and meaning."""
    output = " ".join(_run("measures").output.split())
    for measure in (*br.MEASURES.values(), br.get_measure("PT")):
        assert f"{measure.key} {measure.direction.arrow} {measure.meaning}" in output


@pytest.mark.parametrize("key", ["F1", "ACC", "G2", "PT"])
def test_the_screen_of_a_measure(key: str, snapshot: SnapshotAssertion) -> None:
    """With optima in closed form, in two cases, by search, and without a baseline."""
    assert _run(f"measures {key}").output == snapshot


@pytest.mark.parametrize("measure", ALL, ids=lambda measure: measure.key)
def test_a_measure_is_explained(measure: br.Measure) -> None:
    """It shows names, meaning, formula, values, requirements, baselines and the paper's section."""
    run = _run(f"measures {measure.key}")
    assert run.exit_code == 0
    assert max(map(len, run.output.splitlines())) <= 100
    output = " ".join(run.output.split())
    better = "higher" if measure.direction is br.Direction.MAXIMIZE else "lower"
    facts = [
        f"{measure.key}: {measure.name} {measure.meaning}",
        *measure.aliases,
        f"formula {plain(measure.definition.latex)}",
        f"values {measure.codomain}, {better} is better",
        *(need.text for need in measure.requirements),
        *([plain(measure.draw.expectation.latex)] if measure.draw.expectation else []),
    ]
    facts += [
        f"{plain(extreme.value.latex)}, at θ* in {plain(extreme.place.latex)}"
        for extreme in (measure.draw.maximum, measure.draw.minimum)
        if extreme is not None
    ]
    facts += [f"derived in appendix {measure.section} of the paper"] if measure.section else []
    facts += [f"baseline none: {measure.no_baseline}"] if measure.no_baseline else ["(to beat)"]
    for fact in facts:
        assert fact in output
    assert ("derived in" in output) == bool(measure.section)


def test_a_measure_by_any_name() -> None:
    """A measure is found by any name; an unknown one gives the nearest names."""
    assert _run("measures recall").output.startswith("TPR: True Positive Rate\n")
    run = _run("measures recal")
    assert run.exit_code == 2
    assert (
        run.stderr == "Error: unknown measure 'recal': did you mean 'Recall', 'mean recall' or "
        "'recall@10'?\n"
    )


@pytest.mark.parametrize("measure", ALL, ids=lambda measure: measure.key)
def test_formulas_are_plain(measure: br.Measure) -> None:
    """No LaTeX is left, and brackets match; braces are those of sets."""
    extremes = [extreme for extreme in (measure.draw.maximum, measure.draw.minimum) if extreme]
    optional = (
        measure.draw.slope,
        measure.draw.intercept,
        measure.draw.expectation,
        measure.draw.gain,
        measure.level,
    )
    formulas = [each for each in (measure.definition, *optional) if each]
    for formula in (*formulas, *(extreme.value for extreme in extremes)):
        assert not re.search(r"[\\{}^_]|  ", plain(formula.latex))
        assert plain(formula.latex).count("(") == plain(formula.latex).count(")")
    for place in (*(extreme.place for extreme in extremes), measure.draw.constant):
        assert not re.search(r"[\\^_]|frac|text", plain(place.latex))


def test_formulas_read_well() -> None:
    """Formulas look as people would type them."""
    definitions = {
        "F1": "(1+β²) / (1/PPV + β²/TPR)",
        "MCC": "(TP·TN - FP·FN)/√(P̂·N̂·P·N)",
        "G2": "√(TPR·TNR)",
        "PT": "(√(TPR·FPR) - FPR)/(TPR - FPR)",
        "KAPPA": "(Pₒ - Pₑ)/(1 - Pₑ), Pₒ = Acc, Pₑ = (P̂·P + N̂·N)/M²",
        "BACC": "1/2 (TPR + TNR)",
    }
    for key, text in definitions.items():
        assert plain(br.get_measure(key).definition.latex) == text
    assert plain(br.get_measure("ACC").draw.maximum.value.latex) == "max(P/M, 1 - P/M)"  # type: ignore[union-attr]
    assert plain(br.get_measure("F1").draw.minimum.value.latex) == "(1+β²)·P/(M(β²·P + 1))"  # type: ignore[union-attr]
    assert plain(br.get_measure("FM").draw.minimum.value.latex) == "√P/M"  # type: ignore[union-attr]
    assert plain(br.get_measure("TS").draw.maximum.place.latex) == "{1}, Θ* ∖ {0} if P = 1"  # type: ignore[union-attr]


# The demo.


def test_the_demo_without_scikit_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without scikit-learn, the demo says what to install."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    run = _run("demo")
    assert run.exit_code == 2
    assert run.stderr == (
        "Error: the demo needs scikit-learn, which is not installed: pip install scikit-learn\n"
    )


def test_several_classes_by_their_counts(tmp_path: Path) -> None:
    """Counts of classes are a test set, and so is a column of several classes."""
    options = ["--counts", "a=70,b=20,c=10", "-m", "macro F1", "--format", "json"]
    document = json.loads(CliRunner().invoke(program, ["baseline", *options]).output)
    assert (document["labels"], document["counts"]) == (["a", "b", "c"], [70, 20, 10])
    (baseline,) = document["baselines"]
    assert baseline["baseline"] == pytest.approx(1 / 3)
    assert baseline["decks"] == "{(70, 20, 10)}"
    assert baseline["reference"] == "predicting each class as often as it occurs"
    assert baseline["theta_star"] is None
    path = tmp_path / "truth.csv"
    path.write_text("y\n" + "a\n" * 70 + "b\n" * 20 + "c\n" * 10)
    options = ["baseline", str(path), "--truth", "y", "-m", "macro F1", "--format", "json"]
    assert json.loads(CliRunner().invoke(program, options).output) == document


@pytest.mark.parametrize("text", ["a", "a=", "=3", "a=1,a=2", "a=x", "a=1,,b=2", ""])
def test_counts_that_are_none(text: str) -> None:
    """They are an error that shows how to write them."""
    result = CliRunner().invoke(program, ["baseline", "--counts", text])
    assert result.exit_code == 2
    assert "--counts must be a count for each class, such as a=70,b=20,c=10" in result.stderr
