"""Populations that test sets are drawn from, for the study of confidence intervals.

A population draws test sets and knows the true score and margin of every measure. A test set has
the arguments of `br.evaluate` and, for other intervals, its scores and margins as functions of how
much each cell counts: weights (resamples, cells) in, numbers (resamples,) out.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit, ndtr, xlogy

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Rng = np.random.Generator
    Values = dict[str, tuple[Array, Array]]
    True_ = dict[str, tuple[float, float]]

ROWS_OF_A_POPULATION = 1_000_000
# Test sets that give the expectation of average precision, which depends on their size.
TEST_SETS_OF_AP = 1_500


@dataclass(frozen=True)
class TestSet:
    """One test set.

    Parameters
    ----------
    truth, prediction, options
        What `br.evaluate` takes.
    counts
        How many rows each cell has.
    values
        The score and the margin by each measure, given weights of the cells.
    gains
        How much smaller the loss of each row is than that of the best guess, for a t-test.
    """

    __test__ = False

    truth: Any
    prediction: Any
    counts: Array
    values: Callable[[Array], Values]
    gains: Mapping[str, Array] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def _seeded(*parts: object) -> Rng:
    return np.random.default_rng(zlib.crc32(repr(parts).encode()))


def _at(values: Callable[[Array], Values], counts: Array) -> True_:
    found = values(np.asarray(counts, float)[None])
    return {name: (float(score[0]), float(margin[0])) for name, (score, margin) in found.items()}


# Labels of two classes: cells are tp, fn, fp, tn.


def _binary(weights: Array) -> Values:
    tp, fn, fp, tn = weights.T
    total = tp + fn + fp + tn
    rate, said = (tp + fn) / total, (tp + fp) / total
    right, found, precise = (tp + tn) / total, tp / (tp + fn), tp / (tp + fp)
    balanced, f1 = (found + tn / (tn + fp)) / 2, 2 * tp / (2 * tp + fn + fp)
    together = rate * said + (1 - rate) * (1 - said)
    mcc = (tp / total - rate * said) / np.sqrt(rate * (1 - rate) * said * (1 - said))
    kappa = (right - together) / (1 - together)
    return {
        "ACC": (right, right - np.maximum(rate, 1 - rate)),
        "BACC": (balanced, balanced - 0.5),
        "PPV": (precise, precise - rate),
        "TPR": (found, np.full_like(found, np.nan)),  # uninformative: all-positive scores 1
        "F1": (f1, f1 - 2 * rate / (1 + rate)),
        "MCC": (mcc, mcc),
        "KAPPA": (kappa, kappa),
    }


@dataclass(frozen=True)
class Tables:
    """Labels of two classes: the base rate, and how often either class is predicted positive."""

    rate: float
    model: str
    measures = ("ACC", "BACC", "PPV", "TPR", "F1", "MCC", "KAPPA")

    def __str__(self) -> str:
        return f"{self.rate:.0%} positive, {self.model}"

    @property
    def cells(self) -> Array:
        """The true proportions of tp, fn, fp and tn."""
        rate = self.rate
        known = {
            "useless": (rate, rate),
            "nearly none": (0.03, 0.03),
            "nearly all": (0.97, 0.97),
            "weak": (rate + 0.25 * (1 - rate), 0.75 * rate),
            "strong": (0.8, 0.1 * min(1, 3 * rate)),
            "perfect": (1, 0),
        }
        if self.model in known:
            hit, alarm = known[self.model]
        else:  # so many positives are found, and as many predicted as there are
            hit = float(self.model.removesuffix(" found"))
            alarm = rate * (1 - hit) / (1 - rate)
        return np.array(
            [rate * hit, rate * (1 - hit), (1 - rate) * alarm, (1 - rate) * (1 - alarm)]
        )

    def draw(self, rows: int, rng: Rng) -> TestSet:
        """Return a test set."""
        counts = rng.multinomial(rows, self.cells)
        tp, fn, fp, tn = counts.tolist()
        return TestSet(None, br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn), counts, _binary)

    def true(self, rows: int) -> True_:
        """Return the true score and margin by each measure."""
        return _at(_binary, self.cells)


# Labels of several classes.


def _best_weighted_f1(shares: Array) -> Array:
    """Return the weighted F1 of the best guess, which predicts each class for a share of rows.

    The derivative 2 p^3 / (p + q)^2 is the same for all classes that are predicted at all, so
    p + q is proportional to p^1.5 among the largest classes.
    """
    p = -np.sort(-shares, axis=1)
    held, scale = np.cumsum(p, axis=1), np.cumsum(p**1.5, axis=1)
    level = (1 + held) / scale
    last = p.shape[1] - 1 - np.argmax((level * np.sqrt(p) > 1)[:, ::-1], axis=1)
    level = np.take_along_axis(level, last[:, None], 1)
    q = np.maximum(level * p**1.5 - p, 0)
    return np.asarray(np.where(p > 0, 2 * p**2 * q / np.where(p > 0, p + q, 1), 0).sum(axis=1))


def _classes(truths: Array, answers: Array) -> Callable[[Array], Values]:
    size = int(max(truths.max(), answers.max())) + 1
    row, column = np.eye(size)[truths], np.eye(size)[answers]
    diagonal = row * (truths == answers)[:, None]

    def values(weights: Array) -> Values:
        n, m, d, total = weights @ row, weights @ column, weights @ diagonal, weights.sum(axis=1)
        seen = (n > 0).sum(axis=1)
        each = np.where(n + m > 0, 2 * d / (n + m), np.nan)
        right, macro = d.sum(axis=1) / total, np.nanmean(each, axis=1)
        balanced = np.nanmean(np.where(n > 0, d / n, np.nan), axis=1)
        weighted = np.nansum(n * each, axis=1) / total
        both, own, said = ((a * b).sum(axis=1) / total**2 for a, b in ((n, m), (n, n), (m, m)))
        mcc = (right - both) / np.sqrt((1 - own) * (1 - said))
        kappa = (right - both) / (1 - both)
        return {
            "accuracy": (right, right - n.max(axis=1) / total),
            "balanced accuracy": (balanced, balanced - 1 / seen),
            "macro F1": (macro, macro - 1 / seen),
            "weighted F1": (weighted, weighted - _best_weighted_f1(n / total[:, None])),
            "MCC": (mcc, mcc),
            "kappa": (kappa, kappa),
        }

    return values


@dataclass(frozen=True)
class Classes:
    """Labels of several classes, equally frequent or by Zipf's law."""

    classes: int
    skew: int
    model: str
    measures = ("accuracy", "balanced accuracy", "macro F1", "weighted F1", "MCC", "kappa")

    def __str__(self) -> str:
        return f"K = {self.classes}, {'Zipf' if self.skew else 'uniform'}, {self.model}"

    @cached_property
    def cells(self) -> Array:
        """The true proportions, one row for each true class."""
        p = 1 / np.arange(1, self.classes + 1) ** self.skew
        p /= p.sum()
        known = {"useless": 0, "weak": 0.2, "strong": 0.8, "perfect": 1}[self.model]
        return np.asarray(known * np.diag(p) + (1 - known) * np.outer(p, p))

    def draw(self, rows: int, rng: Rng) -> TestSet | None:
        """Return a test set, None if it has one class only."""
        table = rng.multinomial(rows, self.cells.ravel()).reshape(self.cells.shape)
        if (table.sum(axis=1) > 0).sum() < 2:
            return None
        seen = table.sum(axis=0) + table.sum(axis=1) > 0
        table = table[np.ix_(seen, seen)]
        truths, answers = np.nonzero(table)
        counts = table[truths, answers]
        return TestSet(None, br.ConfusionMatrix(table), counts, _classes(truths, answers))

    def true(self, rows: int) -> True_:
        """Return the true score and margin by each measure, over all classes."""
        truths, answers = np.divmod(np.arange(self.classes**2), self.classes)
        return _at(_classes(truths, answers), self.cells.ravel())


