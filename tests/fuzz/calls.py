"""One call for every public name, with arguments that are drawn by the names of its parameters."""

from __future__ import annotations

import contextlib
import inspect
import io
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import baserate as br
from baserate.kinds.scores import SCORE_MEASURES
from baserate.measures.class_scores import CLASS_SCORE_MEASURES
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from fuzz.pools import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fuzz.pools import Pool

Call: TypeAlias = "Callable[[Pool], object]"

# The values that calls return; what users can ask them is asked of whatever a call returns.
RETURNED = {
    "Baseline", "Difference", "MEASURES", "Outcome", "ReliabilityCurve", "ThresholdCurve",
    "Verdict", "datasets", "exceptions",
}  # fmt: skip
KINDS = {
    "labels": TWO_CLASS_MEASURES,
    "classes": CLASS_MEASURES,
    "scores": SCORE_MEASURES,
    "class scores": CLASS_SCORE_MEASURES,
    "numbers": NUMBER_MEASURES,
    "frame": TWO_CLASS_MEASURES,
    "cut": TWO_CLASS_MEASURES,  # scores with a threshold
}

TASKS = {
    "classes": "multiclass",
    "scores": "scores",
    "class scores": "class-scores",
    "numbers": "regression",
}
# What a value that a call returns can be asked.
QUESTIONS: dict[str, tuple[str, ...]] = {
    "NullDistribution": ("sf", "cdf", "ppf", "interval"),
    "GuessDistribution": ("p_value", "cdf", "pmf"),
    "ThresholdCurve": ("at",),
    "DutchDraw": ("score",),
    "Report": ("measure", "group", "to_frame", "from_json"),
    "Comparison": ("measure", "group", "to_frame", "from_json"),
}


class Rows:
    """A test set of one kind of prediction, as arguments of a call."""

    def __init__(self, pool: Pool, kind: str | None = None) -> None:
        self.pool, self.pair = pool, pool.pair()
        self.kind = kind or pool.random.choice(["labels", "labels", *KINDS])
        self.size: int = pool.random.choice([1, 5, 12, 40])
        self.is_counted = self.kind in ("labels", "classes") and pool.random.random() < 0.1
        self.is_weighted = pool.random.random() < 0.1

    def truth(self) -> Any:
        """The truth; none beside a table that holds it."""
        if self.is_counted:
            return None
        if self.kind == "frame":
            return self.pool.frame(self.pair)
        if self.kind == "numbers":
            return self.pool.scores(self.size)
        several = self.kind in ("classes", "class scores")
        return self.pool.classes(self.size) if several else self.pool.labels(self.pair, self.size)

    def predicted(self) -> Any:
        """The predictions of one model, or a table of them."""
        if self.is_counted:
            return self.table()
        if self.kind in ("scores", "numbers", "cut"):
            return self.pool.scores(self.size)
        if self.kind == "class scores":
            rows = [[0.2, 0.3, 0.5], [0.6, 0.4, 0.0], [1, 0, 0]]
            return self.pool.random.choices(rows, k=self.size)
        several = self.kind == "classes"
        return self.pool.classes(self.size) if several else self.pool.labels(self.pair, self.size)

    def models(self) -> Any:
        """The predictions of several models, or the columns that hold them."""
        if self.kind == "frame":
            return ["tree", "knn"]
        return {"a": self.predicted(), self.pool.text("b"): self.predicted()}

    def table(self) -> Any:
        """Predictions that were counted before."""
        return self.pool.matrix() if self.kind == "classes" else self.pool.table()

    def positive(self) -> Any:
        """The positive label of two classes; none if it is obvious."""
        is_told = self.kind in ("labels", "scores", "frame", "cut") and not self.is_counted
        return self.pair[0] if is_told and self.pair not in ((1, 0), (1, -1)) else None

    def test_set(self) -> Any:
        """The truth in few words."""
        if self.kind in ("classes", "class scores"):
            return self.pool.class_counts()
        return self.pool.scores(self.size) if self.kind == "numbers" else self.pool.base_rate()

    def measure(self) -> Any:
        """A measure of this kind of prediction, mostly."""
        known = KINDS[self.kind]
        sane = self.pool.random.choice([*known, *known.values(), "F2", "fbeta"])
        own = self.pool.custom if self.pool.random.random() < 0.5 else self.pool.anything
        return self.pool.sometimes(sane, own, 0.08)

    def column(self, *values: Any) -> Any:
        """A column beside the rows, or its name."""
        given = self.pool.random.choices(values, k=self.size)
        return "region" if self.kind == "frame" else given


