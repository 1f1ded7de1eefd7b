"""Translate the library's messages into the words of the command line."""

from __future__ import annotations

import re

# Python names, and their names on the command line.
_PHRASES = (
    (r"say so as in BaseRate\.of\(labels, pos_label=(.*)\)", r"say so as in --pos-label \1"),
    (r"\bpos_label\b", "--pos-label"),
    (r"missing='drop'", "--missing drop"),
    (r"list\(baserate\.MEASURES\) has them all", "`baserate measures` lists them all"),
    (r"^truth, predictions and by\b", "--truth, --model and --by"),
    (r"^(margin|alpha|positives|total) must", r"--\1 must"),
    (r"get_measure\('.*', beta=2\), or by name, 'F2'", "F2 or F0.5"),
)


def in_options(message: str) -> str:
    """Return an error with options in place of Python arguments."""
    for python, option in _PHRASES:
        message = re.sub(python, option, message)
    return message


def in_formats(text: str) -> str:
    """Return a table with options in place of Python methods."""
    return text.replace("see report.group(…) and report.to_html(…)", "see --format html").replace(
        "see report.findings", "see --format html"
    )
