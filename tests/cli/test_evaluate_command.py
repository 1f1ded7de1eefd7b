"""`baserate evaluate`: every format, every kind of label, and errors in one sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from click.testing import CliRunner

import baserate as br
from baserate.binary.measures.catalogue import REPORTED
from baserate.cli.program import program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

FRAME = pl.DataFrame(
    {
        "y": [1, 1, 1, 1, 0, 0, 0, 0, 0, 0],
        "tree": [1, 1, 1, 0, 0, 0, 0, 0, 0, 1],
        "knn": [0, 1, 0, 0, 0, 0, 1, 0, 0, 0],
        "score": [0.9, 0.8, 0.7, 0.4, 0.3, 0.2, 0.1, 0.3, 0.0, 1.0],
        "hospital": ["A"] * 6 + ["B"] * 4,
    }
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a file of predictions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    FRAME.write_csv(tmp_path / "preds.csv")
    FRAME.write_parquet(tmp_path / "preds.parquet")
    return tmp_path


def _run(command: str, pipe: str | None = None) -> Result:
    return CliRunner().invoke(program, command.split(), input=pipe)


def _report(by: str | None = None) -> br.Report:
    frame: Any = FRAME
    return br.evaluate(frame, ["tree", "knn"], ["F1", "MCC"], truth="y", by=by)


MODELS = "--truth y --model tree --model knn -m F1 -m MCC"
WRITTEN: dict[str, Callable[[br.Report], str]] = {
    "table": lambda report: f"{report}\n",
    "json": br.Report.to_json,
    "markdown": br.Report.to_markdown,
    "latex": br.Report.to_latex,
    "html": lambda report: f"{report.to_html()}\n",
    "csv": br.Report.to_csv,
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("style", WRITTEN)
def test_every_format_is_the_library_s(style: str) -> None:
    """Each format equals the library's, with and without groups."""
    for by in (None, "hospital"):
        groups = f"--by {by}" if by else ""
        run = _run(f"evaluate preds.parquet {MODELS} {groups} --format {style}")
        assert (run.exit_code, run.stderr) == (0, "")
        assert run.stdout == WRITTEN[style](_report(by))


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("a.json", "json"),
        ("a.md", "markdown"),
        ("a.tex", "latex"),
        ("a.HTML", "html"),
        ("a.csv", "csv"),
        ("a.txt", "table"),
        ("a", "table"),
    ],
)
def test_the_name_of_a_file_tells_its_format(folder: Path, name: str, style: str) -> None:
    """The suffix sets the format, unless --format does."""
    run = _run(f"evaluate preds.csv {MODELS} -o {name}")
    assert run.output == ""
    assert (folder / name).read_text(encoding="utf-8") == WRITTEN[style](_report())
    _run(f"evaluate preds.csv {MODELS} -o {name} --format json")
    assert (folder / name).read_text(encoding="utf-8") == _report().to_json()


def test_an_output_that_cannot_be_meant(folder: Path) -> None:
    """An unknown suffix, or the input itself, is an error before any work."""
    run = _run(f"evaluate nowhere.csv {MODELS} -o report.pdf")
    assert run.exit_code == 2
    assert "Error: --format must say how the output is written" in run.stderr
    before = (folder / "preds.csv").read_bytes()
    for output in ("preds.csv", "./preds.csv"):
        run = _run(f"evaluate preds.csv {MODELS} -o {output}")
        assert run.stderr.startswith("Error: --output must be another file than the predictions")
    assert (folder / "preds.csv").read_bytes() == before


def test_an_empty_file(folder: Path) -> None:
    """The error says that the file is empty."""
    (folder / "empty.csv").touch()
    run = _run(f"evaluate empty.csv {MODELS}")
    assert run.stderr == "Error: 'empty.csv' must have rows (got an empty file)\n"


@pytest.mark.usefixtures("folder")
def test_the_measures_that_people_report_by_default() -> None:
    """Seven measures are the default, as in the library, and `all` is the word for all."""
    run = _run("evaluate preds.csv --truth y --model tree --format json")
    assert br.Report.from_json(run.stdout).measures == REPORTED
    run = _run("evaluate preds.csv --truth y --model tree -m all --format json")
    assert br.Report.from_json(run.stdout).measures == tuple(br.MEASURES)


