"""The scikit-learn function that computes the same score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SklearnCall:
    """A call of `sklearn.metrics` that gives the same score.

    Parameters
    ----------
    function
        The function's name.
    options
        The keyword arguments it needs.
    cell
        The row and the column of the score, if the function returns a confusion matrix.
    argument
        What it takes beside the truth: labels, or scores.

    Examples
    --------
    >>> print(SklearnCall("recall_score", {"pos_label": 0}))
    recall_score(y_true, y_pred, pos_label=0)
    >>> SklearnCall("recall_score", {"pos_label": 0}).score([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """

    function: str
    options: dict[str, Any] | None = None
    cell: tuple[int, int] | None = None
    argument: str = "y_pred"

    def __str__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in (self.options or {}).items())
        cell = "" if self.cell is None else f"[{self.cell[0]}, {self.cell[1]}]"
        return f"{self.function}(y_true, {self.argument}{options}){cell}"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Call the function."""
        from sklearn import metrics

        options = {**(self.options or {}), "sample_weight": sample_weight}
        result = getattr(metrics, self.function)(y_true, y_pred, **options)
        return float(result if self.cell is None else result[self.cell])
