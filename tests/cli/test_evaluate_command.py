"""`baserate evaluate` and `compare`: formats, columns, labels, and errors in one sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.program import program

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

RNG = np.random.default_rng(5)
Y = (RNG.random(60) < 0.4).astype(int)
FRAME = pl.DataFrame(
    {
        "y": Y,
        "tree": Y ^ (RNG.random(60) < 0.1),
        "knn": Y ^ (RNG.random(60) < 0.4),
        "forest": np.round(0.35 + 0.3 * Y + 0.15 * RNG.normal(size=60), 2).clip(0, 1),
        "coin": RNG.random(60).round(2),
        "hospital": ["A"] * 36 + ["B"] * 24,
        "times": RNG.integers(1, 9, 60),
        "patient": [f"p{place // 3}" for place in range(60)],
    }
)
MODELS = "--truth y --model tree --model knn -m F1 -m MCC"
SCORES = "--truth y --score forest --score coin -m AUC"
STYLES = ("table", "json", "markdown", "latex", "html", "csv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with files of predictions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    FRAME.write_csv(tmp_path / "preds.csv")
    FRAME.write_parquet(tmp_path / "preds.parquet")
    return tmp_path


def _run(command: str, pipe: str | None = None) -> Result:
    return CliRunner().invoke(program, command.split(), input=pipe)


def _report(**options: Any) -> br.Report:
    frame: Any = FRAME
    return br.evaluate(frame, ["tree", "knn"], ["F1", "MCC"], truth="y", **options)


def _comparison(**options: Any) -> br.Comparison:
    frame: Any = FRAME
    return br.compare(frame, ["tree", "knn"], ["F1", "MCC"], truth="y", **options)


def _written(result: Any, style: str) -> str:
    """What the library writes in a format."""
    shown = str(result).replace("to_html", "--format html")
    text = shown if style == "table" else getattr(result, f"to_{style}")()
    return text if text.endswith("\n") else f"{text}\n"


@pytest.mark.parametrize("style", STYLES)
def test_every_format_is_the_library_s(style: str) -> None:
    """With and without groups, of models, of scores and of a comparison."""
    scores: Any = {name: FRAME[name].to_numpy() for name in ("forest", "coin")}
    at_half = br.evaluate(Y, scores, ["AUC", "F1"], task="scores", threshold=0.5)
    results: dict[str, Any] = {
        f"evaluate preds.csv {MODELS} --by hospital": _report(by="hospital"),
        f"compare preds.parquet {MODELS} --by hospital": _comparison(by="hospital"),
        f"evaluate preds.parquet {SCORES} -m F1 --threshold 0.5": at_half,
    }
    for command, result in results.items():
        run = _run(f"{command} --format {style}")
        assert (run.exit_code, run.stderr) == (0, "")
        assert run.stdout == _written(result, style)


OPTIONS: dict[str, dict[str, Any]] = {
    "--alpha 0.2 --adjust holm": {"alpha": 0.2, "adjust": "holm"},
    "--weight times --weights frequency": {"sample_weight": "times", "weights": "frequency"},
    "--clusters patient": {"clusters": "patient"},
    "--by hospital --missing drop --task binary": {"by": "hospital"},
}


@pytest.mark.parametrize("options", OPTIONS)
def test_options_reach_the_library(options: str) -> None:
    """The report and the comparison are those of the same call in Python."""
    run = _run(f"evaluate preds.parquet {MODELS} {options} --format json")
    assert br.Report.from_json(run.stdout) == _report(**OPTIONS[options])
    run = _run(f"compare preds.parquet {MODELS} {options} --format json")
    assert run.stdout == _comparison(**OPTIONS[options]).to_json()


def test_files(folder: Path) -> None:
    """Several files are one test set, a pipe is CSV, and an empty file is an error."""
    FRAME.write_csv(folder / "preds2.csv")
    for files in ("preds.csv preds2.csv", "preds*.csv"):
        run = _run(f"evaluate {files} --truth y --model tree -m F1")
        assert "  120 observations, " in run.stdout
    piped = _run(f"compare - {MODELS}", pipe=FRAME.write_csv())
    shown = str(_comparison()).replace("to_html", "--format html")
    assert piped.stdout == f"{shown}\n"
    (folder / "empty.csv").touch()
    run = _run(f"evaluate empty.csv {MODELS}")
    assert run.stderr == "Error: 'empty.csv' must have rows (got an empty file)\n"


def test_the_name_of_a_file_tells_its_format(folder: Path) -> None:
    """The suffix sets the format, unless --format does."""
    report = _report()
    names = {"a.json": "json", "a.md": "markdown", "a.tex": "latex", "a.HTML": "html"}
    for name, style in (names | {"a.csv": "csv", "a.txt": "table", "a": "table"}).items():
        run = _run(f"evaluate preds.csv {MODELS} -o {name}")
        assert run.output == ""
        assert (folder / name).read_text(encoding="utf-8") == _written(report, style)
    _run(f"evaluate preds.csv {MODELS} -o a.md --format json")
    assert (folder / "a.md").read_text(encoding="utf-8") == report.to_json()


# Finding the model's column, and the positive class.


@pytest.mark.parametrize("file", ["d.csv", "d.parquet"])
def test_the_columns_that_are_left_are_models(folder: Path, file: str) -> None:
    """Groups, weights, clusters and references are none."""
    columns = pl.DataFrame({"y": [1, 0, 1, 0], "p": [1, 1, 0, 0], "q": [1, 0, 0, 0]})
    columns.write_csv(folder / "d.csv")
    columns.write_parquet(folder / "d.parquet")
    for option in ("by", "reference", "clusters", "weights frequency --weight"):
        run = _run(f"evaluate {file} --truth y -m ACC --{option} q")
        assert run.stderr.startswith("The model is column 'p'.\n")
    run = _run(f"compare {file} --truth y -m ACC")
    assert run.stderr == "The models are the columns 'p' and 'q'.\n"


@pytest.mark.parametrize(
    ("labels", "typed"),
    [
        ((1, 0), "1.0"),
        ((7, 3), "7"),
        ((0.5, 1.5), "0.5"),
        ((True, False), "true"),
        ((True, False), "1"),
        ((False, True), "False"),
        (("no", "yes"), "no"),
        (("1a", "0a"), "1a"),
    ],
)
def test_the_positive_class_as_it_is_typed(
    folder: Path, labels: tuple[object, object], typed: str
) -> None:
    """It takes the labels' type: number, boolean or text; in CSV and in Parquet."""
    named = {1: labels[0], 0: labels[1]}
    frame = pl.DataFrame({name: [named[each] for each in FRAME[name]] for name in ("y", "tree")})
    frame.write_csv(folder / "labels.csv")
    frame.write_parquet(folder / "labels.parquet")
    for file in ("labels.csv", "labels.parquet"):
        options = f"--truth y --model tree --pos-label {typed} -m F1 --format json"
        run = _run(f"evaluate {file} {options}")
        table = br.Report.from_json(run.stdout).performances[0].table
        assert table == br.ConfusionMatrix.of(FRAME["y"], FRAME["tree"])


