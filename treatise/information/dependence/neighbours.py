"""Shannon information from neighbours in the joint space and counts in the marginal ones (Kraskov's estimate)."""

import numpy as np
from scipy.special import digamma

from treatise.information._estimator import DependenceEstimator, registered
from treatise.information._parameters import NEIGHBOURS
from treatise.statistics import counts_within, neighbour_distances


@registered("shannon_ksg", "Shannon mutual information", unit="nats")
class KSGMutualInformation(DependenceEstimator):
    """Kraskov, Stoegbauer and Grassberger's estimate, with ties counted as for discrete columns.

    Use it first for mutual information of a few continuous columns: for independent groups its bias nearly vanishes.
    Columns are brought to unit variance, so units do not matter. Rows with k copies or more are given the discrete
    estimate, so that columns may be continuous, discrete or mixed. Strong dependence with little noise needs many rows.
    """

    k: int = 3
    _parameter_constraints = {"k": NEIGHBOURS}

    def _estimate(self, parts):
        return ksg_information([_standard(part) for part in parts], self.k)


def _standard(X):
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def ksg_information(parts, k):
    """Total correlation of groups of columns, in nats."""
    n, joint = len(parts[0]), np.hstack(parts)
    radius, tied = _joint_radius(joint, k)
    near = _counts(parts, radius, tied)
    together = _log_like(_copies(joint, tied), np.full(n, k), tied)
    whole = np.where(tied, np.log(n), digamma(n))
    return float(np.mean(together + (len(parts) - 1) * whole - sum(_log_like(c, c, tied) for c in near)))


def conditional_ksg_information(X, Y, Z, k):
    """Information of X and Y given Z, in nats (Frenzel and Pompe)."""
    X, Y, Z = (_standard(part) for part in (X, Y, Z))
    joint = np.hstack([X, Y, Z])
    radius, tied = _joint_radius(joint, k)
    xz, yz, z = _counts([np.hstack([X, Z]), np.hstack([Y, Z]), Z], radius, tied)
    together = _log_like(_copies(joint, tied), np.full(len(X), k), tied)
    return float(np.mean(together + _log_like(z, z, tied) - _log_like(xz, xz, tied) - _log_like(yz, yz, tied)))


def _joint_radius(joint, k):
    distances = neighbour_distances(joint, k=k, metric="chebyshev")[:, -1]
    return distances, distances == 0.0


def _counts(parts, radius, tied):
    """Rows of each group nearer than the radius, the row itself included; equal ones where the radius is zero."""
    # A little less than the radius, or rounding would count the neighbour that lies on it.
    inside = np.where(tied, 0.0, radius * (1.0 - 1e-10))
    return [counts_within(part, inside, metric="chebyshev") for part in parts]


def _copies(joint, tied):
    if not tied.any():
        return np.ones(len(joint))
    _, where, counts = np.unique(joint, axis=0, return_inverse=True, return_counts=True)
    return counts[where.ravel()]


def _log_like(tied_count, count, tied):
    """The logarithm of a count where a row is tied, else the digamma function, whose mean has no bias."""
    return np.where(tied, np.log(np.maximum(tied_count, 1)), digamma(count))