def _of(*values: Any) -> Callable[[Rows], Any]:
    return lambda rows: rows.pool.of(values)


ARGUMENTS: dict[str, Callable[[Rows], Any]] = {
    "y_true": Rows.truth,
    "y_pred": Rows.predicted,
    "predictions": Rows.models,
    "truth": lambda rows: rows.pool.text("y"),
    "prediction": lambda rows: rows.pool.text("tree"),
    "frame": lambda rows: rows.pool.frame(rows.pair),
    "test_set": Rows.test_set,
    "table": Rows.table,
    "measure": Rows.measure,
    "measures": lambda rows: rows.pool.sometimes(
        rows.pool.random.sample([*KINDS[rows.kind]], 2), rows.measure, 0.2
    ),
    "pos_label": Rows.positive,
    "by": lambda rows: rows.column("n", "s", None),
    "clusters": lambda rows: rows.column(1, 2, 3, 4, 5),
    "reference": lambda rows: rows.pool.of([rows.predicted(), {"rule": rows.predicted()}, "a"]),
    "sample_weight": lambda rows: rows.column(0, 1, 3, 2.0, 0.5, 500),
    "weights": _of("frequency", "importance", [1, 2, 0.5]),
    "task": lambda rows: TASKS.get(rows.kind, "binary"),
    "missing": _of("error", "drop"),
    "adjust": _of(None, "holm", "bh"),
    "alpha": _of(0.05, 0.1),
    "margin": _of(0, 0.1),
    "tries": _of(1, 20, 10**9),
    "threshold": _of(0.5, 0.1),
    "y_score": lambda rows: rows.pool.scores(rows.size),
    "y_prob": lambda rows: rows.pool.scores(rows.size),
    "scores": Rows.predicted,
    "theta": _of(0, 0.3, 1, [0.1, 0.9], np.linspace(0, 1, 5), []),
    "rho": _of(0, 0.1),
    "score": _of(0, 0.7, 1),
    "undefined": _of(0.0, 1),
    "options": _of([4] * 9, {4: 20, 5: 3}, {1: 4}, [2, 3, 4]),
    "answers": _of(None, list("ABACADAAB")),
    "base_rate": _of(0.2, 0.4, br.BaseRate(positives=3, total=10)),
    "scaled": _of(False, True, "margin", "rescaled", "dutch_scaler"),
    "strategy": _of("max", "min", "best"),
    "random_state": _of(0, 1),
    "rng": _of(0, 7, None),
    "beta": _of(0, 0.5, 1, 2, 1e150),
    "name": lambda rows: rows.pool.text("tree", "F1"),
    "key": lambda rows: rows.pool.text("mine"),
    "function": _of(*FUNCTIONS),
    "direction": _of("maximize", "minimize"),
    "codomain": _of((0, 1), (-1, 1)),
    "ends": _of((0, 1), (1, 0), (0, float("inf"))),
    "path": lambda rows: rows.pool.anything(),
    "library": _of("pandas", "polars", "pyarrow"),
    "level": _of(0.9, 0.5),
    "group": _of("n", None),
    "text": lambda rows: rows.pool.text("{}", "[]", '{"schema": 1}'),
    "labels": _of("abc", None),
    "values": lambda rows: rows.pool.scores(rows.size),
    "X": lambda rows: np.zeros((rows.size, 2)),
    "y": lambda rows: rows.truth(),
    **dict.fromkeys(
        ("tp", "fp", "fn", "tn", "positives", "total", "predicted_positives"),
        lambda rows: rows.pool.count(),
    ),
    "tp": _of(0, 1, 3),
    "counts": lambda rows: rows.pool.of(
        [{"a": 3, "b": rows.pool.count()}, [[rows.pool.count() for _ in range(3)] for _ in "abc"]]
    ),
}
"""An argument for a parameter, by its name; anything for others."""

