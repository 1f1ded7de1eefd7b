"""
Choosing a threshold
====================

A model that is below the baseline may have nothing to say, or may say it at the wrong threshold.
"""

# %%
# A minority of the labels is positive, and many are noise.
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import baserate as br

X, y = make_classification(1500, weights=[0.8], flip_y=0.3, random_state=0)
X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=500, random_state=0)
X_valid, X_test, y_valid, y_test = train_test_split(X_rest, y_rest, test_size=0.5, random_state=0)
model = LogisticRegression().fit(X_train, y_train)

# %%
# Suppose that it predicts “positive” from a probability of 0.8 on. The curve moves the threshold
# over all probabilities of the validation data, and says what is wrong:
curve = br.threshold_curve(y_valid, model.predict_proba(X_valid)[:, 1], "F1", threshold=0.8)
print(curve)

# %%
# The diagnosis is a code as well:
curve.diagnosis

# %%
# The picture has every threshold. The axis is the fraction that is predicted positive at it: the
# lower the threshold, the farther to the right. The grey band is where draws with as many positive
# predictions are.
display = br.ThresholdDisplay.from_predictions(
    y_valid, model.predict_proba(X_valid)[:, 1], "F1", threshold=0.8
)

# %%
# The best threshold was chosen with the labels of the validation data in sight. So it is judged on
# other data:
chosen = curve.best.threshold
y_pred = model.predict_proba(X_test)[:, 1] >= chosen
print(f"threshold {chosen:.3f}")
print(br.evaluate(y_test, {"moved": y_pred}, ["F1", "MCC"])["moved", "F1"])

# %%
# Another measure has another best threshold. “Best” is what the measure says it is:
for measure in ("F1", "ACC", "MCC", "G2"):
    best = br.threshold_curve(y_valid, model.predict_proba(X_valid)[:, 1], measure).best
    print(f"{measure:<4} {best.threshold:.3f}, rescaled {best.verdict.rescaled:.3f}")
