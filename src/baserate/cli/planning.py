"""`baserate plan` and `baserate chance`: what to expect before there are predictions."""

from __future__ import annotations

from collections import Counter
from operator import methodcaller
from typing import Any, NamedTuple

import click

from baserate.cli import options as shared

RENDERERS = {"text": methodcaller("text"), "json": methodcaller("json")}


class Answer(NamedTuple):
    """A sentence, and every number for programs."""

    said: str
    record: dict[str, Any]

    def text(self) -> str:
        """Return the sentence."""
        return self.said

    def json(self) -> str:
        """Return every number."""
        from baserate.records import json_text

        return json_text(self.record)


@click.command(
    context_settings=shared.HELP,
    short_help="Say how many rows a test set needs.",
    epilog=shared.examples(
        "baserate plan F1 --base-rate 0.1 --score 0.5",
        "baserate plan AUC --base-rate 0.1 --score 0.8 --second 0.85 --agreement 0.5",
        "baserate plan accuracy --classes 5 --score 0.4",
        "baserate plan RMSE --score 0.2",
    ),
)
@click.argument("measure", shell_complete=shared.measure_keys)
@shared.number(
    "--score", "The expected score; for measures of numbers, the expected R2.", required=True
)
@shared.number("--base-rate", "The share of positives, of two classes.", metavar="SHARE")
@shared.number("--classes", "How many classes, if several.", type=int)
@shared.number("--second", "The expected score of a second model.")
@shared.number(
    "--agreement",
    "How much alike both models are, from 0 (independent, the default) to 1.",
    metavar="SHARE",
    default=0.0,
)
@shared.ALPHA
@shared.number(
    "--power",
    "How often the claim should be made; 0.8 by default.",
    metavar="SHARE",
    default=0.8,
)
@shared.written(RENDERERS)
def plan(measure: str, **known: Any) -> Answer:
    """Say how many rows a test set needs, so that a score clears the baseline.

    Of labels, as many are taken to be predicted positive as there are positives. Scores are taken
    to be normal among positives and among negatives, classes to be equally large, numbers to be
    normal.
    """
    from baserate.evaluation.rows_needed import rows_needed

    rows = rows_needed(measure, **known)
    what = "clear the baseline" if known["second"] is None else "tell both models apart"
    said = (
        f"About {rows:,} rows are needed to {what} by {measure}, with a power of "
        f"{100 * known['power']:.6g}%."
    )
    asked = {"schema": "baserate.plan/1", "measure": measure} | known
    return Answer(said, asked | {"rows_needed": rows})


@click.command(
    context_settings=shared.HELP,
    short_help="Print what guessing scores on a multiple-choice test.",
    epilog=shared.examples(
        "baserate chance --options 4 --questions 198 --tries 20",
        "baserate chance --options 4 --questions 150 --options 5 --questions 48 --score 0.31",
    ),
)
@shared.number(
    "--options",
    "How many options a question has; once for each kind of question.",
    type=int,
    multiple=True,
    required=True,
)
@shared.number(
    "--questions",
    "How many questions have that many options; once for each kind.",
    type=int,
    multiple=True,
    required=True,
)
@shared.TRIES
@shared.number("--score", "An accuracy to compare with guessing.")
@shared.written(RENDERERS)
def chance(
    *, options: tuple[int, ...], questions: tuple[int, ...], tries: int, score: float | None
) -> Answer:
    """Print what guessing scores on a multiple-choice test, and what the best of many scores."""
    from baserate import multiple_choice
    from baserate.formatting import p_equals

    if len(options) != len(questions):
        raise click.UsageError(
            "--options and --questions must be given equally often, one for each kind of question",
            click.get_current_context(),
        )
    counted: Counter[int] = Counter()
    for kind, count in zip(options, questions, strict=True):
        counted[kind] += count
    guesses = multiple_choice.chance(counted, tries=tries)
    low, high = guesses.interval()
    record = {
        "schema": "baserate.chance/2",
        "questions": guesses.total,
        "tries": guesses.tries,
        "mean": guesses.mean(),
        "std": guesses.std(),
        "low": low,
        "high": high,
        "score": score,
        "p_value": None if score is None else guesses.p_value(score),
    }
    if score is None:
        return Answer(str(guesses), record)
    p = p_equals(guesses.p_value(score))
    return Answer(f"{guesses} A score of {score:.6g} is reached by guessing with {p}.", record)
