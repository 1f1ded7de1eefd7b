"""Average precision: its score, its baseline and its law, against every way to deal a deck."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import exact_scores
from baserate.binary.base_rate import BaseRate
from baserate.core.direction import Direction
from baserate.ranking.deck import ScoreDeck
from baserate.ranking.law.average_precision.atoms import Atoms
from baserate.ranking.law.average_precision.bracket import Bracket
from baserate.ranking.law.average_precision.inversion import Inversion
from baserate.ranking.law.average_precision.law import PrecisionLaw
from baserate.ranking.law.average_precision.moments import harmonic
from baserate.ranking.law.average_precision.segments import Segments
from baserate.ranking.measures.average_precision import AP, average_precision
from baserate.ranking.optimum import ANY, EQUAL, RANDOM
from baserate.ranking.scores import Scores

if TYPE_CHECKING:
    from fractions import Fraction

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
RNG = np.random.default_rng(23)


def _law(sizes: Any, positives: int) -> PrecisionLaw:
    sizes = np.array(sizes)
    deck = ScoreDeck(np.arange(sizes.size, 0.0, -1.0), sizes)
    return PrecisionLaw(BaseRate(positives=positives, total=int(sizes.sum())), deck)


def _enumerated(sizes: tuple[int, ...], positives: int) -> dict[Fraction, Fraction]:
    return exact_scores.law(
        exact_scores.average_precision, exact_scores.scores_of(sizes), positives
    )


def _check_law(sizes: tuple[int, ...], positives: int) -> None:
    """Everything that the law says is what enumeration says."""
    law, true = _law(sizes, positives), _enumerated(sizes, positives)
    assert law.exact
    assert law.mean() == pytest.approx(float(exact_scores.mean(true)), rel=1e-13)
    assert law.variance() == pytest.approx(float(exact_scores.variance(true)), abs=1e-15)
    for score in true:
        at_least = float(exact_scores.at_least(true, score))
        at_most = float(exact_scores.at_most(true, score))
        assert law.bracket(float(score), UP) == pytest.approx((at_least, at_least), rel=1e-12)
        assert law.bracket(float(score), DOWN) == pytest.approx((at_most, at_most), rel=1e-12)
    for level in (0.025, 0.3, 0.5, 0.975):
        least = min(value for value in true if exact_scores.at_most(true, value) >= level)
        assert law.quantile(level) == pytest.approx(float(least), rel=1e-12)


@pytest.mark.parametrize("total", range(1, 7))
def test_law_of_all_small_decks(total: int) -> None:
    """Mean, variance, both tails and quantiles of every deck, and every number of positives."""
    for sizes in exact_scores.compositions(total):
        for positives in range(1, total + 1):
            _check_law(sizes, positives)


@pytest.mark.exhaustive
@pytest.mark.parametrize("total", range(7, 10))
def test_law_of_all_decks_to_nine(total: int) -> None:
    """The same for more observations."""
    for sizes in exact_scores.compositions(total):
        for positives in range(1, total + 1):
            _check_law(sizes, positives)


def test_law_of_some_decks_of_nine() -> None:
    """A sample of the same."""
    decks = list(exact_scores.compositions(9))
    for place in RNG.choice(len(decks), 12, replace=False):
        _check_law(decks[place], int(RNG.integers(1, 10)))


@pytest.mark.parametrize("total", range(1, 8))
def test_baseline_is_the_best_of_all_decks(total: int) -> None:
    """A random ranking expects most and one score for all least, of all decks."""
    for positives in range(1, total + 1):
        means = {
            sizes: float(exact_scores.mean(_enumerated(sizes, positives)))
            if total < 6
            else _law(sizes, positives).mean()
            for sizes in exact_scores.compositions(total)
        }
        base = AP.yardstick(BaseRate(positives=positives, total=total)).base
        assert base.best.value == pytest.approx(max(means.values()), rel=1e-13)
        assert base.worst.value == pytest.approx(min(means.values()), rel=1e-13)
        assert means[(1,) * total] == pytest.approx(base.best.value, rel=1e-13)
        assert means[(total,)] == pytest.approx(base.worst.value, rel=1e-13)
        words = (ANY, ANY) if positives == total else (RANDOM, EQUAL)
        assert (base.best.decks, base.worst.decks) == words


def test_baselines_of_the_page() -> None:
    """The numbers of the theory: the prevalence is what the worst deck expects."""
    expected = {(2, 20): 0.2230, (10, 100): 0.138, (100, 10**4): 0.0109}
    for (positives, total), value in expected.items():
        base = AP.yardstick(BaseRate(positives=positives, total=total)).base
        assert base.best.value == pytest.approx(value, abs=5e-4)
        assert base.worst.value == positives / total


def test_only_positives_are_uninformative() -> None:
    """Without negatives every score is perfect; without positives there is none."""
    yardstick = AP.yardstick(BaseRate(positives=5, total=5))
    assert not yardstick.scale.informative
    assert AP.missing(BaseRate(positives=0, total=5)) == "there are no positives"
    law = _law([1, 2, 2], 5)
    assert (law.mean(), law.variance(), law.tail(1.0, UP), law.quantile(0.5)) == (1, 0, 1, 1)


def test_harmonic_numbers() -> None:
    """Harmonic numbers are right to the last digits, of any size."""
    for number in (1, 2, 10, 39, 40, 41, 1000, 10**6, 10**9, 10**15):
        assert harmonic(number) == pytest.approx(float(mpmath.harmonic(number)), rel=4e-16)


@pytest.mark.parametrize("seed", range(40))
def test_score_is_scikit_learns(seed: int) -> None:
    """Scores agree, with ties and with weights."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 200))
    truth = rng.random(size) < rng.uniform(0.05, 0.95)
    truth[0] = True
    scores = rng.integers(0, int(rng.integers(1, 60)) + 1, size) / 7
    expected = average_precision_score(truth, scores)
    assert AP.score(Scores.of(truth, scores)) == pytest.approx(expected, rel=1e-13)

    weights = rng.integers(0, 3, size) + rng.random(size) * (rng.random(size) < 0.7)
    weights[0] = 1.0
    values = np.unique(scores)[::-1]
    of_class = [
        np.array([weights[(scores == value) & (truth == kind)].sum() for value in values])
        for kind in (True, False)
    ]
    weighted = average_precision(Scores(values, *of_class))
    expected = average_precision_score(truth, scores, sample_weight=weights)
    assert weighted == pytest.approx(expected, rel=1e-12)


