"""Gaussian mixtures whose components overlap exactly as much as you ask for (Melnykov & Maitra, JMLR 12:69)."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.stats import chi2
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, validate_params

from treatise.cluster.overlap._pairs import Pairs
from treatise.cluster.overlap._targets import Unreachable, scales_for_both, scales_for_one
from treatise.cluster.overlap.measures import Overlap, overlap_of_pairs

OUTLYING = 0.001
"""An outlier lies outside the ellipsoid of every component that holds all but this share of it."""
DRAWS, MORE_DRAWS = 100, 1500
"""Draws of components before giving up, and where one of the first came close."""
CLOSE = 0.9
"""Share of the overlap that is close to it."""
MOST_TRIES = 10_000
BOX_MARGIN = 0.25


class OverlapError(ValueError):
    """No mixture with the overlap that was asked for was found among the draws."""


@dataclass(frozen=True)
class OverlapMixture:
    """A Gaussian mixture with a known overlap.

    Attributes
    ----------
    weights : ndarray of shape (n_components,)
        Shares of the components.
    means : ndarray of shape (n_components, n_features)
        Means.
    covariances : ndarray of shape (n_components, n_features, n_features)
        Covariance matrices.
    overlap : Overlap
        Of all pairs of components.
    n_rejected : int
        Draws of the components that could not have the overlap and were thrown away.
    """

    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    overlap: Overlap
    n_rejected: int = 0

    def sample(self, n_samples=100, *, noise_features=0, n_outliers=0, box_cox=None, random_state=None):
        """Rows of the mixture and their components.

        Parameters
        ----------
        n_samples : int, default=100
            Rows of the components, beside outliers.
        noise_features : int, default=0
            Columns to add that say nothing of the components: uniform over the range of the means.
        n_outliers : int, default=0
            Rows to add at the end, labelled -1: uniform over a box around the rows, outside of all components.
        box_cox : array-like of shape (n_features,), float or None, default=None
            Powers whose inverse Box-Cox transform ``(power * x + 1)^(1 / power)`` bends each column (0 is the
            exponential), so that the components are Gaussian no longer. Where the base is negative and the power
            positive, it is the root of its size with its sign, which keeps the order of the values.
        random_state : int, RandomState or None, default=None
            Source of the draws.

        Returns
        -------
        X : ndarray of shape (n_samples + n_outliers, n_features + noise_features)
        labels : ndarray of int of shape (n_samples + n_outliers,)
        """
        for name, count in (("n_samples", n_samples), ("noise_features", noise_features), ("n_outliers", n_outliers)):
            if not isinstance(count, Integral) or count < (name == "n_samples"):
                raise ValueError(f"{name}={count!r} must be a whole number, {int(name == 'n_samples')} or more")
        rng = check_random_state(random_state)
        counts = rng.multinomial(n_samples, self.weights)
        labels = np.repeat(np.arange(len(counts)), counts)
        roots = np.linalg.cholesky(self.covariances)
        drawn = rng.standard_normal((n_samples, self.means.shape[1]))
        X = self.means[labels] + np.einsum("npq,nq->np", roots[labels], drawn)
        order = rng.permutation(n_samples)
        X, labels = X[order], labels[order]
        if n_outliers:
            X = np.vstack([X, self._outliers(X, n_outliers, roots, rng)])
            labels = np.append(labels, np.full(n_outliers, -1))
        if noise_features:
            X = np.hstack([X, rng.uniform(self.means.min(), self.means.max(), (len(X), noise_features))])
        return (X if box_cox is None else _bent(X, box_cox)), labels

    def _outliers(self, X, count, roots, rng):
        """Uniform draws over the box of the rows, a quarter wider on each side, outside of all ellipsoids."""
        low, high = X.min(axis=0), X.max(axis=0)
        margin = BOX_MARGIN * (high - low)
        farthest = chi2.isf(OUTLYING, X.shape[1])
        found = []
        for _ in range(MOST_TRIES):
            rows = rng.uniform(low - margin, high + margin, (max(count, 100), X.shape[1]))
            for mean, root in zip(self.means, roots):
                rows = rows[np.sum(np.linalg.solve(root, (rows - mean).T) ** 2, axis=0) > farthest]
            found.extend(rows)
            if len(found) >= count:
                return np.array(found[:count])
        raise ValueError(
            f"the components leave no room for {count} outliers in the box around the rows; ask for less overlap"
        )


@validate_params(
    {
        "n_components": [Interval(Integral, 2, None, closed="left")],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "average": [None, Interval(Real, 0, 1, closed="neither")],
        "maximum": [None, Interval(Real, 0, 1, closed="neither")],
        "spherical": ["boolean"],
        "homogeneous": ["boolean"],
        "max_eccentricity": [Interval(Real, 0, 1, closed="left")],
        "min_weight": [None, Interval(Real, 0, 1, closed="right")],
        "mean_range": [tuple, list],
        "max_resample": [None, Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 1e-13, 1e-2, closed="both")],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def make_overlap_mixture(
    n_components, n_features, *, average=None, maximum=None, spherical=False, homogeneous=False,
    max_eccentricity=0.9, min_weight=None, mean_range=(0.0, 1.0), max_resample=None, tol=1e-8, random_state=None,
):  # fmt: skip
    """A random Gaussian mixture whose components overlap exactly as much as you ask for.

    Means are uniform, covariances those of a few normal draws; then all covariances are scaled until the average, the
    largest, or both of the pairwise overlaps (see :func:`gaussian_overlap`) are the targets; with both, components may
    be scaled apart from one another. Use it to try clusterers on data of known difficulty: below a largest overlap of
    0.01 nearly every method finds the groups, at 0.5 hardly any. It says little of groups of odd shapes; there is
    ``box_cox`` of :meth:`OverlapMixture.sample` for these at best. Costs some ten evaluations of the overlaps that are
    not negligible: milliseconds for ten components, about a second for a hundred.

    Parameters
    ----------
    n_components : int
        Components, at least two.
    n_features : int
        Features.
    average, maximum : float or None, default=None
        Target of the average overlap of a pair, of the largest, or both; at least one of them. The largest is no less
        than the average, and no more than the average times the number of pairs.
    spherical : bool, default=False
        Whether covariances are multiples of the unit matrix.
    homogeneous : bool, default=False
        Whether all components have the same covariance.
    max_eccentricity : float, default=0.9
        Of an ellipsoid, the square root of one less the ratio of its least and largest variances; more of it is cut.
    min_weight : float or None, default=None
        Least share of a component; the rest is shared out at random. None gives all the same share.
    mean_range : (float, float), default=(0.0, 1.0)
        Range of the coordinates of the means.
    max_resample : int or None, default=None
        Draws of the components before giving up, as some draws cannot have the overlap. None is 100, and 1500 where
        one of these came within a tenth of it: two targets that are close to one another may take hundreds.
    tol : float, default=1e-8
        How far from their targets the average and the largest overlap may be.
    random_state : int, RandomState or None, default=None
        Source of the draws.

    Returns
    -------
    OverlapMixture

    Raises
    ------
    OverlapError
        If no draw can have the overlap: a :class:`ValueError` that says how many were tried and what stood in the way.

    Examples
    --------
    >>> from treatise.cluster import make_overlap_mixture
    >>> mixture = make_overlap_mixture(6, 2, average=0.05, maximum=0.135, random_state=0)
    >>> round(mixture.overlap.average, 6), round(mixture.overlap.maximum, 6)
    (0.05, 0.135)
    >>> X, labels = mixture.sample(500, random_state=0)
    >>> X.shape
    (500, 2)

    References
    ----------
    .. [1] Paper v12-0069, Section 2, Stage I; Algorithms 2.2.1 and 2.2.2 of Maitra & Melnykov, Journal of Computational
       and Graphical Statistics 19:354, 2010.
    """
    K = n_components
    _check_targets(K, average, maximum)
    if min_weight is not None and min_weight * K > 1:
        raise ValueError(f"min_weight={min_weight} times {K} components is more than one; choose at most {1 / K:g}")
    low, high = (float(end) for end in mean_range)
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"mean_range={mean_range} must be two finite numbers, the first the smaller")
    rng = check_random_state(random_state)
    closest, rejected, most = None, 0, max_resample or DRAWS
    while rejected < most:
        weights, means, covariances = _components(
            rng, K, n_features, spherical, homogeneous, max_eccentricity, min_weight
        )
        pairs = Pairs(weights, means, covariances)
        try:
            if average is not None and maximum is not None and K > 2:
                scales = scales_for_both(pairs, average, maximum, tolerance=tol)
            else:
                single = {"maximum": maximum} if average is None else {"average": average}
                scales = scales_for_one(pairs, **single, tolerance=tol)
        except Unreachable as why:
            closest = why if closest is None or why.reached > closest.reached else closest
            rejected += 1
            if rejected == DRAWS and max_resample is None and closest.reached > CLOSE:
                most = MORE_DRAWS
            continue
        found = overlap_of_pairs(pairs, scales=scales)
        # Means in the unit cube move to their range, and the covariances with them: the overlap stays.
        width = high - low
        covariances = covariances * scales[:, np.newaxis, np.newaxis] * width**2
        return OverlapMixture(weights, low + width * means, covariances, found, rejected)
    asked = ", ".join(f"{name}={value:g}" for name, value in (("average", average), ("maximum", maximum)) if value)
    raise OverlapError(
        f"none of {most} draws of {K} components in {n_features} features can have {asked}; in the closest, "
        f"{closest}. Ask for less overlap, for two targets further apart, or for more draws by max_resample"
    )


def _check_targets(K, average, maximum):
    if average is None and maximum is None:
        raise ValueError("give average, maximum or both: the overlap to aim at")
    if average is None or maximum is None:
        return
    n_pairs = K * (K - 1) // 2
    if maximum < average:
        raise ValueError(
            f"maximum={maximum:g} is less than average={average:g}; a largest value is no less than the mean"
        )
    if maximum > average * n_pairs:
        raise ValueError(
            f"maximum={maximum:g} alone makes an average of {maximum / n_pairs:g} over {n_pairs} pairs, more than "
            f"average={average:g}; choose a maximum of at most {average * n_pairs:g}"
        )


def _components(rng, K, p, spherical, homogeneous, max_eccentricity, min_weight):
    weights = np.full(K, 1.0 / K)
    if min_weight is not None:
        weights = min_weight + (1.0 - K * min_weight) * rng.dirichlet(np.ones(K))
        weights = np.maximum(weights, 1e-12)
        weights /= weights.sum()
    means = rng.uniform(size=(K, p))
    drawn = 1 if homogeneous else K
    if spherical:
        # A variance of exactly zero is possible, and of no use.
        covariances = np.maximum(rng.uniform(size=drawn), 1e-6)[:, np.newaxis, np.newaxis] * np.eye(p)
    else:
        rows = rng.standard_normal((drawn, p + 1, p))
        rows -= rows.mean(axis=1, keepdims=True)
        covariances = _rounded(np.einsum("knp,knq->kpq", rows, rows) / p, max_eccentricity)
    return weights, means, np.repeat(covariances, K // drawn, axis=0)


def _rounded(covariances, max_eccentricity):
    """Eigenvalues brought closer to the largest of each matrix, where its ellipsoid is too eccentric."""
    values, vectors = np.linalg.eigh(covariances)
    least, largest = values[:, :1], values[:, -1:]
    too_long = 1.0 - least / largest > max_eccentricity**2
    closer = largest * (1.0 - max_eccentricity**2 * (largest - values) / np.maximum(largest - least, 1e-300))
    values = np.where(too_long, closer, values)
    return np.einsum("kpq,kq,krq->kpr", vectors, values, vectors)


def _bent(X, box_cox):
    """Inverse Box-Cox transform of each column."""
    powers = np.asarray(box_cox, dtype=np.float64)
    if powers.shape not in ((), (X.shape[1],)) or not np.isfinite(powers).all():
        raise ValueError(f"box_cox must be one finite number or {X.shape[1]}, one for each column; got {box_cox!r}")
    bent = np.empty_like(X)
    for column, power in enumerate(np.broadcast_to(powers, X.shape[1])):
        if power == 0.0:
            bent[:, column] = np.exp(X[:, column])
            continue
        base = power * X[:, column] + 1.0
        if power < 0 and base.min() <= 0:
            raise ValueError(
                f"box_cox={power:g} of column {column} needs values below {-1 / power:g}; the largest is "
                f"{X[:, column].max():g}: choose a power closer to zero or a smaller mean_range"
            )
        bent[:, column] = np.sign(base) * np.abs(base) ** (1.0 / power)
    return bent
