"""How much the components of a Gaussian mixture, or the groups of a table, overlap."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.covariance import ledoit_wolf
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d

from treatise.cluster.overlap._pairs import Pairs


@dataclass(frozen=True)
class Overlap:
    """Overlap of the components of a mixture, pair by pair.

    Attributes
    ----------
    map : ndarray of shape (n_components, n_components)
        ``map[i, j]`` is the probability that a draw of component i has a higher weighted density under j; one on the
        diagonal. Only two components compete at a time, so that rows need not sum to one.
    names : tuple
        Of the components: their numbers, or the labels of the groups.
    """

    map: np.ndarray
    names: tuple

    @property
    def pairwise(self):
        """Overlaps ``map[i, j] + map[j, i]`` as a symmetric matrix with zeros on its diagonal."""
        both = self.map + self.map.T
        np.fill_diagonal(both, 0.0)
        return both

    @property
    def average(self):
        """Mean overlap of a pair; zero for a single component."""
        K = len(self.map)
        return float(self.pairwise.sum() / (K * (K - 1))) if K > 1 else 0.0

    @property
    def maximum(self):
        """Largest overlap of a pair; zero for a single component."""
        return float(self.pairwise.max())

    @property
    def pair(self):
        """Names of the two components that overlap most; None for a single component."""
        if len(self.map) < 2:
            return None
        i, j = np.unravel_index(np.argmax(self.pairwise), self.map.shape)
        return self.names[i], self.names[j]


def gaussian_overlap(weights, means, covariances):
    r"""Exact overlap of every pair of components of a Gaussian mixture.

    The overlap of two components is :math:`\omega_{ij} = \omega_{j|i} + \omega_{i|j}`, where :math:`\omega_{j|i}` is
    the probability that a draw of component i is assigned to j when only the two compete. It lies between 0 (far apart)
    and 1 (the same component twice, for equal weights). Use it to see how separate the groups of a fitted mixture are;
    it says nothing of groups that are not Gaussian. A ratio of Gaussian densities is a quadratic form in normal
    variables, whose distribution gives each probability to about ten digits. Costs K^2 of them, some 30 microseconds
    each, and K^2 / 2 eigendecompositions of p x p matrices.

    Parameters
    ----------
    weights : array-like of shape (n_components,)
        Shares of the components, above zero; they are divided by their sum.
    means : array-like of shape (n_components, n_features)
        Means.
    covariances : array-like of shape (n_components, n_features, n_features)
        Covariance matrices, positive definite.

    Returns
    -------
    Overlap

    See Also
    --------
    overlap_of_mixture : Of a fitted mixture.
    overlap_of_labels : Of the groups of a table.
    make_overlap_mixture : A mixture with the overlap that you ask for.

    Examples
    --------
    >>> from treatise.cluster import gaussian_overlap
    >>> import numpy as np
    >>> found = gaussian_overlap([0.5, 0.5], [[0.0, 0.0], [2.0, 0.0]], [np.eye(2)] * 2)
    >>> round(found.maximum, 8)
    0.31731051

    References
    ----------
    .. [1] Paper v12-0069, Section 2, Stage I; the formula is Theorem 2.1 of Maitra & Melnykov, Journal of Computational
       and Graphical Statistics 19:354, 2010.
    """
    weights, means, covariances = checked_components(weights, means, covariances)
    return overlap_of_pairs(Pairs(weights, means, covariances))


def overlap_of_mixture(mixture):
    """Exact overlap of the components of a fitted Gaussian mixture.

    Parameters
    ----------
    mixture : estimator
        With ``weights_``, ``means_`` and ``covariances_``, such as scikit-learn's
        :class:`~sklearn.mixture.GaussianMixture` and :class:`~sklearn.mixture.BayesianGaussianMixture` of any
        ``covariance_type``, or :class:`~treatise.statistics.MergeGaussianMixture`.

    Returns
    -------
    Overlap

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.mixture import GaussianMixture
    >>> from treatise.cluster import overlap_of_mixture
    >>> mixture = GaussianMixture(2, random_state=0).fit(load_iris().data)
    >>> overlap_of_mixture(mixture).maximum < 1e-3
    True
    """
    check_is_fitted(mixture)
    lacking = [name for name in ("weights_", "means_", "covariances_") if not hasattr(mixture, name)]
    if lacking:
        raise ValueError(
            f"{type(mixture).__name__} is no mixture of normal components: it has no {', '.join(lacking)}; for groups "
            "of rows take overlap_of_labels"
        )
    means = np.asarray(mixture.means_, dtype=np.float64)
    K, p = means.shape
    covariances = np.asarray(mixture.covariances_, dtype=np.float64)
    kind = getattr(mixture, "covariance_type", "full")
    if kind == "tied":
        covariances = np.broadcast_to(covariances, (K, p, p))
    elif kind == "diag":
        covariances = covariances[:, :, np.newaxis] * np.eye(p)
    elif kind == "spherical":
        covariances = covariances[:, np.newaxis, np.newaxis] * np.eye(p)
    return gaussian_overlap(mixture.weights_, means, covariances)


def overlap_of_labels(X, labels, *, equal_weights=False, shrink=False):
    """Overlap of the groups of a table, each described by its mean and covariance.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The table.
    labels : array-like of shape (n_samples,)
        Group of each row, of any clustering or classification; rows labelled -1 are noise and left out.
    equal_weights : bool, default=False
        Whether all groups weigh the same; else each weighs its share of the rows.
    shrink : bool, default=False
        Whether to shrink each covariance towards a multiple of the unit matrix as far as Ledoit and Wolf advise. It
        makes sense of groups that have no more rows than features, which are refused otherwise; columns should then be
        of like scale.

    Returns
    -------
    Overlap
        ``names`` are the labels in order.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.cluster import overlap_of_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> found = overlap_of_labels(X, y)
    >>> found.pair, round(found.maximum, 5), round(found.average, 5)
    ((1, 2), 0.04932, 0.01644)
    """
    X = check_array(X, dtype=np.float64)
    labels = column_or_1d(labels)
    check_consistent_length(X, labels)
    names = [name for name in np.unique(labels).tolist() if name != -1]
    if not names:
        raise ValueError("every row is labelled -1, noise; there is no group to measure")
    shares, means, covariances = [], [], []
    for name in names:
        rows = X[labels == name]
        if len(rows) < 2 or (len(rows) <= X.shape[1] and not shrink):
            least = 2 if shrink else X.shape[1] + 1
            raise ValueError(
                f"group {name!r} has {len(rows)} rows; its covariance in {X.shape[1]} features takes at least {least}"
                + ("" if shrink else ": leave features out, or set shrink=True")
            )
        shares.append(len(rows))
        means.append(rows.mean(axis=0))
        sample = np.cov(rows, rowvar=False).reshape(X.shape[1], X.shape[1])
        covariances.append(ledoit_wolf(rows)[0] if shrink else sample)
    weights = np.ones(len(names)) if equal_weights else np.array(shares)
    weights, stacked, covariances = checked_components(weights, means, covariances, names)
    return overlap_of_pairs(Pairs(weights, stacked, covariances), tuple(names))


def overlap_of_pairs(pairs, names=None, scales=None):
    """The map of all pairs, at given scales of the covariances."""
    K = pairs.n_components
    found = pairs.overlaps(scales)
    if pairs.unsettled:
        warnings.warn(
            f"the distribution of {pairs.unsettled} of {len(pairs)} pairs did not settle to ten digits",
            ConvergenceWarning,
            stacklevel=3,
        )
    chart = np.eye(K)
    chart[pairs.first, pairs.second], chart[pairs.second, pairs.first] = found.T
    return Overlap(chart, tuple(range(K)) if names is None else names)


def checked_components(weights, means, covariances, names=None):
    """Arrays of a mixture that is one."""
    weights = np.atleast_1d(np.asarray(weights, dtype=np.float64))
    means = np.atleast_2d(np.asarray(means, dtype=np.float64))
    covariances = np.asarray(covariances, dtype=np.float64)
    K, p = means.shape
    if weights.shape != (K,) or covariances.shape != (K, p, p):
        raise ValueError(
            f"weights, means and covariances have shapes {weights.shape}, {means.shape} and {covariances.shape}; "
            f"{K} components of {p} features have ({K},), ({K}, {p}) and ({K}, {p}, {p})"
        )
    for name, values in (("weights", weights), ("means", means), ("covariances", covariances)):
        if not np.isfinite(values).all():
            raise ValueError(f"{name} must be finite; found NaN or infinity")
    if weights.min() <= 0:
        raise ValueError(f"weights must be above zero; found {weights.min():g}")
    if not np.allclose(covariances, covariances.transpose(0, 2, 1), rtol=1e-8, atol=0.0):
        raise ValueError("covariances must be symmetric")
    covariances = 0.5 * (covariances + covariances.transpose(0, 2, 1))
    # In units of the standard deviations: a feature in another unit is not a singular matrix.
    deviations = np.sqrt(np.maximum(np.einsum("kpp->kp", covariances), 0.0))
    constant = np.argwhere(deviations == 0.0)
    if constant.size:
        k, feature = constant[0].tolist()
        name = k if names is None else names[k]
        raise ValueError(f"feature {feature} has no variance in component {name!r}; leave it out or regularise")
    scaled = covariances / (deviations[:, :, np.newaxis] * deviations[:, np.newaxis, :])
    least = np.linalg.eigvalsh(scaled)[:, 0]
    if least.min() <= 4.0 * p * np.finfo(float).eps:
        k = int(np.argmin(least))
        name = k if names is None else names[k]
        raise ValueError(
            f"the covariance of component {name!r} is singular (least eigenvalue of the correlations "
            f"{least.min():.2g}): features depend linearly on one another there; leave some out or regularise"
        )
    return weights / weights.sum(), means, covariances
