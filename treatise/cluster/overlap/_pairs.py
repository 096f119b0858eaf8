"""All pairs of components of a Gaussian mixture, prepared once and evaluated at any scale of the covariances."""

import numpy as np
from scipy.linalg import solve_triangular

from treatise._core.threads import over_ranges
from treatise.cluster.overlap._pair_loops import pair_bounds, pair_overlaps

TOLERANCE = 1e-10
NANOSECONDS = 40_000
"""Rough cost of a pair at few features."""


class Pairs:
    """Pairs i < j of components in the basis in which j is standard normal.

    Multiplying the covariances of i and j by factors s_i and s_j multiplies the ratios of variances by s_i / s_j and
    divides the squared distances of the means by s_j: nothing is decomposed again.
    """

    def __init__(self, weights, means, covariances):
        K, p = means.shape
        self.n_components = K
        self.log_weights = np.log(weights)
        self.first, self.second = np.triu_indices(K, 1)
        self.ratios, self.shifts = np.empty((len(self.first), p)), np.empty((len(self.first), p))
        roots = np.linalg.cholesky(covariances)
        for j in range(1, K):
            whiten = solve_triangular(roots[j], np.eye(p), lower=True)
            ratios, basis = np.linalg.eigh(whiten @ covariances[:j] @ whiten.T)
            apart = (means[:j] - means[j]) @ whiten.T
            mine = self.second == j
            self.ratios[mine] = np.maximum(ratios, np.finfo(float).tiny)
            self.shifts[mine] = np.einsum("iqr,iq->ir", basis, apart) ** 2
        self.unsettled = 0

    def __len__(self):
        return len(self.first)

    def bounds(self, scales):
        """Upper bounds of the overlaps, at a small part of their cost."""
        bounds = np.empty(len(self))
        pair_bounds(self.first, self.second, self.ratios, self.shifts, self.log_weights, scales, bounds)
        return bounds

    def overlaps(self, scales=None, chosen=None, *, apart=True):
        """Probabilities w_{j|i} and w_{i|j} of each pair (or the chosen ones), of shape (n_pairs, 2).

        Parameters
        ----------
        scales : ndarray of shape (n_components,) or None
            Factors of the covariances.
        chosen : ndarray of int or None
            Numbers of pairs.
        apart : bool
            False puts all means into one place: the limit of covariances that grow without bound.
        """
        scales = np.ones(self.n_components) if scales is None else scales
        chosen = np.arange(len(self)) if chosen is None else chosen
        shifts = self.shifts if apart else np.zeros_like(self.shifts)
        found, unsettled = np.empty((len(chosen), 2)), []

        def work(start, stop):
            unsettled.append(
                pair_overlaps(chosen, self.first, self.second, self.ratios, shifts, self.log_weights, scales,
                              TOLERANCE, start, stop, found)
            )  # fmt: skip

        over_ranges(work, len(chosen), cost=NANOSECONDS * len(chosen))
        self.unsettled = sum(unsettled)
        return found
