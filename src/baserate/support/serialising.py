"""Write plain data as JSON and CSV text, and text to files."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
from typing import TYPE_CHECKING, Any

from baserate.exceptions import UnwritableFileError
from baserate.harmless import COMMANDING, encodable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from io import FileIO
    from pathlib import Path

# Text that a spreadsheet takes for a formula, unlike a number such as -0.5.
_FORMULA = re.compile(r"[=@\t\r]|[-+](?!(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z)")
_ESCAPED_IN_JSON = re.compile(f"##|{COMMANDING.pattern}")
# A folder may be read-only while a file in it is writable, for example a mounted file.
_FOLDER_REFUSES = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV)
# Write directly to what a shell has opened: /dev/stdout, and /dev/fd/63 for >(tee log).
_DESCRIPTOR = re.compile(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d+)")


def json_text(document: Mapping[str, Any]) -> str:
    """Return a document as JSON with every digit, indented by two blanks per level."""
    import json

    return _escaped(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _escaped(text: str) -> str:
    """Return JSON whose names are exact, without control characters or log commands."""
    return _ESCAPED_IN_JSON.sub(_in_json, text)


def _in_json(match: re.Match[str]) -> str:
    import json

    return r"\u0023#" if match[0] == "##" else json.dumps(match[0])[1:-1]


def json_of_records(facts: Mapping[str, Any], **lists: Iterable[Mapping[str, Any]]) -> str:
    """Return the JSON of a document with lists of flat records: a faster `json_text`.

    Python's own encoder is five times slower with indentation. For a flat record, the indentation
    can be part of the item separator.
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
    """Return CSV with a header and a line per record; None is empty, and no text is a formula."""
    import csv

    lines = _Lines()
    # Before Python 3.13, a carriage return is quoted only if it can end a line.
    writer = csv.DictWriter(lines, names, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in each.items()} for each in records)
    return encodable(lines.getvalue())


class _Lines(io.StringIO):
    """Lines of CSV, which end with a newline alone."""

    def write(self, line: str, /) -> int:
        return super().write(f"{line[:-2]}\n")


def _cell(value: Any) -> Any:
    """Return a cell of CSV, with an apostrophe if a spreadsheet would compute its text."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file completely or not at all: a failure leaves the old content in place."""
    written = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        _write(os.fspath(path), written)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UnwritableFileError(f"{os.fspath(path)!r} could not be written ({why})") from None


def is_descriptor(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names a file descriptor that a shell has opened."""
    return _DESCRIPTOR.fullmatch(os.fspath(path)) is not None


def _write(path: str, content: bytes) -> None:
    from pathlib import Path  # slower to import than the rest of this module

    # Replace the target of a link, and keep the link.
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
    """Write a neighbouring file and rename it; write in place if the folder refuses."""
    beside = target.with_name(f".baserate-{os.urandom(8).hex()}")
    try:
        with beside.open("xb") as file:
            file.write(content)
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o7777)
        beside.replace(target)
    except OSError as error:
        if error.errno not in _FOLDER_REFUSES or not target.exists():
            raise
        _overwrite(target, content)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def _overwrite(target: Path, content: bytes) -> None:
    """Write in place, and restore the old content if that fails, for example on a full disk."""
    with target.open("r+b", buffering=0) as file:
        old = file.read()
        try:
            # Only the part beyond the old content needs more room: find out first if there is any.
            _put(file, content, len(old))
            _put(file, content[: len(old)], 0)
            file.truncate(len(content))
        except BaseException:
            _put(file, old, 0)
            file.truncate(len(old))
            raise


def _put(file: FileIO, content: bytes, start: int) -> None:
    file.seek(start)
    left = memoryview(content)[start:]
    while left:
        left = left[file.write(left) :]
    os.fsync(file.fileno())  # some file systems report a full disk only now
