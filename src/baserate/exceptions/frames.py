"""What can be wrong with a data frame or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from baserate.exceptions.base import BaserateError, listed, shortened, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
        import shlex

        choices = ", ".join(f"--model {shlex.quote(name)}" for name in found)
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
        return cls(f"{files[0]!r}{more} could not be read ({shortened(error)})")

    @classmethod
    def unwritable(cls, path: str, error: OSError) -> Self:
        """Report a file that cannot be written."""
        return cls(f"{path!r} could not be written ({error.strerror or error})")

    @classmethod
    def overwrites(cls, path: str) -> Self:
        """Report an output that is the input."""
        return cls(f"--output must be another file than the predictions (got {path!r} as both)")

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
