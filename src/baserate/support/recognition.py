"""Recognise our own reports, which a new report may overwrite."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from baserate.exceptions import InvalidFileError
from baserate.exceptions.base import Term
from baserate.support.serialising import is_descriptor

if TYPE_CHECKING:
    from collections.abc import Iterable

# After verdicts that pass, a weak reference and the standard.
_TOTALS = r"(?:(?:passed:|… and|By|Each) .*\n)*\d+ of \d+ verdicts? (?:passed|failed)"
# How a report of each format begins: the answer and failing verdicts come first.
_BEGINNINGS = (
    r'\{\n  "schema": "baserate\.',
    r'<!DOCTYPE html>\n(?:<.*>\n){0,4}<meta name="generator" content="baserate">',
    r'<\?xml [^\n]*>\n<testsuites name="baserate" ',
    r"model,group,(?:\w+,)*p_value,measure,name,direction,",
    r"first,second,group,positives_both,",
    r"measure,name,direction,baseline,baseline_min,baseline_max,",
    r"(?:% .*\n)*% needs \\usepackage\{booktabs\}\n\\begin\{table\}",
    r"[✓~✗–] .*\n(?:  \S.*\n)+\n",
    r"\*\*[✓~✗–] .*\.\*\*\n",
    rf"(?:(?:failed|not judged): .*\n)*{_TOTALS}",
    rf"(?:::(?:error|notice) title=.*\n)*{_TOTALS}",
)
_REPORT = re.compile("|".join(f"(?:{each})" for each in _BEGINNINGS))
# More than the longest beginning: a thousand findings.
_MOST = 2**20


def require_free(outputs: Iterable[str]) -> None:
    """Raise if one of the files exists and is not one of our reports."""
    for output in outputs:
        if not is_descriptor(output) and Path(output).is_file() and not is_report(Path(output)):
            raise InvalidFileError(
                f"a report must be a new file or replace an earlier report (got {output!r}, which "
                "is something else); write elsewhere, or say ",
                Term("force", "force=True"),
                " to overwrite it",
            )


def is_report(path: Path) -> bool:
    """Return whether a file is empty or begins like our reports; an unreadable one does not."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            beginning = file.read(_MOST)
    except OSError:
        return False
    return not beginning or _REPORT.match(beginning) is not None
