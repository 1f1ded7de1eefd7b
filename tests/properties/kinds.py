"""Every kind of prediction, on small random test sets with ties and rare classes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True)
class Sketch:
    """What random rows are made of; the same sketch serves every kind of prediction."""

    rows: int
    seed: int
    signal: float  # how much of the truth the predictions know: 0 is nothing
    share: float  # of positives among two classes; the first of several is as rare
    levels: int  # how many different scores and numbers there are


sketches = st.builds(
    Sketch,
    rows=st.integers(5, 24) | st.just(30),
    seed=st.integers(0, 2**32 - 1),
    signal=st.sampled_from([0.0, 0.5, 0.9]),
    share=st.sampled_from([0.5, 0.2]),
    levels=st.sampled_from([4, 12, 1000]),
)


@dataclass(frozen=True)
class Rows:
    """A test set and the predictions of two models."""

    y_true: Array
    first: Array
    second: Array
    weights: Array | None = None

    def at(self, places: Array) -> Rows:
        """Return the rows at these places."""
        weights = None if self.weights is None else self.weights[places]
        return Rows(self.y_true[places], self.first[places], self.second[places], weights)


@dataclass(frozen=True)
class Kind:
    """A kind of prediction, and a measure of it."""

    measure: str
    make: Callable[[Sketch], Rows]
    options: dict[str, Any] = field(default_factory=dict)
    weighted: bool = False

    def rows(self, sketch: Sketch) -> Rows:
        """Return random rows."""
        rows = self.make(sketch)
        if not self.weighted:
            return rows
        weights = np.random.default_rng([sketch.seed, 1]).integers(1, 5, sketch.rows) * 0.7
        return Rows(rows.y_true, rows.first, rows.second, weights)

    def asked(self, rows: Rows) -> dict[str, Any]:
        """Return the options of a call about these rows."""
        if rows.weights is None:
            return self.options
        return self.options | {"sample_weight": rows.weights, "weights": "importance"}


def labels(sketch: Sketch) -> Rows:
    """Two classes: the truth and both predictions have both."""
    rng = np.random.default_rng(sketch.seed)
    truth = _bits(rng, sketch)
    return Rows(truth, *(_known(rng, each, truth, _bits(rng, each)) for each in _both(sketch)))


def classes(sketch: Sketch) -> Rows:
    """Three classes, the first of them rare; truth and predictions have all."""
    rng = np.random.default_rng(sketch.seed)
    truth = _classes(rng, sketch)
    return Rows(truth, *(_known(rng, each, truth, _classes(rng, each)) for each in _both(sketch)))


def scores(sketch: Sketch) -> Rows:
    """Two classes and a probability of the second, often tied, never 0 or 1."""
    rng = np.random.default_rng(sketch.seed)
    truth = _bits(rng, sketch)
    return Rows(truth, *(_scores(rng, each, truth) for each in _both(sketch)))


def shares(sketch: Sketch) -> Rows:
    """Three classes and a probability of each, none of them 0."""
    rng = np.random.default_rng(sketch.seed)
    truth = _classes(rng, sketch)
    return Rows(truth, *(_shares(rng, each, truth) for each in _both(sketch)))


def ranked(sketch: Sketch) -> Rows:
    """Class probabilities without ties in a row, so that it is clear which are its largest."""
    rows = shares(sketch)
    rng = np.random.default_rng([sketch.seed, 3])
    split = rng.permuted(np.tile([0.0, 0.001, 0.002], (sketch.rows, 1)), axis=1)
    first, second = ((each + split) / 1.003 for each in (rows.first, rows.second))
    return Rows(rows.y_true, first, second)


def numbers(sketch: Sketch) -> Rows:
    """Numbers with fractions, often tied, some far out."""
    rng = np.random.default_rng(sketch.seed)
    truth = _numbers(rng, sketch)
    return Rows(truth, *(_predicted(rng, each, truth) for each in _both(sketch)))


def _both(sketch: Sketch) -> tuple[Sketch, Sketch]:
    """Return the sketch of the first model, and of the second, which knows half as much."""
    return sketch, replace(sketch, signal=sketch.signal / 2)


def _bits(rng: np.random.Generator, sketch: Sketch) -> Array:
    bits = (rng.random(sketch.rows) < sketch.share).astype(int)
    bits[rng.permutation(sketch.rows)[:2]] = [0, 1]
    return bits


def _classes(rng: np.random.Generator, sketch: Sketch) -> Array:
    rest = (1 - sketch.share / 2) / 2
    found = rng.choice(3, sketch.rows, p=[sketch.share / 2, rest, rest])
    found[rng.permutation(sketch.rows)[:3]] = [0, 1, 2]
    return found


def _known(rng: np.random.Generator, sketch: Sketch, truth: Array, guessed: Array) -> Array:
    """Return the truth in some rows and a guess in the others, with every class somewhere."""
    found = np.where(rng.random(sketch.rows) < sketch.signal, truth, guessed)
    _, places = np.unique(guessed, return_index=True)
    found[places] = guessed[places]
    return found


def _scores(rng: np.random.Generator, sketch: Sketch, truth: Array) -> Array:
    known = sketch.signal * truth + (1 - sketch.signal) * rng.random(sketch.rows)
    return np.round(0.05 + 0.9 * np.round(known * sketch.levels) / sketch.levels, 4)


def _shares(rng: np.random.Generator, sketch: Sketch, truth: Array) -> Array:
    known = sketch.signal * np.eye(3)[truth]
    known = known + (1 - sketch.signal) * rng.dirichlet([1, 1, 1], sketch.rows)
    parts = 1 + np.round(known * sketch.levels)
    return np.asarray(parts / parts.sum(1, keepdims=True))


def _numbers(rng: np.random.Generator, sketch: Sketch) -> Array:
    tails = rng.standard_t(4, sketch.rows) * sketch.levels / 8
    found = np.round(tails) * 8 / sketch.levels + 0.5
    found[rng.permutation(sketch.rows)[:3]] = [-1.5, 0.5, 2.5]  # never a constant
    return np.asarray(np.round(found, 3))


def _predicted(rng: np.random.Generator, sketch: Sketch, truth: Array) -> Array:
    noise = 1.1 - sketch.signal
    return np.asarray(np.round(sketch.signal * truth + noise * _numbers(rng, sketch), 3))


_CLASSES = {"task": "multiclass"}
_SHARES = {"task": "class-scores"}
_NUMBERS = {"task": "regression"}

KINDS = {
    "two classes, ACC": Kind("ACC", labels),
    "two classes, F1": Kind("F1", labels),
    "two classes, MCC": Kind("MCC", labels),
    "several classes, accuracy": Kind("accuracy", classes, _CLASSES),
    "several classes, balanced accuracy": Kind("balanced accuracy", classes, _CLASSES),
    "several classes, macro F1": Kind("macro F1", classes, _CLASSES),
    "several classes, kappa": Kind("kappa", classes, _CLASSES),
    "scores, AUC": Kind("AUC", scores),
    "scores, AP": Kind("AP", scores),
    "probabilities, Brier": Kind("Brier", scores),
    "probabilities, log loss": Kind("log loss", scores),
    "class probabilities, Brier": Kind("Brier", shares, _SHARES),
    "class probabilities, log loss": Kind("log loss", shares, _SHARES),
    "top-k": Kind("top-2 accuracy", ranked, {"task": "class-scores"}),
    "numbers, RMSE": Kind("RMSE", numbers, _NUMBERS),
    "numbers, MAE": Kind("MAE", numbers, _NUMBERS),
    "numbers, R2": Kind("R2", numbers, _NUMBERS),
    "numbers, Pearson": Kind("Pearson", numbers, _NUMBERS),
    "numbers, Spearman": Kind("Spearman", numbers, _NUMBERS),
    "numbers, Kendall": Kind("Kendall", numbers, _NUMBERS),
    "weighted labels, F1": Kind("F1", labels, weighted=True),
    "weighted labels, MCC": Kind("MCC", labels, weighted=True),
    "weighted classes, macro F1": Kind("macro F1", classes, _CLASSES, weighted=True),
    "weighted scores, AUC": Kind("AUC", scores, weighted=True),
    "weighted scores, AP": Kind("AP", scores, weighted=True),
    "weighted class probabilities, log loss": Kind("log loss", shares, _SHARES, weighted=True),
    "weighted numbers, RMSE": Kind("RMSE", numbers, _NUMBERS, weighted=True),
    "weighted numbers, Pearson": Kind("Pearson", numbers, _NUMBERS, weighted=True),
}
