"""Names from data cannot command a terminal, a pipeline log or a shell."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.cli import check
from baserate.cli.check import Rulings
from baserate.cli.program import REPORTS, program
from baserate.evaluation.gate import Gate
from baserate.exceptions import BaserateError
from baserate.formatting import one_line, sanitize, shell_word
from terminal import terminal

if TYPE_CHECKING:
    from click.testing import Result

SOURCE = Path(br.__file__).parent

HOSTILE = [
    "a\n::error title=pwned::x",
    "a\r::error title=pwned::x",
    "::error::pwned tree",
    "a ::error::" + "x" * 120,
    "a\u2028::error::x",
    "##[error]x",
    "b ##vso[task.setvariable variable=x]y",
    "##teamcity[message text='x']",
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x9b31m",
    "a\x08\x08\x7f",
    "\u202egnp.exe",
    "\u2066a\u2069",
    "tab\there",
    "x\x00y",
]
# A terminal obeys control characters, reordering and unusual line separators.
OBEYED = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
# GitHub trims a line before it looks for ::; the others look anywhere in it.
COMMAND = r"(?m)^\s*::|##\w*\["


def _assert_harmless(text: str) -> None:
    assert not re.search(OBEYED, text), text
    assert not re.search(COMMAND, text), text


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return tmp_path


def _data(name: str, *, models: int = 1) -> None:
    """Write predictions whose columns, labels and groups have this name."""
    columns = {
        f"{name}{'y' if place < 0 else place}": [name, name, name, "other"] * 5
        for place in range(-1, models)
    }
    groups = {f"{name}by": [name] * 10 + ["third"] * 10}
    pl.DataFrame(columns | groups).write_parquet("preds.parquet")


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments)


@pytest.mark.parametrize(
    "name",
    [
        "a\n::error title=pwned::x",
        "::error::pwned tree",
        pytest.param("a ::error::" + "x" * 120, marks=pytest.mark.exhaustive),
        "##[error]x ##vso[task]y ##teamcity[message]z",
        "\x1b[31m\x9b31m\x1b]0;title\x07\x08\x7f\u202eb\u2066\r::a\u2028::b\x00",
    ],
)
def test_every_output_is_harmless(name: str) -> None:
    """No name gets through, in any table, format or error; only our own GitHub commands remain."""
    _data(name, models=2)
    truth, pos_label = ("--truth", f"{name}y"), ("--pos-label", name)
    model, by = ("--model", f"{name}0"), ("--by", f"{name}by")
    question = ("preds.parquet", *truth, *pos_label)
    for style in REPORTS:
        run = _run("evaluate", *question, *model, *by, "-m", "F1", "--format", style)
        assert run.exit_code == 0, run.output
        _assert_harmless(run.output)
    for style in check.RENDERERS:
        run = _run("check", *question, *model, *by, "-m", "TPR", "--format", style)
        assert run.exit_code == 1
        ours = re.sub(r"(?m)^::(error|notice) title=[^:\n]*::", "", run.output, count=3)
        _assert_harmless(ours if style == "github" else run.output)
    for arguments in (
        ("evaluate", *question),
        ("evaluate", "preds.parquet", *truth, *model),
        ("evaluate", *question, *model, "--by", name),
        ("evaluate", *question, *model, "--by", f"{name}0"),
        ("evaluate", "preds.parquet", *truth, "--model", f"{name}by"),
        ("evaluate", "preds.parquet", *truth, *model, "--pos-label", f"not {name}"),
        ("evaluate", "preds.parquet", "--truth", name),
        ("evaluate", name.replace("\0", ""), *truth),
        ("evaluate", f"a.{name}".replace("\0", ""), *truth),
        ("evaluate", *question, *model, "-m", name),
        ("evaluate", *question, *model, "-o", f"{name}.json".replace("\0", "") + "/x"),
        ("evaluate", *question, *model, "-o", f"a.{name}".replace("\0", "")),
        ("evaluate", *question, f"--{name}"),
        ("measures", name),
        (name,),
    ):
        run = _run(*arguments)
        assert (run.exit_code, run.stdout) == (2, ""), run.output
        assert re.fullmatch(r"Error: [^\n]+\n", run.stderr), run.output
        _assert_harmless(run.stderr)


def test_a_terminal_is_not_commanded(folder: Path) -> None:
    """In colour, all escapes are those of the colours."""
    name = "\x1b[31m\x9b31mred"
    _data(name)
    columns = f"--truth {shlex.quote(f'{name}y')} --model {shlex.quote(f'{name}0')}"
    options = f"{columns} --pos-label {shlex.quote(name)}"
    shown, code = terminal(f"baserate evaluate preds.parquet {options} -m F1", folder)
    assert code == 0
    assert "red" in shown
    # Where a machine is slow, there is a progress bar first.
    _assert_harmless(re.sub(r"\x1b\[\d*m|\r[^\n]*\r", "", shown))
    assert "\x1b[31m\x1b" not in shown


def test_json_is_exact_and_harmless() -> None:
    """JSON escapes everything that a terminal obeys; a CSV file is exact too."""
    for name in [*HOSTILE, "\udcff", "\U000e0041", "é θ 👩‍👩‍👧"]:
        report = br.evaluate(None, {name: br.ConfusionMatrix(tp=2, fn=1, tn=4)}, "F1")
        _assert_harmless(report.to_json())
        assert json.loads(report.to_json())["performances"][0]["model"] == name
        assert br.Report.from_json(report.to_json()) == report
    _data("a\n::error::x")
    columns = ("--truth", "a\n::error::xy", "--model", "a\n::error::x0")
    question = (*columns, "--pos-label", "a\n::error::x", "-m", "F1")
    assert _run("evaluate", "preds.parquet", *question, "-o", "a.csv").exit_code == 0
    assert pl.read_csv("a.csv")["model"][0] == "a\n::error::x0"


@pytest.mark.parametrize("name", ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "-inf"])
def test_csv_is_no_formula(name: str) -> None:
    """A spreadsheet would compute text that begins like a formula: an apostrophe is put before."""
    models = {name: [1, 0, 0, 1], "-0.5": [0, 1, 1, 0]}
    report = br.evaluate([1, 0, 1, 1], models, ["F1", "MCC"], by=[name] * 4)
    comparison = br.compare([1, 0, 1, 1], models, "F1", by=[name] * 4)
    for text in (report.to_csv(), comparison.to_csv()):
        rows = list(csv.reader(io.StringIO(text, newline="")))
        cells = {cell for row in rows for cell in row}
        assert {f"'{name}", "-0.5"} <= cells
        numbers = {cell for cell in cells if cell.startswith(tuple("=+-@\t\r"))}
        assert len(numbers) > 1
        assert all(float(number) < 0 for number in numbers)


# Structure: no new message can bypass it.


def test_nothing_prints_but_one_module() -> None:
    """Only cli/console.py uses `click.echo`, `print` or a stream's `write`."""
    found = {
        f"{path.relative_to(SOURCE)}: {name}"
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).as_posix() != "cli/console.py"
        for name in _printing(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == {"demo.py: print"}  # the default of a parameter
    allowed = _printing(ast.parse((SOURCE / "cli" / "console.py").read_text(encoding="utf-8")))
    assert set(allowed) == {"sys.stdout", "sys.stderr"}


def _printing(tree: ast.Module) -> list[str]:
    """Return what of a module may print; to look at a stream is not to write."""
    allowed = ("isatty", "fileno", "flush", "reconfigure")
    looked_at = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in allowed
    }
    printing = re.compile(r"print|s?echo(_via_pager)?|(__)?std(out|err)(__)?|Console|write")
    names = (
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in looked_at
        if printing.fullmatch(getattr(node, "id", "") or getattr(node, "attr", ""))
    )
    pattern = r"print|(click\.)?s?echo(_via_pager)?|sys\.(__)?std(out|err)(__)?|Console|os\.write"
    return [name for name in names if re.fullmatch(pattern, name)]


