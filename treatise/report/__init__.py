"""The report: one self-contained page about a comparison."""
