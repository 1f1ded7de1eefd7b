"""Approximate laws: how close a saddlepoint is, and what random tables look like."""

from __future__ import annotations

import math
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from baserate.core.direction import Direction
from baserate.multiclass.law import enumeration, simulation, tilt
from baserate.multiclass.law.card_matching import matches
from baserate.multiclass.law.enumeration import all_tables
from baserate.multiclass.law.linear_form import linear_form
from baserate.multiclass.law.random_counts import hypergeometric
from baserate.multiclass.law.saddlepoint import LinearSum, SaddlepointCount
from baserate.multiclass.law.score_law import law_of
from baserate.multiclass.law.scores_of_sums import ScoresOfSums
from baserate.multiclass.law.scores_of_tables import ScoresOfTables, slack_of
from baserate.multiclass.law.simulation import random_tables
from baserate.multiclass.law.tilt import saddlepoint
from baserate.multiclass.law.tilted_diagonal import DiagonalCells
from baserate.multiclass.law.tilted_table import DenseCells
from baserate.multiclass.measures.catalogue import get_class_measure
from baserate.multiclass.measures.record import ClassMeasure
from exact_tables import Counts, dealt

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE


@pytest.mark.parametrize(
    ("n", "m"),
    [
        ((350, 100, 50), (310, 140, 50)),
        ((60,) * 10, (60,) * 10),
        ((800, 160, 140), (760, 200, 140)),
        ((300, 100, 0, 0), (50, 150, 150, 50)),
    ],
)
def test_the_saddlepoint_of_the_right_answers(n: Counts, m: Counts) -> None:
    """It is within a thousandth of the exact tails from 0.9 down to 1e-6, of 400 to 1,100."""
    law, exact = SaddlepointCount(n, m), matches(n, m)
    assert (law.exact, law.error) == (False, 1e-3)
    for place in range(exact.masses.size):
        count = place + exact.first
        for tail, known in (
            (law.at_least, exact.at_least[place]),
            (law.at_most, exact.at_most[place]),
        ):
            if 1e-6 < known < 0.9:
                assert tail(count) == pytest.approx(known, rel=1e-3)
    for level in (1e-5, 0.025, 0.3, 0.5, 0.975, 1 - 1e-5):
        known = exact.first + int((exact.at_most >= level).argmax())
        assert abs(law.ppf(level) - known) <= 1


def test_ends_of_the_right_answers() -> None:
    """Beyond the fewest and the most right answers, tails are 0 and 1."""
    law = SaddlepointCount((70, 20, 10), (62, 28, 10))
    assert (law.at_least(32), law.at_least(93), law.at_most(92), law.at_most(31)) == (1, 0, 1, 0)
    assert law.ppf(1.0) == 92
    assert law.ppf(0.0) == 32


@pytest.mark.parametrize("size", [10**9, 10**12])
def test_many_observations_are_nearly_normal(size: int) -> None:
    """With 10⁹ observations per class the tails are those of the normal law, to 1e-3."""
    law = SaddlepointCount((size,) * 7, (size,) * 7)
    total = law._sum
    for z in (-4, -2, -0.01, 0, 0.01, 1, 4):
        normal = math.erfc(z / math.sqrt(2)) / 2
        assert law.at_least(round(total.mean + z * total.sd)) == pytest.approx(normal, rel=1e-3)


def test_weights_on_the_diagonal_take_either_way() -> None:
    """Rank one plus a diagonal, and all cells, have the same saddlepoint."""
    n, m = np.array([40.0, 30.0, 20.0, 10.0]), np.array([25.0, 25.0, 25.0, 25.0])
    weights = np.array([1.0, 2.0, 0.5, 3.0])
    for target in (20.0, 36.0, 60.0, 90.0):
        quick = saddlepoint(DiagonalCells(n, m, weights), target)
        full = saddlepoint(DenseCells(n, m, np.diag(weights)), target)
        assert quick == pytest.approx(full, rel=1e-8)


