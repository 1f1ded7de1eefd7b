"""
Is my F1 good?
==============

A model's F1 is above 0.6. Whether that is good depends on what the best guess scores.
"""

# %%
# The Cleveland Heart Disease data, and a model on its first ten features:
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import baserate as br

data = br.datasets.load_cleveland()
X_train, X_test, y_train, y_test = train_test_split(
    data.features[:, :10], data.target, test_size=0.3, random_state=0
)
plain = KNeighborsClassifier().fit(X_train, y_train)
y_pred = plain.predict(X_test)

# %%
# What the score is worth:
report = br.evaluate(y_test, {"nearest neighbours": y_pred}, "F1")
print(report["nearest neighbours", "F1"])

# %%
# Not good: calling every patient ill scores more. The picture shows why. The dashed line is the
# baseline, the band holds 95% of all draws, and the hollow point is the model.
display = br.plots.BaselineDisplay.from_predictions(y_test, {"nearest neighbours": y_pred}, "F1")

# %%
# The features have different units, and the model compares distances. With scaled features the same
# kind of model beats the baseline:
scaled = make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(X_train, y_train)
models = {"as it was": plain, "scaled": scaled}
display = br.plots.BaselineDisplay.from_estimator(models, X_test, y_test, "F1")

# %%
# Is it sure? 91 patients are few: by F1 the next 91 may show no advantage over calling everyone
# ill, by accuracy and by MCC they will. Both models by more measures, as a notebook shows them:
predictions = {name: model.predict(X_test) for name, model in models.items()}
report = br.evaluate(y_test, predictions, ["F1", "ACC", "BACC", "MCC", "PPV", "TPR"])
report