FLAGS = {"ax", "full"}
ALWAYS = {
    "y_true",
    "y_pred",
    "predictions",
    "measures",
    "measure",
    "theta",
    "pos_label",
    "base_rate",
}


def _given(function: Any, rows: Rows) -> dict[str, Any]:
    """Draw arguments for a call: what is optional is often left out, and some are hostile."""
    given, pool = {}, rows.pool
    for name, parameter in inspect.signature(function).parameters.items():
        is_optional = parameter.default is not parameter.empty
        is_meant = {"truth": rows.kind == "frame"} | dict.fromkeys(
            ("sample_weight", "weights"), rows.is_weighted
        )
        is_meant["threshold"] = rows.kind == "cut"
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or name in FLAGS:
            continue
        chance = 1.0 if name in ALWAYS or not is_optional else 0.06
        if pool.random.random() >= is_meant.get(name, chance):
            continue
        draw = ARGUMENTS.get(name, lambda rows: rows.pool.anything())
        given[name] = pool.anything() if pool.random.random() < 0.03 else draw(rows)
    return given


def _called(function: Any, rows: Rows) -> Any:
    """Call a function, now and then with its arguments in another order."""
    given = _given(function, rows)
    if rows.pool.random.random() < 0.04 and len(given) > 1:
        values = list(given.values())
        rows.pool.random.shuffle(values)
        given = dict(zip(given, values, strict=True))
    return function(**given)


def _asked(found: Any, rows: Rows) -> object:
    """Look at all that a value has, write it in every format, and ask it something."""
    if not type(found).__module__.startswith("baserate"):
        return found
    public = [name for name in dir(type(found)) if not name.startswith("_")]
    seen = [] if "Measure" in type(found).__name__ else [getattr(found, name) for name in public]
    if isinstance(found, (br.Report, br.Comparison)):
        if type(found).from_json(found.to_json()) != found:
            raise AssertionError("what was read is not what was written")
        seen += [found.to_csv(), found.to_markdown(), found.to_latex(), found._repr_html_()]
    for name in QUESTIONS.get(type(found).__name__, ()):
        with contextlib.suppress(br.exceptions.BaserateError):
            seen.append(_called(getattr(found, name), rows))
    return str(found), repr(found), seen


def _plain(function: Callable[..., Any], kind: str | None) -> Call:
    def call(pool: Pool) -> object:
        rows = Rows(pool, kind)
        return _asked(_called(function, rows), rows)

    return call


def _display(display: Any, kind: str | None) -> Call:
    """Draw a display, and get its table."""

    def call(pool: Pool) -> object:
        import matplotlib.pyplot as plt

        try:
            found = _called(display.from_predictions, Rows(pool, kind))
            plt.gcf().savefig(io.BytesIO())
            return found.frame(pool.text("pandas", "polars", "pyarrow"))
        finally:
            plt.close("all")

    return call


def _estimator(estimator: Any, kind: str | None) -> Call:
    def call(pool: Pool) -> object:
        rows = Rows(pool, kind)
        fitted = _called(_called(estimator, rows).fit, rows)
        return _called(fitted.predict, rows)

    return call


