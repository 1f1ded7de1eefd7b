"""Labels of two classes with importance weights."""
