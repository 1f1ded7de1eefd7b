"""
Cross-validation by out-of-fold predictions
===========================================

Ten folds have ten scores, each of thirty patients: what is their mean worth? Put the predictions of
all folds together instead. Each row is predicted once, by a model that never saw it.
"""

# %%
# The Cleveland Heart Disease data, and two models. Whatever learns from the data is part of the
# pipeline, and so are the medians that take the place of missing values.
import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import baserate as br

data = br.datasets.load_cleveland()
X, y = data.features, data.target
filled = SimpleImputer(strategy="median")
models = {
    "logistic": make_pipeline(filled, StandardScaler(), LogisticRegression()),
    "neighbours": make_pipeline(filled, KNeighborsClassifier()),
}
folds = StratifiedKFold(10, shuffle=True, random_state=0)
predictions = {name: cross_val_predict(model, X, y, cv=folds) for name, model in models.items()}

# %%
# **Fold by fold** the scores are far apart, since thirty patients are few:
f1 = br.get_measure("F1")
for name, predicted in predictions.items():
    tables = [br.ConfusionMatrix.of(y[rows], predicted[rows]) for _, rows in folds.split(X, y)]
    scores = [f1.score(table) for table in tables]
    print(f"{name}: F1 from {min(scores):.2f} to {max(scores):.2f}, mean {np.mean(scores):.2f}")

# %%
# **Out of fold**, all 303 patients are one test set, with one baseline:
report = br.evaluate(y, predictions, "F1")
for verdict in report:
    print(verdict)

# %%
# In the picture the dashed line is the best guess, and the band holds 95% of all draws:
display = br.plots.BaselineDisplay.from_predictions(y, predictions, "F1")

# %%
# Both models predicted the same patients in the same folds, so they are compared row by row:
print(br.compare(y, predictions, "F1")["logistic", "neighbours", "F1"])

# %%
# **How much do the folds matter?** Put the patients into other folds, and the score moves, with
# the same data and the same kind of model:
for seed in (1, 2, 3):
    other = StratifiedKFold(10, shuffle=True, random_state=seed)
    table = br.ConfusionMatrix.of(y, cross_val_predict(models["logistic"], X, y, cv=other))
    print(f"folds {seed}: F1 {f1.score(table):.3f}")

# %%
# So the logistic model beats the best guess, and the neighbours do not. What this does not
# cover:
#
# - The ten models differ. This is the score of a recipe that learns from 90% of the rows, not of
#   the one model that you will train on all of them.
# - The folds are not independent: each patient is tested once and trains nine models. The
#   interval and the p-value take the predictions as given, and are over test rows only. Intervals
#   of this kind can be too narrow
#   (`Bates, Hastie and Tibshirani <https://arxiv.org/abs/2104.00673>`_).
# - Scores and probabilities of ten models may be on ten scales. AUC and average precision rank
#   all of them together.
# - If you chose the recipe by these predictions, its score is too good. Keep a test set for that.
