"""`baserate plan`: how many rows a test set needs, as text and as JSON."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.program import program


def _printed(command: str, code: int = 0) -> str:
    result = CliRunner().invoke(program, command.split())
    assert result.exit_code == code, result.output
    return result.output


def test_programs_get_what_the_library_says() -> None:
    """JSON has the question and the number of rows."""
    found = json.loads(_printed("plan ACC --base-rate 0.3 --score 0.8 --power 0.9 --format json"))
    rows = br.rows_needed("ACC", base_rate=0.3, score=0.8, power=0.9)
    assert (found["measure"], found["score"], found["second"]) == ("ACC", 0.8, None)
    assert found["rows_needed"] == rows


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("plan F1 --score 0.5", "base_rate"),
        ("plan F1 --base-rate 0.1", "--score"),
        ("plan F1 --base-rate 0.1 --score 0.5 --alpha 7", "--alpha"),
        ("plan kapa --base-rate 0.1 --score 0.5", "unknown measure"),
    ],
)
def test_what_is_missing_is_named(command: str, said: str) -> None:
    """A question that cannot be answered ends with code 2 and a sentence."""
    assert said in _printed(command, code=2)
