"""What can be wrong with a data frame or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from baserate.exceptions.base import BaserateError, shortened, shown

if TYPE_CHECKING:
    from collections.abc import Sequence


class InvalidFrameError(BaserateError, ValueError):
    """A data frame that cannot be counted."""

    @classmethod
    def not_a_name(cls, name: object) -> Self:
        """Report a column that is not asked for by its name."""
        return cls(
            f"must be the names of columns of the data frame (got a {type(name).__name__})",
            parameter=("truth", "prediction", "by"),
        )


class MissingFileError(BaserateError, FileNotFoundError):
    """A path where there is no file."""


class UnwritableFileError(BaserateError, OSError):
    """A file that cannot be written."""


class InvalidFileError(BaserateError, ValueError):
    """A file that cannot be read."""

    @classmethod
    def unreadable(cls, files: Sequence[str], error: Exception) -> Self:
        """Report a broken file."""
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        # What DuckDB advises after that is to lose rows.
        why = shortened(error).partition(" Possible ")[0].partition(" Try ")[0]
        return cls(f"{shown(files[0], 300)}{more} could not be read ({why})")
