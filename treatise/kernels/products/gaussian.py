"""Probability product kernel of Gaussians, one to a set of vectors (Jebara, Kondor & Howard, JMLR 5:819, 3.1)."""

from numbers import Real

import numpy as np
from sklearn.utils import check_array

from treatise.kernels.products.base import (
    Models,
    ProbabilityProductKernel,
    check_not_negative,
    check_same_space,
    is_table,
    observation_sets,
)

_PAIRS_AT_ONCE = 1 << 20
"""Numbers in one array of pairwise covariances: 8 MiB."""
ROUNDING = 100 * np.finfo(np.float64).eps
"""Share of a variance, for each dimension, that rounding may leave of nothing."""


class Gaussians(Models):
    """Gaussian distributions.

    Parameters
    ----------
    means : array of shape (n_models, n_dimensions)
        Their centres.
    covariances : array of shape (n_models,), (n_models, n_dimensions) or (n_models, n_dimensions, n_dimensions)
        A variance for all dimensions, one for each, or a whole matrix.
    """

    def __init__(self, means, covariances):
        means, covariances = np.asarray(means, np.float64), np.asarray(covariances, np.float64)
        if means.ndim != 2 or covariances.shape not in [means.shape[:1] + means.shape[1:] * k for k in range(3)]:
            raise ValueError(
                f"means of shape {means.shape} and covariances of shape {covariances.shape} do not belong together; "
                "for n Gaussians in D dimensions they are (n, D) and (n,), (n, D) or (n, D, D)"
            )
        if not (np.isfinite(means).all() and np.isfinite(covariances).all()):
            raise ValueError("means and covariances must be finite; they hold NaN or infinity")
        super().__init__(means, covariances)
        covariance_log_determinants(self)


class GaussianProductKernel(ProbabilityProductKernel):
    """Kernel of Gaussians fitted to sets of vectors (equation 5).

    Use it for objects that are unordered sets of measurements: patches or pixels of an image, frames of a sound, cells
    of a patient. Not where a set has several clumps (:class:`MixtureProductKernel`) or the order matters
    (:class:`LinearDynamicalProductKernel`). One pair costs D^3 with whole covariances, D with diagonal ones.

    Parameters
    ----------
    covariance : {"full", "diagonal", "spherical"} or float, default="full"
        What is estimated from each set; a number is a fixed variance of all objects, which makes the kernel for
        ``rho=1`` a Gaussian radial one of squared width twice that variance, and lets rows of a table be objects.
    rho : float, default=0.5
        Power of the densities.
    ridge : float, default=0.0
        Added to every variance that is estimated. Needed where a set has no more vectors than dimensions: a covariance
        that is singular up to rounding is refused.

    Examples
    --------
    >>> from treatise.kernels import GaussianProductKernel, Gaussians
    >>> GaussianProductKernel()(Gaussians([[0.0], [1.0]], [1.0, 4.0])).round(4)
    array([[1.    , 0.8508],
           [0.8508, 1.    ]])

    References
    ----------
    .. [1] Paper v05-0819, section 3.1.
    """

    def __init__(self, covariance="full", *, rho=0.5, ridge=0.0):
        self.covariance = covariance
        self.rho = rho
        self.ridge = ridge

    def prepare(self, X):
        self._check_rho()
        fixed = isinstance(self.covariance, Real) and not isinstance(self.covariance, bool)
        known = isinstance(self.covariance, str) and self.covariance in ("full", "diagonal", "spherical")
        if not (self.covariance > 0 if fixed else known):
            raise ValueError(f"covariance={self.covariance!r} is none of 'full', 'diagonal', 'spherical' or a variance")
        check_not_negative(self, "ridge")
        if isinstance(X, Gaussians):
            return X
        if fixed:
            means = (
                check_array(X, dtype=np.float64) if is_table(X) else [each.mean(axis=0) for each in observation_sets(X)]
            )
            return Gaussians(means, np.full(len(means), float(self.covariance)))
        sets = observation_sets(X)
        means = np.array([each.mean(axis=0) for each in sets])
        if self.covariance == "full":
            covariances = np.array([np.cov(_varying(each).T, bias=True).reshape(2 * each.shape[1:]) for each in sets])
            covariances += self.ridge * np.eye(means.shape[1])
        else:
            covariances = np.array([_varying(each).var(axis=0) for each in sets]) + self.ridge
            if self.covariance == "spherical":
                covariances = covariances.mean(axis=1)
        try:
            return Gaussians(means, covariances)
        except ValueError as singular:
            raise ValueError(
                f"{singular}; its observations are too few for {means.shape[1]} dimensions, or constant in one: give "
                "ridge > 0 or a simpler covariance"
            ) from None

    def log_block(self, A, B):
        check_same_space(A.parameters[0].shape[1], B.parameters[0].shape[1])
        if A.parameters[1].ndim != B.parameters[1].ndim:
            A, B = _with_whole_covariances(A), _with_whole_covariances(B)
        # The power of a Gaussian is a Gaussian of covariance S / rho, and the product of two of them integrates to the
        # density of mu - mu' under (S + S') / rho; equation 5 with the inverses taken once, of the sum.
        distances, determinants = _under_summed_covariances(A, B)
        D, rho = A.parameters[0].shape[1], self.rho
        logs = -0.5 * (rho * distances + determinants)
        own = np.add.outer(covariance_log_determinants(A), covariance_log_determinants(B))
        logs += 0.5 * (1 - rho) * own
        logs += 0.5 * D * ((1 - 2 * rho) * np.log(2 * np.pi) - np.log(rho))
        return logs

    def log_diagonal(self, A):
        D, rho = A.parameters[0].shape[1], self.rho
        constant = 0.5 * D * ((1 - 2 * rho) * np.log(2 * np.pi) - np.log(2 * rho))
        return constant + (0.5 - rho) * covariance_log_determinants(A)


