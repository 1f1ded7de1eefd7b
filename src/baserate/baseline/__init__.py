"""The best guess."""
