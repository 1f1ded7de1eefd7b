"""What guessing scores on a multiple-choice test."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

import baserate as br
from baserate.exceptions import MisplacedArgumentError


def enumerated(options: list[int]) -> list[Fraction]:
    """Return the chance of each number of right answers, over all ways to answer."""
    found = [Fraction(0)] * (len(options) + 1)
    for answers in product(*(range(each) for each in options)):
        weight = Fraction(1)
        for each in options:
            weight /= each
        found[sum(answer == 0 for answer in answers)] += weight
    return found


DESIGNS = [[4], [2, 2, 2], [4, 4, 3, 2], [1, 3, 5], [5, 2, 1, 1, 4, 3], [6, 6, 6, 6], [1, 1]]


@pytest.mark.parametrize("options", DESIGNS)
@pytest.mark.parametrize("tries", [1, 2, 7])
def test_every_number_against_enumeration(options: list[int], tries: int) -> None:
    """Mean, spread, tails and quantiles of the best guesser are those of all ways to answer."""
    masses, total = enumerated(options), len(options)
    below = [sum(masses[: right + 1], Fraction(0)) ** tries for right in range(total + 1)]
    best = [here - before for here, before in zip(below, [Fraction(0), *below], strict=False)]
    law = br.chance(options, tries=tries)
    assert law.exact
    mean = sum(Fraction(right, total) * mass for right, mass in enumerate(best))
    square = sum(Fraction(right, total) ** 2 * mass for right, mass in enumerate(best))
    assert law.mean() == pytest.approx(float(mean), rel=1e-13)
    assert law.std() ** 2 == pytest.approx(float(square - mean**2), abs=1e-14)
    for right in range(total + 1):
        score = right / total
        at_least = 1 - (below[right - 1] if right else 0)
        assert law.cdf(score) == pytest.approx(float(below[right]), rel=1e-12, abs=1e-300)
        assert law.sf(score) == pytest.approx(float(1 - below[right]), rel=1e-12, abs=1e-15)
        assert law.p_value(score) == pytest.approx(float(at_least), rel=1e-12)
        assert law.pmf(score) == pytest.approx(float(best[right]), rel=1e-11, abs=1e-15)
        if best[right]:
            assert law.ppf(float(below[right]) * (1 - 1e-9)) == score


@pytest.mark.parametrize("right", [0, 1, 10, 49, 50, 60, 100, 197, 198])
def test_tails_keep_their_digits(right: int) -> None:
    """The tails of one guesser are binomial to 12 digits, however small."""
    law = br.chance(4, 198)
    assert law.p_value(right / 198) == pytest.approx(binom.sf(right - 1, 198, 0.25), rel=1e-12)
    assert law.cdf(right / 198) == pytest.approx(binom.cdf(right, 198, 0.25), rel=1e-12)


def test_questions_that_are_alike() -> None:
    """How many options and how many questions, by name or in this order."""
    for found in (br.chance(options=4, questions=198), br.chance(4, 198), br.chance([4] * 198)):
        assert str(found) == str(br.chance({4: 198}))
    with pytest.raises(MisplacedArgumentError, match="4, 198"):
        br.chance([4], 198)


def test_a_score_between_two_counts() -> None:
    """A rounded score counts as reached by the next number of right answers."""
    law = br.chance({4: 198})
    assert law.p_value(0.31) == law.p_value(62 / 198)
    assert law.pmf(0.31) == 0
    assert law.cdf(0.31) == law.cdf(61 / 198)
    assert (law.p_value(0), law.sf(1), law.cdf(1)) == (1, 0, 1)


def test_always_the_same_answer() -> None:
    """The commonest letter is a baseline of its own, above guessing."""
    law = br.chance([4] * 10, answers=list("ABACADABBA"))
    assert law.commonest == ("A", 0.5)
    assert law.baseline == 0.5
    assert br.chance([4] * 10).baseline == 0.25
    assert "Always answering 'A' scores 0.500." in str(law)
    assert br.chance([2] * 2, answers=np.array(["B", "B"])).commonest == ("B", 1.0)


def test_large_tests_are_quick_and_right() -> None:
    """A million questions of several kinds: the mean is exact and the spread is the sum's."""
    law = br.chance({2: 250_000, 4: 500_000, 5: 250_000})
    assert law.mean() == pytest.approx((125_000 + 125_000 + 50_000) / 10**6, rel=1e-12)
    spread = 250_000 / 4 + 500_000 * 3 / 16 + 250_000 * 4 / 25
    assert law.std() == pytest.approx(np.sqrt(spread) / 10**6, rel=1e-9)
