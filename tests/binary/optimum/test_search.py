"""Optima without a formula: concavity, scans, searches, and their progress bar."""

from __future__ import annotations

import math
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import baserate as br
import reference
from baserate.baselines import dutch_draw as gain
from baserate.baselines.expectation import expected_scores
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.progress import watched
from exact import as_float, expectations, extremes, pmf_tables
from tools import members


def _g2(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return np.sqrt(tp / (tp + fn) * (tn / (tn + fp)))


def _cost(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return fp + 5 * fn


def _waves(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    """A measure with many local optima, the best one in the middle."""
    share = (tp + fp) / (tp + fp + fn + tn)
    return np.cos(40 * (share - 0.37)) - (share - 0.37) ** 2


def _best(rate: br.BaseRate, measure: str | br.Measure) -> list[int]:
    return members(br.baseline(rate, measure).max.guesses)


def test_g2_is_strictly_concave_up_to_100() -> None:
    """Checked, not proved: every second difference of E[G2] is negative, for every M ≤ 100.

    The smallest is above 10⁻⁷, and an expectation is right to 10⁻¹⁵, so floats are enough.
    """
    flattest = -1.0
    for total in range(2, 101):
        for positives in range(1, total):
            rate = br.BaseRate(positives=positives, total=total)
            curve = expected_scores(rate, TWO_CLASS_MEASURES["G2"], np.arange(total + 1))
            if total > 2:
                flattest = max(flattest, float(np.diff(curve, 2).max()))
    assert flattest < -1e-7


def test_gain_is_the_difference_of_expectations() -> None:
    """G2's gain has the sign of E[P̂ + 1] - E[P̂], and is N̂·√(PN) times it, by enumeration."""
    measure = TWO_CLASS_MEASURES["G2"]
    for total in range(2, 13):
        for positives in range(1, total):
            means = expectations("G2", positives, total, pmf_tables)
            for drawn in range(total):
                tables = pmf_tables(positives, total, drawn)
                gain = sum(
                    float(mass) * measure.draw.gain(*map(float, table))
                    for table, mass in tables.items()
                )
                factor = (total - drawn) * math.sqrt(positives * (total - positives))
                difference = as_float(means[drawn + 1] - means[drawn])
                assert gain == pytest.approx(factor * difference, rel=1e-9, abs=1e-12)


def test_maximum_of_g2_is_the_enumerated_one() -> None:
    """Each test set has one maximiser: strict concavity leaves no ties, even at P = N."""
    for total in (2, 3, 8, 17, 40):
        for positives in range(1, total):
            (_, counts), _ = extremes(expectations("G2", positives, total, pmf_tables))
            assert len(counts) == 1
            assert _best(br.BaseRate(positives=positives, total=total), "G2") == counts


@pytest.mark.parametrize("total", [10**7, 10**9, 10**12, 10**13])
@pytest.mark.parametrize("share", [0.5, 0.31, 0.1, 0.9, 1e-3, 1e-5])
def test_maximum_of_g2_at_any_size(total: int, share: float) -> None:
    """The search finds the exact maximiser, against its neighbours at 60 digits."""
    positives = int(share * total)
    base = br.baseline(br.BaseRate(positives=positives, total=total), "G2")
    assert base.max.exact
    (best,) = (part.start for part in base.max.guesses.counts)
    with mpmath.workdps(60):

        def expectation(drawn: int) -> mpmath.mpf:
            definition = TWO_CLASS_MEASURES["G2"].definition
            return reference.expectation(definition, positives, total, drawn)

        top = expectation(best)
        assert expectation(best - 1) < top > expectation(best + 1)
        assert abs(base.max.value - top) <= 1e-15 * top


def test_maximum_of_g2_is_symmetric() -> None:
    """Swapping the classes mirrors the maximiser; at P = N it is in the middle."""
    for total, positives in ((1001, 300), (10**6, 12345), (10**12, 10**11 + 1)):
        one = _best(br.BaseRate(positives=positives, total=total), "G2")
        other = _best(br.BaseRate(positives=total - positives, total=total), "G2")
        assert one == [total - count for count in other]
    assert _best(br.BaseRate(positives=5 * 10**11, total=10**12), "G2") == [5 * 10**11]


def test_maximum_of_g2_takes_few_expectations(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search takes fewer than ten expectations at M = 10¹², and a hundred for rare classes."""
    calls = []

    def counted(*args: object, **kwargs: object) -> object:
        calls.append(args)
        return original(*args, **kwargs)

    original = gain.means
    monkeypatch.setattr(gain, "means", counted)
    br.baseline(br.BaseRate(positives=1, total=10**12), "G2")
    assert len(calls) < 100
    calls.clear()
    br.baseline(br.BaseRate(positives=10**11, total=10**12), "G2")
    assert 0 < len(calls) < 10


def test_beyond_rounding_the_maximiser_is_not_claimed() -> None:
    """If floats cannot distinguish neighbours, the optimum is not called exact."""
    rate = br.BaseRate(positives=2, total=937876856328949)
    optimum = br.baseline(rate, "G2").max
    assert not optimum.exact
    assert abs(optimum.guesses.counts[0].start - 572210430578188) <= 1
    largest = br.BaseRate(positives=10**14, total=10**15)
    assert not br.baseline(largest, "G2").max.exact
    assert br.baseline(largest, "G2").min.exact
    assert br.baseline(largest, "F1").max.exact


@pytest.mark.parametrize("smooth", [True, False])
def test_scan_looks_at_every_draw(smooth: bool) -> None:  # noqa: FBT001
    """Up to 10⁵ draws, the extremes are those of the whole curve, for any shape."""
    rate = br.BaseRate(positives=700, total=3000)
    for function in (_g2, _cost, _waves):
        measure = br.Measure.custom("mine", function, smooth=smooth)
        curve = expected_scores(rate, measure, np.arange(3001))
        base = br.baseline(rate, measure)
        assert base.max.exact
        assert base.min.exact
        assert base.max.value == curve.max()
        assert base.min.value == curve.min()
        assert curve.argmax() in base.max.guesses.counts[0]


@pytest.mark.parametrize("shape", [None, "concave"])
def test_nothing_is_certain_of_a_function_that_is_said_to_be_smooth(shape: str | None) -> None:
    """The integral of a function declared smooth is never certain; the sum of a bounded one is."""
    rate = br.BaseRate(positives=2100, total=4200)
    smooth = br.Measure.custom("g2", _g2, smooth=True, shape=shape, codomain=(0, 1))
    unbounded = br.Measure.custom("g2", _g2, shape=shape)
    bounded = br.Measure.custom("g2", _g2, shape=shape, codomain=(0, 1))
    values = set()
    for measure in (smooth, unbounded, bounded):
        base = br.baseline(rate, measure)
        assert base.max.exact == base.min.exact == (measure is bounded)
        values.add(round(base.max.value, 14))
    assert len(values) == 1


def test_a_pole_is_noticed() -> None:
    """1 / (TPR + TNR - 1) has a pole inside: its integral is not taken for its expectation."""

    def pole(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
        return 1 / (tp / (tp + fn) + tn / (tn + fp) - 1)

    rate = br.BaseRate(positives=3001, total=10007)
    smooth = br.Measure.custom("pole", pole, smooth=True)
    with pytest.raises(br.exceptions.InvalidMeasureError, match="leave smooth out"):
        br.baseline(rate, smooth)
    summed = br.baseline(rate, br.Measure.custom("pole", pole))
    assert summed.max.value == pytest.approx(510180.6, abs=0.1)
    assert not summed.max.exact  # a spike far from the mean would be missed
    draw = summed.max.guesses.counts[0].start
    # A single draw is summed in full, even if the function is declared smooth.
    law = br.DutchDraw(rate, predicted_positives=draw).score(smooth)
    assert law.mean() == pytest.approx(summed.max.value, rel=1e-12)


def test_search_says_that_it_searched() -> None:
    """Beyond 10⁵ draws the search claims nothing, but finds what the formulas give here."""
    rate = br.BaseRate(positives=10**11, total=10**12)
    for function, key in ((_g2, "G2"), (_waves, None)):
        base = br.baseline(rate, br.Measure.custom("mine", function, smooth=True))
        assert not base.max.exact
        assert not base.min.exact
        if key is not None:
            assert base.max.value == pytest.approx(br.baseline(rate, key).max.value, rel=1e-14)
    assert base.max.value == pytest.approx(1, abs=1e-9)
    assert next(iter(base.max.guesses)) == pytest.approx(0.37, abs=1e-3)


def test_search_finds_single_draws_at_the_ends() -> None:
    """The best of 10¹² draws may be the second or the last but one."""
    rate = br.BaseRate(positives=10**11, total=10**12)
    for wanted in (1, 2, 10**12 - 1):
        spike = br.Measure.custom(
            "spike", lambda tp, fp, fn, tn, at=wanted: -np.abs(tp + fp - at), smooth=True
        )
        assert _best(rate, spike) == [wanted]


def test_known_shapes_are_exact_again() -> None:
    """A concave or convex expectation has one optimum inside and the other at an end."""
    rate = br.BaseRate(positives=10**5, total=10**6)
    concave = br.Measure.custom("g2", _g2, shape="concave", codomain=(0, 1))
    convex = br.Measure.custom(
        "error", lambda *table: 1 - _g2(*table), shape="convex", codomain=(0, 1)
    )
    built_in = br.baseline(rate, "G2")
    base, mirrored = br.baseline(rate, concave), br.baseline(rate, convex)
    for optimum in (base.max, base.min, mirrored.max, mirrored.min):
        assert optimum.exact
    assert base.max.value == pytest.approx(built_in.max.value, rel=1e-15)
    assert mirrored.min.value == pytest.approx(1 - built_in.max.value, rel=1e-15)
    assert base.max.guesses == mirrored.min.guesses == built_in.max.guesses
    assert base.min.guesses == mirrored.max.guesses == built_in.min.guesses


def test_flat_tops_are_not_claimed() -> None:
    """At M = 10¹² many draws tie with the best within rounding, including the true one."""
    rate = br.BaseRate(positives=10**11, total=10**12)
    base = br.baseline(rate, br.Measure.custom("g2", _g2, smooth=True, shape="concave"))
    assert not base.max.exact
    best = br.baseline(rate, "G2").max.guesses.counts[0].start
    assert best in base.max.guesses.counts[0]
    assert base.max.guesses.size < 10**6


def test_wrong_shapes_are_noticed() -> None:
    """A curve that contradicts its declared shape is an error."""
    valley = br.Measure.custom(
        "valley", lambda tp, fp, fn, tn: ((tp + fp) / 1000 - 0.5) ** 2, shape="concave"
    )
    with pytest.raises(br.exceptions.InvalidMeasureError, match="bends the other way"):
        br.baseline(br.BaseRate(positives=300, total=1000), valley)


def test_ties_are_told_on_the_scale_of_the_draws_themselves() -> None:
    """Scores that grow with the draw do not blur the smallest ones."""
    rate = br.BaseRate(positives=30_000, total=10**5)
    power = br.Measure.custom("power", lambda tp, fp, fn, tn: tp**4.0, smooth=True)
    assert members(br.baseline(rate, power).min.guesses) == [0]
    huge = br.BaseRate(positives=3 * 10**11, total=10**12)
    square = br.Measure.custom(
        "square", lambda tp, fp, fn, tn: tp**2.0, smooth=True, shape="convex"
    )
    assert members(br.baseline(huge, square).min.guesses) == [0]


def test_search_claims_only_what_it_has_seen() -> None:
    """Between two tied draws, a search claims nothing about draws it did not compute."""
    comb = br.Measure.custom(
        "comb", lambda tp, fp, fn, tn: np.where(np.rint(tp + fp) % 1000 == 1, 0.0, 1.0), smooth=True
    )
    best = br.baseline(br.BaseRate(positives=3 * 10**5, total=10**6), comb).max
    assert Fraction(1001, 10**6) not in best.guesses
    assert len(str(best.guesses)) < 200


def test_undefined_draws_do_not_mislead_a_search() -> None:
    """Undefined draws are not candidates, even if every score is negative."""

    def bump(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
        drawn = tp + fp
        return np.where(drawn < 3e5, np.nan, -((drawn / 1e6 - 0.5123456) ** 2) - 1.0)

    measure = br.Measure.custom("bump", bump, smooth=True)
    found = br.baseline(br.BaseRate(positives=3 * 10**5, total=10**6), measure).max
    assert any(512346 in part for part in found.guesses.counts)


@pytest.mark.parametrize("total", [1, 2, 3, 17, 18, 500])
def test_known_shapes_agree_with_scans(total: int) -> None:
    """On small test sets, a declared shape gives the same optima as a scan."""
    for positives in {1, total // 2, total - 1} - {0, total}:
        rate = br.BaseRate(positives=positives, total=total)
        for function, shape in ((_g2, "concave"), (_cost, "concave"), (_cost, "convex")):
            scanned = br.baseline(rate, br.Measure.custom("mine", function))
            shaped = br.baseline(rate, br.Measure.custom("mine", function, shape=shape))
            for side in ("max", "min"):
                ours, theirs = getattr(shaped, side), getattr(scanned, side)
                assert ours.value == pytest.approx(theirs.value, rel=1e-14)
                assert ours.guesses == theirs.guesses


def test_constant_expectations_tie_everywhere() -> None:
    """If all draws have the same expectation, all are optimal, for any declared shape."""
    rate = br.BaseRate(positives=30, total=100)
    for shape in (None, "concave", "convex"):
        precision = br.Measure.custom(
            "precision", lambda tp, fp, fn, tn: tp / (tp + fp), smooth=True, shape=shape
        )
        base = br.baseline(rate, precision)
        assert base.max.guesses.counts == (range(1, 101),)
        assert base.min.guesses.counts == (range(1, 101),)


def test_undefined_draws_are_left_out() -> None:
    """1/tp is undefined for every draw that can miss all positives, even with a declared shape."""
    for positives, total in ((6, 10), (500, 1000), (3 * 10**11, 10**12)):
        rate = br.BaseRate(positives=positives, total=total)
        for shape in (None, "convex"):
            inverse = br.Measure.custom(
                "inverse", lambda tp, fp, fn, tn: 1 / tp, smooth=True, shape=shape
            )
            base = br.baseline(rate, inverse)
            assert base.max.value == pytest.approx(
                br.expected_score(rate, inverse, Fraction(total - positives + 1, total)), rel=1e-13
            )
            assert base.min.guesses.counts[-1].stop == total + 1
            assert 1 in base.min.guesses
            assert base.min.guesses.size < 1 + total / 10**6
            assert base.max.guesses.counts[0].start == total - positives + 1


def test_holes_are_not_bridged() -> None:
    """Tied draws on both sides of an undefined one are two runs."""
    hole = br.Measure.custom("hole", lambda tp, fp, fn, tn: 1.0 if tp + fp != 5 else math.nan)
    base = br.baseline(br.BaseRate(positives=3, total=10), hole)
    assert base.max.guesses.counts == (range(5), range(6, 11))


def test_no_bar_without_a_watcher(capsys: pytest.CaptureFixture[str]) -> None:
    """In a script or a pipe, nothing is printed."""
    parts = [range(5), range(5, 9)]
    assert list(watched(parts, 9, "scanning", "draws", len)) == parts
    assert capsys.readouterr() == ("", "")


LONG_SCAN = """
import baserate as br
slow = br.Measure.custom("slow", lambda tp, fp, fn, tn: 1.0 if tp > fn else 0.0)
print("started", flush=True)
br.baseline(br.BaseRate(positives=30_000, total=90_000), slow)
"""


def _in_a_terminal(script: str, interrupt_at: str) -> tuple[str, int]:
    """Run a script in an 80-column terminal; press Ctrl-C when it shows a given text."""
    controller, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        env={**os.environ, "PYTHON_COLORS": "0"},
    )
    os.close(terminal)
    shown, interrupted = "", False
    while True:
        try:
            shown += os.read(controller, 4096).decode()
        except OSError:  # the script has ended
            break
        if not interrupted and re.search(interrupt_at, shown):
            process.send_signal(signal.SIGINT)
            interrupted = True
    os.close(controller)
    return shown, process.wait(timeout=60)


def test_bar_in_a_terminal_and_a_clean_stop() -> None:
    """A long scan shows its progress; Ctrl-C ends it with a KeyboardInterrupt and no debris."""
    bar = r"scanning slow: +[1-9]\d*%.*draws"
    shown, code = _in_a_terminal(LONG_SCAN, interrupt_at=bar)
    assert re.search(bar, shown)
    assert shown.rstrip().endswith("KeyboardInterrupt")
    assert code != 0
    assert not re.search(r"Exception ignored|RuntimeError|tqdm.*Error", shown)


def test_bar_waits_for_a_second() -> None:
    """A quick scan shows no bar, even in a terminal."""
    script = LONG_SCAN.replace("90_000", "200").replace("30_000", "70")
    shown, code = _in_a_terminal(script, interrupt_at="%")
    assert code == 0
    assert shown.split() == ["started"]
