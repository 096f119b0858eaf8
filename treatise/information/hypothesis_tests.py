"""Are two samples of one law, and are two groups of columns independent? Permutation tests for both."""

import numpy as np
from scipy.spatial.distance import cdist

from treatise._core.jit import compiled
from treatise.information._estimator import Estimator, named
from treatise.information._parameters import kernel_or_gaussian
from treatise.information.dependence import HSIC, DistanceCorrelation, DistanceCovariance
from treatise.information.dependence.distance import LineDistances
from treatise.information.dependence.kernels import centred_features
from treatise.information.divergences import EnergyDistance, MaximumMeanDiscrepancy
from treatise.kernels import Distance
from treatise.kernels.base import count
from treatise.statistics import PermutationTest, permutation_test

_BLOCK = 1 << 21
_MOST_DENSE = 8000
_TEST_TOLERANCE = 1e-4
_MOST_FEATURES = 200


def two_sample_test(X, Y, method="energy", *, n_permutations=999, random_state=None, **parameters) -> PermutationTest:
    """Test whether two samples come from one law, by permuting their pooled rows.

    Use "energy" with nothing to choose, "mmd" where a kernel is known that sees the difference, or any divergence. The
    level is exact whatever the method; what differs is what they see.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features) and (n_other, n_features)
        The samples.
    method : str or estimator, default="energy"
        A method of :func:`divergence`. "energy" and "mmd" take all permutations at once: one pass over the pairs of
        rows for all of them, and O(n log n) each for "energy" of one column. Others estimate anew each time.
    n_permutations : int, default=999
        Permutations drawn.
    random_state : int, RandomState instance or None, default=None
        Draws them.
    **parameters
        Parameters of the method.

    Returns
    -------
    test : PermutationTest
        ``statistic``, ``p_value`` and ``null``; for "mmd" the statistic is its square.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(100, 3)), 2.0 * rng.normal(size=(80, 3))
    >>> two_sample_test(X, Y, random_state=0).p_value
    0.001
    """
    estimator = named("divergence", method, parameters)
    estimator._checked()
    X, Y = estimator._pair(X, Y)
    pooled, n = np.vstack([X, Y]), len(X)
    vectorized = isinstance(estimator, EnergyDistance | MaximumMeanDiscrepancy)
    if isinstance(estimator, EnergyDistance) and pooled.shape[1] == 1 and estimator.alpha == 1.0:
        statistic = _line_energy(pooled[:, 0], n)
    elif vectorized:
        if isinstance(estimator, EnergyDistance):
            kernel = Distance(estimator.alpha)
        else:
            kernel = kernel_or_gaussian(estimator.kernel, pooled)
        scale = 2.0 if isinstance(estimator, EnergyDistance) else 1.0
        statistic = _mean_differences(kernel, pooled, n, scale)
    else:

        def statistic(order):
            return estimator.estimate(pooled[order[:n]], pooled[order[n:]])

    return permutation_test(
        statistic, len(pooled), n_permutations=n_permutations, vectorized=vectorized, random_state=random_state
    )


def _signed_weights(orders, n):
    """Columns of weights 1/n on the rows that an order puts into the first sample and -1/m on the others."""
    total = orders.shape[1]
    weights = np.full((total, len(orders)), -1.0 / (total - n))
    for column, order in enumerate(orders):
        weights[order[:n], column] = 1.0 / n
    return weights