def test_score_of_several_chunks() -> None:
    """A long ranking is summed piece by piece."""
    truth, scores = RNG.random(100_000) < 0.1, RNG.random(100_000)
    expected = average_precision_score(truth, scores)
    assert AP.score(Scores.of(truth, scores)) == pytest.approx(expected, rel=1e-12)


def test_perfect_and_worst_order() -> None:
    """All positives first are 1, whatever the ties below them."""
    assert AP.score(Scores.of([1, 1, 0, 0, 0], [9, 8, 3, 3, 1])) == 1.0
    assert AP.score(Scores.of([0, 0, 0, 1], [9, 8, 3, 1])) == 0.25


@pytest.mark.parametrize(("ratio", "seed"), list(product((0.0, 0.3), range(30))))
def test_bounds_hold(ratio: float, seed: int) -> None:
    """The true tails are between the bounds, with positives or negatives the rarer class."""
    rng = np.random.default_rng(seed)
    total = int(rng.integers(3, 15))
    cuts = np.sort(rng.choice(np.arange(1, total), int(rng.integers(0, total)), replace=False))
    blocks = np.diff([0, *cuts, total])
    positives = int(rng.integers(1, total))
    law = _law(blocks, positives)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("baserate.ranking.law.average_precision.bracket._RATIOS", (ratio,))
        patch.setattr("baserate.ranking.law.average_precision.bracket._MOST_CELLS", 600)
        bracket = Bracket.of(blocks, positives)
    atoms: Any = law._sum
    for value in atoms.values:
        for side in ("at_least", "at_most"):
            low, high = getattr(bracket, side)(value)
            assert low - 1e-12 <= getattr(atoms, side)(value) <= high + 1e-12
    for level in (0.1, 0.6):
        quantile = bracket.quantile(level)
        true = atoms.quantile(level)
        outwards = quantile - true if level > 0.5 else true - quantile
        assert outwards >= -1e-9


