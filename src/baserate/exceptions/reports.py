"""What can be wrong with a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from baserate.exceptions.base import BaserateError, listed

if TYPE_CHECKING:
    from collections.abc import Iterable


class InvalidReportError(BaserateError, ValueError):
    """A report that cannot be read, written or drawn."""

    @classmethod
    def not_json(cls, why: object) -> Self:
        """Report text that is no report."""
        return cls(
            f"a report must be the JSON that Report.to_json writes ({why}); to read a file, pass a "
            "pathlib.Path"
        )

    @classmethod
    def empty(cls) -> Self:
        """Report a report with nothing to draw."""
        return cls("a report must have a verdict to draw (got none)")

    @classmethod
    def no_frame(cls, backend: object, error: Exception) -> Self:
        """Report a library that makes no data frame of a report."""
        return cls(
            "backend must be 'pandas', 'polars', 'pyarrow' or another eager one that narwhals "
            f"knows (got {backend!r}: {error})"
        )

    @classmethod
    def schema(cls, found: object, known: str) -> Self:
        """Report JSON of another kind or version."""
        return cls(f"a report must have the schema {known!r} (got {found!r})")


class MissingDependencyError(BaserateError, ImportError):
    """A package that is needed for this, and is not installed."""

    @classmethod
    def package(cls, package: str, what: str) -> Self:
        """Report a package, with the line that installs it."""
        return cls(f"{what} needs {package}, which is not installed: pip install {package}")


class NotInReportError(BaserateError, LookupError):
    """A model, a group or a measure that a report does not have."""

    @classmethod
    def named(cls, kind: str, name: object, known: Iterable[object]) -> Self:
        """Report an unknown name, with the known ones."""
        return cls(f"the report has no {kind} {name!r} (it has {listed(known, most=12)})")

    @classmethod
    def key(cls, key: object) -> Self:
        """Report a key that names no part of a report."""
        return cls(
            "a report is asked for a model, report['tree'], or for a verdict, report['tree', 'F1'] "
            f"or report['tree', 'F1', group] (got {key!r})"
        )
