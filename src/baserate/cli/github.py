"""Render rulings as GitHub Actions commands, which appear in the summary of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baserate.cli.rulings import Rulings
    from baserate.evaluation.gate import Ruling

_IN_MESSAGES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES = _IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})


def render(rulings: Rulings) -> str:
    """Return an error per failed verdict, a notice per skipped one, and lines for the rest."""
    from baserate.evaluation.gate import Status

    lines = [
        *(_command("error", ruling, rulings) for ruling in rulings.failed),
        *(_command("notice", ruling, rulings) for ruling in rulings.having(Status.NOT_JUDGED)),
    ]
    return "\n".join([*lines, *rulings.passed(), *rulings.told()]) + "\n"


def _command(level: str, ruling: Ruling, rulings: Rulings) -> str:
    from baserate.verdicts.wording import subject

    verdict = ruling.verdict
    who = subject(verdict.performance, rulings.report.by)
    title = f"{verdict.measure} of {who} {ruling.status}"
    message = ruling.sentence.translate(_IN_MESSAGES)
    return f"::{level} title={title.translate(_IN_PROPERTIES)}::{message}"
