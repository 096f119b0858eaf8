"""The machines of all costs at once, the choice of one of them, and their picture."""

from treatise.svm.path.classifier import SVMPath
from treatise.svm.path.cv import SVMPathCV
from treatise.svm.path.plot import plot_svm_path

__all__ = [
    "SVMPath",
    "SVMPathCV",
    "plot_svm_path",
]