@pytest.mark.parametrize("name", ["_MANY_BLOCKS", "_MOVES"])
def test_bounds_of_many_blocks_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that are too many are put together, and the true tails stay between the bounds."""
    module = "baserate.ranking.law.average_precision.bracket."
    monkeypatch.setattr(module + name, 0)
    monkeypatch.setattr(module + "_RATIOS", (0.0, 0.3))
    monkeypatch.setattr(module + "_MOST_CELLS", 600)
    blocks, positives = np.array([1, 1, 2, 1, 1, 1, 3, 1, 2, 1]), 5
    bracket, exact = Bracket.of(blocks, positives), _law(blocks, positives)._sum
    assert isinstance(exact, Atoms)
    assert bracket.gains.segments.ends.size < blocks.size
    for value in exact.values.tolist():
        for side in ("at_least", "at_most"):
            low, high = getattr(bracket, side)(value)
            assert low - 1e-12 <= getattr(exact, side)(value) <= high + 1e-12


def test_bounds_at_the_ends() -> None:
    """No sum is 0, and a level that no sum reaches is answered outwards."""
    bracket = Bracket.of(np.ones(30, int), 5)
    lowest = sum(place / (25 + place) for place in range(1, 6))
    assert 0 <= bracket.quantile(1e-12) <= lowest
    assert bracket.quantile(1e-5) == pytest.approx(lowest, rel=0.01)
    assert bracket.at_least(0.0) == (1.0, pytest.approx(1.0))
    assert bracket.at_most(0.0) == (0.0, 0.0)


def test_gallery() -> None:
    """An AP of 0.25 on 10 positives among 100 has p = 0.0455, between narrow bounds."""
    law = _law(np.ones(100, int), 10)
    low, high = law.bracket(0.25, UP)
    assert 0.0448 < low < high < 0.0463
    assert high / low - 1 < 3e-3
    assert law.tail(0.25, UP) == high
    assert law.tails(0.25, UP).least == low
    assert not law.exact
    assert law.method == "bounds"


@pytest.mark.parametrize(("total", "positives"), [(40, 12), (40, 28), (200, 11)])
@pytest.mark.parametrize(
    "levels",
    [(1e-4, 0.9), pytest.param((1e-6, 0.01, 0.1, 0.5), marks=pytest.mark.exhaustive)],
    ids=str,
)
def test_bounds_and_inversion_agree(total: int, positives: int, levels: tuple[float, ...]) -> None:
    """The inverted transform is between the bounds, at all levels."""
    sizes = np.ones(total, int)
    bracket, inversion = Bracket.of(sizes, positives), Inversion.of(sizes, positives)
    for level in levels:
        score = inversion.quantile(level)
        for side in ("at_least", "at_most"):
            low, high = getattr(bracket, side)(score)
            # Among lumps of probability, one beside the score may be counted: never too little.
            assert low * 0.998 <= getattr(inversion, side)(score) <= high * 1.005


@pytest.mark.parametrize(
    "sizes",
    [
        [30, 20, 50],
        [10] * 8,
        [1] * 30 + [25] + [1] * 20,
        [3, 1, 2] * 12,
        [39, 2] * 40,
        [1] * 30 + [20_000, 30_000, 5],
    ],
    ids=lambda sizes: f"{len(sizes)} blocks from {sizes[0]} to {sizes[-1]}",
)
def test_inversion_of_ties(sizes: list[int]) -> None:
    """Decks with ties, against a count in whole numbers."""
    sizes_, positives = np.array(sizes), int(sum(sizes) * 0.4)
    inversion = Inversion.of(sizes_, positives)
    values = _dealt(sizes_, positives, 40_000)
    for level in (0.01, 0.1, 0.5, 0.9, 0.99):
        score = float(np.quantile(values, level))
        share = float((values >= score - 1e-9).mean())
        own = float((np.abs(values - score) < 1e-9).mean())
        noise = 5 * math.sqrt(share * (1 - share) / values.size) + own
        assert inversion.at_least(score) == pytest.approx(share, abs=noise + 1e-4)


@pytest.mark.parametrize(
    ("sizes", "positives"), [([1, 1, 16_222], 2557), ([1] * 40 + [200_000], 80_001)]
)
def test_transform_of_a_short_top_and_one_large_block(sizes: list[int], positives: int) -> None:
    """All of the few counts above a large block are followed: mean and variance are exact."""
    law, inversion = _law(sizes, positives), Inversion.of(np.array(sizes), positives)
    mean, deviation = positives * law.mean(), positives * math.sqrt(law.variance())
    step = 0.01 / deviation
    below, at, above = inversion.transform.log_values(np.array([-step, 0.0, step])).tolist()
    slope = (above - below) / (2 * step)
    assert inversion.transform.centre + slope == pytest.approx(mean, abs=1e-3 * deviation)
    assert (above + below - 2 * at) / step**2 == pytest.approx(deviation**2, rel=1e-3)


def test_a_few_huge_blocks() -> None:
    """They have too many outcomes to go through, and a sum that is nearly normal."""
    law = _law([10**8] * 3, 10**8)
    assert (law.method, law.exact, law.error) == ("inversion", False, 0.025)
    deviation = math.sqrt(law.variance())
    for z in (-2.5, 0.0, 1.0, 3.0):
        tail = law.tail(law.mean() + z * deviation, UP)
        assert tail == pytest.approx(0.5 * math.erfc(z / math.sqrt(2)), rel=law.error)
    enumerated, bounded = _law([3, 1, 2], 3), _law(np.ones(100, int), 10)
    assert (enumerated.method, enumerated.error) == ("enumeration", 0)
    assert (bounded.method, bounded.error) == ("bounds", 0)


def test_a_billion_observations_have_few_segments() -> None:
    """Each is as large as may be, and together they have the shares of all blocks."""
    sizes = np.full(1000, 10**6)
    found = Segments.few(sizes)
    assert found.ends[-1] == 10**9
    assert found.sizes.size < 150
    assert (found.sizes[1:-1] <= 0.05 * found.ends[:-2] + 2 * 10**6).all()
    assert found.shares.sum() == pytest.approx(harmonic(1000))


def _dealt(sizes: Any, positives: int, deals: int) -> Any:
    """Return the number of positives times average precision of random deals."""
    upto = np.cumsum(sizes)
    counts = RNG.multivariate_hypergeometric(sizes, positives, deals)
    return (counts * np.cumsum(counts, axis=1) / upto).sum(axis=1)


def test_one_positive_and_one_negative() -> None:
    """Laws of a single case are known for any number of observations."""
    sizes = np.ones(100_000, int)
    law = _law(sizes, 1)
    assert law.exact
    assert law.tail(0.01, UP) == pytest.approx(100 / 100_000)
    assert law.mean() == pytest.approx(harmonic(100_000) / 100_000)
    law = _law(sizes, 99_999)
    mean = float(law._sum.values @ law._sum.chances) / 99_999  # type: ignore[union-attr]
    assert law.mean() == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize(
    ("total", "positives"),
    [(10**5, 20), (10**5, 100), (10**7, 30), (10**7, 1000), (10**5, 50_000), (10**7, 5 * 10**6)],
)
def test_large_laws_have_their_mean(total: int, positives: int) -> None:
    """The quantiles of large laws agree with their exact mean and variance."""
    sizes = np.ones(total, int) if total < 10**6 else np.array([1] * 10**5 + [total // 100] * 99
                                                             + [total // 100 - 10**5])  # fmt: skip
    sizes = sizes[sizes > 0]
    law = _law(sizes, positives)
    assert not law.exact
    low, middle, high = (law.quantile(level) for level in (0.05, 0.5, 0.95))
    assert 0 < low < middle < high <= 1
    assert abs(middle - law.mean()) < math.sqrt(law.variance())
    assert law.tail(middle, UP) == pytest.approx(0.5, abs=0.01)
    assert law.tail(high, UP) == pytest.approx(0.05, rel=0.05)
    assert law.tail(low, DOWN) == pytest.approx(0.05, rel=0.05)
    assert law.tail(0.0, UP) == pytest.approx(1)
    assert law.tail(0.0, DOWN) == pytest.approx(0, abs=1e-9)
    if positives >= 50_000:
        # All positives first are one way of so many that the chance is below any number.
        assert 0 < law.tail(1.0, UP) < 1e-290
        assert law.tail(1.0, DOWN) == 1
