"""Plain data as text: JSON and CSV for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def json_text(document: Mapping[str, Any]) -> str:
    """Return a document as JSON with every digit."""
    import json

    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def csv_text(names: Sequence[str], records: Iterable[Mapping[str, Any]]) -> str:
    """Return a line of CSV for each record under a header, with nothing for None."""
    import csv
    import io

    lines = io.StringIO()
    writer = csv.DictWriter(lines, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return lines.getvalue()
