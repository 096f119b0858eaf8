"""What a comparison explains: columns, thresholds, errors, the number of rows; one file for each.

Each is a pure function of the rows and of what methods said of them while they were held out. A new explanation is a
new file here, a field of :class:`treatise.report.RunRecord`, and a line in :func:`explanations`.
"""

from treatise.compare.explaining.explanations import Explained, explained_methods, explanations
from treatise.compare.explaining.importance import importances
from treatise.compare.explaining.learning import Trial, learning_curve, learning_trials
from treatise.compare.explaining.profile import profile
from treatise.compare.explaining.rows import Rows, rows_of
from treatise.compare.explaining.segments import error_segments
from treatise.compare.explaining.thresholds import threshold_curve

__all__ = [
    "Explained",
    "Rows",
    "Trial",
    "error_segments",
    "explained_methods",
    "explanations",
    "importances",
    "learning_curve",
    "learning_trials",
    "profile",
    "rows_of",
    "threshold_curve",
]
