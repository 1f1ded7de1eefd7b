"""Plug-ins for scikit-learn: an estimator that draws, and scorers."""
