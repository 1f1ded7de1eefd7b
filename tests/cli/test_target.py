"""Where results are written: predictions and foreign files are never lost."""

from __future__ import annotations

import errno
import os
import resource
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.program import program
from baserate.exceptions import UnwritableFileError
from baserate.records import is_report
from terminal import shell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

ROWS = """\
y,tree,knn,ward
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
QUESTION = "--truth y --model tree -m F1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a file of predictions, under several names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "preds.csv").write_text(ROWS)
    (tmp_path / "soft.csv").symlink_to("data/preds.csv")
    (tmp_path / "hard.csv").hardlink_to("data/preds.csv")
    (tmp_path / "link").symlink_to("data")
    return tmp_path


def _run(command: str) -> Result:
    return CliRunner().invoke(program, command.split())


@pytest.mark.parametrize("files", ["data", "soft.csv", "./data/../hard.csv", "link"])
@pytest.mark.parametrize("output", ["data/../data/preds.csv", "hard.csv"])
def test_predictions_are_not_overwritten(folder: Path, files: str, output: str) -> None:
    """The input is never overwritten, under any name, not even with --force."""
    for command in ("evaluate", "check"):
        run = _run(f"{command} {files} {QUESTION} --format json --force -o {output}")
        assert run.exit_code == 2
        assert run.stderr.startswith("Error: --output must be another file than the predictions")
    assert _run(f"baseline data --truth y --force -o {folder}/soft.csv").exit_code == 2
    assert (folder / "data" / "preds.csv").read_text() == ROWS


def test_redirected_predictions_are_not_overwritten(folder: Path) -> None:
    """A file redirected to stdin or stdout counts too."""
    for command in (
        f"baserate evaluate - {QUESTION} -o hard.csv --force < soft.csv",
        f"baserate evaluate data {QUESTION} >> soft.csv",
        f"baserate evaluate data {QUESTION} -o /dev/stdout >> soft.csv",
    ):
        run = shell(command, folder)
        assert run.returncode == 2
        assert run.stderr.startswith("Error: --output must be another file than the predictions")
    assert (folder / "data" / "preds.csv").read_text() == ROWS


# Foreign files.

NOT_OURS = {
    "notes.txt": "Call the hospital.\n",
    "notes": "2 of 3 people agree.\n",
    "readme.md": "# Scores\n\n| measure | lowest | highest | tree |\n",
    "index.html": "<!DOCTYPE html>\n<html lang='en'>\n<p>made by hand, about baserate</p>\n",
    "old.csv": ROWS,
    "data.json": '{\n  "schema": "other/1"\n}\n',
    "paper.tex": "% needs \\usepackage{booktabs}\n\\section{Scores}\n",
    "binary.txt": "\x00\xff",
}


@pytest.mark.parametrize("name", NOT_OURS)
def test_a_file_of_somebody_else_is_kept(folder: Path, name: str) -> None:
    """A foreign file is overwritten only with --force."""
    path = folder / name
    path.write_text(NOT_OURS[name], encoding="latin-1")
    run = _run(f"evaluate data {QUESTION} -o {name}")
    assert run.exit_code == 2
    assert run.stderr == (
        f"Error: a report must be a new file or replace an earlier report (got '{name}', which is "
        "something else); write elsewhere, or say --force to overwrite it\n"
    )
    assert path.read_text(encoding="latin-1") == NOT_OURS[name]
    assert _run(f"evaluate data {QUESTION} -o {name} --force").exit_code == 0
    assert _run(f"evaluate data {QUESTION} -o {name}").exit_code == 0


@pytest.mark.parametrize(
    "command",
    [
        f"evaluate data {QUESTION} --by ward",
        f"evaluate data {QUESTION}",
        f"compare data {QUESTION} --model knn",
        f"check data {QUESTION}",
        f"check data {QUESTION} --by ward --model knn",
        "baseline data --truth y",
        "baseline --positives 3 --total 9 -m MCC",
    ],
)
def test_every_report_may_be_replaced(folder: Path, command: str) -> None:
    """Every command recognises each format of each command, and an empty file."""
    (folder / "report").touch()
    params = program.commands[command.split(maxsplit=1)[0]].params
    (style,) = (each.type for each in params if each.name == "style")
    for name in (*style.choices, "json"):  # type: ignore[attr-defined]
        run = _run(f"{command} -o report --format {name}")
        assert run.exit_code in (0, 1), run.output


def test_the_demo_keeps_files_of_somebody_else(folder: Path) -> None:
    """The demo writes two files to the current folder, and keeps foreign ones."""
    (folder / "report.json").write_text("mine")
    run = _run("demo")
    assert (run.exit_code, run.stdout) == (2, "")
    assert "(got 'report.json', which is something else)" in run.stderr
    assert not (folder / "report.html").exists()
    assert (folder / "report.json").read_text() == "mine"


# Writing files.


def test_a_link_stays_a_link(folder: Path) -> None:
    """The target of a link is replaced, even if it does not exist yet."""
    (folder / "link.json").symlink_to("data/report.txt")
    for _ in range(2):
        assert _run(f"evaluate data/preds.csv {QUESTION} -o link.json").exit_code == 0
        assert (folder / "link.json").is_symlink()
        assert br.Report.from_json(folder / "data" / "report.txt").models == ("tree",)


def test_what_is_no_file_is_written_to(folder: Path) -> None:
    """Devices, named pipes and open descriptors are written directly, and appended to."""
    for command, printed in (
        ("-o /dev/null --format json", ""),
        ("-o /dev/stdout --format json > out; echo b >> out; head -c 1 out; tail -n 1 out", "{b\n"),
        ("-o >(wc -l) --format csv; sleep 0.3", "2\n"),
        ("-o fifo --format csv & wc -l < fifo; wait", "2\n"),
    ):
        run = shell(f"mkfifo fifo; baserate evaluate data {QUESTION} {command}; rm fifo", folder)
        assert (run.stdout.replace(" ", ""), run.stderr) == (printed, "")
    both = f"baserate evaluate data {QUESTION} -o /dev/stdout --format csv"
    run = shell(
        f"(echo a; {both}; echo b) > out; head -n 1 out; wc -l < out; tail -n 1 out", folder
    )
    assert run.stdout.split() == ["a", "4", "b"]


def test_nothing_is_left_where_nothing_can_be_written(folder: Path) -> None:
    """Our error says so, and the old report is still there."""
    report = br.evaluate(None, br.ConfusionMatrix(tp=1, tn=1), "F1")
    for path in ("nowhere/report.html", ".", "x" * 300, "a\0b"):
        with pytest.raises(UnwritableFileError, match="could not be written"):
            report.to_html(path)
    with pytest.raises(UnwritableFileError) as caught:
        report.to_json("/dev/fd/999")
    assert isinstance(caught.value, OSError)
    report.to_json("x" * 255)
    assert br.Report.from_json(folder / ("x" * 255)) == report
    names = {"data", "soft.csv", "hard.csv", "link", "x" * 255}
    assert {path.name for path in folder.iterdir()} == names


def test_a_folder_that_refuses_may_have_a_file_that_does_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If only the file is writable, as with a mounted file, it is written in place."""
    mounted = folder / "mounted.json"
    reports = [br.evaluate([1, 0], [1, 0], measures) for measures in ("F1", ["F1", "ACC"], "MCC")]
    refused = (errno.EACCES, errno.EBUSY, errno.EXDEV)
    for report, number in zip(reports, refused, strict=True):
        mounted.touch()
        monkeypatch.setattr(type(folder), "replace", _refuse(number))
        report.to_json(mounted)  # longer than the old one, and then shorter
        assert br.Report.from_json(mounted) == report
    assert not list(folder.glob(".baserate-*"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EBUSY])
def test_a_full_disk_keeps_the_old_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The old report stays, also if it cannot be replaced by renaming, as with a mounted file."""
    old, new = (br.evaluate([1, 0], [1, 0], measures) for measures in ("F1", ["F1", "ACC"]))
    old.to_json("mounted.json")
    room = (folder / "mounted.json").stat().st_size + 100
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    fill = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))  # noqa: E731
    monkeypatch.setattr(type(folder), "replace", _refuse(number, fill))
    try:
        with pytest.raises(UnwritableFileError, match="could not be written"):
            new.to_json("mounted.json")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert br.Report.from_json(folder / "mounted.json") == old
    assert not list(folder.glob(".baserate-*"))


def _refuse(number: int, first: Callable[[], None] = lambda: None) -> Callable[..., None]:
    """Return a function that refuses to rename a file, after another has been called."""

    def refuse(*_: Path) -> None:
        first()
        raise OSError(number, os.strerror(number))

    return refuse


def test_a_folder_is_no_report(folder: Path) -> None:
    """What cannot be read is not taken for a report; root can read all but a folder."""
    assert not is_report(folder)
