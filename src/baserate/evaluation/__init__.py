"""The front door: evaluate models, gate a pipeline, and sweep a threshold."""
