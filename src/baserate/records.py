"""Records: written as JSON, CSV, data frames and files, read back, and compared."""

from __future__ import annotations

import contextlib
import errno
import io
import math
import os
import re
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from baserate.exceptions import (
    InvalidFileError,
    InvalidReportError,
    MissingDependencyError,
    UnwritableFileError,
)
from baserate.formatting import COMMANDING, Term, encodable, shortened, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from io import FileIO
    from pathlib import Path

    from numpy.typing import NDArray

T = TypeVar("T")

# Text that a spreadsheet takes for a formula, unlike a number such as -0.5.
_FORMULA = re.compile(r"[=@\t\r]|[-+](?!(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z)")
_ESCAPED_IN_JSON = re.compile(f"##|{COMMANDING.pattern}")
# A folder may be read-only while a file in it is writable, for example a mounted file.
_FOLDER_REFUSES = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV)
# Write directly to what a shell has opened: /dev/stdout, and /dev/fd/63 for >(tee log).
_DESCRIPTOR = re.compile(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d+)")
# After verdicts that pass, a weak reference and the level of tests.
_TOTALS = r"(?:(?:passed:|… and|By|Each|The chance|Of) .*\n)*\d+ of \d+ verdicts? (?:passed|failed)"
# How a report of each format begins: findings and failing verdicts come first.
_BEGINNINGS = (
    r'\{\n  "schema": "baserate\.',
    r'<!DOCTYPE html>\n(?:<.*>\n){0,4}<meta name="generator" content="baserate">',
    r'<\?xml [^\n]*>\n<testsuites name="baserate" ',
    r"model,group,(?:\w+,)*p_value,measure,name,direction,",
    r"first,second,group,positives_both,",
    r"measure,name,direction,baseline,baseline_min,baseline_max,",
    r"(?:% .*\n)*% needs \\usepackage\{booktabs\}\n\\begin\{table\}",
    r"[✓~✗–] .*\n(?:  \S.*\n)+\n",
    r"(?:.*: )?[\d,]+ observations, .*\n\n",
    r"\*\*[✓~✗–] .*\.\*\*\n",
    rf"(?:(?:failed|not judged): .*\n)*{_TOTALS}",
    rf"(?:::(?:error|notice) title=.*\n)*{_TOTALS}",
)
_REPORT = re.compile("|".join(f"(?:{each})" for each in _BEGINNINGS))
# More than the longest beginning: a thousand findings.
_MOST = 2**20


