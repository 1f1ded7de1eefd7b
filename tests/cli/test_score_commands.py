"""Commands for columns of scores: --score, --threshold, and what they say of labels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.completers import measure_keys
from baserate.cli.mathtext import plain
from baserate.cli.measures import described
from baserate.cli.program import program
from baserate.tasks import TASKS

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

RNG = np.random.default_rng(5)
Y = (RNG.random(24) < 0.4).astype(int)
FRAME = pl.DataFrame(
    {
        "y": Y,
        "forest": np.round(0.35 + 0.3 * Y + 0.15 * RNG.normal(size=24), 2).clip(0, 1),
        "coin": RNG.random(24).round(2),
        "tree": (RNG.random(24) < 0.5).astype(int),
        "word": np.where(Y, "sick", "fine"),
    }
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a file of scores."""
    monkeypatch.chdir(tmp_path)
    FRAME.write_parquet(tmp_path / "preds.parquet")


def _run(*words: str) -> Result:
    return CliRunner().invoke(program, list(words))


def _scored(*words: str) -> Result:
    return _run(words[0], "preds.parquet", "--truth", "y", *words[1:])


def _report(threshold: float | None = 0.5) -> br.Report:
    models = {name: FRAME[name].to_numpy() for name in ("forest", "coin")}
    measures = ["AUC"] if threshold is None else ["AUC", "F1"]
    return br.evaluate(Y, models, measures, task="scores", threshold=threshold)


BOTH = ("--score", "forest", "--score", "coin", "-m", "AUC")


def test_scores_are_evaluated() -> None:
    """The table is the library's, with the threshold in its title."""
    run = _scored("evaluate", *BOTH, "-m", "F1", "--threshold", "0.5")
    assert run.exit_code == 0, run.output
    assert run.output == f"{_report()}\n"
    assert "labels at 0.5" in run.output
    assert _scored("evaluate", *BOTH).output == f"{_report(None)}\n"


@pytest.mark.parametrize("style", ["json", "csv", "markdown", "latex", "html"])
def test_every_format_is_the_library_s(style: str) -> None:
    """Each format equals what the report writes."""
    run = _scored("evaluate", *BOTH, "-m", "F1", "--threshold", "0.5", "--format", style)
    assert run.output.strip() == getattr(_report(), f"to_{style}")().strip()


def test_a_gate_for_scores() -> None:
    """A coin does not pass, and the exit code says so."""
    run = _scored("check", "--score", "coin", "-m", "AUC")
    assert run.exit_code == 1
    assert "failed: AUC of coin" in run.output
    passed = _scored("check", "--score", "forest", "-m", "AUC", "--alpha", "none")
    assert passed.exit_code == 0
    found = _scored(
        "check", "--score", "forest", "-m", "AUC", "--alpha", "none", "--format", "json"
    )
    assert json.loads(found.output)["rulings"][0]["distinct_scores"] > 10


def test_two_models_are_compared_by_scores() -> None:
    """Columns of scores are a pair of models."""
    run = _scored("compare", *BOTH, "--format", "json")
    assert run.exit_code == 0, run.output
    assert json.loads(run.output)["differences"][0]["measure"] == "AUC"


def test_a_positive_class() -> None:
    """Labels that are words need to know which is positive."""
    run = _run("evaluate", "preds.parquet", "--truth", "word", "--pos-label", "sick", *BOTH)
    assert run.exit_code == 0, run.output
    assert "0.500" in run.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--score", "forest", "--model", "tree"), "--score must not come with --model"),
        (("--threshold", "0.5", "--model", "tree"), "--threshold must come with --score"),
        (("--threshold", "0.5"), "--threshold must come with --score"),
        (("--score", "forest", "--task", "binary"), "--task must be left out with --score"),
        (("--score", "forest", "-m", "F1"), "(got 'F1', of labels); scores have labels with"),
        (("--score", "forest", "--threshold", "nan"), "--threshold must be a number on the scale"),
        (("--score", "forest", "--threshold", "x"), "'x' is not a valid float"),
        (("--score", "forest", "--score", "coin", "-m", "AUCC"), "'AUCC'"),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "check", "compare"])
def test_errors_are_one_line(command: str, words: tuple[str, ...], said: str) -> None:
    """What cannot be meant is said in one line, with the option's name, before files are read."""
    asked = words if "-m" in words else (*words, "-m", "AUC")
    run = _scored(command, *asked)
    assert run.exit_code == 2
    assert said in run.output
    assert run.output.count("\n") == 1


