"""
Moving from DummyClassifier
===========================

``DutchDrawClassifier`` replaces a ``DummyClassifier``. You name the measure, and it finds the best
strategy.
"""

# %%
# Data with about three positives in ten:
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import cross_validate, train_test_split

import baserate as br

X, y = make_classification(1000, weights=[0.75], flip_y=0.2, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

# %%
# Each strategy of the dummy has a different F1, and none of them knows the measure:
dummies = {
    strategy: DummyClassifier(strategy=strategy, random_state=0).fit(X_train, y_train)
    for strategy in ("most_frequent", "stratified", "uniform")
}
for strategy, dummy in dummies.items():
    print(f"{strategy:<14} {f1_score(y_test, dummy.predict(X_test)):.3f}")

# %%
# Replace the class, and name the measure:
draw = br.sklearn.DutchDrawClassifier("f1").fit(X_train, y_train)
print(f"{'DutchDraw':<14} {f1_score(y_test, draw.predict(X_test)):.3f}, θ = {draw.theta_}")

# %%
# The dummies are draws, more or less, but not the best ones. ``DutchDraw`` is the best one. It is
# shown as failing too, since it is the baseline itself and a tie does not beat it:
models = {name: dummies[name].predict(X_test) for name in ("stratified", "uniform")}
models["DutchDraw"] = draw.predict(X_test)
display = br.plots.BaselineDisplay.from_predictions(y_test, models, "F1")

# %%
# A dummy's score on a test set also depends on luck: ``stratified`` draws anew with every seed.
scores = []
for seed in range(200):
    dummy = DummyClassifier(strategy="stratified", random_state=seed).fit(X_train, y_train)
    scores.append(f1_score(y_test, dummy.predict(X_test)))
print(f"stratified: from {min(scores):.3f} to {max(scores):.3f} in 200 seeds")

# %%
# A baseline is an expectation, and has no seed. It needs no dummy at all:
print(f"{br.baseline(y_test, 'F1').best.value:.3f}")

# %%
# In a cross-validation, compare each fold with its own baseline:
scoring = br.sklearn.scorers("f1", "f1_margin", "f1_rescaled")
folds = cross_validate(LogisticRegression(), X, y, scoring=scoring)
for name in scoring:
    print(f"{name:<12}", folds[f"test_{name}"].round(3))

# %%
# What corresponds to what:
#
# .. list-table::
#    :header-rows: 1
#
#    * - ``DummyClassifier``
#      - ``DutchDrawClassifier``
#    * - ``strategy="most_frequent"`` or ``"prior"``
#      - what ``measure="ACC"`` finds
#    * - ``strategy="constant", constant=1``
#      - ``theta=1.0``; what ``measure="F1"`` finds
#    * - ``strategy="uniform"``
#      - ``theta=0.5``, with exactly half of the rows
#    * - ``strategy="stratified"``
#      - ``theta=y_train.mean()``, the base rate, with exactly that fraction
#    * - the best strategy for a measure
#      - ``measure="…", strategy="best"``
