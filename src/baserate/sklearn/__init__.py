"""What plugs into scikit-learn: an estimator that draws, and scorers."""
