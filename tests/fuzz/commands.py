"""Commands with hostile arguments: bad input exits with 2, and only a failed check with 1."""

from __future__ import annotations

import contextlib
from random import Random
from typing import TYPE_CHECKING

from click.testing import CliRunner

from baserate.cli.program import program
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from fuzz.law import Breach, TooSlowError, watched
from fuzz.pools import TEXTS

if TYPE_CHECKING:
    from pathlib import Path

# No argument can contain a NUL or a lone surrogate.
WORDS = [text for text in TEXTS if "\0" not in text and "\ud800" not in text]
CSV = "y,tree,knn,hospital\n" + "1,1,0,A\n1,1,1,A\n1,0,0,B\n0,0,0,B\n0,1,0,A\n0,0,1,A\n" * 3
FORMATS = ["table", "json", "markdown", "latex", "html", "csv", "text", "junit", "github"]


def tried_command(seed: int, folder: Path) -> Breach | None:
    """Run a command, and return how it broke the law, if it did."""
    random = Random(f"command {seed}")
    (folder / "p.csv").write_text(CSV)
    words = _drawn(random)
    try:
        with contextlib.chdir(folder), watched():
            result = CliRunner().invoke(program, words)
    except TooSlowError as error:
        return Breach(f"command:{seed}", words, error)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return Breach(f"command:{seed}", words, result.exception)
    if result.exit_code in (0, 2) or (result.exit_code == 1 and words[0] == "check"):
        return None
    return Breach(f"command:{seed}", words, AssertionError(f"exit code {result.exit_code}"))


def _drawn(random: Random) -> list[str]:
    command = random.choice(
        ["evaluate", "evaluate", "check", "check", "compare", "baseline", "measures"]
    )
    words = [command]
    if command == "measures":
        return [*words, _word(random, "F1", "MCC")]
    if command != "baseline" or random.random() < 0.5:
        words += [_word(random, "p.csv"), "--truth", _word(random, "y")]
    else:
        words += ["--positives", _number(random), "--total", _number(random)]
    if command != "baseline":
        words += ["--model", _word(random, "tree", "knn")]
    if command == "compare":
        words += ["--model", _word(random, "knn", "tree")]
    for option, sane in _options(command):
        if random.random() < 0.3:
            words += [option, _word(random, *sane)]
    return words + ([_word(random)] if random.random() < 0.05 else [])


def _options(command: str) -> list[tuple[str, list[str]]]:
    options = [
        ("-m", ["F1", "MCC", *TWO_CLASS_MEASURES]),
        ("--pos-label", ["1", "0"]),
        ("--missing", ["error", "drop"]),
        ("--format", FORMATS),
        ("-o", ["out.json", "out.html", "out", "p.csv", "./p.csv"]),
    ]
    if command == "check":
        options += [("--margin", ["0", "0.1"]), ("--alpha", ["0.05"])]
    return options + ([] if command == "baseline" else [("--by", ["hospital"])])


def _word(random: Random, *sane: str) -> str:
    is_hostile = not sane or random.random() < 0.15
    return random.choice(WORDS) if is_hostile else random.choice(sane)


def _number(random: Random) -> str:
    return _word(random, "0", "1", "3", "303", "1e3", "-1", "9" * 30, "9" * 400, "0.5", "nan")
