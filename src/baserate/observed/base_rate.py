"""The truth of two classes: how many positives among how many observations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.arguments import whole_number
from baserate.data.labels import count_labels
from baserate.exceptions import InvalidCountError

if TYPE_CHECKING:
    from baserate.data.columns import Labels


@dataclass(frozen=True, kw_only=True)
class BaseRate:
    """The size of a test set and its number of positives: all that a baseline needs.

    Parameters
    ----------
    positives
        The number of positive observations, the paper's P.
    total
        The number of observations, the paper's M; at most 10¹⁵.

    Examples
    --------
    >>> rate = BaseRate(positives=139, total=303)
    >>> rate.negatives, round(rate.rate, 3)
    (164, 0.459)
    """

    positives: int
    total: int

    def __post_init__(self) -> None:
        total = whole_number("total", self.total)
        positives = whole_number("positives", self.positives)
        if total < 1:
            raise InvalidCountError(
                f"must be at least 1 (got {total}): a test set has at least one observation",
                parameter="total",
            )
        if not 0 <= positives <= total:
            raise _outside("positives", positives, total)
        object.__setattr__(self, "total", total)
        object.__setattr__(self, "positives", positives)

    @classmethod
    def of(cls, y_true: Labels, pos_label: object = None) -> BaseRate:
        """Count the labels of a test set.

        Parameters
        ----------
        y_true
            The true labels: booleans, 0/1, -1/1, or any values with `pos_label`.
        pos_label
            The positive class; all other classes are the rest.

        Examples
        --------
        >>> BaseRate.of([0, 1, 1, 0, 0])
        BaseRate(positives=2, total=5)
        >>> BaseRate.of(["ill", "well", "well"], pos_label="ill")
        BaseRate(positives=1, total=3)
        """
        counts = count_labels({"y_true": y_true}, pos_label)
        return cls(positives=counts.first, total=counts.total)

    def require_predicted_positives(
        self, predicted_positives: int, parameter: str = "predicted_positives"
    ) -> int:
        """Return a number of positive predictions, or raise if the test set is too small for it."""
        count = whole_number(parameter, predicted_positives)
        if not 0 <= count <= self.total:
            raise _outside(parameter, count, self.total)
        return count

    @property
    def negatives(self) -> int:
        """The number of negative observations, the paper's N."""
        return self.total - self.positives

    @property
    def rate(self) -> float:
        """The fraction of positive observations, P / M."""
        return self.positives / self.total

    @property
    def class_sizes(self) -> tuple[int, int]:
        """The numbers of positive and of negative observations."""
        return self.positives, self.negatives

    @property
    def described(self) -> str:
        """The test set in a few words.

        Examples
        --------
        >>> BaseRate(positives=139, total=303).described
        '303 observations, 139 positive (45.9%)'
        """
        is_plain = self.rate >= 0.001 or not self.positives
        share = f"{self.rate:.1%}" if is_plain else f"{self.rate:.1e}"
        observations = "observation" if self.total == 1 else "observations"
        return f"{self.total:,} {observations}, {self.positives:,} positive ({share})"

    @property
    def facts(self) -> dict[str, Any]:
        """The two counts, for JSON."""
        return {"positives": self.positives, "total": self.total}

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, after the title of that column."""
        return "positive", f"{self.positives:,} of {self.total:,}"


def _outside(parameter: str, count: int, total: int) -> InvalidCountError:
    return InvalidCountError(
        f"must be between 0 and {total} (got {count}): they are some of the observations",
        parameter=parameter,
    )
