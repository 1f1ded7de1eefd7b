"""The measures of several classes: one record each, and the catalogue of all."""