def _varying(observations):
    """Observations with columns that are constant set to zero, whose variance is then zero and not rounding."""
    return np.where(np.ptp(observations, axis=0) == 0, 0.0, observations)


def covariance_log_determinants(models):
    """Logarithms of the determinants of Gaussians' covariances, refusing one that is not positive definite.

    A matrix counts as such where each variable keeps a share of its variance, above rounding, once those before it are
    known. A singular matrix then never passes by luck of rounding, and the units of the variables do not matter.
    """
    means, covariances = models.parameters
    variances = np.diagonal(covariances, axis1=1, axis2=2) if covariances.ndim == 3 else covariances
    if not (variances > 0).all():
        raise ValueError(f"a variance of object {np.argwhere(~(variances > 0))[0][0]} is not positive")
    if covariances.ndim < 3:
        return np.log(covariances).sum(axis=1) if covariances.ndim == 2 else means.shape[1] * np.log(covariances)
    sd = np.sqrt(variances)
    correlations = covariances / (sd[:, :, np.newaxis] * sd[:, np.newaxis])
    try:
        left = np.diagonal(np.linalg.cholesky(correlations), axis1=1, axis2=2)
    except np.linalg.LinAlgError:
        lowest = np.linalg.eigvalsh(correlations)[:, 0]
        raise ValueError(_singular(np.argmin(lowest), lowest.min())) from None
    shares = left.min(axis=1, initial=1.0) ** 2
    if (shares <= ROUNDING * means.shape[1]).any():
        raise ValueError(_singular(np.argmin(shares), shares.min()))
    return 2 * (np.log(left) + np.log(sd)).sum(axis=1)


def _singular(number, lowest):
    return (
        f"the covariance of object {number} is not positive definite (lowest eigenvalue of its correlations about "
        f"{lowest:.1g}, which rounding makes of zero)"
    )


def _with_whole_covariances(models):
    means, covariances = models.parameters
    if covariances.ndim == 3:
        return models
    diagonals = np.broadcast_to(covariances.reshape(len(means), -1), means.shape)
    return Gaussians(means, diagonals[:, :, np.newaxis] * np.eye(means.shape[1]))


def _under_summed_covariances(A, B):
    """``d' (S + S')^-1 d`` of all differences d of means, and the logarithms of the determinants of S + S'."""
    (means, covariances), (others, other_covariances) = A.parameters, B.parameters
    if covariances.ndim == 3:
        return _under_whole_sums(means, covariances, others, other_covariances)
    distances, determinants = np.zeros((2, len(A), len(B)))
    for d in range(means.shape[1]):
        column = (..., d) if covariances.ndim == 2 else (...,)
        summed = np.add.outer(covariances[column], other_covariances[column])
        distances += np.subtract.outer(means[:, d], others[:, d]) ** 2 / summed
        determinants += np.log(summed)
    return distances, determinants


def _under_whole_sums(means, covariances, others, other_covariances):
    distances, determinants = np.empty((2, len(means), len(others)))
    rows = max(1, _PAIRS_AT_ONCE // other_covariances.size)
    for start in range(0, len(means), rows):
        part = slice(start, start + rows)
        factors = np.linalg.cholesky(covariances[part, np.newaxis] + other_covariances)
        differences = means[part, np.newaxis] - others
        white = np.linalg.solve(factors, differences[..., np.newaxis])[..., 0]
        distances[part] = np.einsum("ijd,ijd->ij", white, white)
        determinants[part] = 2 * np.log(np.diagonal(factors, axis1=2, axis2=3)).sum(axis=2)
    return distances, determinants