# Probabilities of the positive class; cells are rows from the highest score to the lowest.


def _probabilities(y: Array, p: Array) -> Callable[[Array], Values]:
    rows, harmonic = y.size, float(np.sum(1 / np.arange(1, y.size + 1)))
    logs = -xlogy(y, p) - xlogy(1 - y, 1 - p)
    columns = np.stack([np.ones(rows), y, (y - p) ** 2, logs])
    positives = np.flatnonzero(y)

    def values(weights: Array) -> Values:
        total, *sums = (weights @ columns.T).T
        rate, brier, log_loss = (each / total for each in sums)
        # The scores all differ: a positive is behind what is above it and half of itself.
        above, positive = np.cumsum(weights, axis=1)[:, positives], weights[:, positives]
        found = np.cumsum(positive, axis=1)
        pairs = (positive * (total[:, None] - above + found)).sum(axis=1) - sums[0] ** 2
        auc = pairs / (sums[0] * (total - sums[0]))
        ap = (positive * found / np.maximum(above, 1e-300)).sum(axis=1) / sums[0]
        ordered = ((rate * rows - 1) + (1 - rate) * harmonic) / (rows - 1)  # of a random ranking
        entropy = -xlogy(rate, rate) - xlogy(1 - rate, 1 - rate)
        return {
            "AUC": (auc, auc - 0.5),
            "AP": (ap, ap - ordered),
            "Brier": (brier, rate * (1 - rate) - brier),
            "log loss": (log_loss, entropy - log_loss),
        }

    return values


