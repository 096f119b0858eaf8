"""Many machines on small subsamples that share one store of support vectors."""

from treatise.svm.ensemble._members import stratified_bootstrap
from treatise.svm.ensemble.classifier import EnsembleSVC
from treatise.svm.ensemble.merge import merge_svms
from treatise.svm.ensemble.plot import plot_ensemble_growth

__all__ = [
    "EnsembleSVC",
    "merge_svms",
    "plot_ensemble_growth",
    "stratified_bootstrap",
]
