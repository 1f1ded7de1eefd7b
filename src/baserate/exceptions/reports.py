"""What can be wrong with a report."""

from __future__ import annotations

from typing import Self

from baserate.exceptions.base import BaserateError, shown


class InvalidReportError(BaserateError, ValueError):
    """A report that cannot be read, written or drawn."""

    @classmethod
    def not_json(cls, why: object, kind: str = "report") -> Self:
        """Report text that is no report, or no comparison."""
        return cls(
            f"a {kind} must be the JSON that {kind.title()}.to_json writes ({why}); to read a "
            "file, pass a pathlib.Path"
        )

    @classmethod
    def not_text(cls, name: str, got: object) -> Self:
        """Report a title or notes that are no text."""
        return cls(f"{name} must be text (got {shown(got)})")

    @classmethod
    def empty(cls) -> Self:
        """Report a report without a verdict."""
        return cls("a report must have a verdict to draw (got none)")


class MissingDependencyError(BaserateError, ImportError):
    """A package that is needed for this, and is not installed."""

    @classmethod
    def package(cls, package: str, what: str) -> Self:
        """Report a package, with the line that installs it."""
        return cls(f"{what} needs {package}, which is not installed: pip install {package}")


class NotInReportError(BaserateError, LookupError):
    """A model, a group or a measure that a report does not have."""
