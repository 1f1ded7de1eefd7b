"""Test sets that could well have given the observed one: how sure a score is."""
