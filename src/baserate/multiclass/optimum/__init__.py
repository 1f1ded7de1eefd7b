"""The best and the worst deck: how often a prediction that ignores its input names each class."""
