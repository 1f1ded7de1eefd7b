"""Verdicts, collected and written for readers: text, Markdown, LaTeX, HTML, JSON, data frames."""

from baserate.report.collection import Report

__all__ = ["Report"]
