"""Principal components that withstand outlying rows (Zhang & Lerman, JMLR 15:749)."""

from treatise.decomposition.median_subspace.conditions import RecoveryConditions, check_recovery_conditions
from treatise.decomposition.median_subspace.dimension import eigengap_dimension
from treatise.decomposition.median_subspace.estimator import GeometricMedianSubspace
from treatise.decomposition.median_subspace.scree_plot import plot_scree

__all__ = [
    "GeometricMedianSubspace",
    "RecoveryConditions",
    "check_recovery_conditions",
    "eigengap_dimension",
    "plot_scree",
]
