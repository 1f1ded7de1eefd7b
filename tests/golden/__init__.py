"""Recorded results of public calls: the net below a change of what is inside."""