@dataclass(frozen=True)
class Probabilities:
    """Beta probabilities, calibrated or with logits twice as large; or logits N(0, 3^2)."""

    rate: float
    model: str
    overconfident: bool = False
    measures = ("AUC", "AP", "Brier", "log loss")

    def __str__(self) -> str:
        how = ", overconfident" if self.overconfident else ""
        return f"{self.rate:.0%} positive, {self.model}{how}"

    def rows(self, rows: int, rng: Rng) -> tuple[Array, Array]:
        """Return truths and probabilities, from the highest to the lowest."""
        if self.model == "logits N(0, 9)":
            p = expit(3 * rng.normal(size=rows))
            y = rng.random(rows) < p
        elif self.model.endswith(" apart"):  # normal logits in both classes
            y, far = rng.random(rows) < self.rate, float(self.model.removesuffix(" apart"))
            p = expit(logit(self.rate) + far * (rng.normal(size=rows) + far * (y - 0.5)))
        else:
            known = {"useless": 50, "weak": 5, "strong": 0.5, "perfect": 0.5}
            sure = known.get(self.model) or float(self.model.removeprefix("beta "))
            p = np.clip(rng.beta(sure * self.rate, sure * (1 - self.rate), rows), 1e-6, 1 - 1e-6)
            y = rng.random(rows) < (self.rate if self.model == "useless" else p)
        if self.model == "perfect":
            p = np.abs(y - 1e-9 * rng.random(rows))
        elif self.overconfident:
            p = expit(2 * logit(p))
        order = np.argsort(-p, kind="stable")
        return y[order].astype(float), p[order]

    def draw(self, rows: int, rng: Rng) -> TestSet | None:
        """Return a test set, None if it has one class only."""
        y, p = self.rows(rows, rng)
        if y.min() == y.max():
            return None
        at, values = y.mean(), _probabilities(y, p)
        logs = xlogy(y, p) + xlogy(1 - y, 1 - p) - xlogy(y, at) - xlogy(1 - y, 1 - at)
        gains = {"Brier": (y - at) ** 2 - (y - p) ** 2, "log loss": logs}
        return TestSet(y.astype(int), p, np.ones(rows, int), values, gains)

    def true(self, rows: int) -> True_:
        """Return the true score and margin by each measure; AP's are expected at this size."""
        rng = _seeded(self)
        values = _probabilities(*self.rows(ROWS_OF_A_POPULATION, rng))
        found = _at(values, np.ones(ROWS_OF_A_POPULATION))
        drawn = (self.draw(rows, rng) for _ in range(TEST_SETS_OF_AP if rows < 300 else 500))
        each = [_at(one.values, one.counts)["AP"] for one in drawn if one is not None]
        score, margin = np.mean(each, axis=0).tolist()
        if self.model == "useless":
            return found | {"AUC": (0.5, 0.0), "AP": (score - margin, 0.0)}
        return found | {"AP": (score, margin)}


# Numbers; cells are rows, from the smallest truth to the largest.

