"""Plain data as text: JSON and CSV for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def json_text(document: Mapping[str, Any]) -> str:
    """Return a document as JSON with every digit, indented by two blanks for each level."""
    import json

    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def json_of_records(facts: Mapping[str, Any], **lists: Iterable[Mapping[str, Any]]) -> str:
    """Return the JSON of a document with lists of flat records, as `json_text` does, but quickly.

    Python's own encoder indents five times as slowly as it writes. The indentation of a flat
    record can be put into what separates its items.
    """
    import json

    write = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",\n      ", ": "))
    items = [f"  {write.encode(name)}: {write.encode(fact)}" for name, fact in facts.items()]
    for name, records in lists.items():
        shown = (f"{{\n      {write.encode(record)[1:-1]}\n    }}" for record in records)
        inside = ",\n    ".join(shown)
        items.append(f'  "{name}": [\n    {inside}\n  ]' if inside else f'  "{name}": []')
    return "{\n" + ",\n".join(items) + "\n}\n"


def csv_text(names: Sequence[str], records: Iterable[Mapping[str, Any]]) -> str:
    """Return a line of CSV for each record under a header, with nothing for None."""
    import csv
    import io

    lines = io.StringIO()
    writer = csv.DictWriter(lines, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return lines.getvalue()
