"""What the library says of a few rows, beside what all shuffles, swaps and guesses say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

import pytest

import baserate as br
import enumeration as oracle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# An approximation of few rows, where a measure has no exact distribution.
APPROXIMATE = 0.06


@dataclass(frozen=True)
class Rows:
    """The truth, what two models say, and how much each row matters."""

    truth: tuple[Any, ...]
    first: tuple[Any, ...]
    second: tuple[Any, ...]
    weights: tuple[Fraction, ...] | None = None

    @property
    def importance(self) -> tuple[Fraction, ...]:
        """The weights, with a mean of 1; 1 for each row if there are none."""
        weights = self.weights or (Fraction(1),)
        unit = sum(weights) / len(weights)
        return tuple(weight / unit for weight in weights) * (len(self.truth) // len(weights))

    @property
    def options(self) -> dict[str, Any]:
        """The weights as arguments of a call."""
        if self.weights is None:
            return {}
        return {"sample_weight": [float(w) for w in self.weights], "weights": "importance"}


@dataclass(frozen=True)
class Kind:
    """A kind of prediction: some test sets, and guesses that look at no input."""

    task: str
    cases: tuple[Rows, ...]
    guesses: Callable[[Sequence[Any]], Iterator[Any]]
    ranked: bool = False  # two models have their ranks swapped, and not their scores


def _floats(predicted: Sequence[Any]) -> list[Any]:
    """Return predictions as a user has them."""
    if isinstance(predicted[0], tuple):
        return [[float(each) for each in row] for row in predicted]
    return [float(each) if isinstance(each, Fraction) else each for each in predicted]


def _tenths(*numbers: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(number, 10) for number in numbers)


def _halves(*numbers: float) -> tuple[Fraction, ...]:
    return tuple(Fraction(number) for number in numbers)


def _shares(*rows: str) -> tuple[tuple[Fraction, ...], ...]:
    """Return rows of probabilities, each from whole parts such as "127"."""
    parts = [list(map(int, row)) for row in rows]
    return tuple(tuple(Fraction(part, sum(row)) for part in row) for row in parts)


def _some_probabilities(truth: Sequence[int]) -> Iterator[Any]:
    levels = {*_tenths(1, 9), Fraction(sum(truth), len(truth))}
    return combinations_with_replacement(sorted(levels), len(truth))


def _some_shares(truth: Sequence[int]) -> Iterator[Any]:
    grid = _shares("113", "311", "221", "".join(str(truth.count(k)) for k in range(3)))
    return ((a, *[b] * (len(truth) - 1)) for a, b in product(grid, repeat=2))


def _some_numbers(truth: Sequence[Any]) -> Iterator[Any]:
    grid = sorted({Fraction(1, 2), sorted(truth)[1], sum(truth) / len(truth)})
    return combinations_with_replacement(grid, len(truth))


def _every_size(truth: Sequence[int]) -> Iterator[Any]:
    return ((1,) * size + (0,) * (len(truth) - size) for size in range(len(truth) + 1))


_BITS = (
    Rows((1, 1, 0, 0, 0, 1, 0), (1, 0, 0, 1, 0, 1, 0), (1, 1, 0, 1, 0, 0, 0)),
    Rows((1, 0, 0, 0, 0), (1, 0, 1, 0, 0), (0, 1, 0, 0, 0)),
    Rows((1, 1, 1, 0), (1, 1, 0, 0), (1, 1, 1, 1)),
)
# The models differ in both classes, and in both ways.
_BOTH_WAYS = Rows((1, 1, 1, 1, 0, 0, 0, 0), (1, 1, 1, 0, 1, 0, 0, 0), (0, 1, 0, 1, 0, 1, 1, 0))
_RANKED = (
    Rows((1, 0, 1, 0, 0, 1), _tenths(9, 5, 5, 2, 3, 7), _tenths(5, 9, 4, 4, 1, 2)),
    Rows((0, 1, 1, 0, 0), _tenths(1, 3, 3, 3, 8), _tenths(2, 9, 6, 5, 4)),
)
_FEW_RANKED = (
    Rows((1, 0, 1, 0, 0), _tenths(9, 5, 5, 2, 3), _tenths(5, 9, 4, 4, 1)),
    _RANKED[1],
)
_OF_CLASSES = (
    Rows(
        (0, 1, 2, 0, 1),
        _shares("127", "221", "541", "811", "127"),
        _shares("721", "131", "118", "532", "631"),
    ),
    Rows(
        (0, 0, 1, 2),
        _shares("811", "631", "127", "136"),
        _shares("532", "118", "361", "217"),
    ),
)
_SEVERAL = (
    Rows((0, 0, 0, 1, 1, 2), (0, 1, 0, 1, 2, 2), (0, 0, 1, 1, 1, 0)),
    Rows((0, 0, 1, 1), (1, 0, 1, 1), (0, 0, 0, 1)),
    Rows((0, 1, 2, 3, 3), (0, 1, 3, 3, 2), (1, 1, 2, 0, 3)),
)


def _weighted(cases: Sequence[Rows], *weights: Sequence[float]) -> tuple[Rows, ...]:
    """Return test sets whose rows matter more or less."""
    pairs = zip(cases, weights, strict=True)
    return tuple(Rows(*(case.truth, case.first, case.second), _halves(*w)) for case, w in pairs)


KINDS = {
    "two classes": Kind("binary", (*_BITS, _BOTH_WAYS), _every_size),
    "several classes": Kind("multiclass", _SEVERAL, oracle.class_mixes),
    "rankings": Kind("scores", _RANKED, oracle.rankings, ranked=True),
    "probabilities": Kind("scores", _RANKED, _some_probabilities),
    "class rankings": Kind("class-scores", _OF_CLASSES, _some_shares, ranked=True),
    "class probabilities": Kind("class-scores", _OF_CLASSES, _some_shares),
    "numbers": Kind(
        "regression",
        (
            Rows(_halves(1, 2, 3, 10, 11), _halves(2, 2, 3.5, 7, 20), _halves(1, 3, 3, 9, 9)),
            Rows(_halves(3, 1, 4), _halves(2, 2, 5), _halves(3, 2, 2)),
        ),
        _some_numbers,
    ),
    "weighted labels": Kind(
        "binary",
        _weighted(_BITS, (2, 0.5, 3, 1, 4, 0.25, 1), (1, 100, 2, 2, 5), (3, 3, 3, 3)),
        _every_size,
    ),
    "weighted classes": Kind(
        "multiclass",
        _weighted(_SEVERAL[1:], (1, 100, 1, 1), (1, 2.5, 1, 0.5, 4)),
        oracle.class_mixes,
    ),
    "weighted rankings": Kind(
        "scores",
        _weighted(_FEW_RANKED, (1, 2.5, 1, 0.5, 4), (1, 100, 1, 2, 2)),
        oracle.rankings,
        ranked=True,
    ),
    "weighted probabilities": Kind(
        "scores",
        _weighted(_FEW_RANKED, (1, 2.5, 1, 0.5, 4), (1, 100, 1, 2, 2)),
        _some_probabilities,
    ),
    "weighted class rankings": Kind(
        "class-scores",
        _weighted(_OF_CLASSES, (1, 2.5, 1, 0.5, 4), (1, 100, 1, 2)),
        _some_shares,
        ranked=True,
    ),
    "weighted class probabilities": Kind(
        "class-scores",
        _weighted(_OF_CLASSES, (1, 2.5, 1, 0.5, 4), (1, 100, 1, 2)),
        _some_shares,
    ),
    "weighted numbers": Kind(
        "regression",
        (
            Rows(
                *(_halves(*each) for each in ((1, 1, 2, 5), (1, 3, 3, 4), (2, 1, 4, 3))),
                _halves(0.5, 1, 2.5, 100),
            ),
            Rows(
                *(_halves(*each) for each in ((3, 3, 3, 4, 9), (1, 2, 2, 2, 2.5), (4, 3, 2, 4, 5))),
                _halves(1, 1, 7, 2, 2),
            ),
        ),
        _some_numbers,
    ),
}


def check_score_and_shuffles(kind: Kind, measure: Any, score: oracle.Score) -> None:
    """The score is its definition's, and p-values are shares of all orders of the predictions."""
    for rows in kind.cases:
        predicted = _floats(rows.first)
        (verdict,) = br.evaluate(
            _floats(rows.truth), {"m": predicted}, measure, task=kind.task, **rows.options
        )
        try:
            expected = oracle.real(score(rows.truth, rows.first, rows.importance))
        except ZeroDivisionError:
            assert math.isnan(verdict.score)
            continue
        law = oracle.shuffled(score, rows.truth, rows.first, rows.importance)
        assert verdict.score == pytest.approx(float(expected), rel=1e-12, abs=1e-13)
        if law is None:
            assert math.isnan(verdict.p_value)
            continue
        ends = oracle.at_least(law, expected), oracle.at_most(law, expected)
        better, worse = ends if verdict.direction == "maximize" else ends[::-1]
        near = 1e-11 if verdict.exact else APPROXIMATE
        assert verdict.p_value == pytest.approx(float(better), abs=near)
        assert verdict.p_worse == pytest.approx(float(worse), abs=near)
        if rows.weights is None:
            _check_null(br.null_distribution(_floats(rows.truth), predicted, measure), law)