TRUTHS: dict[str, tuple[Callable[[Rng, int], Array], float, float]] = {  # draw, mean, deviation
    "normal": (lambda rng, rows: 10 + rng.normal(size=rows), 10.0, 1.0),
    "t3": (lambda rng, rows: 10 + rng.standard_t(3, rows), 10.0, 3**0.5),
    "lognormal": (
        lambda rng, rows: np.exp(rng.normal(size=rows)),
        np.exp(0.5),
        np.sqrt(np.e * (np.e - 1)),
    ),
    "contaminated": (
        lambda rng, rows: 10 + rng.normal(size=rows) * np.where(rng.random(rows) < 0.05, 10, 1),
        10.0,
        5.95**0.5,
    ),
    "80% zeros": (
        lambda rng, rows: np.exp(rng.normal(size=rows)) * (rng.random(rows) < 0.2),
        0.2 * np.exp(0.5),
        np.sqrt(0.2 * np.exp(2) - 0.04 * np.e),
    ),
    "10% ones": (lambda rng, rows: (rng.random(rows) < 0.1) * 1.0, 0.1, 0.3),
    "2% ones": (lambda rng, rows: (rng.random(rows) < 0.02) * 1.0, 0.02, 0.14),
}


def _least_absolute(weights: Array, sorted_values: Array) -> Array:
    """Return the sum of distances from the weighted median."""
    below, parts = np.cumsum(weights, axis=1), np.cumsum(weights * sorted_values, axis=1)
    place = np.argmax(below >= below[:, -1:] / 2, axis=1)
    row = np.arange(place.size)
    middle = sorted_values[place] * (2 * below[row, place] - below[:, -1])
    return np.asarray(middle - 2 * parts[row, place] + parts[:, -1])


