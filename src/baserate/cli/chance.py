"""`baserate chance`: what guessing scores on a multiple-choice test."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import methodcaller
from typing import TYPE_CHECKING

import click

from baserate.cli import options as shared
from baserate.cli.target import planned, present

if TYPE_CHECKING:
    from baserate.multiple_choice.distribution import GuessDistribution

RENDERERS = {"text": methodcaller("text"), "json": methodcaller("json")}
_SCHEMA = "baserate.chance/1"


@dataclass(frozen=True)
class Answer:
    """What was asked, and what guessing scores.

    Parameters
    ----------
    law
        The accuracy of the best guesser.
    score
        A model's accuracy, if it was given.
    """

    law: GuessDistribution
    score: float | None

    def text(self) -> str:
        """Return one sentence, and one about the score."""
        from baserate.support.formatting import p_equals

        if self.score is None:
            return str(self.law)
        p = p_equals(self.law.p_value(self.score))
        return f"{self.law} A score of {self.score:.6g} is reached by guessing with {p}."

    def json(self) -> str:
        """Return every number."""
        from baserate.support.serialising import json_text

        low, high = self.law.interval()
        return json_text(
            {
                "schema": _SCHEMA,
                "questions": self.law.total,
                "tries": self.law.tries,
                "mean": self.law.mean(),
                "std": self.law.std(),
                "luck_low": low,
                "luck_high": high,
                "score": self.score,
                "p_value": None if self.score is None else self.law.p_value(self.score),
            }
        )


@click.command(
    context_settings=shared.HELP,
    short_help="Print what guessing scores on a multiple-choice test.",
    epilog=shared.examples(
        "baserate chance --options 4 --questions 198 --tries 20",
        "baserate chance --options 4 --questions 150 --options 5 --questions 48 --score 0.31",
    ),
)
@click.option(
    "--options",
    type=int,
    multiple=True,
    required=True,
    metavar="NUMBER",
    help="How many options a question has; once for each kind of question.",
)
@click.option(
    "--questions",
    type=int,
    multiple=True,
    required=True,
    metavar="NUMBER",
    help="How many questions have so many options; once for each kind.",
)
@shared.TRIES
@click.option("--score", type=float, metavar="NUMBER", help="An accuracy to compare with luck.")
@shared.formats(RENDERERS)
@shared.OUTPUT
@shared.FORCE
def chance(
    *,
    options: tuple[int, ...],
    questions: tuple[int, ...],
    tries: int,
    score: float | None,
    style: str | None,
    output: str | None,
    force: bool,
) -> None:
    """Print what guessing scores on a multiple-choice test, and how lucky the best of many is."""
    from baserate.multiple_choice import distribution

    if len(options) != len(questions):
        raise click.UsageError(
            "--options and --questions must be given equally often, one for each kind of question",
            click.get_current_context(),
        )
    counted: Counter[int] = Counter()
    for kind, count in zip(options, questions, strict=True):
        counted[kind] += count
    chosen = planned(RENDERERS, style, output, (), force=force)
    present(Answer(distribution.chance(counted, tries=tries), score), RENDERERS, chosen, output)
