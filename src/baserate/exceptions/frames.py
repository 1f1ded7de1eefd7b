"""What can be wrong with a data frame or a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

from baserate.exceptions.base import BaserateError, listed, shortened, shown
from baserate.harmless import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike


class InvalidFrameError(BaserateError, ValueError):
    """A data frame that cannot be counted."""

    @classmethod
    def unknown(cls, native: object) -> Self:
        """Report something that is no data frame."""
        return cls(
            "a data frame must be of pandas, polars, pyarrow, DuckDB, Dask, Spark, Ibis or another "
            f"library that narwhals knows (got {type(native).__name__})"
        )

    @classmethod
    def no_column(cls, name: object, nearest: Sequence[str], known: Sequence[str]) -> Self:
        """Report a column that is not there, with the nearest names."""
        advice = (
            f"did you mean {' or '.join(map(repr, nearest))}?"
            if nearest
            else f"it has {listed(known, most=12)}"
        )
        return cls(f"the data have no column {name!r}: {advice}")

    @classmethod
    def column_twice(cls, name: str) -> Self:
        """Report a column that is asked for in two roles."""
        return cls(f"truth, predictions and by must be different columns (got {name!r} twice)")

    @classmethod
    def not_a_name(cls, name: object) -> Self:
        """Report a column that is not asked for by its name."""
        return cls(
            "truth, prediction and by must be the names of columns of the data frame "
            f"(got a {type(name).__name__})"
        )

    @classmethod
    def no_names(cls, predictions: object) -> Self:
        """Report columns that are not named."""
        return cls(
            "predictions must be the names of columns when truth is one, such as "
            f"predictions=['tree', 'knn'] (got {shown(predictions)})"
        )

    @classmethod
    def no_model(cls, truth: str, found: Sequence[str]) -> Self:
        """Report that not exactly one column can be a model's."""
        if not found:
            return cls(
                "--model must name a column of predicted labels (got none, and no other column has "
                f"only labels of {truth!r})"
            )
        choices = ", ".join(f"--model {shell_word(name)}" for name in found)
        return cls(f"--model must say which columns are models (got none); choose among {choices}")

    @classmethod
    def labels(cls, name: str, classes: Iterable[Any]) -> Self:
        """Report labels of a type that cannot be compared."""
        return cls(
            f"{name} must hold labels that can be compared (got {listed(classes)}); "
            "cast the columns to numbers or text"
        )

    @classmethod
    def engine(cls, error: Exception) -> Self:
        """Report an error of the engine that holds the data."""
        return cls(f"the data could not be counted ({type(error).__name__}: {shortened(error)})")

    @classmethod
    def missing(cls, missing: object) -> Self:
        """Report an unknown way to treat missing labels."""
        return cls(f"missing must be 'error' or 'drop' (got {shown(missing)})")


class MissingFileError(BaserateError, FileNotFoundError):
    """A path where there is no file."""

    @classmethod
    def none(cls, path: str) -> Self:
        """Report a path that leads nowhere."""
        return cls(f"there is no file {path!r}; a pattern such as 'folder/*.parquet' may be used")

    @classmethod
    def report(cls, path: str) -> Self:
        """Report a path where a report is looked for."""
        return cls(f"there is no file {path!r} with a report")


class UnwritableFileError(BaserateError, OSError):
    """A file that cannot be written."""

    @classmethod
    def because(cls, path: str | PathLike[str], error: OSError | ValueError) -> Self:
        """Report a file, with what the system says."""
        why = getattr(error, "strerror", None) or error
        return cls(f"{os.fspath(path)!r} could not be written ({why})")