def _ranks(weights: Array, values: Array) -> Array:
    """Return mid-ranks of the rows in each resample."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(values[order]) != 0])
    tied = weights[:, order]
    if starts.size < values.size:
        tied = np.add.reduceat(tied, starts, axis=1)
    ranks = np.cumsum(tied, axis=1) - tied / 2
    level = np.empty(values.size, int)
    level[order] = np.repeat(np.arange(starts.size), np.diff(np.append(starts, values.size)))
    return np.asarray(ranks[:, level])


def _correlation(means: tuple[Array, ...]) -> Array:
    """Return a correlation by the means of a, b, a², b² and ab."""
    a, b, aa, bb, ab = means
    return np.asarray((ab - a * b) / np.sqrt(np.maximum(aa - a**2, 0) * np.maximum(bb - b**2, 0)))


def _numbers(y: Array, x: Array, *, mape: bool) -> Callable[[Array], Values]:
    a, b, errors = y - y.mean(), x - x.mean(), np.abs(y - x)  # centred, to keep their digits
    heavy = 1 / np.abs(y) if mape else np.ones(y.size)
    columns = np.stack(
        [np.ones(y.size), errors**2, errors, heavy * errors, a, b, a**2, b**2, a * b]
    )

    def values(weights: Array) -> Values:
        total, *sums = (weights @ columns.T).T
        mse, mae, relative, *moments = (each / total for each in sums)
        variance = np.maximum(moments[2] - moments[0] ** 2, 0)
        r2, pearson = 1 - mse / variance, _correlation(tuple(moments))
        first, second = (_ranks(weights, each) - total[:, None] / 2 for each in (y, x))
        pairs = (first, second), (first, first), (second, second)
        both, *own = (np.einsum("ij,ij,ij->i", weights, *pair) for pair in pairs)
        spearman = both / np.sqrt(own[0] * own[1])  # the mean of mid-ranks is half of the total
        found = {
            "RMSE": (np.sqrt(mse), np.sqrt(variance) - np.sqrt(mse)),
            "MAE": (mae, _least_absolute(weights, y) / total - mae),
            "R2": (r2, r2),
            "Pearson": (pearson, pearson),
            "Spearman": (spearman, spearman),
        }
        if mape:
            found["MAPE"] = (relative, _least_absolute(weights * heavy, y) / total - relative)
        return found

    return values


@dataclass(frozen=True)
class Numbers:
    """Numbers, and a model that explains a share of their variance."""

    truth: str
    model: str

    def __str__(self) -> str:
        return f"{self.truth}, {self.model}"

    @property
    def measures(self) -> tuple[str, ...]:
        """The default measures, the correlations, and MAPE where truths are far from zero."""
        names = ("RMSE", "MAE", "R2", "Pearson", "Spearman")
        return (*names, "MAPE") if self.truth in ("normal", "lognormal") else names

    @property
    def explained(self) -> float:
        """R2 of the model."""
        known = {"useless": -0.04, "weak": 0.2, "strong": 0.8, "perfect": 1.0}
        return known.get(self.model) or float(self.model.removeprefix("R2 "))

    def rows(self, rows: int, rng: Rng) -> tuple[Array, Array]:
        """Return truths and predictions, from the smallest truth to the largest."""
        draw, centre, deviation = TRUTHS[self.truth]
        y, noise, share = np.sort(draw(rng, rows)), rng.normal(size=rows), self.explained
        if self.model == "useless":
            return y, centre + 0.2 * deviation * noise
        noise *= deviation * np.sqrt(share * (1 - share))
        return y, y.copy() if share == 1 else centre + share * (y - centre) + noise

    def draw(self, rows: int, rng: Rng) -> TestSet | None:
        """Return a test set, None if all truths are equal."""
        y, x = self.rows(rows, rng)
        if y[0] == y[-1]:
            return None
        gains = {
            "RMSE": (y - y.mean()) ** 2 - (y - x) ** 2,
            "MAE": np.abs(y - np.median(y)) - np.abs(y - x),
        }
        values = _numbers(y, x, mape="MAPE" in self.measures)
        return TestSet(y, x, np.ones(rows, int), values, gains, {"task": "regression"})

    def true(self, rows: int) -> True_:
        """Return the true score and margin by each measure."""
        y, x = self.rows(ROWS_OF_A_POPULATION, _seeded(self))
        found = _at(_numbers(y, x, mape="MAPE" in self.measures), np.ones(y.size))
        share, deviation = self.explained, TRUTHS[self.truth][2]
        rmse, pearson = deviation * np.sqrt(1 - share), np.sqrt(max(share, 0))
        found |= {
            "RMSE": (rmse, deviation - rmse),
            "R2": (share, share),
            "Pearson": (pearson, pearson),
        }
        return found | ({"Spearman": (0.0, 0.0)} if self.model == "useless" else {})


Population = Tables | Classes | Probabilities | Numbers
LEVELS = ("useless", "weak", "strong", "perfect")
LOGITS = Probabilities(0.5, "logits N(0, 9)")
GRID: dict[str, list[Population]] = {
    "binary": [
        Tables(rate, model)
        for rate in (0.02, 0.1, 0.3, 0.5)
        for model in ("useless", "nearly none", "nearly all", "weak", "strong", "perfect")
    ],
    "classes": [
        Classes(k, skew, model) for k in (3, 10, 50) for skew in (0, 1) for model in LEVELS
    ],
    "scores": [
        *(Probabilities(rate, model) for rate in (0.5, 0.2, 0.03) for model in LEVELS),
        *(
            Probabilities(rate, model, overconfident=True)
            for rate in (0.5, 0.2, 0.03)
            for model in LEVELS[1:3]
        ),
        LOGITS,
    ],
    "numbers": [Numbers(truth, model) for truth in TRUTHS for model in LEVELS],
    "power": [
        *(Probabilities(rate, f"beta {sure}") for rate in (0.5, 0.2) for sure in (3, 8)),
        LOGITS,
        *(Numbers(y, f"R2 {r}") for y in ("normal", "t3", "lognormal") for r in (0.1, 0.2, 0.4)),
    ],
}


# Many models at once.


@dataclass(frozen=True)
class Family:
    """Models that are exactly as good as the best guess, related to each other or not."""

    measure: str
    models: int
    correlation: float

    def __str__(self) -> str:
        return f"{self.measure}, {self.models} models, correlation {self.correlation}"

    def draw(self, rows: int, rng: Rng) -> tuple[Array, dict[str, Array]]:
        """Return truths, and the predictions of every model."""
        common = np.sqrt(self.correlation) * rng.normal(size=rows)
        noise = common + np.sqrt(1 - self.correlation) * rng.normal(size=(self.models, rows))
        if self.measure == "ACC":  # 70% right where 70% are negative
            y = (rng.random(rows) < 0.3).astype(int)
            said = (ndtr(noise) < np.where(y, 0.6, 0.18 / 0.7)).astype(int)
        else:  # errors with the variance of the truth
            y = rng.normal(size=rows)
            said = 0.3 * y + np.sqrt(0.51) * noise
        return y, {f"model {place}": each for place, each in enumerate(said)}


FAMILIES = [Family(name, n, r) for name in ("ACC", "RMSE") for n in (5, 20) for r in (0.0, 0.7)]
