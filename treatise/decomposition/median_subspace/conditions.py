"""Whether known inliers and outliers meet the conditions for exact recovery (Section 2.4.1 of v15-0749)."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_array

from treatise.decomposition.median_subspace._programs import Plain
from treatise.decomposition.median_subspace._reweighting import minimise
from treatise.decomposition.median_subspace._variants import spectrum
from treatise.statistics.row_blocks import RowBlocks
from treatise.statistics.subspaces import complement

_SETTINGS = {"tol": 1e-7, "max_iter": 2000, "until_kernel": False}
# Share of the largest eigenvalue below which one counts as zero.
_ZERO = 1e-6


class RecoveryConditions(NamedTuple):
    """The two sides of the conditions under which the subspace is recovered exactly."""

    permeance: float
    """How well the inliers fill their subspace: least sum of lengths of ``Q x`` over Q of trace one on it."""
    beside: float
    """Right side of (10): pull of the outliers beside the subspace."""
    along: float
    """Right side of (11): their pull along it."""
    rank: int
    """Rank of the oracle's Q."""
    codimension: int
    """What (9) asks of it."""

    @property
    def hold(self) -> bool:
        """Whether (9), (10) and (11) hold, which is enough for exact recovery (Theorem 1)."""
        return self.rank == self.codimension and self.permeance > max(self.beside, self.along)


def check_recovery_conditions(inliers, outliers, components) -> RecoveryConditions:
    """Look at the conditions (9), (10) and (11) under which plain GMS recovers a subspace exactly.

    Use it on simulated data to see why a subspace is or is not found: the conditions are enough, and (10) is within a
    factor of 1.5 of necessary. They cannot be asked of data whose outliers are not known. Costs two fits.

    Parameters
    ----------
    inliers : array-like of shape (n_inliers, n_features)
        Rows in the subspace.
    outliers : array-like of shape (n_outliers, n_features)
        Rows beside it.
    components : array-like of shape (n_components, n_features)
        Orthonormal rows that span the subspace.

    Returns
    -------
    RecoveryConditions
        A named tuple, with ``hold``.

    Examples
    --------
    >>> from treatise.datasets import make_subspace_outliers
    >>> from treatise.decomposition import check_recovery_conditions
    >>> X, inlier, components = make_subspace_outliers(400, 60, 10, 2, random_state=0)
    >>> check_recovery_conditions(X[inlier], X[~inlier], components).hold
    True

    References
    ----------
    .. [1] Paper v15-0749, Equations 8 to 11.
    """
    inliers, outliers, components = (check_array(table, dtype=np.float64) for table in (inliers, outliers, components))
    dimension, space = components.shape
    if not (inliers.shape[1] == outliers.shape[1] == space):
        raise ValueError(
            f"inliers, outliers and components have {inliers.shape[1]}, {outliers.shape[1]} and {space} columns; "
            "they must be of one space"
        )
    if not np.allclose(components @ components.T, np.eye(dimension), atol=1e-8):
        raise ValueError("components must be orthonormal rows, as components_ of a decomposition")
    if dimension >= space:
        raise ValueError(f"the subspace has all {space} dimensions; there is nothing beside it")
    along, beside = outliers @ components.T, outliers @ complement(components.T)
    oracle = _least(beside)
    eigenvalues, _ = spectrum(oracle.Q)
    pulls = (beside @ oracle.Q) / np.maximum(oracle.lengths, np.finfo(float).tiny)[:, np.newaxis]
    return RecoveryConditions(
        permeance=oracle_value(inliers @ components.T),
        beside=float(np.sqrt(2.0) * np.linalg.norm(pulls.T @ beside, 2)),
        along=float(np.sqrt(2.0) * np.linalg.norm(pulls.T @ along, 2)),
        rank=int(np.sum(eigenvalues > _ZERO * eigenvalues[-1])),
        codimension=space - dimension,
    )


def oracle_value(rows):
    """Least sum of lengths of ``Q x`` over symmetric Q of trace one."""
    return _least(rows).objectives[-1]


def _least(rows):
    floor = 1e-12 * float(np.median(np.linalg.norm(rows, axis=1))) / rows.shape[1]
    return minimise(RowBlocks(rows), Plain(), floor=floor, **_SETTINGS)
