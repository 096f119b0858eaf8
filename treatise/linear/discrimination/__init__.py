"""Multi-task maximum entropy discrimination: machines that share features, kernels, a machine or edges (JMLR 12:75)."""

from treatise.linear.discrimination.classifier import MultiTaskMEDClassifier
from treatise.linear.discrimination.graph import MEDGraph
from treatise.linear.discrimination.metric import kernel_metric
from treatise.linear.discrimination.path import SelectionPath, selection_path
from treatise.linear.discrimination.pooling import AdaptivePoolingClassifier
from treatise.linear.discrimination.regressor import MultiTaskMEDRegressor

__all__ = [
    "AdaptivePoolingClassifier",
    "MEDGraph",
    "MultiTaskMEDClassifier",
    "MultiTaskMEDRegressor",
    "SelectionPath",
    "kernel_metric",
    "selection_path",
]