def test_baselines_of_scores() -> None:
    """Counts are a test set of scores as they are of labels; the file's truth is, too."""
    run = _run("baseline", "-m", "AUC", "-m", "Gini", "--positives", "2", "--total", "20")
    assert "AUC ↑     0.500      0.500 *  any guess" in run.output
    found = _run("baseline", "preds.parquet", "--truth", "y", "-m", "AUC", "--format", "json")
    assert json.loads(found.output)["baselines"][0]["baseline"] == 0.5


@pytest.mark.parametrize("key", tuple(br.SCORE_MEASURES))
def test_each_measure_is_explained(key: str) -> None:
    """All facts of a measure of scores are there, without a backslash of its formula."""
    run = _run("measures", key)
    assert run.exit_code == 0, run.output
    measure = br.get_measure(key, task="scores")
    assert run.output.startswith(f"{measure.key}: {measure.name}\n")
    assert "\\" not in run.output
    assert "best deck" in run.output or measure.missing(br.BaseRate(positives=10, total=100))
    for alias in measure.aliases:
        assert alias.split()[0] in run.output


def test_measures_of_all_tasks_are_listed() -> None:
    """Scores have their own part of the list, and PT is not in it."""
    listed = _run("measures").output
    _, _, scores = listed.partition("Scores of two classes:")
    assert "\nAUC ↑" in scores
    assert "\nPT " not in scores
    alone = _run("measures", "--task", "scores").output
    assert alone.startswith("Scores of two classes:")
    assert "PT" not in alone


def test_completion_offers_measures_of_scores() -> None:
    """Names that need no quotes are offered."""
    nothing: Any = None
    assert "AUC" in measure_keys(nothing, nothing, "AU")
    assert "Gini" in measure_keys(nothing, nothing, "gi")


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\sum_{i=1}^{M} s_i", "Σ_(i=1)^(M) sᵢ"),
        (r"-\log p_t", "-log p_t"),
        (r"\tfrac{1}{2}\,x", "1/2x"),
        (r"\lVert p \rVert_2", "‖ p ‖_2"),
    ],
)
def test_formulas_of_scores_in_a_terminal(latex: str, text: str) -> None:
    """Indices that have no small letter are written after a line, and functions by their name."""
    assert plain(latex) == text


@pytest.mark.parametrize("name", list(br.PROBABILITY_MEASURES))
def test_measures_of_several_classes_are_explained(name: str) -> None:
    """With the best deck of a test set of three classes."""
    run = _run("measures", name, "--task", "probabilities")
    assert run.exit_code == 0, run.output
    assert "best deck    the class shares for everyone" in run.output


# A name with a number in it may be any of a family.
FAMILIES = [
    "weighted F0.3", "precision@200", "lift@7", "NDCG@3", "partial AUC 0.2", "top-1 accuracy",
    "top-3 accuracy", "Huber@1e-100", "pinball@0.3", "Tweedie@-100", "D2 Tweedie@100",
]  # fmt: skip


def test_every_line_of_a_measure_s_screen_says_something() -> None:
    """For each measure that has a name, and for each kind of those that are made by one."""
    known = [each for task in TASKS.values() for each in task.chosen("all")]
    for measure in (*known, *map(br.get_measure, FAMILIES)):
        head, facts, symbols = described(measure).split("\n\n")
        assert head.startswith(f"{measure.key}: {measure.name}\n")
        assert all(line[13:].strip() for line in facts.splitlines())
        assert symbols


@pytest.mark.parametrize(
    ("name", "which"),
    [("top-1 accuracy", "class that occurs"), ("top-3 accuracy", "3 classes that occur")],
)
def test_top_k_accuracy_is_explained(name: str, which: str) -> None:
    """The best and the worst answers are the most and the least frequent classes."""
    screen = _run("measures", name).output
    assert f"\nbest answer  always the {which} most often\n" in screen
    assert f"\nworst answer always the {which} least often\n" in screen


def test_a_measure_that_a_small_test_set_lacks_has_no_decks_to_show() -> None:
    """The first 200 of 100 observations have no share of positives; the first 20 have one."""
    assert "best deck" not in _run("measures", "precision@200").output
    screen = _run("measures", "precision@20").output
    assert "best deck    any guess: 0.100" in screen


def test_a_file_without_labels_points_to_scores() -> None:
    """If no column can be predicted labels, they may be scores."""
    FRAME.select("y", "forest").write_parquet("scores.parquet")
    run = _run("evaluate", "scores.parquet", "--truth", "y", "-m", "AUC")
    assert run.exit_code == 2
    assert "--score names columns of scores" in run.output
