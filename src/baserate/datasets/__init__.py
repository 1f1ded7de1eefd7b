"""The data of the paper's worked example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Dataset", "load_cleveland"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features and labels, with their origin.

    Parameters
    ----------
    name
        The name of the data.
    features
        One row per observation and one column per feature; nan is a missing value.
    target
        The label of each observation, 0 or 1.
    feature_names
        The names of the columns.
    description
        The meaning of the columns, and the attribution.
    """

    name: str
    features: NDArray[np.float64]
    target: NDArray[np.int64]
    feature_names: tuple[str, ...]
    description: str


def load_cleveland() -> Dataset:
    """Load the Cleveland Heart Disease data.

    303 patients with 13 features, of whom 139 have heart disease; six rows have a missing value.

    Returns
    -------
    Dataset
        The data, with their attribution (CC BY 4.0) in `description`.

    Examples
    --------
    >>> data = load_cleveland()
    >>> data.features.shape, int(data.target.sum())
    ((303, 13), 139)
    """
    from importlib.resources import files

    folder = files(__package__)
    header, *lines = (folder / "cleveland_heart_disease.csv").read_text("utf-8").splitlines()
    table: NDArray[Any] = np.genfromtxt(lines, delimiter=",")
    return Dataset(
        name="Cleveland Heart Disease",
        features=table[:, :-1],
        target=table[:, -1].astype(np.int64),
        feature_names=tuple(header.split(",")[:-1]),
        description=(folder / "README.md").read_text("utf-8"),
    )
