"""The paired permutation test, against all swaps in plain Python, by every method."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from baserate import paired
from baserate.paired import Pair, alike, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ALMOST = 1 - 1e-9


# --- The oracle: nothing here comes from the library ----------------------------------------------


def all_flips(differences: Sequence[Any]) -> Fraction:
    """The share of all signs with a sum as far from 0, in fractions."""
    numbers = [Fraction(str(each)) for each in differences]
    size, hits = abs(sum(numbers)), 0
    for signs in itertools.product((1, -1), repeat=len(numbers)):
        total = sum(sign * each for sign, each in zip(signs, numbers, strict=True))
        hits += abs(total) >= size
    return Fraction(hits, 2 ** len(numbers))


def all_swaps(
    rows: Sequence[Any], score: Callable[[list[Any]], Fraction | None], units: Sequence[int]
) -> Fraction:
    """The share of all swaps of units with scores as far apart; one without a score counts.

    A row is what the first model says of it, and what the second does.
    """

    def apart(swap: Sequence[bool]) -> Fraction | None:
        turned = [row[::-1] if swap[unit] else row for row, unit in zip(rows, units, strict=True)]
        first, second = (score([row[model] for row in turned]) for model in (0, 1))
        return None if first is None or second is None else abs(first - second)

    ways = list(itertools.product((False, True), repeat=max(units) + 1))
    size = apart(ways[0])
    assert size is not None
    found = [apart(way) for way in ways]
    return Fraction(sum(each is None or each >= size for each in found), len(ways))


def largest_half(sizes: Sequence[float], needed: float) -> float:
    """The chance of at least a sum with random signs, from all sums of both halves."""
    halves = []
    for part in (sizes[::2], sizes[1::2]):
        sums = np.zeros(1)
        for size in part:
            sums = np.concatenate([sums - size, sums + size])
        halves.append(np.sort(sums))
    reached = halves[1].size - np.searchsorted(halves[1], needed - halves[0])
    return float(reached.sum() / 2.0 ** len(sizes))


# --- Sums of sign flips ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 5, 9, 12])
def test_all_signs(size: int) -> None:
    """Few rows are counted: different numbers, ties, zeros, and numbers of all sizes."""
    rng = np.random.default_rng(size)
    for differences in (
        rng.normal(0.3, 1, size).round(6),
        rng.choice([0.1, -0.2, 0.3, 0.0], size),
        np.full(size, 0.7),
        10.0 ** rng.integers(-5, 6, size) * rng.choice([-1, 1], size),
    ):
        expected = float(all_flips(differences.tolist()))
        assert flip_test(differences) == (pytest.approx(expected, rel=1e-12), "exact", 0)
        values, counts = np.unique(differences, return_counts=True)
        assert flip_test(-3e-8 * values, counts).p_value == pytest.approx(expected, rel=1e-12)


def test_one_size_is_a_binomial_tail() -> None:
    """Equal losses are McNemar's exact test, from three rows to millions, and far in the tail."""
    for more, fewer in ((3, 0), (14, 5), (1260, 40), (500_700, 499_300)):
        found = flip_test(np.array([0.25, -0.25]), np.array([more, fewer]))
        expected = min(2 * binom.sf(more - 1, more + fewer, 0.5), 1)
        assert found.exact
        assert found.p_value == pytest.approx(expected, rel=1e-9)