def _check_null(null: br.NullDistribution, law: oracle.Law) -> None:
    near = 1e-11 if null.exact else APPROXIMATE
    assert null.mean() == pytest.approx(float(oracle.mean(law)), abs=near)
    assert null.var() == pytest.approx(float(oracle.variance(law)), rel=1e-9, abs=near)
    below = Fraction()
    for score, chance in law.items():
        below += chance
        assert null.sf(float(score)) == pytest.approx(float(oracle.at_least(law, score)), abs=near)
        assert null.cdf(float(score)) == pytest.approx(float(below), abs=near)
        if null.exact:
            assert null.ppf(float(below) - 1e-9) == pytest.approx(float(score), abs=1e-11)


def check_swaps(kind: Kind, measure: Any, score: oracle.Score) -> None:
    """The p-value of a difference is the share of all swaps of rows that differ as much."""
    for rows in kind.cases:
        models = rows.first, rows.second
        (found,) = br.compare(
            _floats(rows.truth),
            {"a": _floats(models[0]), "b": _floats(models[1])},
            measure,
            task=kind.task,
            **rows.options,
        )
        if kind.ranked:
            models = oracle.mean_ranks(models[0]), oracle.mean_ranks(models[1])
        expected = oracle.swapped(score, rows.truth, models, rows.importance)
        if expected is None:
            assert math.isnan(found.p_value)
        else:
            assert found.exact
            assert found.p_value == pytest.approx(float(expected), rel=1e-9)