class _Guess(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier with scikit-learn's interface."""

    classes_ = np.array([0, 1])

    def fit(self, *_: Any) -> _Guess:
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.arange(len(X)) % 2


def _scorer(pool: Pool) -> object:
    scorer = _called(br.sklearn.make_scorer, Rows(pool, "labels"))
    return scorer(_Guess(), np.zeros((6, 1)), pool.labels((1, 0), 6))


def _scorers(pool: Pool) -> object:
    chosen = br.sklearn.scorers(*(pool.measure() for _ in range(2)), pos_label=pool.of([None, 1]))
    return [scorer(_Guess(), np.zeros((6, 1)), [0, 1, 1, 0, 1, 0]) for scorer in chosen.values()]


def _gate(pool: Pool) -> object:
    try:
        return _called(br.assert_beats_baseline, Rows(pool))
    except AssertionError:  # its purpose
        return None


def _predicted(pool: Pool) -> object:
    """Draw labels, not more than fit on a table; or far more than fit in memory."""
    rate = br.BaseRate(positives=3, total=pool.of([10, 10_007, 10**15]))
    return br.DutchDraw(rate, 0.3).predict(pool.number(0, 7, None))


def _member(value: Any) -> Call:
    """Return a call of a value that others return."""

    def call(pool: Pool) -> object:
        rows = Rows(pool)
        found = value(rows)
        return _asked(found, rows)

    return call


# Classes that are made by a method.
CONSTRUCTED = {"Measure", "RankedScores", "ClassProbabilities", "NumericPredictions"}
# What a name takes, by its beginning; any kind of prediction if it is not here.
TAKES = {
    "cut": ("threshold_curve", "ThresholdDisplay"),
    "labels": ("reliability", "expected", "dutch", "Dutch", "BaseRate",
               "ConfusionMatrix.", "BaselineDisplay"),
    "classes": ("BaseRate", "ConfusionMatrix", "ClassMix"),
    "scores": ("RankedScores", "RankingDisplay", "ReliabilityDisplay"),
    "class scores": ("ClassProbabilities",),
    "numbers": ("NumericPredictions", "BestConstant", "ResidualDisplay"),
    "frame": ("ConfusionMatrix.from_frame",),
}  # fmt: skip


def _kind(name: str) -> str | None:
    found = [kind for kind, names in TAKES.items() if f"{name}.".startswith(names)]
    return found[-1] if found else None


def _every() -> Iterator[tuple[str, Call]]:
    rate = br.BaseRate(positives=3, total=10)
    known = {
        "NullDistribution": lambda rows: br.null_distribution(rate, 3, rows.measure()),
        "Report": lambda rows: br.evaluate(
            None, {"a": rows.pool.table(), "b": rows.pool.table()}, ["F1", "MCC"]
        ),
        "Comparison": lambda rows: br.compare([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]}, "ACC"),
    }
    special = {"assert_beats_baseline": _gate}
    for name in sorted({*br.__all__} - RETURNED):
        value = getattr(br, name)
        if name in special or name in known:
            yield name, special.get(name) or _member(known[name])
        elif name == "plots":
            for each in value.__all__:
                yield f"plots.{each}", _display(getattr(value, each), _kind(each))
        elif name == "sklearn":
            yield "sklearn.make_scorer", _scorer
            yield "sklearn.scorers", _scorers
            for each in ("DutchDrawClassifier", "ClassMixClassifier", "BestConstantRegressor"):
                yield f"sklearn.{each}", _estimator(getattr(value, each), _kind(each))
        else:
            if name not in CONSTRUCTED:
                yield name, _plain(value, _kind(name))
            for way in ("of", "from_tp", "from_frame", "custom"):
                if isinstance(value, type) and hasattr(value, way):
                    yield f"{name}.{way}", _plain(getattr(value, way), _kind(name))
    yield "DutchDraw.predict", _predicted


CALLS: dict[str, Call] = dict(_every())
"""One call per public name; some have several, with a suffix after a dot."""
