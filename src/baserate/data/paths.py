"""Resolve paths, patterns and folders to files."""

from __future__ import annotations

import glob
import os
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.exceptions import InvalidFileError, MissingFileError
from baserate.exceptions.base import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Of a path that does not exist, an error shows this much.
_MOST_LETTERS = 300


def files_of(paths: Any) -> list[str]:
    """Return the files of a path, a pattern, a folder or several of these, each once."""
    files: dict[str, None] = {}
    for path in _several(paths):
        found = _found(path) if path else []
        if not found:
            raise _missing(path)
        files |= dict.fromkeys(found)
    if not files:
        raise _missing("")
    return list(files)


def _missing(path: str) -> MissingFileError:
    return MissingFileError(
        f"there is no file {shown(path, _MOST_LETTERS)}; a pattern such as 'folder/*.parquet' may "
        "be used"
    )


def partition_keys(files: Sequence[str]) -> list[str]:
    """Return the partition columns, as from the folder year=2024, if every file is in one."""
    keys = [_keys(file) for file in files]
    if not all(keys):
        return []
    for file, found in zip(files, keys, strict=True):
        if found != keys[0]:
            raise InvalidFileError(
                "folders such as year=2024 must have the same names for all files "
                f"(got {files[0]!r} and {file!r})"
            )
    return keys[0]


def require_own_columns(files: Sequence[str], keys: Iterable[str], columns: Iterable[str]) -> None:
    """Raise if a folder such as tree=1 would replace a column of the files."""
    known = {name.casefold() for name in columns}
    for key in keys:
        if key.casefold() in known:
            raise InvalidFileError(
                f"a folder {key}=… must not be named as a column of its files (got {files[0]!r}, "
                f"which has a column {key!r}); rename the folder or the column"
            )


def _keys(file: str) -> list[str]:
    return [part.partition("=")[0] for part in Path(file).parent.parts if "=" in part]


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


def _found(path: str) -> list[str]:
    """Return the files of a path; a leading ~ may be a home folder."""
    try:
        return _matches(path) or _matches(os.path.expanduser(path))  # noqa: PTH111
    except (OSError, ValueError) as error:  # name too long, no permission, or a NUL in it
        raise InvalidFileError.unreadable([path], error) from None


def _matches(path: str) -> list[str]:
    if Path(path).is_file():  # a name with brackets may be a real name
        return [path]
    is_folder = Path(path).is_dir()
    # Path.glob does not accept absolute patterns.
    found = _walked(path) if is_folder else map(Path, glob.glob(path, recursive=True))  # noqa: PTH207
    fixed = Path(path).parts if is_folder else takewhile(_is_fixed, Path(path).parts)
    base = Path(*fixed)
    return sorted(str(match) for match in found if match.is_file() and not _is_mark(match, base))


def _walked(folder: str) -> Iterable[Path]:
    """Return everything in a folder; an unreadable folder inside it is an error, not empty."""
    for parent, _, names in os.walk(folder, onerror=_raised, followlinks=True):
        yield from (Path(parent, name) for name in names)


def _raised(error: OSError) -> None:
    raise error


def _is_fixed(part: str) -> bool:
    return not glob.has_magic(part)


def _is_mark(file: Path, base: Path) -> bool:
    """Return whether a file is an engine's marker: _SUCCESS, .crc and _temporary folders."""
    parts = file.relative_to(base).parts if file.is_relative_to(base) else (file.name,)
    return any(part[0] in "._" for part in parts)
