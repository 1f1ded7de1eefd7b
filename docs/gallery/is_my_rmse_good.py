"""
Is my RMSE good?
================

A model predicts how far diabetes progresses within a year, and has an RMSE of 57. Whether
that is good depends on what a single number for everyone has.
"""

# %%
# The data of scikit-learn, a linear model, and a tree that was left to grow:
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_validate, train_test_split
from sklearn.tree import DecisionTreeRegressor

import baserate as br

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
models = {
    "linear": LinearRegression().fit(X_train, y_train),
    "tree": DecisionTreeRegressor(random_state=0).fit(X_train, y_train),
}
predictions = {name: model.predict(X_test) for name, model in models.items()}

# %%
# What the scores are worth. Each measure has its own best constant: the mean for RMSE, the median
# for MAE, and a lower one for MAPE.
report = br.evaluate(y_test, predictions, ["RMSE", "MAE", "MAPE"])
print(report)

# %%
# The tree is no better than one number for everyone by any of them. The picture shows why: its
# residuals, on the left, are as wide as those of the constant. On the right is for how many
# patients a model is off by at most so much.
display = br.ResidualDisplay.from_predictions(y_test, predictions)

# %%
# In a search or in cross-validation, scorers compare each fold with its own best constant:
scores = cross_validate(LinearRegression(), X, y, scoring=br.scorers("RMSE", "RMSE_margin"))
print(scores["test_RMSE_margin"].round(1))

# %%
# The best constant is an estimator, too: in place of a `DummyRegressor`, which has to be told
# that MAPE asks for neither the mean nor the median.
for measure in ("RMSE", "MAE", "MAPE"):
    best = br.BestConstantRegressor(measure).fit(X_train, y_train)
    print(f"{measure}: {best.constant_:.1f}")