@pytest.mark.usefixtures("folder")
def test_the_standard_of_evidence() -> None:
    """The level, the adjustment and the tries are those of `evaluate`."""
    run = _run(f"evaluate preds.csv {MODELS} --alpha 0.2 --adjust holm --tries 3 --format json")
    frame: Any = FRAME
    chosen: dict[str, Any] = {"alpha": 0.2, "adjust": "holm", "tries": 3}
    expected = br.evaluate(frame, ["tree", "knn"], ["F1", "MCC"], truth="y", **chosen)
    assert br.Report.from_json(run.stdout) == expected
    shown = _run(f"evaluate preds.csv {MODELS} --alpha 0.2 --adjust holm --tries 3").stdout
    assert "Each of 4 claims is tested at the 20% level; p-values and intervals" in shown


def test_several_files_are_one_test_set(folder: Path) -> None:
    """The shell expands a pattern; the program does if it is quoted."""
    FRAME.write_csv(folder / "preds2.csv")
    for files in ("preds.csv preds2.csv", "preds*.csv"):
        run = _run(f"evaluate {files} --truth y --model tree -m F1")
        assert "20 observations, 8 positive" in run.stdout


def test_many_groups_are_for_html(folder: Path) -> None:
    """The note on omitted groups uses the words of the command line."""
    for part in range(5):
        named = pl.int_range(10) + 10 * part
        FRAME.select("y", "tree", by=named).write_csv(folder / f"many{part}.csv")
    run = _run("evaluate many*.csv --truth y --model tree --by by -m ACC")
    assert "… and 10 more" in run.stdout
    assert "report." not in run.stdout


# Finding the model's column.


@pytest.mark.usefixtures("folder")
def test_several_columns_may_be_models() -> None:
    """With several candidates, the error lists the options."""
    run = _run("evaluate preds.csv --truth y")
    assert run.exit_code == 2
    assert run.stderr == (
        "Error: --model must say which columns are models (got none); choose among "
        "--model tree, --model knn\n"
    )


@pytest.mark.parametrize(
    ("columns", "model"),
    [
        ({"y": ["1", "0", "1"], "m": ["1", "1", "0"], "x": ["0.5", "1", "0"]}, "m"),
        ({"y": ["1", "0", "1"], "m": ["1", "1", ""], "empty": ["", "", ""]}, "m"),
        ({"y": ["1", "0", "1"], "a model": ["true", "false", "true"], "x": ["a", "b", "c"]}, None),
        ({"y": ["ill", "well", "ill"], 'the "m"': ["ill", "ill", "ill"], "x": ["1", "0", "1"]}, ""),
        ({"y": ["1", "-1", "1"], "m": ["1.0", "-1.0", "1.0"], "low": ["7", "8", "9"]}, "m"),
    ],
)
def test_the_one_column_that_can_be_a_model(
    folder: Path, columns: dict[str, list[str]], model: str | None
) -> None:
    """Its labels all occur in the truth, and a note names it."""
    pl.DataFrame(columns).write_csv(folder / "one.csv", quote_style="necessary")
    label = "--pos-label ill" if "ill" in columns["y"] else ""
    run = _run(f"evaluate one.csv --truth y -m ACC --missing drop {label}")
    assert run.exit_code == 0
    assert run.stderr == f"The model is column {model or list(columns)[1]!r}.\n"


@pytest.mark.usefixtures("folder")
def test_a_group_is_no_model() -> None:
    """Neither the group nor the truth is taken for a model."""
    FRAME.select("y", "tree", "knn").write_csv("three.csv")
    run = _run("evaluate three.csv --truth y --by knn -m F1")
    assert run.stderr == "The model is column 'tree'.\n"


# The positive class.