@pytest.mark.parametrize(
    ("key", "error"),
    [("macro F1", 0.05), ("balanced accuracy", 0.03), ("linear kappa", 5e-3),
     ("quadratic kappa", 5e-3)],
)  # fmt: skip
def test_the_saddlepoint_of_weighted_sums(
    key: str, error: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is within 5% of all tables, of 200 observations, down to 1e-4."""
    monkeypatch.setattr(enumeration, "_MOST_TABLES", 10**6)
    n, m = (140, 40, 20), (124, 56, 20)
    measure = get_class_measure(key)
    tables, chances = all_tables(n, m)
    scores = measure.scores(tables.astype(float))
    exact = ScoresOfTables(scores, chances, slack_of(scores, 1), rises=True)
    weights, added = linear_form(measure, n, m)
    if "kappa" in key:
        law = LinearSum.of_cells(n, m, weights)
    else:
        law = LinearSum.of_diagonal(n, m, np.diag(weights))
    for level in (0.5, 0.1, 0.01, 1e-3, 1e-4):
        score = exact.quantile(1 - level)
        assert law.at_least(score - added) == pytest.approx(exact.tail(score, UP), rel=error)
        assert law.quantile(1 - level) + added == pytest.approx(
            score, abs=0.1 * law.sd + 1.01 * law.span
        )
    score = exact.quantile(0.05)
    assert law.at_most(score - added) == pytest.approx(exact.tail(score, DOWN), rel=error)


def test_a_lattice_is_seen() -> None:
    """Sums of weighted kappas change in steps of two units, and scores between are rounded."""
    measure = get_class_measure("linear kappa")
    n, m = (400, 300, 200, 100), (250, 250, 250, 250)
    weights, _ = linear_form(measure, n, m)
    law = LinearSum.of_cells(n, m, weights)
    unit = abs(weights[0, 1])
    assert law.span == pytest.approx(2 * unit)
    on = law.origin - 300 * unit
    assert law.at_least(on - 0.5 * unit) == law.at_least(on)
    assert law.at_most(on + 0.5 * unit) == law.at_most(on)
    assert law.at_least(on) + law.at_most(on - 2 * unit) == pytest.approx(1, abs=1e-3)


def test_lumpy_laws_are_simulated() -> None:
    """Where one observation moves a score by most of a standard deviation, tables are drawn."""
    balanced = get_class_measure("balanced accuracy")
    lumpy = law_of(balanced, (8000, 1995, 5), (7000, 2900, 100))
    smooth = law_of(balanced, (7000, 2000, 1000), (6000, 2500, 1500))
    assert (lumpy.method, smooth.method) == ("simulation", "saddlepoint")
    assert lumpy.error == pytest.approx(math.sqrt(19 / 39_999))
    assert smooth.error == 0.05
    assert smooth._scores.variance() == pytest.approx(smooth.variance())


def test_a_rare_class_does_not_fill_a_lattice() -> None:
    """Between two common classes a kappa jumps, and one card of a third smooths nothing."""
    kappa = get_class_measure("quadratic kappa")
    rare = law_of(kappa, (400, 1000, 1550), (1230, 1, 1719))
    common = law_of(kappa, (400, 1000, 1550), (1130, 101, 1719))
    assert (rare.method, common.method) == ("simulation", "saddlepoint")


def test_a_simulated_p_value_is_never_zero() -> None:
    """The observed table counts as one of those that are drawn, and two runs are the same."""
    measure = get_class_measure("macro Jaccard")
    law = law_of(measure, (700, 200, 100), (620, 280, 100))
    assert law.tail(1.0, UP) == 1 / 40_000
    assert law.tail(0.0, DOWN) == 1 / 40_000
    scores = [
        simulation.scores_of_random_diagonals(
            lambda right: right.sum(axis=1), (70, 20, 10), (62, 28, 10)
        )
        for _ in range(2)
    ]
    assert np.array_equal(*scores)


def test_a_simulation_agrees_with_exact_moments() -> None:
    """Mean and p-value of random tables are those of the exact law, within four errors."""
    n, m = (700, 200, 100), (620, 280, 100)
    tables = random_tables(n, m, 20_000, np.random.default_rng(5))
    assert (tables.sum(axis=2) == n).all()
    assert (tables.sum(axis=1) == m).all()
    law = law_of(get_class_measure("accuracy"), n, m)
    drawn = get_class_measure("accuracy").scores(tables.astype(float))
    assert drawn.mean() == pytest.approx(law.mean(), abs=4 * math.sqrt(law.variance() / 20_000))
    assert drawn.var() == pytest.approx(law.variance(), rel=0.04)
    assert (drawn >= 0.52).mean() == pytest.approx(law.tail(0.52, UP), abs=0.006)


@pytest.mark.parametrize("deal", [simulation._drawn, simulation._dealt])
@pytest.mark.parametrize(
    ("n", "m"), [((3, 2, 1, 1), (2, 2, 0, 3)), ((0, 4, 2), (1, 5, 0)), ((2, 2, 1), (1, 1, 3))]
)
def test_random_diagonals_are_as_likely_as_tables_make_them(
    deal: object, n: Counts, m: Counts
) -> None:
    """Both ways to draw right answers pass a chi-square test against the oracle."""
    size = 50_000
    exact: Counter = Counter()
    for table, chance in dealt(n, m).items():
        exact[tuple(row[k] for k, row in enumerate(table))] += float(chance)
    drawn = deal(n, m, size, np.random.default_rng(3))
    seen = Counter(map(tuple, drawn.tolist()))
    assert set(seen) <= set(exact)
    chi_square = sum((seen[d] - size * p) ** 2 / (size * p) for d, p in exact.items())
    assert chi_square < len(exact) + 4 * math.sqrt(2 * len(exact))


@pytest.mark.parametrize(
    ("good", "bad", "drawn"),
    [
        (3 * 10**9, 7 * 10**9, 10**9),
        (5, 10**10, 3 * 10**9),
        (10**10, 40, 3 * 10**9),
        (4 * 10**9, 6 * 10**9, 30),
        (4 * 10**9, 6 * 10**9, 10**10 - 30),
    ],
)
def test_random_numbers_beyond_numpy_s(good: int, bad: int, drawn: int) -> None:
    """Mean and variance of hypergeometric numbers are right where numpy has no generator."""
    size = 20_000
    columns = (np.full(size, count) for count in (good, bad, drawn))
    found = hypergeometric(*columns, np.random.default_rng(1)).astype(float)
    share = good / (good + bad)
    left = (good + bad - drawn) / (good + bad - 1)
    mean, variance = drawn * share, drawn * share * (1 - share) * left
    assert found.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / size))
    assert found.var() == pytest.approx(variance, rel=0.06)
    assert found.min() >= max(0, drawn - bad)
    assert found.max() <= min(good, drawn)


def test_too_many_tables_are_not_listed() -> None:
    """A list of tables stops before it is too long."""
    assert all_tables((700, 200, 100), (620, 280, 100)) is None
    tables, chances = all_tables((10**15, 2, 0), (10**15 - 3, 5, 0))
    assert len(tables) == 3
    assert chances.sum() == pytest.approx(1)
    # P(C_22 = 1) ≈ 2 · 5 / 10¹⁵, from factorials of 10¹⁵.
    assert chances[tables[:, 1, 1] == 1][0] == pytest.approx(1e-14, rel=1e-9)


def test_tables_of_millions_are_filled_cell_by_cell() -> None:
    """Random tables of two million observations have their margins, and the right mean."""
    n, m = (10**6, 6 * 10**5, 4 * 10**5), (8 * 10**5, 8 * 10**5, 4 * 10**5)
    tables = random_tables(n, m, 2000, np.random.default_rng(2))
    assert (tables.sum(axis=2) == n).all()
    assert (tables.sum(axis=1) == m).all()
    law = law_of(get_class_measure("accuracy"), n, m)
    drawn = get_class_measure("accuracy").scores(tables.astype(float))
    assert drawn.mean() == pytest.approx(law.mean(), abs=4 * math.sqrt(law.variance() / 2000))
    assert drawn.var() == pytest.approx(law.variance(), rel=0.15)


def test_a_function_of_your_own_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mean, variance and p-value of a user's function are those of its random tables."""
    monkeypatch.setattr(simulation, "_TABLES", 1999)
    n, m = (700, 200, 100), (620, 280, 100)
    measure = ClassMeasure.custom("right", lambda table: float(np.trace(table)))
    law, exact = law_of(measure, n, m), law_of(get_class_measure("accuracy"), n, m)
    assert (law.method, law.exact) == ("simulation", False)
    assert law.mean() == pytest.approx(1000 * exact.mean(), abs=1.5)
    assert law.variance() == pytest.approx(1e6 * exact.variance(), rel=0.15)
    assert law.tail(510, UP) == pytest.approx(exact.tail(0.51, UP), abs=0.04)
    assert law.tail(2000, UP) == 1 / 2000


def test_many_rare_classes_are_dealt_card_by_card() -> None:
    """The macro Jaccard index of 60 rare classes is simulated, with its exact mean."""
    n, m = (5,) * 60, (4,) * 30 + (6,) * 30
    law = law_of(get_class_measure("macro Jaccard"), n, m)
    low, high = law.quantiles((0.025, 0.975))
    assert law.method == "simulation"
    assert low < law.mean() < high
    assert law.tail(law.mean(), UP) == pytest.approx(0.5, abs=0.1)


def test_sums_at_and_beyond_their_ends() -> None:
    """A sum beyond its ends has no tail; of weights on all cells, a saddlepoint says as much."""
    n, m = (700, 200, 100), (620, 280, 100)
    law = LinearSum.of_diagonal(n, m, np.array([1.0, 2.0, 3.3]))
    low, high = law.ends
    assert (law.at_least(low), law.at_least(high + 1)) == (1, 0)
    assert (law.at_most(high), law.at_most(low - 1)) == (1, 0)
    assert 0 < law.at_least(high) < 1e-100
    apart = np.abs(np.subtract.outer(range(3), range(3))) ** 2.0
    cells = LinearSum.of_cells(n, m, apart)
    assert cells.at_least(10_000) == 0
    assert cells.at_most(-100) == 0
    assert cells.at_most(10_000) == 1


def test_the_middle_of_a_law_is_interpolated() -> None:
    """Near the mean, where the formula is 0/0, tails go on falling smoothly."""
    weights = np.array([1.0, math.sqrt(5), math.pi])
    law = LinearSum.of_diagonal((700, 200, 100), (620, 280, 100), weights)
    tails = [law.at_least(law.mean + z * law.sd) for z in np.linspace(-0.2, 0.2, 41)]
    steps = -np.diff(tails)
    assert law.span == 0
    assert steps == pytest.approx(steps.mean(), rel=0.04)


def test_a_sum_just_beyond_its_end() -> None:
    """The search for a saddlepoint ends where there is none, and the tail is smaller still."""
    n, m = (30, 20, 10), (20, 20, 20)
    apart = np.abs(np.subtract.outer(range(3), range(3))) ** 2.0
    law = LinearSum.of_cells(n, m, apart)
    most = float((all_tables(n, m)[0] * apart).sum(axis=(1, 2)).max())
    assert law.at_least(most + 2) < law.at_least(most) < law.at_least(most - 2)


def test_a_search_that_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two Newton steps from no tilt are not enough for a far sum, and the search takes no more."""
    cells = DiagonalCells(np.array([70.0, 20, 10]), np.array([62.0, 28, 10]), np.ones(3))
    enough = saddlepoint(cells, 80.0)
    monkeypatch.setattr(tilt, "_STEPS", 2)
    assert saddlepoint(cells, 80.0).slope != pytest.approx(enough.slope, rel=0.01)


@pytest.mark.parametrize(
    ("n", "m", "weights", "target"),
    [
        ((37.0, 15.0, 8.0), (20.0, 35.0, 5.0), (5.59, 2.05, 70.28), 247.0),
        ((30.0, 4.0, 26.0), (28.0, 24.0, 8.0), (0.57, 0.15, 51.15), 425.0),
    ],
)
def test_steps_that_are_too_long_are_halved(
    n: tuple[float, ...], m: tuple[float, ...], weights: tuple[float, ...], target: float
) -> None:
    """Very unequal weights have a saddlepoint, also at the end of their sum."""
    cells = DiagonalCells(*map(np.array, (n, m, weights)))
    found = saddlepoint(cells, target)
    before, after = (saddlepoint(cells, target + off) for off in (-0.01, 0.01))
    # The divergence r²/2 rises with the sum at the rate of the tilt.
    rate = (after.root**2 - before.root**2) / 2 / 0.02
    assert rate == pytest.approx(found.slope, rel=2e-2)


def test_luck_of_a_loss_is_mirrored() -> None:
    """Levels go from bad to good: of a loss, the upper score is the bad one."""
    uniform: Any = SimpleNamespace(quantile=lambda level: level)
    levels = (0.1, 0.7)
    assert ScoresOfSums(uniform, 0.0, rises=True).luck(levels) == levels
    assert ScoresOfSums(uniform, 1.0, rises=False).luck(levels) == pytest.approx((1.3, 1.9))