def check_guesses(kind: Kind, measure: Any, score: oracle.Score) -> None:
    """No guess expects a better or a worse score than the best and the worst are said to."""
    for rows in kind.cases:
        ends = oracle.extremes(score, rows.truth, kind.guesses(rows.truth), rows.importance)
        (highest, best), (lowest, worst) = ends
        if highest is None:
            continue
        if rows.weights is not None:
            _check_weighted(kind, rows, measure, ends)
            continue
        found = br.baseline(_floats(rows.truth), measure, task=kind.task)
        if kind.task == "regression":  # of which there is no worst
            rises = measure.direction == "maximize"
            assert (
                found.best.value >= highest - 1e-12 if rises else found.best.value <= lowest + 1e-12
            )
            continue
        assert found.max.value >= highest - 1e-12
        assert found.min.value <= lowest + 1e-12
        if kind.task in ("binary", "multiclass") or kind.guesses is oracle.rankings:
            assert found.max.value == pytest.approx(float(highest), abs=1e-12)
            assert found.min.value == pytest.approx(float(lowest), abs=1e-12)
        if kind.task in ("binary", "multiclass"):
            assert found.max.exact
            for optimum, guesses in ((found.max, best), (found.min, worst)):
                assert _named(optimum, rows.truth) == {
                    oracle.counted(guess, max(rows.truth) + 1) for guess in guesses
                }


def _named(optimum: Any, truth: Sequence[int]) -> set[tuple[int, ...]]:
    """Return how often each class is predicted by each of the guesses that are said to be best."""
    if not hasattr(optimum.guesses, "counts"):
        return set(optimum.guesses)
    return {(len(truth) - k, k) for part in optimum.guesses.counts for k in part}


def _check_weighted(kind: Kind, rows: Rows, measure: Any, ends: Any) -> None:
    """The baseline of a report is the best of all guesses, if these are all."""
    (verdict,) = br.evaluate(
        _floats(rows.truth), {"m": _floats(rows.first)}, measure, task=kind.task, **rows.options
    )
    highest, lowest = (float(end) for end, _ in ends)
    best = highest if verdict.direction == "maximize" else lowest
    if kind.task in ("binary", "multiclass") or kind.guesses is oracle.rankings:
        assert verdict.baseline == pytest.approx(best, abs=1e-12)
    elif measure.key not in ("Pearson", "Spearman", "Kendall", "CCC"):  # of which 0 is said
        sign = 1 if verdict.direction == "maximize" else -1
        assert sign * verdict.baseline >= sign * best - 1e-12