def _mean_differences(kernel, pooled, n, scale):
    objects = kernel.prepare(pooled)
    width = max(1, _BLOCK // count(objects))

    def statistic(orders):
        weights = _signed_weights(orders, n)
        values = np.zeros(len(orders))
        for start in range(0, count(objects), width):
            block = kernel.block(objects[start : start + width], objects)
            values += np.einsum("ij,ij->j", block @ weights, weights[start : start + width])
        return scale * values

    return statistic


def _line_energy(values, n):
    """Twice the integral of the squared difference of the distribution functions, for all orders at once."""
    places = np.argsort(values, kind="stable")
    gaps = np.diff(values[places])

    def statistic(orders):
        weights = _signed_weights(orders, n)[places]
        return 2.0 * (gaps @ np.cumsum(weights, axis=0)[:-1] ** 2)

    return statistic


def independence_test(
    X, Y, method="distance_covariance", *, n_permutations=999, random_state=None, **parameters
) -> PermutationTest:
    """Test whether two groups of columns are independent, by permuting the rows of one of them.

    Use "distance_covariance" with nothing to choose, the fastest for two columns; "hsic" for wiggly dependence or many
    rows of several columns; "shannon_ksg" where dependence hides in few rows' neighbourhoods. The level is exact
    whatever the method. Do not use it on rows that follow one another in time: their orders are not equally likely.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features) and (n_samples, n_other)
        The groups.
    method : str or estimator, default="distance_covariance"
        A method of :func:`mutual_information`. "distance_covariance" and "distance_correlation" cost O(n log n) for
        each permutation of single columns and O(n^2) of several; "hsic" O(n r^2) at r features. Others estimate anew.
    n_permutations : int, default=999
        Permutations drawn.
    random_state : int, RandomState instance or None, default=None
        Draws them.
    **parameters
        Parameters of the method.

    Returns
    -------
    test : PermutationTest
        ``statistic``, ``p_value`` and ``null``. The statistic of distance covariance is its square; the p-value of
        distance correlation is the same, as permuting leaves the variances alone.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import independence_test
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-1, 1, 200)
    >>> independence_test(x, x**2 + 0.1 * rng.normal(size=200), random_state=0).p_value
    0.001
    >>> independence_test(x, rng.normal(size=200), random_state=0).p_value > 0.05
    True
    """
    estimator = named("mutual_information", method, parameters)
    estimator._checked()
    vectorized = isinstance(estimator, HSIC)
    if isinstance(estimator, DistanceCovariance | DistanceCorrelation):
        X, Y = estimator._parts(X, Y, None)
        statistic = _distance_statistic(X, Y, estimator.alpha)
        n_samples = len(X)
    elif isinstance(estimator, HSIC):
        X, Y = estimator._parts(X, Y, None)
        statistic, vectorized = _kernel_statistic(estimator, X, Y)
        n_samples = len(X)
    else:
        X, Y = _rows(X), _rows(Y)
        statistic, n_samples = _any_statistic(estimator, X, Y), len(X)
    return permutation_test(
        statistic, n_samples, n_permutations=n_permutations, vectorized=vectorized, random_state=random_state
    )


def _rows(X):
    X = np.asarray(X)
    return X.reshape(-1, 1) if X.ndim == 1 else X


def _any_statistic(estimator: Estimator, X, Y):
    return lambda order: estimator.estimate(X, Y[order])


def _distance_statistic(X, Y, alpha):
    if X.shape[1] == Y.shape[1] == 1 and alpha == 1.0:
        x, y = LineDistances(X[:, 0]), LineDistances(Y[:, 0])
        return lambda order: x.covariance_with(y, order)
    _check_dense(len(X))
    A, B = _centred(cdist(X, X) ** alpha), cdist(Y, Y) ** alpha
    return lambda order: permuted_product(A, B, order)


def _kernel_statistic(estimator, X, Y):
    """HSIC of permuted rows: from features where these are few, which any test may take for the kernel's own."""
    K, L = (kernel_or_gaussian(estimator.kernel, part) for part in (X, Y))
    n, tolerance = len(X), max(estimator.tolerance, _TEST_TOLERANCE)
    left = centred_features(K, X, tolerance, max_rank=_MOST_FEATURES)
    right = centred_features(L, Y, tolerance, max_rank=_MOST_FEATURES)
    if left is not None and right is not None and left.shape[1] * right.shape[1] < 2 * n:
        narrow = np.ascontiguousarray(left.T)

        def statistic(orders):
            return np.array([np.sum((narrow @ right[order]) ** 2) for order in orders]) / n**2

        return statistic, True
    _check_dense(n)
    A, B = _centred(K(X)), L(Y)
    return (lambda order: permuted_product(A, B, order)), False


def _centred(A):
    rows = A.mean(axis=0)
    return A - rows - A.mean(axis=1)[:, np.newaxis] + rows.mean()


def _check_dense(n):
    if n > _MOST_DENSE:
        raise ValueError(
            f"{n} rows would need two matrices of {n} x {n} numbers; test up to {_MOST_DENSE} of them drawn at random, "
            "or take method='hsic' with a smoother kernel"
        )


@compiled
def permuted_product(A, B, order):
    """Mean over pairs of A_ij B_(order i)(order j); A is symmetric and centred, which centres B too."""
    n, total = len(A), 0.0
    for i in range(n):
        row = B[order[i]]
        part = 0.0
        for j in range(i):
            part += A[i, j] * row[order[j]]
        total += 2.0 * part + A[i, i] * row[order[i]]
    return total / n**2
