"""
A three-class model that loses to its class counts
==================================================

A model says how far a disease will progress: *low*, *middle* or *high*. It is right about seven
patients in ten. By macro F1, labels that are dealt to the patients at random do better.
"""

# %%
# The diabetes data of scikit-learn. Of the 442 patients, the 70% whose disease progressed least
# are *low*, the 10% whose disease progressed most are *high*. The model knows the age, the sex and
# the blood pressure.
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import baserate as br

X, progression = load_diabetes(return_X_y=True)
limits = np.quantile(progression, [0.7, 0.9])
y = np.array(["low", "middle", "high"])[np.digitize(progression, limits)]
X_train, X_test, y_train, y_test = train_test_split(
    X[:, [0, 1, 3]], y, test_size=0.5, random_state=0, stratify=y
)
plain = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
predicted = plain.predict(X_test)
report = br.evaluate(y_test, {"plain": predicted}, ["accuracy", "macro F1"])

# %%
# **Accuracy** looks good, but always saying *low* has about the same:
print(report["plain", "accuracy"])

# %%
# **Macro F1** counts each class as much as the others. What comes for free is a third: take a
# label for each patient, as many of each class as there are, and deal them at random. The model
# has less than that, although there is evidence that it learned something:
print(br.baseline(y_test, "macro F1"))
print(report["plain", "macro F1"])

# %%
# A row is a true class. The model calls nearly everyone *low*:
display = br.MatrixDisplay.from_predictions(y_test, predicted, name="plain")

# %%
# **A remedy** is to let each class count as much in training, as it does in macro F1:
balanced = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
models = {"plain": predicted, "balanced": balanced.fit(X_train, y_train).predict(X_test)}
print(br.evaluate(y_test, models, ["accuracy", "macro F1"]))

# %%
# By macro F1 the balanced model clears the baseline, and it is better than the plain one. By
# accuracy it is worse:
print(br.compare(y_test, models, ["accuracy", "macro F1"]))

# %%
# By accuracy neither is surely better than always saying *low*. And that the plain model is below a
# third by macro F1 may be bad luck, as its interval says; but nothing speaks for using it. Which of
# the two measures matters is not a question of statistics.
