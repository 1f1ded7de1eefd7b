"""The measures, each declared once with all its facts."""
