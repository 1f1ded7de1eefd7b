"""
A regression that a constant beats
==================================

A model predicts how far diabetes progresses within a year, and has an RMSE of 79. Is that good? It
depends on what a single number for everyone has.
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
# By all three, one number for everyone is better than the tree. Yet the tree has learned something:
# its predictions, dealt to the patients at random, would hardly ever do as well.
print(report["tree", "RMSE"])

# %%
# The picture shows both. The residuals of the tree, on the left, are as wide as those of the
# constant. On the right is for how many patients a model is off by at most so much: the tree is
# close more often than the constant is, and far off more often.
display = br.plots.ResidualDisplay.from_predictions(y_test, predictions)

# %%
# **What is wrong** is that the tree is too sure: its predictions are spread out more than the truth
# is, and only part of that is knowledge. Going half-way to the mean helps, and large leaves do:
print(f"spread: {y_test.std():.0f} of the truth, {predictions['tree'].std():.0f} of the tree")
mean = y_train.mean()
calm = DecisionTreeRegressor(min_samples_leaf=20, random_state=0).fit(X_train, y_train)
remedies = {"half-way": (predictions["tree"] + mean) / 2, "large leaves": calm.predict(X_test)}
for verdict in br.evaluate(y_test, remedies, "RMSE"):
    print(verdict)

# %%
# In a search or in cross-validation, scorers compare each fold with its own best constant:
scores = cross_validate(LinearRegression(), X, y, scoring=br.sklearn.scorers("RMSE", "RMSE_margin"))
print(scores["test_RMSE_margin"].round(1))

# %%
# The best constant is an estimator, too: in place of a ``DummyRegressor``, which has to be told
# that MAPE asks for neither the mean nor the median.
for measure in ("RMSE", "MAE", "MAPE"):
    best = br.sklearn.BestConstantRegressor(measure).fit(X_train, y_train)
    print(f"{measure}: {best.constant_:.1f}")

# %%
# So a model may know something and be worth less than a constant: by RMSE this tree is, on 15 of
# the first 20 random splits. The remedies were found on the test set, to show the point; choose
# yours on other data.
