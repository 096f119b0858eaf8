"""The measures of each task, as plain data: what names them and which way is better.

Nothing here computes, so that a command can say that a measure is unknown before anything heavy is imported.
"""

from treatise.report.record import Metric

METRICS = {
    metric.name: metric
    for metric in (
        Metric("roc_auc", "ROC AUC", True, 0.0, 1.0),
        Metric("average_precision", "average precision", True, 0.0, 1.0),
        Metric("accuracy", "accuracy", True, 0.0, 1.0),
        Metric("balanced_accuracy", "balanced accuracy", True, 0.0, 1.0),
        Metric("f1", "F1 (macro)", True, 0.0, 1.0),
        Metric("log_loss", "log loss", False, 0.0),
        Metric("sentence_accuracy", "accuracy of whole sentences", True, 0.0, 1.0),
        Metric("r2", "R²", True, None, 1.0),
        Metric("rmse", "root mean squared error", False, 0.0),
        Metric("mae", "mean absolute error", False, 0.0),
        Metric("level_error", "mean distance in levels", False, 0.0),
        Metric("mean_r2", "mean R² of the targets", True, None, 1.0),
        Metric("mean_rmse", "mean error of the targets (root mean square, in standard deviations)", False, 0.0),
        Metric("mean_mae", "mean absolute error of the targets (in standard deviations)", False, 0.0),
        Metric("mean_balanced_accuracy", "mean balanced accuracy of the targets", True, 0.0, 1.0),
        Metric("mean_accuracy", "mean accuracy of the targets", True, 0.0, 1.0),
        Metric("mean_f1", "mean F1 (macro) of the targets", True, 0.0, 1.0),
        Metric("mean_log_loss", "mean log loss of the targets", False, 0.0),
        Metric("concordance", "concordance", True, 0.0, 1.0),
        Metric("integrated_brier", "integrated Brier score", False, 0.0),
        Metric("stability", "stability of the groups", True, None, 1.0),
        Metric("log_density", "log density of held-out rows", True),
        Metric("overlap", "largest overlap of two groups", False, 0.0, 1.0),
    )
}
TABLE_METRICS = {
    "binary": ("roc_auc", "average_precision", "accuracy", "balanced_accuracy", "f1", "log_loss"),
    "multiclass": ("balanced_accuracy", "accuracy", "f1", "log_loss", "roc_auc", "average_precision"),
    "regression": ("r2", "rmse", "mae"),
}
"""Measures of each task of a table, the one that ranks first."""
_SEVERAL_CLASSES = ("mean_balanced_accuracy", "mean_accuracy", "mean_f1", "mean_log_loss")
SEVERAL_METRICS = {
    "multi-regression": ("mean_r2", "mean_rmse", "mean_mae"),
    "multi-label": _SEVERAL_CLASSES,
    "multi-class": _SEVERAL_CLASSES,
}
"""Measures of several targets, each a mean over them, the one that ranks first."""
GROUP_METRICS = ("stability", "log_density", "overlap")
"""Measures of groups without a target, the one that ranks first."""
SURVIVAL_METRICS = ("concordance", "integrated_brier")
"""Measures of survival times, the one that ranks first."""
