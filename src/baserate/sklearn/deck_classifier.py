"""The best deck of several classes as a scikit-learn estimator."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from baserate.data.rows import require_aligned
from baserate.exceptions import InvalidTargetError
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.optimum.baseline import class_baseline
from baserate.multiclass.task import MULTICLASS
from baserate.sklearn.blind import BlindClassifier, generator_of, plain, require_strategy
from baserate.sklearn.dealing import nearest_deck, scaled_deck, shared_out
from baserate.tasks import measure_of

# isort: split
# The estimators that these are derived from say first that scikit-learn is missing.
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.optimum.decks import Deck


class DeckClassifier(BlindClassifier):
    """A classifier that knows only how often each class occurs, and makes the best of it.

    It never looks at X. It predicts each class as often as the best deck of a measure does, on
    random rows. With two classes it is a `DutchDrawClassifier` of measures of several classes.

    Parameters
    ----------
    measure
        The measure of several classes, or its name, for which the deck is optimal.
    strategy
        ``"max"`` for the deck with the largest expected score, ``"min"`` for the smallest, or
        ``"best"`` for the one in the measure's direction.
    random_state
        Which rows get which class: a seed, a `numpy.random.RandomState`, or None.

    Attributes
    ----------
    classes_
        The classes, sorted.
    class_counts_
        How often each of them occurs in the training set.
    deck_
        How often each of them is predicted, for as many rows as the training set has; if several
        decks are optimal, the nearest to the class counts (by the squares of the differences).
    n_features_in_, feature_names_in_
        As in every estimator.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((10, 1)), np.array(["a", "a", "a", "a", "a", "a", "b", "b", "b", "c"])
    >>> deck = DeckClassifier("weighted F1", random_state=0).fit(X, y)
    >>> deck.deck_, "".join(deck.predict(X))
    ((8, 2, 0), 'aaaaababaa')
    >>> deck.predict_proba(X[:2])
    array([[0.8, 0.2, 0. ],
           [0.8, 0.2, 0. ]])
    """

    def __init__(
        self,
        measure: str | ClassMeasure = "macro F1",
        strategy: Literal["max", "min", "best"] = "best",
        random_state: Any = None,
    ) -> None:
        self.measure = measure
        self.strategy = strategy
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn how often each class occurs, and the best deck.

        Parameters
        ----------
        X
            Anything with as many rows as y, or None; its content is ignored.
        y
            The labels, of any number of classes.
        sample_weight
            Integer weights count observations. Other weights give weighted counts over the same
            number of observations.
        """
        validate_data(self, X, skip_check_array=True)
        labels = column_or_1d(plain(y), warn=True)
        check_consistent_length(X, labels)
        self.classes_, codes = _classes(labels)
        if sample_weight is not None:
            require_aligned({"y": y, "sample_weight": sample_weight})
            sample_weight = _check_sample_weight(sample_weight, labels, ensure_non_negative=True)
        counts = _counts(codes, self.classes_.size, sample_weight)
        self.class_counts_ = ClassCounts(dict(zip(self.classes_.tolist(), counts, strict=True)))
        self.deck_ = self._learned_deck()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Deal the deck to the rows at random, and return a label for each row.

        For another number of rows than the training set has, each class has its share, rounded by
        largest remainders.

        Parameters
        ----------
        X
            Anything with rows.
        """
        check_is_fitted(self)
        dealt = scaled_deck(self.deck_, _num_samples(X))
        generator = generator_of(self.random_state)
        return np.asarray(generator.permutation(np.repeat(self.classes_, dealt)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class: its fraction of the deck, the same for every row.

        Parameters
        ----------
        X
            Anything with rows.
        """
        check_is_fitted(self)
        return np.tile(np.array(self.deck_) / sum(self.deck_), (_num_samples(X), 1))

    def _learned_deck(self) -> Deck:
        measure = measure_of(MULTICLASS, self.measure)
        require_strategy(self.strategy, "deck is dealt")
        known = self.class_counts_.occurring
        if len(known.labels) == 1:
            return self.class_counts_.counts  # the only deck, also where it has no score
        found = nearest_deck(
            getattr(class_baseline(known, measure), self.strategy).decks, known.counts
        )
        place = dict(zip(known.labels, found, strict=True))
        return tuple(place.get(label, 0) for label in self.class_counts_.labels)


def _classes(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes, sorted, and which of them each label is."""
    try:
        with np.errstate(invalid="ignore"):  # scikit-learn asks whether infinity is whole
            check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InvalidTargetError(
            "must be labels of one type (got several)", parameter="y"
        ) from None
    return classes, codes


def _counts(codes: NDArray[np.intp], classes: int, weights: NDArray[Any] | None) -> Deck:
    if weights is None:
        return tuple(np.bincount(codes, minlength=classes).tolist())
    weighed = np.bincount(codes, weights, minlength=classes)
    if (weights == np.floor(weights)).all():
        return tuple(map(int, weighed))
    # Any positive weight makes a class present.
    return shared_out(list(map(Fraction, weighed.tolist())), codes.size, least=1)
