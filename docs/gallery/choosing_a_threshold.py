"""
Choosing a threshold
====================

A model may be below the baseline because it learned nothing, or because its threshold is wrong.
"""

# %%
# Data with a minority of positives and many noisy labels, and a model:
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import baserate as br

X, y = make_classification(1500, weights=[0.8], flip_y=0.3, random_state=0)
X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=500, random_state=0)
X_valid, X_test, y_valid, y_test = train_test_split(X_rest, y_rest, test_size=0.5, random_state=0)
model = LogisticRegression().fit(X_train, y_train)

# %%
# Suppose that it predicts “positive” for probabilities of 0.8 and more. The curve tries every
# probability in the validation data as a threshold, and says what is wrong:
curve = br.threshold_curve(y_valid, model.predict_proba(X_valid)[:, 1], "F1", threshold=0.8)
print(curve)

# %%
# The diagnosis as a code, for programs:
curve.diagnosis

# %%
# The picture shows every threshold. The axis below is the fraction that it predicts positive, and
# the axis above the threshold: the lower it is, the farther to the right. The grey band holds 95%
# of the draws with as many positive predictions.
display = br.plots.ThresholdDisplay.from_predictions(
    y_valid, model.predict_proba(X_valid)[:, 1], "F1", threshold=0.8
)

# %%
# The best threshold was chosen on the labels of the validation data. So judge it on other data:
chosen = curve.best.threshold
y_pred = model.predict_proba(X_test)[:, 1] >= chosen
print(f"threshold {chosen:.3f}")
print(br.evaluate(y_test, {"moved": y_pred}, ["F1", "MCC"])["moved", "F1"])

# %%
# Each measure has its own best threshold:
for measure in ("F1", "ACC", "MCC", "G2"):
    best = br.threshold_curve(y_valid, model.predict_proba(X_valid)[:, 1], measure).best
    print(f"{measure:<4} {best.threshold:.3f}, rescaled {best.verdict.rescaled:.3f}")