@pytest.mark.parametrize(
    ("labels", "typed"),
    [
        ((1, 0), "1"),
        ((1, 0), "1.0"),
        ((7, 3), "7"),
        ((0.5, 1.5), "0.5"),
        ((True, False), "true"),
        ((True, False), "1"),
        ((False, True), "False"),
        (("yes", "no"), "yes"),
        (("no", "yes"), "no"),
        (("ill", "well"), "ill"),
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
        assert table == br.Confusion(tp=3, fp=1, fn=1, tn=5)


@pytest.mark.parametrize("asked", ["--task regression", "-m RMSE"])
@pytest.mark.parametrize("file", ["d.csv", "d.parquet"])
def test_the_only_other_column_of_numbers_is_the_model(folder: Path, asked: str, file: str) -> None:
    """As of labels; text and the groups are none."""
    columns = {
        "y": [1, 25, 47, 80],
        "p": [2.5, 20, 50, 75],
        "name": list("abcd"),
        "by": [1, 1, 2, 2],
    }
    pl.DataFrame(columns, strict=False).write_csv(folder / "d.csv")
    pl.DataFrame(columns, strict=False).write_parquet(folder / "d.parquet")
    run = _run(f"evaluate {file} --truth y {asked} --by by --format json")
    assert "The model is column 'p'." in run.stderr
    assert br.Report.from_json(run.stdout).models == ("p",)
    run = _run(f"compare {file} --truth y {asked} --format json")
    assert "The models are the columns 'p' and 'by'." in run.stderr


# Errors.

WRONG = {
    "evaluate preds.csv --truth z": "the data have no column 'z': they have 'y', 'tree', 'knn', ",
    "evaluate preds.csv --truth y --model tre": "no column 'tre': did you mean 'tree' or",
    "evaluate preds.csv --truth y --model y": "--truth, --model and --by must be different",
    "evaluate preds.csv --truth y --model score -m F1": "must have at most two classes",
    "evaluate preds.csv --truth hospital": "--model must name a column of predicted labels",
    "evaluate preds.csv --truth y --model tree -m Acuracy": "did you mean 'Accuracy'",
    "evaluate preds.csv --truth y --model tree -m zzz": "`baserate measures` lists them all",
    "evaluate preds.csv --truth y --model tree -m F1 -m f1": "--measure must have each measure",
    "evaluate preds.csv --truth y -m F1,MCC": "repeat the option, as in -m F1 -m MCC",
    "evaluate preds.csv --truth y --model tree,knn": "as in --model tree --model knn",
    "compare preds.csv --truth y --score score,tree": "--score must name one column (got ",
    "evaluate preds.csv --truth hospital --task regression": "choose among --model y, --model tree",
    "evaluate words.csv --truth y -m RMSE": "must name a column of predicted numbers (got none",
    "compare preds.csv --truth y -m RMSE": "(got none, and 3 columns have numbers); choose among",
    "evaluate preds.csv --truth y --model tree -m fbeta": "must come with a beta: F2 or F0.5",
    "evaluate preds.csv --truth y --model tree --pos-label yes": "--pos-label must be one of the",
    "evaluate preds.parquet --truth y --model tree --pos-label yes": "--pos-label must be a number",
    "evaluate preds.csv --truth y --model tree --pos-label 5": "--pos-label must be one of the",
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
    "evaluate preds.csv --truth y --model tree --missing fill": "'fill' is not one of",
    "evaluate preds.csv --truth y --model tree --format pdf": "'pdf' is not one of",
    "evaluate preds.csv --truth y --frobnicate": "No such option",
    "evaluate preds.csv --truth y --alpha none": "--alpha must be a number (got 'none')",
    "evaluate preds.csv --truth y --model tree --alpha 0.9": "--alpha must be between 0.001 and",
    "evaluate preds.csv --truth y --model tree --tries -1": "--tries must be from 1 to",
    "frobnicate": "No such command 'frobnicate'",
}


@pytest.mark.parametrize("command", WRONG)
def test_errors_are_one_sentence(folder: Path, command: str) -> None:
    """Errors go to stderr with exit code 2, in the words of the command line."""
    (folder / "flags.csv").write_text("y,m\ntrue,true\nfalse,true\n")
    pl.DataFrame({"y": [True, False], "m": [True, True]}).write_parquet(folder / "flags.parquet")
    (folder / "words.csv").write_text("y,m\nill,well\nwell,well\n")
    (folder / "gaps.csv").write_text("y,m\n1,1\n0,\n1,0\n")
    for name in ("broken.parquet", "sheet.xlsx"):
        (folder / name).write_text("something else")
    run = _run(command, pipe="")
    assert (run.exit_code, run.stdout) == (2, "")
    assert re.fullmatch(r"Error: [^\n]+\n", run.stderr)
    assert WRONG[command] in run.stderr
    assert not re.search(r"pos_label|missing=|BaseRate|baserate\.MEASURES", run.stderr)


def test_missing_labels_may_be_left_out(folder: Path) -> None:
    """Missing labels can be left out, and the report says how many."""
    (folder / "gaps.csv").write_text("y,m\n1,1\n0,\n1,0\n0,0\n")
    run = _run("evaluate gaps.csv --truth y --model m --missing drop")
    assert run.exit_code == 0
    assert "1 observation with a missing value left out." in run.stdout
