"""The report: the record of a comparison, and one self-contained page about it."""

from treatise.report._page import render_report, write_report
from treatise.report.record import (
    BestMethod,
    DataRecord,
    Failure,
    FoldRecord,
    LeaderboardEntry,
    Metric,
    RunRecord,
)

__all__ = [
    "BestMethod",
    "DataRecord",
    "Failure",
    "FoldRecord",
    "LeaderboardEntry",
    "Metric",
    "RunRecord",
    "render_report",
    "write_report",
]
