"""Reports: verdicts, collected and written as text, Markdown, LaTeX, HTML, JSON or data frames."""

from baserate.report.collection import Comparison, Report

__all__ = ["Comparison", "Report"]
