"""`baserate baseline`, `measures`, `plan`, `chance` and `demo`: what needs no predictions."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.measures import described
from baserate.cli.program import program
from baserate.measures.two_classes import REPORTED, TWO_CLASS_MEASURES
from baserate.task import TASKS

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from syrupy.assertion import SnapshotAssertion

RATE = br.BaseRate(positives=139, total=303)
COUNTS = "--positives 139 --total 303"


def _run(command: str) -> Result:
    return CliRunner().invoke(program, shlex.split(command))


def _json(command: str) -> dict[str, object]:
    run = _run(f"{command} --format json")
    assert run.exit_code == 0, run.output
    found: dict[str, object] = json.loads(run.stdout)
    return found


# Baselines.


@pytest.mark.parametrize(
    "options",
    [
        f"{COUNTS} -m F1 -m FPR -m TP",
        "--positives 0 --total 10 -m F1 -m ACC",
        "--positives 2 --total 20 -m AUC -m Gini",
        "--counts a=70,b=20,c=10 -m 'macro F1' -m kappa",
    ],
)
def test_a_table_of_baselines(options: str, snapshot: SnapshotAssertion) -> None:
    """Lowest, highest, the one to beat and its guess; or why there is none."""
    run = _run(f"baseline {options}")
    assert run.exit_code == 0
    assert run.output == snapshot


def test_programs_get_every_digit() -> None:
    """JSON and CSV hold the library's baselines, by default of the measures people report."""
    document: dict[str, object] = _json(f"baseline {COUNTS} -m all")
    assert (document["positives"], document["total"]) == (139, 303)
    lines = list(csv.DictReader(io.StringIO(_run(f"baseline {COUNTS} -m all --format csv").output)))
    records = document["baselines"]
    assert isinstance(records, list)
    for key, record, line in zip(TWO_CLASS_MEASURES, records, lines, strict=True):
        base = br.baseline(RATE, key)
        assert record["measure"] == key
        assert record["baseline"] == base.best.value
        assert (record["baseline_min"], record["baseline_max"]) == (base.min.value, base.max.value)
        assert record["theta_star"] == next(iter(base.guesses))
        assert record["guesses"] == str(base.guesses)
        assert line == {name: str(value) for name, value in record.items()}
    reported = _json(f"baseline {COUNTS}")["baselines"]
    assert isinstance(reported, list)
    assert tuple(record["measure"] for record in reported) == REPORTED


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
    ranked = options.replace("F1", "AUC")
    assert _run(f"baseline {path} {ranked} --missing drop").exit_code == 0
    run = _run(f"baseline {path} {options}")
    assert run.exit_code == 2
    assert "labels must not be missing (got 1 in 'y')" in run.stderr


def test_several_classes_by_their_counts(tmp_path: Path) -> None:
    """Counts of classes are a test set, and so is a column of several classes."""
    document = _json("baseline --counts a=70,b=20,c=10 -m 'macro F1'")
    assert (document["labels"], document["counts"]) == (["a", "b", "c"], [70, 20, 10])
    path = tmp_path / "truth.csv"
    path.write_text("y\n" + "a\n" * 70 + "b\n" * 20 + "c\n" * 10)
    assert _json(f"baseline {path} --truth y -m 'macro F1'") == document


# Measures.

# A name with a number in it may be any of a family.
FAMILIES = [
    "F2", "PT", "weighted F0.3", "precision@200", "lift@7", "NDCG@3", "partial AUC 0.2",
    "top-1 accuracy", "top-3 accuracy", "Huber@1e-100", "pinball@0.3", "Tweedie@-100",
    "D2 Tweedie@100",
]  # fmt: skip


def test_all_measures_are_listed() -> None:
    """Each with its direction and meaning, in the part of its task; or those of one task."""
    output = " ".join(_run("measures").output.split())
    for task in TASKS.values():
        assert f"{task.title}: " in output
        for measure in task.chosen("all"):
            assert f"{measure.key} {measure.direction.arrow} {measure.meaning}" in output
    assert _run("measures --task scores").output.startswith("Scores of two classes:\nAUC ↑ ")


@pytest.mark.parametrize(
    "name",
    ["F2", "PT", "'macro F1'", "'top-3 accuracy'", "AUC", "Brier --task probabilities", "RMSE"],
)
def test_the_screen_of_a_measure(name: str, snapshot: SnapshotAssertion) -> None:
    """Its names, formula, values and baseline on a small test set, for each kind of prediction."""
    assert _run(f"measures {name}").output == snapshot


def test_every_measure_is_explained() -> None:
    """Each fact that a measure has is on its screen, which fits, and no LaTeX is left."""
    known = [each for task in TASKS.values() for each in task.chosen("all")]
    for measure in (*known, *map(br.get_measure, FAMILIES)):
        screen = described(measure)
        head, facts, symbols = screen.split("\n\n")
        assert head.startswith(f"{measure.key}: {measure.name}\n")
        assert all(line[13:].strip() for line in facts.splitlines())
        assert "\nbaseline " in facts
        assert symbols
        assert max(map(len, screen.splitlines())) <= 100
        formula = re.search(r"(?m)^formula .*\n(?: .*\n)*", facts)
        assert not re.search(r"\\|frac", facts)
        assert formula is None or formula[0].count("(") == formula[0].count(")")
        words = " ".join(screen.split())
        assert measure.pitfall in words
        assert all(alias in words for alias in measure.aliases)


# Planning and guessing.


@pytest.mark.parametrize("score", [None, 0.31])
def test_what_guessing_scores(score: float | None) -> None:
    """The numbers are those of the library; without a score there is no p-value."""
    guesses = br.chance({4: 150, 5: 48}, tries=3)
    command = "chance --options 4 --questions 150 --options 5 --questions 48 --tries 3"
    found = _json(command if score is None else f"{command} --score {score}")
    assert (found["questions"], found["tries"]) == (198, 3)
    assert (found["mean"], found["std"]) == (guesses.mean(), guesses.std())
    assert (found["low"], found["high"]) == guesses.interval()
    assert found["score"] == score
    assert found["p_value"] == (None if score is None else guesses.p_value(score))
    twice = _run("chance --options 4 --questions 150 --options 4 --questions 48").output
    assert twice == f"{br.chance({4: 198})}\n"


def test_the_demo_without_scikit_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without scikit-learn, the demo says what to install."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    run = _run("demo")
    assert run.exit_code == 2
    assert run.stderr == (
        "Error: the demo needs scikit-learn, which is not installed: pip install scikit-learn\n"
    )
