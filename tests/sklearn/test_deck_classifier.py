"""The estimator that deals the best deck, in scikit-learn's own checks and tools."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import baserate as br
from baserate.baselines.class_mix import MixSet
from baserate.baselines.class_mix_search import class_baseline
from baserate.exceptions import (
    InvalidCountError,
    InvalidMeasureError,
    InvalidTargetError,
    UnknownMeasureError,
)
from baserate.measures.classes import CLASS_MEASURES
from baserate.observed.classes import ClassCounts
from baserate.sklearn.blind import shared_out
from baserate.sklearn.classifiers import nearest_mix

Y = np.repeat(["a", "b", "c"], [70, 20, 10])
X = np.zeros((100, 2))

# A deck is dealt to a whole test set, so a part of it gets another; and not every row gets the
# most probable class.
OF_RANDOM_DECKS = {
    "check_methods_subset_invariance": "a part is dealt other cards",
    "check_methods_sample_order_invariance": "who gets which card does not depend on the row",
    "check_classifiers_train": "a row is not given its most probable class",
}


@pytest.mark.filterwarnings("ignore")
def test_random_decks_fail_what_none_can_pass() -> None:
    """With a deck of several classes all but three checks pass."""
    results = check_estimator(
        br.sklearn.ClassMixClassifier(),
        expected_failed_checks=OF_RANDOM_DECKS,
        on_fail=None,
        on_skip=None,
    )
    failing = {each["check_name"] for each in results if each["status"] == "xfail"}
    assert failing == set(OF_RANDOM_DECKS)
    assert {each["status"] for each in results} <= {"passed", "xfail", "skipped"}


@pytest.mark.parametrize("key", list(CLASS_MEASURES))
@pytest.mark.parametrize("strategy", ["max", "min", "best"])
def test_the_deck_is_optimal_and_dealt_as_it_is(key: str, strategy: Any) -> None:
    """For any measure and strategy; a test set as large as the training set gets that deck."""
    few = np.repeat([3, 5, 8], [4, 2, 1])
    fitted = br.sklearn.ClassMixClassifier(key, strategy, random_state=1).fit(X[:7], few)
    counts = ClassCounts({3: 4, 5: 2, 8: 1})
    assert fitted.class_counts_ == counts
    assert fitted.mix_ in getattr(class_baseline(counts, CLASS_MEASURES[key]), strategy).guesses
    dealt = [np.count_nonzero(fitted.predict(X[:7]) == label) for label in (3, 5, 8)]
    assert tuple(dealt) == fitted.mix_


def test_decks_that_are_known() -> None:
    """Those of the documentation: like the truth, a mixture of two, and one class."""
    decks = {
        "macro F1": (70, 20, 10),
        "weighted F1": (95, 5, 0),
        "accuracy": (100, 0, 0),
        "hamming_loss": (100, 0, 0),
        "cohen_kappa": (70, 20, 10),  # any deck is best, and this one is like the truth
    }
    for name, deck in decks.items():
        assert br.sklearn.ClassMixClassifier(name).fit(X, Y).mix_ == deck, name
    assert br.sklearn.ClassMixClassifier("accuracy", "min").fit(X, Y).mix_ == (0, 0, 100)


def test_the_nearest_deck_is_nearest() -> None:
    """Compared with all decks of small sets, by the squares of the differences."""
    for counts in ((4, 2, 1), (3, 3), (1, 5, 2), (2, 2, 2, 1)):
        total, classes = sum(counts), len(counts)
        sets = [
            MixSet.over(counts),
            MixSet.over(counts, least=1),
            MixSet.over(counts, [0, classes - 1]),
            MixSet.leaving_one_out(counts),
            MixSet.with_ties((1,) * classes, (1, total) + (0,) * (classes - 2), total),
            MixSet.of([(total,) + (0,) * (classes - 1), (0,) * (classes - 1) + (total,)]),
        ]
        for decks in sets:
            found = nearest_mix(decks, counts)
            assert found in decks
            assert _far(found, counts) == min(_far(deck, counts) for deck in decks)


def _far(deck: Any, counts: Any) -> int:
    return sum((a - b) ** 2 for a, b in zip(deck, counts, strict=True))


def test_rounding_keeps_the_number_of_rows_and_every_share() -> None:
    """No class is off by a whole row, and the same number of rows gets the deck itself."""
    for deck, rows in product(((70, 20, 10), (1, 1, 1), (95, 5, 0), (7,), (0, 3)), range(12)):
        found = shared_out(deck, rows)
        assert sum(found) == rows
        for count, dealt in zip(deck, found, strict=True):
            assert abs(dealt - Fraction(count * rows, sum(deck))) < 1
    assert shared_out((70, 20, 10), 100) == (70, 20, 10)
    assert shared_out((10**14, 1, 10**14), 2 * 10**14 + 1) == (10**14, 1, 10**14)


def test_deals_are_uniform_and_seeded() -> None:
    """The same seed deals the same cards, and every row gets every class as often as it should."""
    fitted = br.sklearn.ClassMixClassifier(random_state=7).fit(X, Y)
    np.testing.assert_array_equal(fitted.predict(X), fitted.predict(X))
    state = np.random.RandomState(0)
    fresh = br.sklearn.ClassMixClassifier(random_state=state).fit(X, Y)
    found = sum(fresh.predict(X[:10]) == "b" for _ in range(2000))
    assert found.sum() == 4000
    assert abs(found - 400).max() < 90


def test_probabilities_are_fractions_of_the_deck() -> None:
    """For any number of rows, also none and one."""
    fitted = br.sklearn.ClassMixClassifier().fit(X, Y)
    for rows in (0, 1, 7):
        found = fitted.predict_proba(X[:rows])
        np.testing.assert_array_equal(found, np.tile([0.7, 0.2, 0.1], (rows, 1)))
    logs = br.sklearn.ClassMixClassifier("accuracy").fit(X, Y).predict_log_proba(X[:1])
    assert logs.tolist() == [[0, -np.inf, -np.inf]]
    assert fitted.predict(X[:0]).shape == (0,)


def test_two_classes_and_one() -> None:
    """Two classes are several; one class has one deck, also where no measure has a score."""
    two = np.repeat([0, 1], [70, 30])
    assert br.sklearn.ClassMixClassifier().fit(X, two).mix_ == (70, 30)
    assert br.sklearn.ClassMixClassifier().fit(X, two == 1).predict(X).dtype == bool
    for measure in ("macro F1", "cohen_kappa", "adjusted balanced accuracy"):
        one = br.sklearn.ClassMixClassifier(measure).fit(X, ["a"] * 100)
        assert one.mix_ == (100,)
        assert set(one.predict(X)) == {"a"}


def test_x_is_not_looked_at() -> None:
    """X may be text, None, nan or a sparse matrix: it is ignored."""
    for features in (["some text"] * 100, np.full((100, 1), np.nan), sparse.eye_array(100).tocsr()):
        assert br.sklearn.ClassMixClassifier("accuracy").fit(features, Y).predict(
            features
        ).shape == (100,)
    fitted = br.sklearn.ClassMixClassifier("accuracy").fit(None, Y)
    assert fitted.score(None, Y) == fitted.score(X, Y) == 0.7
    frame = pd.DataFrame({"a": range(100), "b": "text"})
    named = br.sklearn.ClassMixClassifier().fit(frame, pd.Series(Y, dtype="string"))
    assert named.feature_names_in_.tolist() == ["a", "b"]
    assert named.classes_.tolist() == ["a", "b", "c"]


def test_weights_count() -> None:
    """Integer weights repeat observations; others give weighted counts."""
    whole = br.sklearn.ClassMixClassifier().fit(X, Y, np.where(Y == "b", 3, 1))
    assert whole.class_counts_ == ClassCounts({"a": 70, "b": 60, "c": 10})
    part = br.sklearn.ClassMixClassifier().fit(X, Y, np.where(Y == "b", 0.5, 0.25))
    assert part.class_counts_ == ClassCounts({"a": 59, "b": 33, "c": 8})
    tiny = br.sklearn.ClassMixClassifier().fit(X, Y, np.where(Y == "c", 1e-9, 0.5))
    assert tiny.class_counts_ == ClassCounts({"a": 77, "b": 22, "c": 1})
    without = br.sklearn.ClassMixClassifier().fit(X, Y, np.where(Y == "b", 0, 1))
    assert without.mix_ == (70, 0, 10)
    assert without.predict_proba(X[:1]).tolist() == [[70 / 80, 0, 10 / 80]]
    with pytest.raises(ValueError, match="at least one"):  # scikit-learn's error, or ours
        br.sklearn.ClassMixClassifier().fit(X, Y, np.zeros(100))
    with pytest.raises(ValueError, match="Negative"):
        br.sklearn.ClassMixClassifier().fit(X, Y, -np.ones(100))


def test_in_scikit_learn_s_own_tools() -> None:
    """In a pipeline, in cross-validation, and in place of a DummyClassifier."""
    pipeline = make_pipeline(StandardScaler(), br.sklearn.ClassMixClassifier("accuracy"))
    np.testing.assert_allclose(cross_val_score(pipeline, X, Y), 0.7)
    dealt = cross_val_predict(br.sklearn.ClassMixClassifier(random_state=0), X, Y)
    assert [np.count_nonzero(dealt == label) for label in "abc"] == [70, 20, 10]
    dummy = DummyClassifier(strategy="most_frequent").fit(X, Y)
    np.testing.assert_array_equal(pipeline.fit(X, Y).predict(X), dummy.predict(X))
    np.testing.assert_array_equal(pipeline.predict_proba(X), dummy.predict_proba(X))


@pytest.mark.parametrize(
    ("arguments", "y", "error", "message"),
    [
        ({"measure": "f1_makro"}, Y, UnknownMeasureError, "did you mean 'f1_macro'"),
        ({"measure": "PPV"}, Y, UnknownMeasureError, "of several classes"),
        ({"strategy": "most_frequent"}, Y, InvalidMeasureError, "'max', 'min' or 'best'"),
        ({"strategy": ["max"]}, Y, InvalidMeasureError, "which deck is dealt"),
        ({}, np.linspace(0, 1, 100), ValueError, "Unknown label type"),
        ({}, Y[:50], ValueError, "inconsistent numbers of samples"),
        ({}, np.array(["a", 1] * 50, dtype=object), InvalidTargetError, "labels of one type"),
    ],
)
def test_bad_input(arguments: dict[str, Any], y: Any, error: type[Exception], message: str) -> None:
    """Bad input is one clear error, raised by fit."""
    with pytest.raises(error, match=message):
        br.sklearn.ClassMixClassifier(**arguments).fit(X, y)


@pytest.mark.parametrize(
    "estimator", [br.sklearn.ClassMixClassifier, br.sklearn.DutchDrawClassifier]
)
def test_a_seed_must_be_in_range(estimator: Any) -> None:
    """That of numpy's RandomState."""
    for seed in (-1, 2**32, "seed"):
        fitted = estimator(random_state=seed).fit(X, np.repeat([0, 1], 50))
        with pytest.raises(InvalidCountError, match="random_state must be a seed"):
            fitted.predict(X)
