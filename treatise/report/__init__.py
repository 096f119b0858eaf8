"""The report: one self-contained page about a comparison."""

from treatise.report._page import render_report, write_report

__all__ = ["render_report", "write_report"]