def json_text(document: Mapping[str, Any]) -> str:
    """Return a document as JSON with every digit, indented by two blanks per level."""
    import json

    return _escaped(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _escaped(text: str) -> str:
    """Return JSON whose names are exact, without control characters or log commands."""
    import json

    return _ESCAPED_IN_JSON.sub(
        lambda match: r"\u0023#" if match[0] == "##" else json.dumps(match[0])[1:-1], text
    )


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
    for record in records:
        texts = ((name, each) for name, each in record.items() if isinstance(each, str))
        # A spreadsheet would compute a formula.
        guarded = {name: f"'{each}" for name, each in texts if _FORMULA.match(each)}
        writer.writerow({**record, **guarded})
    return encodable(lines.getvalue())


class _Lines(io.StringIO):
    """Lines of CSV, which end with a newline alone."""

    def write(self, line: str, /) -> int:
        return super().write(f"{line[:-2]}\n")


def data_frame(
    columns: Mapping[str, Sequence[Any]], types: Mapping[str, str], backend: str, what: str
) -> Any:
    """Return columns, with None for a missing value, as a data frame.

    Types are the names of narwhals; text by default. An error says what needs the data frame.
    """
    import narwhals.stable.v2 as nw

    schema = {name: getattr(nw, types.get(name, "String"))() for name in columns}
    # Every library can hold names without lone surrogates.
    found = {
        name: each if name in types else [text and encodable(text) for text in each]
        for name, each in columns.items()
    }
    try:
        return nw.from_dict(found, schema, backend=backend).to_native()  # type: ignore[arg-type]
    except ModuleNotFoundError as error:
        raise MissingDependencyError.package(error.name or backend, what) from None
    except (TypeError, ValueError, AttributeError, AssertionError) as error:
        raise InvalidReportError(
            "must be 'pandas', 'polars', 'pyarrow' or another eager one that narwhals "
            f"knows (got {shown(backend)}: {shortened(error)})",
            parameter="backend",
        ) from None


# Files.


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file completely or not at all: a failure leaves the old content in place."""
    written = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        _write(os.fspath(path), written)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UnwritableFileError(f"{os.fspath(path)!r} could not be written ({why})") from None


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


def require_free(outputs: Iterable[str]) -> None:
    """Raise if one of the files exists and is not one of our reports."""
    from pathlib import Path

    for output in outputs:
        path, is_descriptor = Path(output), _DESCRIPTOR.fullmatch(output)
        if not is_descriptor and path.is_file() and not is_report(path):
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


# Values of JSON that another program may have written. It has no infinity, which is a text.

_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def finite(value: Any) -> float:
    """Return a number as a float: other programs write 1.0 as 1, and some write 1e400."""
    number = float(typed(value, int, float))
    if math.isinf(number):
        raise OverflowError("a number is larger than a float can be")
    return number


def count(value: Any) -> int:
    """Return a number of observations."""
    from baserate.arguments import whole_number  # numpy is slower to import than all of this

    number = whole_number("a count", typed(value, int))
    if number < 0:
        raise ValueError("a count is below 0")
    return number


def written(values: Iterable[Any]) -> list[Any]:
    """Return numbers as JSON can hold them: infinite ones are texts."""
    found = [float(value) for value in values]
    return [value if math.isfinite(value) else str(value) for value in found]


def number(value: Any) -> float:
    """Return a number that was written; also an infinite one."""
    return _INFINITE[value] if isinstance(value, str) else finite(value)


def numbers(values: Iterable[Any], kind: Any = "float64") -> NDArray[Any]:
    """Return numbers that were written, in a precision."""
    import numpy as np

    if kind not in ("float64", "float32", "float16"):
        raise ValueError(f"{kind!r} is not a precision")
    return np.array([number(value) for value in typed(values, list)], dtype=kind)


def whole(values: Iterable[Any]) -> NDArray[Any]:
    """Return counts that were written."""
    import numpy as np

    return np.array([count(value) for value in typed(values, list)], dtype=np.int64)


def refused(constant: str) -> float:
    """Refuse NaN and Infinity, which JSON does not allow."""
    raise ValueError(f"{constant} is not a JSON number")


def typed(value: Any, *types: type) -> Any:
    """Return a value that has one of these types; booleans are not numbers."""
    is_bool_for_number = isinstance(value, bool) and bool not in types
    if not isinstance(value, types) or is_bool_for_number:
        raise TypeError(
            f"{shown(value)} is not of type {' or '.join(each.__name__ for each in types)}"
        )
    return value


def unchanged(table: T, record: Mapping[str, Any]) -> T:
    """Return what was read from a record, which must be written as it was read.

    Otherwise something was converted: "NaN" to a number, or a text to a list of its letters.
    """
    for name, fact in table.facts.items():  # type: ignore[attr-defined]
        if fact != record.get(name):
            raise ValueError(f"{name} is not what baserate writes")
    return table


# Equality.


class EqualByFacts:
    """A dataclass that is compared by its fields, where nan equals nan.

    Declare it with ``eq=False``: dataclasses compare nan by identity before Python 3.13, and not at
    all since.
    """

    def _comparable(self) -> tuple[Any, ...]:
        kind: Any = type(self)
        return tuple([None if fact != fact else fact for fact in _facts_of(kind)(self)])  # noqa: PLR0124

    def __eq__(self, other: object) -> bool:
        """Compare all facts; values undefined in both count as equal."""
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._comparable() == other._comparable()

    def __hash__(self) -> int:
        return hash(self._comparable())


@cache
def _facts_of(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads all fields of a class: of a report, thousands of times."""
    return attrgetter(*(field.name for field in fields(kind)))
