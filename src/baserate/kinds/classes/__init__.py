"""Labels of several classes."""
