"""Plain data as text, JSON and CSV for programs; and text in files."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from typing import TYPE_CHECKING, Any

from baserate.exceptions import UnwritableFileError
from baserate.harmless import COMMANDING, encodable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_ESCAPED_IN_JSON = re.compile(f"##|{COMMANDING.pattern}")
# A folder that is not ours to write to may have a file that is, as where one is mounted.
_FOLDER_REFUSES = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)
# What a shell has opened is written to as it is: /dev/stdout, and /dev/fd/63 for >(tee log).
_DESCRIPTOR = re.compile(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d+)")


def json_text(document: Mapping[str, Any]) -> str:
    """Return a document as JSON with every digit, indented by two blanks for each level."""
    import json

    return _escaped(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _escaped(text: str) -> str:
    """Return JSON in which a name is exact and commands nobody."""
    return _ESCAPED_IN_JSON.sub(_in_json, text)


def _in_json(match: re.Match[str]) -> str:
    import json

    return r"\u0023#" if match[0] == "##" else json.dumps(match[0])[1:-1]


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
    return _escaped("{\n" + ",\n".join(items) + "\n}\n")


def csv_text(names: Sequence[str], records: Iterable[Mapping[str, Any]]) -> str:
    """Return a line of CSV for each record under a header, with nothing for None."""
    import csv
    import io

    lines = io.StringIO()
    writer = csv.DictWriter(lines, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return encodable(lines.getvalue())


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file as a whole or not at all: what was there before is lost to no failure."""
    written = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        _write(os.fspath(path), written)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UnwritableFileError(f"{os.fspath(path)!r} could not be written ({why})") from None


def is_descriptor(path: str | os.PathLike[str]) -> bool:
    """Tell the names of what a shell has opened already."""
    return _DESCRIPTOR.fullmatch(os.fspath(path)) is not None


def _write(path: str, content: bytes) -> None:
    from pathlib import Path  # importing it takes longer than all of this module

    # What a link leads to is replaced, and the link stays.
    target = Path(os.path.realpath(path))
    if (match := _DESCRIPTOR.fullmatch(path)) is not None:
        number = match[2] or {"stdout": 1, "stderr": 2}[match[1]]
        with os.fdopen(os.dup(int(number)), "wb") as file:
            file.write(content)
    elif target.exists() and not target.is_file():  # a pipe, a device or a folder
        target.write_bytes(content)
    else:
        _replace(target, content)


def _replace(target: Path, content: bytes) -> None:
    """Write beside a file and rename, or into it where its folder does not let us."""
    beside = target.with_name(f".baserate-{os.urandom(8).hex()}")
    try:
        with beside.open("xb") as file:
            file.write(content)
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o7777)
        beside.replace(target)
    except OSError as error:
        if error.errno not in _FOLDER_REFUSES:
            raise
        target.write_bytes(content)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
