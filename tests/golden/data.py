"""Small test sets and predictions, each made from a seed and rounded, so that ties are ties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

NAMES = np.array([f"class {chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(200)])


def uniforms(seed: int, *shape: int) -> Array:
    """Return numbers between 0 and 1. Everything else is made of these."""
    return np.random.default_rng(seed).random(shape)


def normals(seed: int, *shape: int) -> Array:
    """Return standard normal numbers, by their quantiles."""
    return ndtri(0.0005 + 0.999 * uniforms(seed, *shape))


def truth(seed: int, rows: int, rate: float) -> NDArray[np.int64]:
    """Return labels 0 and 1, of which as near to a rate as can be are positive."""
    order = np.argsort(uniforms(seed, rows), kind="stable")
    return (order < min(max(round(rows * rate), 1), rows - 1)).astype(np.int64)


def labels(seed: int, y: NDArray[np.int64], skill: float) -> NDArray[np.int64]:
    """Return predictions that know a share of the truth, or its opposite if that is negative."""
    known = uniforms(seed, y.size) < abs(skill)
    guessed = (uniforms(seed + 500, y.size) < y.mean()).astype(np.int64)
    return np.where(known, y if skill > 0 else 1 - y, guessed)


def scores(seed: int, y: NDArray[np.int64], signal: float, digits: int = 6) -> Array:
    """Return probabilities whose logits are further apart the stronger the signal is."""
    logits = signal * (y - y.mean()) + np.log(y.mean() / (1 - y.mean())) + normals(seed, y.size)
    return np.round(1 / (1 + np.exp(-logits)), digits).clip(10.0**-digits, 1 - 10.0**-digits)


def classes(seed: int, rows: int, shares: list[float]) -> NDArray[np.int64]:
    """Return the numbers of the classes of rows."""
    drawn = np.searchsorted(np.cumsum(shares) / sum(shares), uniforms(seed, rows))
    drawn[: len(shares)] = np.arange(len(shares))  # each occurs
    return drawn


def class_labels(seed: int, y: NDArray[np.int64], skill: float) -> NDArray[np.int64]:
    """Return predicted classes that know a share of the truth, and otherwise shuffle it."""
    known = uniforms(seed, y.size) < skill
    shuffled = y[np.argsort(uniforms(seed + 500, y.size), kind="stable")]
    return np.where(known, y, shuffled)


def probabilities(seed: int, y: NDArray[np.int64], count: int, signal: float) -> Array:
    """Return a column of probabilities per class."""
    logits = signal * (y[:, None] == np.arange(count)) + normals(seed, y.size, count)
    odds = np.round(np.exp(logits), 4) + 1e-4
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def numbers(seed: int, rows: int, kind: str) -> Array:
    """Return true numbers of one of several populations."""
    z = normals(seed, rows)
    made = {
        "normal": 10 + 2 * z,
        "lognormal": np.exp(1.5 * z),
        "counts": np.floor(np.exp(1 + 0.7 * z)),
        "rare": (uniforms(seed, rows) < 0.1) * 1.0,
        "tied": np.round(3 + z),
        "signed": 5 * z,
    }[kind]
    if kind == "rare":
        made[:2] = 1, 0
    return np.round(made, 4)


def forecasts(seed: int, y: Array, noise: float) -> Array:
    """Return predictions with errors of about a multiple of the truth's spread."""
    return np.round(y + noise * y.std() * normals(seed, y.size), 4)


def positive(values: Array) -> Array:
    """Return numbers that are above 0, as some measures need."""
    return np.maximum(values, 0.05)