# Errors.

PREDS = "preds.csv --truth y"
WRONG = {
    "evaluate preds.csv --truth z": "the data have no column 'z': they have 'y', 'tree', 'knn', ",
    f"evaluate {PREDS}": "--model must name the model (got none, and there are 7 other columns); "
    "choose among --model tree, --model knn, --model forest",
    f"evaluate {PREDS} --model tre": "no column 'tre': did you mean 'tree' or",
    f"evaluate {PREDS} --model y": "--truth, --model and --by must be different",
    f"evaluate {PREDS} --model forest -m F1": "must have at most two classes",
    "evaluate preds.csv --truth hospital": "--model patient, or name scores with --score\n",
    f"evaluate {PREDS} --model tree -m Acuracy": "did you mean 'Accuracy'",
    f"evaluate {PREDS} --model tree -m zzz": "`baserate measures` lists them all",
    f"evaluate {PREDS} --model tree -m F1 -m f1": "--measure must have each measure",
    f"evaluate {PREDS} -m F1,MCC": "repeat the option, as in -m F1 -m MCC",
    f"evaluate {PREDS} --model tree,knn": "as in --model tree --model knn",
    f"evaluate {PREDS} --model tree -m fbeta": "must come with a beta: F2 or F0.5",
    "evaluate preds.csv --truth hospital --task regression": "choose among --model y, --model tree",
    f"compare {PREDS} -m RMSE": "(got none, and there are 7 other columns); choose among",
    f"compare {PREDS} --model tree": "--model must have at least two models to compare",
    "compare preds.csv --truth hospital": "--model must name the models to compare (got none",
    f"compare {PREDS} --score forest,tree": "--score must name one column (got ",
    f"evaluate {PREDS} --score forest --model tree": "--score must come without --model and --task",
    f"evaluate {PREDS} --score forest --task binary": "--score must come without --model and --tas",
    f"evaluate {PREDS} --score forest -m F1": "(got 'F1', of labels); scores have labels with "
    "--threshold 0.5",
    f"evaluate {PREDS} --threshold 0.5 --model tree": "column 'tree' must be scores (got the label",
    f"evaluate {PREDS} --score forest --threshold nan": "--threshold must be a number on the scale",
    f"evaluate {PREDS} --model tree --reference none": "no column 'none'",
    f"evaluate {PREDS} --model tree --reference tree": "--model must have a model beside the refer",
    f"evaluate {PREDS} --model tree --weight times": "--weights must say what --weight means: --we",
    f"evaluate {PREDS} --model tree --weights frequency": "--weights must come with --weight",
    f"evaluate {PREDS} --model tree --weight coin --weights frequency": "--weight must be whole nu",
    f"evaluate {PREDS} --model tree --pos-label 5": "--pos-label must be one of the",
    "evaluate preds.parquet --truth y --model tree --pos-label yes": "--pos-label must be a number",
    "evaluate flags.csv --truth y --model m --pos-label maybe": "--pos-label must be one of the",
    "evaluate flags.parquet --truth y --model m --pos-label maybe": "must be a boolean, as the",
    "evaluate words.csv --truth y --model m": "say so as in --pos-label well",
    "evaluate gaps.csv --truth y --model m": "leave those rows out with --missing drop",
    "evaluate nothing.csv --truth y": "there is no file 'nothing.csv'",
    "evaluate broken.parquet --truth y": "'broken.parquet' could not be read",
    "evaluate sheet.xlsx --truth y": "files must be one of",
    "evaluate - preds.csv --truth y": "'-' must be the only file (got others beside it)",
    "evaluate - --truth y": "'-' must have CSV to read (got nothing)",
    "evaluate --truth y": "Missing argument 'FILES...'",
    "evaluate preds.csv": "Missing option '--truth'",
    f"evaluate {PREDS} --model tree --format pdf": "'pdf' is not one of",
    f"evaluate nowhere.csv {MODELS} -o report.pdf": "--format must say how the output is written",
    f"evaluate {PREDS} --frobnicate": "No such option",
    f"evaluate {PREDS} --alpha none": "'none' is not a valid float",
    f"evaluate {PREDS} --model tree --alpha 0.9": "--alpha must be between 0.001 and",
    f"evaluate {PREDS} --model tree --tries -1": "--tries must be from 1 to",
    "frobnicate": "No such command 'frobnicate'",
    "baseline": "a test set must be given by --positives and --total, by --counts, or by FILES",
    f"baseline {PREDS} --positives 3 --total 9": "a test set must be given by",
    "baseline --positives 4 --total 3": "--positives must be between 0 and 3 (got 4)",
    "baseline --positives 3 --total 9 -m PT": "PT has scores and no baseline",
    "baseline --counts a=1,a=2": "--counts must be a count for each class, such as a=70,b=20",
    "plan F1 --score 0.5": "base_rate",
    "plan F1 --base-rate 0.1 --score 0.5 --alpha 7": "--alpha",
    "chance --options 4 --options 5 --questions 48": "must be given equally often",
    "evaluate rowless.parquet --truth by --model m": "column 'by' must hold at least one label",
}


def test_errors_are_one_sentence(folder: Path) -> None:
    """Errors go to stderr with exit code 2, in the words of the command line."""
    (folder / "flags.csv").write_text("y,m\ntrue,true\nfalse,true\n")
    pl.DataFrame({"y": [True, False], "m": [True, True]}).write_parquet(folder / "flags.parquet")
    (folder / "words.csv").write_text("y,m\nill,well\nwell,well\n")
    (folder / "gaps.csv").write_text("y,m\n1,1\n0,\n1,0\n")
    for name in ("broken.parquet", "sheet.xlsx"):
        (folder / name).write_text("something else")
    schema = {"by": pl.Int64, "m": pl.Int64}
    pl.DataFrame(schema=schema).write_parquet(folder / "rowless.parquet")
    for command, says in WRONG.items():
        run = _run(command, pipe="")
        assert (run.exit_code, run.stdout) == (2, ""), command
        assert re.fullmatch(r"Error: [^\n]+\n", run.stderr), command
        assert says in run.stderr
        assert not re.search(r"pos_label|missing=|BaseRate|baserate\.MEASURES", run.stderr)
