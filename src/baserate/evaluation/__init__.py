"""The front door: evaluate models, let a gate decide, move a threshold."""
