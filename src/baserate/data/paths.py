"""Resolve paths, patterns and folders to files."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import stat
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from baserate.exceptions import InvalidFileError, MissingFileError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_Identity: TypeAlias = tuple[int, int]
"""The device and the inode of a file or a folder: the same under all its names."""

# A whole number as Python writes it, or what stands for a missing value.
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}|__HIVE_DEFAULT_PARTITION__")
# Of a path that does not exist, an error shows this much.
_MOST_LETTERS = 300


def files_of(paths: Any) -> list[str]:
    """Return the files of a path, a pattern, a folder or several of these.

    Every file is there once, however many names lead to it; a name that is not a link goes first,
    since its folders may be partitions.
    """
    files: dict[_Identity, str] = {}
    for path in _several(paths):
        found = _found(path) if path else []
        if not found:
            raise _missing(path)
        for file, identity in found:
            if identity not in files or _is_link(files[identity]):
                files[identity] = file
    if not files:
        raise _missing("")
    return list(files.values())


def _missing(path: str) -> MissingFileError:
    return MissingFileError(
        f"there is no file {shown(path, _MOST_LETTERS)}; a pattern such as 'folder/*.parquet' may "
        "be used"
    )


def partition_types(files: Sequence[str]) -> dict[str, str]:
    """Return the partition columns, as from the folder year=2024, if every file is in one.

    A column has DuckDB's type of whole numbers if all its folders are written as such, and of text
    otherwise: 1000, 1000.0 and 1e3 are three folders, and so are 1 and 01.
    """
    found = [_partitions(file) for file in files]
    if not all(found):
        return {}
    for file, each in zip(files, found, strict=True):
        if list(each) != list(found[0]):
            raise InvalidFileError(
                "folders such as year=2024 must have the same names for all files "
                f"(got {files[0]!r} and {file!r})"
            )
    return {
        key: "BIGINT" if all(_WHOLE.fullmatch(each[key]) for each in found) else "VARCHAR"
        for key in found[0]
    }


def require_own_columns(files: Sequence[str], keys: Iterable[str], columns: Iterable[str]) -> None:
    """Raise if a folder such as tree=1 would replace a column of the files."""
    known = {name.casefold() for name in columns}
    for key in keys:
        if key.casefold() in known:
            raise InvalidFileError(
                f"a folder {key}=… must not be named as a column of its files (got {files[0]!r}, "
                f"which has a column {key!r}); rename the folder or the column"
            )


def _partitions(file: str) -> dict[str, str]:
    """Return the partitions of a file, as DuckDB finds them: a=b=c is none."""
    pairs = (part.split("=") for part in Path(file).parent.parts)
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and pair[0]}


def _several(paths: Any) -> list[str]:
    try:
        each = [paths] if isinstance(paths, str | bytes) or hasattr(paths, "__fspath__") else paths
        names = [os.fspath(path) for path in each]
    except TypeError:
        raise _not_a_path(paths) from None
    for name in names:
        if not isinstance(name, str):
            raise _not_a_path(name)
    return names


def _not_a_path(path: object) -> InvalidFileError:
    return InvalidFileError(
        "a path must be text or a pathlib.Path, or several of these "
        f"(got {shown(path)} of type {type(path).__name__})"
    )


def _found(path: str) -> list[tuple[str, _Identity]]:
    """Return the files of a path; a leading ~ may be a home folder."""
    try:
        return _matches(path) or _matches(os.path.expanduser(path))  # noqa: PTH111
    except (OSError, ValueError) as error:  # name too long, no permission, or a NUL in it
        raise InvalidFileError.unreadable([path], error) from None


def _matches(path: str) -> list[tuple[str, _Identity]]:
    status = _status(path)
    if status is None:
        names = [str(each) for each in _expanded(Path(), Path(path).parts)]
    elif stat.S_ISDIR(status.st_mode):
        names = [str(each) for each in _inside(Path(path))]
    else:  # a name with brackets may be a real name
        names = [path]
    found = [(name, os.stat(name)) for name in sorted(names)]  # noqa: PTH116
    return [(name, _identity(each)) for name, each in found if stat.S_ISREG(each.st_mode)]


# A folder that cannot be listed is an error, and never empty: its rows would be missing. The glob
# module ignores it, and follows links in circles.


def _expanded(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Return what a pattern, given in parts, matches in a folder; ** matches any folders."""
    if not parts:
        yield folder
        return
    part, rest = parts[0], parts[1:]
    if part == "**" and not rest:
        yield from _inside(folder)
    elif part == "**":
        for each in _folders(folder):
            yield from _expanded(each, rest)
    elif glob.has_magic(part):
        for entry in _entries(folder):
            if fnmatch.fnmatch(entry.name, part) and (not rest or entry.is_dir()):
                yield from _expanded(folder / entry.name, rest)
    elif (folder / part).is_symlink() or _status(folder / part) is not None:
        yield from _expanded(folder / part, rest)


def _inside(folder: Path) -> Iterator[Path]:
    """Return every file in a folder and the folders inside it."""
    for each in _folders(folder):
        yield from (each / entry.name for entry in _entries(each) if not entry.is_dir())


def _folders(folder: Path) -> Iterator[Path]:
    """Return a folder and the folders inside it, each once; links come last."""
    seen: set[_Identity] = set()
    queue = deque([folder])
    while queue:
        each = queue.popleft()
        identity = _identity(each.stat())
        if identity in seen:
            continue
        seen.add(identity)
        yield each
        inside = [entry for entry in _entries(each) if entry.is_dir()]
        queue.extend(each / entry.name for entry in inside if entry.is_symlink())
        queue.extendleft(each / entry.name for entry in inside if not entry.is_symlink())


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder, except engines' markers: _SUCCESS, .crc and _temporary."""
    with os.scandir(folder) as entries:
        return [entry for entry in entries if entry.name[0] not in "._"]


def _status(path: str | Path) -> os.stat_result | None:
    """Return the status of a path; None if there is nothing."""
    try:
        return os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return None


def _identity(status: os.stat_result) -> _Identity:
    return status.st_dev, status.st_ino


def _is_link(file: str) -> bool:
    """Return whether a file or one of its folders is a link."""
    return os.path.realpath(file) != os.path.abspath(file)  # noqa: PTH100
