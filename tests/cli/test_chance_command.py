"""`baserate chance`: what guessing scores, as text and as JSON."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.program import program

TWO_KINDS = "chance --options 4 --questions 150 --options 5 --questions 48 --tries 3"


def _printed(command: str, code: int = 0) -> str:
    result = CliRunner().invoke(program, command.split())
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize("score", [None, 0.31])
def test_programs_get_every_digit(score: float | None) -> None:
    """The numbers are those of the library; without a score there is no p-value."""
    law = br.chance({4: 150, 5: 48}, tries=3)
    asked = "" if score is None else f" --score {score}"
    found = json.loads(_printed(f"{TWO_KINDS}{asked} --format json"))
    assert (found["questions"], found["tries"]) == (198, 3)
    assert (found["mean"], found["std"]) == (law.mean(), law.std())
    assert (found["luck_low"], found["luck_high"]) == law.interval()
    assert found["score"] == score
    assert found["p_value"] == (None if score is None else law.p_value(score))


def test_kinds_of_questions_that_are_given_twice_add_up() -> None:
    """Two parts of a test with as many options are one kind of question."""
    once = _printed("chance --options 4 --questions 198")
    assert _printed("chance --options 4 --questions 150 --options 4 --questions 48") == once
    assert once == f"{br.chance({4: 198})}\n"


def test_each_kind_of_question_needs_a_number_of_them() -> None:
    """Two numbers of options and one of questions end with code 2 and a sentence."""
    said = _printed("chance --options 4 --options 5 --questions 48", code=2)
    assert "--options and --questions must be given equally often" in said