def test_whole_numbers_are_counted() -> None:
    """A thousand rows of whole numbers have few sums: all of them, by adding up their chances."""
    rng = np.random.default_rng(1)
    differences = rng.integers(-6, 8, 1000)
    masses = np.zeros(2 * np.abs(differences).sum() + 1)
    masses[masses.size // 2] = 1
    for size in np.abs(differences).tolist():
        masses = (np.roll(masses, size) + np.roll(masses, -size)) / 2
    far = np.abs(np.arange(masses.size) - masses.size // 2) >= abs(differences.sum())
    found = flip_test(0.1 * differences)
    assert found.exact
    assert found.p_value == pytest.approx(masses[far].sum(), rel=1e-9)


SIZES: dict[str, Callable[[np.random.Generator], Any]] = {
    "normal": lambda rng: np.abs(rng.normal(size=34)),
    "uniform": lambda rng: rng.random(34),
    "exponential": lambda rng: rng.exponential(size=34),
    "on a lattice": lambda rng: rng.integers(1, 30, 34).astype(float),
    "heavy": lambda rng: rng.lognormal(0, 1.5, 34),
}


@pytest.mark.parametrize("kind", SIZES)
def test_more_rows_than_can_be_counted(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 34 rows, p-values are within 5% of all signs, or within the error of permutations."""
    monkeypatch.setattr(paired, "MAX_STATES", 1)
    monkeypatch.setattr(paired, "MAX_WORK", 0)
    rng = np.random.default_rng(2)
    methods = set()
    for turned in (17, 12, 10, 7, 5):
        for _ in range(4):
            sizes = SIZES[kind](rng)
            differences = np.where(np.arange(34) < turned, -sizes, sizes)
            p_value, method, floor = flip_test(differences)
            expected = 2 * largest_half(sizes, abs(differences.sum()) - 1e-9)
            drawn = method == "permutations"
            error = max(0.05 * expected, 4 * math.sqrt(expected / 999) + floor if drawn else 0)
            assert p_value == pytest.approx(min(expected, 1), abs=error)
            methods.add(method)
    assert ("permutations" if kind == "heavy" else "saddlepoint") in methods


def test_nothing_to_compare() -> None:
    """Models that are alike have a p-value of 1, and losses that no float holds have none."""
    assert flip_test(np.zeros(3), np.array([5, 1, 10**9])) == (1, "exact", 0)
    assert flip_test(np.array([0.2, -0.2]), np.array([50, 50])) == (1, "exact", 0)
    assert math.isnan(flip_test(np.array([1.0, math.inf])).p_value)


# --- Swaps of predictions -------------------------------------------------------------------------


def precision_pair(truth: Any, first: Any, second: Any, **facts: Any) -> Pair:
    """Two models of labels by precision, whose sums are the positive predictions and hits."""
    kinds = alike(first, second, None, truth, *facts.values())
    adds = tuple(np.column_stack([each, each * kinds.shared[0]]) for each in kinds[:2])
    clusters = kinds.shared[1] if facts else None
    return Pair(kinds.rows, kinds.first, adds, lambda s: s[..., 1] / s[..., 0], clusters)


def precision(truth: Sequence[int]) -> Callable[[list[int]], Fraction | None]:
    """The same from its definition."""

    def score(said: list[int]) -> Fraction | None:
        hits = sum(a and b for a, b in zip(truth, said, strict=True))
        return Fraction(hits, sum(said)) if sum(said) else None

    return score


def labels(seed: int, size: int) -> Any:
    """Rows of the truth and two models, both of which say 1 at least once."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (3, size))
    rows[1, 0] = rows[2, 1] = 1
    return rows


def test_clusters_are_swapped_whole() -> None:
    """Ten clusters of labels, and sums of flips of them, against all of their swaps."""
    for seed in range(6):
        truth, first, second = labels(seed, 25)
        clusters = np.arange(25) % 10
        rows = list(zip(first.tolist(), second.tolist(), strict=True))
        expected = all_swaps(rows, precision(truth.tolist()), clusters.tolist())
        found = permutation_test(precision_pair(truth, first, second, clusters=clusters))
        assert found.exact
        assert found.p_value == pytest.approx(float(expected), rel=1e-12)
        wrong = (first != truth).astype(float) - (second != truth)
        share = all_swaps(
            list(zip((first == truth).tolist(), (second == truth).tolist(), strict=True)),
            lambda hits: Fraction(sum(hits)),
            clusters.tolist(),
        )
        assert flip_test(wrong, None, clusters).p_value == pytest.approx(float(share), rel=1e-12)


def _two_kinds(rows: Any, first: Any, both: Any) -> Pair:
    def score(sums: Any) -> Any:
        return (both[0] + sums[..., 0]) / (sum(both) + sums.sum(axis=-1))

    return Pair(np.array(rows), np.array(first), (np.eye(2), np.zeros((2, 2))), score)


def test_binomial_numbers_that_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of heads that are rarer than 1e-17 change nothing; a smaller p-value is a bound."""
    usual = _two_kinds((900, 700), (480, 340), (500, 300))
    extreme = _two_kinds((900, 700), (880, 30), (500, 300))
    whole = permutation_test(usual), permutation_test(extreme)
    assert all(each.exact and not each.floor for each in whole)
    monkeypatch.setattr(paired, "MAX_WHOLE", 1)
    cut = permutation_test(usual), permutation_test(extreme)
    assert cut[0].exact
    assert cut[0].p_value == pytest.approx(whole[0].p_value, rel=1e-12)
    assert not cut[1].exact
    assert whole[1].p_value < cut[1].p_value == cut[1].floor < 1e-15
    monkeypatch.setattr(paired, "MAX_CELLS", 1)
    drawn = permutation_test(usual)
    assert drawn.method == "permutations"
    assert drawn.p_value == pytest.approx(whole[0].p_value, abs=0.04)


def correlation_pair(truth: Any, first: Any, second: Any) -> Pair:
    """Two models of numbers by Pearson's correlation."""
    kinds = alike(first, second, None, truth)
    y, total, of_y, of_squares = kinds.shared[0], truth.size, truth.sum(), truth @ truth
    adds = tuple(np.column_stack([z, z * z, y * z]) for z in kinds[:2])

    def score(s: Any) -> Any:
        spread = (total * s[..., 1] - s[..., 0] ** 2) * (total * of_squares - of_y**2)
        return (total * s[..., 2] - of_y * s[..., 0]) / np.sqrt(spread)

    return Pair(kinds.rows, kinds.first, adds, score, size=1.0)


@pytest.mark.parametrize(("size", "blocks"), [(11, 10_000), (300, 10_000), (300, 60)])
def test_numbers(size: int, blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All swaps of few numbers, and random ones of more, in blocks too, against plain ones."""
    monkeypatch.setattr(paired, "MAX_UNITS", blocks)
    rng = np.random.default_rng(size)
    truth = rng.normal(size=size)
    first, second = (truth + noise * rng.normal(size=size) for noise in (1.0, 1.2))
    swaps = np.array(list(itertools.product((False, True), repeat=size))) if size < 12 else None
    if swaps is None:
        swaps = np.append(np.zeros((1, size)), rng.random((4000, size)) < 0.5, axis=0) > 0
    apart = [
        abs(np.corrcoef(truth, np.where(swap, first, second))[0, 1]
            - np.corrcoef(truth, np.where(swap, second, first))[0, 1])
        for swap in swaps
    ]  # fmt: skip
    expected = float(np.mean(np.array(apart) >= apart[0] * ALMOST))
    found = permutation_test(correlation_pair(truth, first, second))
    assert found.method == ("exact" if size < 12 else "permutations")
    error = 0 if size < 12 else 5 * math.sqrt(expected / 999) + (0.05 if blocks < size else 0)
    assert found.p_value == pytest.approx(expected, rel=1e-9, abs=error)
    order = rng.permutation(size)
    turned = permutation_test(correlation_pair(truth[order], second[order], first[order]))
    assert turned.p_value == pytest.approx(found.p_value, rel=0.01)


def test_few_rows_of_a_million_decide() -> None:
    """Blocks of rows are swapped together: a few large ones stay alone."""
    rng = np.random.default_rng(4)
    differences = np.append(rng.normal(0.005, 1, 300_000), [900, 700, -800, 1000])
    found = flip_test(differences)
    sums = np.array([900, 700, 800, 1000]) @ rng.choice([-1, 1], (4, 40_000))
    sums = sums + math.sqrt(300_000) * rng.standard_normal(40_000)
    expected = float(np.mean(np.abs(sums) >= abs(differences.sum())))
    assert found.method == "permutations"
    assert found.p_value == pytest.approx(expected, abs=0.05)


def test_rows_that_are_alike_are_in_different_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks find what single rows do, though each pair of predictions shows who made which."""
    rng = np.random.default_rng(3)
    truth, noise = rng.integers(0, 6, 4000), rng.integers(0, 6, (2, 4000))
    first, second = truth + noise[0], truth + noise[1] + 0.5
    data = (truth.astype(float), first.astype(float), second)
    expected = permutation_test(correlation_pair(*data)).p_value
    monkeypatch.setattr(paired, "MAX_UNITS", 50)
    found = permutation_test(correlation_pair(*data)).p_value
    assert found == pytest.approx(expected, abs=0.1)
    turned = permutation_test(correlation_pair(data[0], data[2], data[1])).p_value
    assert turned == pytest.approx(found, rel=0.01)