class InvalidFileError(BaserateError, ValueError):
    """A file that cannot be read."""

    @classmethod
    def unknown_kind(cls, found: Sequence[str], known: Sequence[str]) -> Self:
        """Report files of an unknown kind."""
        kinds = ", ".join(suffix or "files without a suffix" for suffix in found)
        return cls(f"files must be one of {', '.join(known)} (got {kinds})")

    @classmethod
    def mixed(cls, found: Sequence[str]) -> Self:
        """Report files of several kinds."""
        return cls(f"files that are scanned together must be of one kind (got {', '.join(found)})")

    @classmethod
    def unreadable(cls, files: Sequence[str], error: Exception) -> Self:
        """Report a broken file."""
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        # What DuckDB advises after that is to lose rows.
        why = shortened(error).partition(" Possible ")[0]
        return cls(f"{files[0]!r}{more} could not be read ({why})")

    @classmethod
    def not_a_path(cls, path: object) -> Self:
        """Report something that names no file."""
        return cls(
            "a path must be text or a pathlib.Path, or several of these "
            f"(got {path!r} of type {type(path).__name__})"
        )

    @classmethod
    def not_utf8(cls, path: str, error: UnicodeDecodeError) -> Self:
        """Report a CSV file in another encoding."""
        return cls(f"{path!r} must be written in UTF-8 (got {error.reason}); save it as UTF-8")

    @classmethod
    def no_header(cls, path: str) -> Self:
        """Report a CSV file whose first line cannot be parted into names."""
        return cls(
            f"{path!r} must have the names of its columns on line 1 (got a quote that is never "
            "closed, or one that is closed in the middle of a name)"
        )

    @classmethod
    def open_quote(cls, path: str, line: int) -> Self:
        """Report a CSV file that ends inside of quotes."""
        return cls(
            f'{path!r} must close every quote (got a " on line {line:,} that is never closed)'
        )

    @classmethod
    def line_ends(cls, path: str) -> Self:
        """Report a CSV file whose lines end in several ways."""
        return cls(
            f"the lines of {path!r} must all end alike (got other line ends in line 1 or before "
            "it); save it with one kind of line end, and without line breaks in names"
        )

    @classmethod
    def other_folders(cls, first: str, other: str) -> Self:
        """Report partitions by different columns."""
        return cls(
            "folders such as year=2024 must have the same names for all files "
            f"(got {first!r} and {other!r})"
        )

    @classmethod
    def folder_is_a_column(cls, path: str, key: str) -> Self:
        """Report a folder that is named as a column of its files."""
        return cls(
            f"a folder {key}=… must not be named as a column of its files (got {path!r}, which has "
            f"a column {key!r}); rename the folder or the column"
        )

    @classmethod
    def overwrites(cls, path: str) -> Self:
        """Report an output that is the input."""
        return cls(
            f"--output must be another file than the predictions (got {path!r}, which is one of "
            "them); write elsewhere"
        )

    @classmethod
    def not_ours(cls, path: str) -> Self:
        """Report an output that would destroy a file of somebody else."""
        return cls(
            f"a report must be a new file or replace an earlier report (got {path!r}, which is "
            "something else); write elsewhere, or say --force to overwrite it"
        )

    @classmethod
    def no_format(cls, suffix: str, known: Iterable[str]) -> Self:
        """Report an output whose name tells no format."""
        return cls(
            f"--format must say how the output is written, as its name does not (got {suffix!r}); "
            f"choose among {', '.join(known)}"
        )

    @classmethod
    def empty(cls, path: str) -> Self:
        """Report a file with nothing in it."""
        return cls(f"{path!r} must have rows (got an empty file)")

    @classmethod
    def no_pipe(cls) -> Self:
        """Report a terminal in place of a pipe."""
        return cls(
            "'-' must have CSV to read (got a terminal); use it as in "
            "'cat preds.csv | baserate evaluate - --truth y'"
        )

    @classmethod
    def empty_pipe(cls) -> Self:
        """Report a pipe out of which nothing comes."""
        return cls("'-' must have CSV to read (got nothing); look at what comes before the pipe")

    @classmethod
    def pipe_and_files(cls) -> Self:
        """Report a pipe among files."""
        return cls("'-' must be the only file (got others beside it)")
