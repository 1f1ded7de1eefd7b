"""Labels of two classes."""
