"""
A three-class model that loses to its class counts
==================================================

A model says how far a disease will progress: *low*, *middle* or *high*. It is right about seven
patients in ten. By macro F1, the true labels, shuffled over the patients, do better.
"""

# %%
# The diabetes data of scikit-learn. Of the 442 patients, the 70% whose disease progressed least
# are *low*, the 10% whose disease progressed most are *high*. The model knows the age, the sex, the
# body mass index and the blood pressure, and it is strongly regularized.
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import baserate as br

X, progression = load_diabetes(return_X_y=True)
limits = np.quantile(progression, [0.7, 0.9])
y = np.array(["low", "middle", "high"])[np.digitize(progression, limits)]
X_train, X_test, y_train, y_test = train_test_split(
    X[:, :4], y, test_size=0.5, random_state=0, stratify=y
)
plain = make_pipeline(StandardScaler(), LogisticRegression(C=0.01)).fit(X_train, y_train)
predicted = plain.predict(X_test)
report = br.evaluate(y_test, {"plain": predicted}, ["accuracy", "macro F1"])

# %%
# **Accuracy** looks good, but always saying *low* has about the same:
print(report["plain", "accuracy"])

# %%
# **Macro F1** counts each class as much as the others. The best guess scores a third: take a
# label for each patient, as many of each class as there are, and shuffle them. The model
# has less than that:
print(br.baseline(y_test, "macro F1"))
print(report["plain", "macro F1"])

# %%
# A row is a true class. The model calls nearly everyone *low*:
display = ConfusionMatrixDisplay.from_predictions(y_test, predicted, cmap="Blues")

# %%
# **A remedy** is to let each class count as much in training, as it does in macro F1:
balanced = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, class_weight="balanced"))
models = {"plain": predicted, "balanced": balanced.fit(X_train, y_train).predict(X_test)}
print(br.evaluate(y_test, models, ["accuracy", "macro F1"]))
print(br.compare(y_test, models, ["accuracy", "macro F1"]))

# %%
# **Was it the split?** By its interval, the plain model could be above a third on other patients.
# Split them in twenty other ways:
macro_f1 = br.get_measure("macro F1")
below = {"plain": 0, "balanced": 0}
for seed in range(1, 21):
    split = train_test_split(X[:, :4], y, test_size=0.5, random_state=seed, stratify=y)
    for name, model in (("plain", plain), ("balanced", balanced)):
        guesses = model.fit(split[0], split[2]).predict(split[1])
        below[name] += macro_f1.score(br.ConfusionMatrix.of(split[3], guesses)) < 1 / 3
print(f"below a third: {below}")

# %%
# So by macro F1 the plain model loses to its class counts, and the balanced one beats them. By
# accuracy neither is significantly better than always saying *low*. Which of the two measures
# matters is not a question of statistics.
