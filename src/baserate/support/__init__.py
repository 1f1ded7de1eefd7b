"""Helpers of pictures."""