@given(st.text())
def test_errors_are_one_harmless_line(text: str) -> None:
    """Every error of ours is sanitized, whatever it quotes, in Python and in a shell."""
    message = str(BaserateError(text))
    _assert_harmless(f"Error: {message}")
    assert message.splitlines() in ([message], [])
    assert message == one_line(message) or "\\" in message


@given(st.text())
def test_harmless_texts_keep_their_lines(text: str) -> None:
    """Only commands are changed; other text is kept."""
    kept = sanitize(text)
    _assert_harmless(kept)
    assert sanitize(kept) == kept
    assert kept.count("\n") == text.count("\n")
    if text.isprintable() and not re.search(COMMAND, text):
        assert kept == text


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_words_of_a_shell(text: str) -> None:
    """A shell word is one line; printable text is quoted as Python does."""
    word = shell_word(text)
    assert "\n" not in word
    if text.isprintable():
        assert word == shlex.quote(text)


# Lone surrogates, as in the name of a file that is not UTF-8.


def test_half_a_letter_can_be_written(tmp_path: Path) -> None:
    """Lone surrogates in names of models, groups and measures can be written in every format."""
    half = br.Measure.custom("\ud800", lambda tp, fp, fn, tn: tp)
    tables = {
        "\udcff": br.ConfusionMatrix(tp=2, fn=1, tn=4),
        "b": br.ConfusionMatrix(tp=2, fn=1, tn=4),
    }
    labels = [1, 0, 1, 0]
    for report in (
        br.evaluate(None, tables, ["F1", half]),
        br.evaluate(labels, {"\udcff": labels}, "F1", by=["\udc80", "x", "\udc80", "x"]),
    ):
        for name in ("to_json", "to_csv", "to_markdown", "to_latex", "to_html"):
            text = getattr(report, name)(tmp_path / name)
            assert (tmp_path / name).read_text(encoding="utf-8") == text
        str(report).encode()
        report._repr_html_().encode()
        for backend in ("pandas", "polars", "pyarrow"):
            assert len(report.to_frame(backend)) == len(report)
    rulings = Rulings.of(Gate(), report)
    for render in check.RENDERERS.values():
        render(rulings).encode()
    ElementTree.fromstring(check.RENDERERS["junit"](rulings))
