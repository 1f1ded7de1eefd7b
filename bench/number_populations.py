"""Populations of numbers and of models that predict them, for the benchmark of limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.fit import Fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rng = np.random.Generator

TRUTHS = ("normal", "lognormal", "uniform", "counts")
ERRORS = ("normal", "t3", "lognormal", "contaminated", "uneven")
MODELS = {"nothing": 0.0, "a bit": 0.4, "a lot": 2.0, "nearly all": 20.0}
"""How large what a model knows is beside its errors."""
_OFTEN, _TIMES = 0.05, 10.0


def _lognormal(rows: int, rng: Rng) -> Floats:
    """Return skewed numbers with mean 0 and variance 1, and a kurtosis of 114."""
    return np.asarray((rng.lognormal(size=rows) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e))


def signal(kind: str, rows: int, rng: Rng) -> Floats:
    """Return what can be known, with mean 0 and variance 1."""
    if kind == "normal":
        return rng.standard_normal(rows)
    if kind == "lognormal":
        return _lognormal(rows, rng)
    if kind == "uniform":
        return rng.uniform(-np.sqrt(3), np.sqrt(3), rows)
    return np.asarray((rng.poisson(3.0, rows) - 3) / np.sqrt(3))


def errors(kind: str, known: Floats, rng: Rng) -> Floats:
    """Return errors with mean 0 and variance 1, or nearly.

    Contaminated ones are ten times as large in one of twenty rows, and uneven ones are larger where
    more is known.
    """
    rows = known.size
    if kind == "t3":
        return np.asarray(rng.standard_t(3, rows) / np.sqrt(3))
    if kind == "lognormal":
        return _lognormal(rows, rng)
    normal = rng.standard_normal(rows)
    if kind == "contaminated":
        large = rng.random(rows) < _OFTEN
        return np.asarray(normal * np.where(large, _TIMES, 1) / np.sqrt(1 + _OFTEN * 99))
    return np.asarray(normal * (0.2 + np.abs(known + 1)) / 1.5) if kind == "uneven" else normal


def factors(kind: str, known: Floats, rng: Rng) -> Floats:
    """Return positive factors around 1."""
    rows = known.size
    if kind == "t3":
        return rng.gamma(1.5, 1 / 1.5, rows) + 0.05
    normal = rng.standard_normal(rows)
    if kind == "contaminated":
        return np.exp(0.1 * normal * np.where(rng.random(rows) < _OFTEN, _TIMES, 1))
    if kind == "uneven":
        return np.exp((0.1 + 0.3 * np.abs(known)) * normal)
    return np.exp((0.5 if kind == "normal" else 0.9) * normal)


def drawn(truth: str, kind: str, model: str, rows: int, rng: Rng) -> Fit:
    """Return a test set; a model worth nothing says what has nothing to do with the truth."""
    known, size = signal(truth, rows, rng), MODELS[model]
    if size:
        return Fit(size * known + errors(kind, known, rng), size * known)
    told = errors(kind, known, rng) + (0 if truth == "normal" else known)
    return Fit(told, 0.3 * rng.standard_normal(rows))


def drawn_positive(truth: str, kind: str, model: str, rows: int, rng: Rng) -> Fit:
    """Return a test set of positive numbers, with factors for errors."""
    known, size = np.minimum(signal(truth, rows, rng), 4.0), MODELS[model]
    said = np.exp(0.1 * rng.standard_normal(rows))
    if not size:
        return Fit(factors(kind, known, rng), said)
    centre = np.exp(min(size, 2.0) * known / 4)
    power = 0.1 if model == "nearly all" else 1.0
    return Fit(centre * factors(kind, known, rng) ** power, centre)
