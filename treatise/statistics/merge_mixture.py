"""Gaussian mixtures whose number of components is found by merging (Bouman's method, in Dy & Brodley, JMLR 5:845)."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, DensityMixin, _fit_context
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_array, is_count
from treatise.statistics._mixture_loops import DIAGONAL, FULL, TIED, expectation, maximisation, merge_cheapest, run_em

RIDGE = 1e-6
"""Share of the mean variance that is added to the variances of every component."""
FORMS = {"full": FULL, "tied": TIED, "diagonal": DIAGONAL}
"""Forms of covariance; of equal BIC the first is taken."""


@dataclass
class Mixture:
    """Form and parameters of a mixture, the memberships of the rows it was fitted to, and how the fit ended."""

    form: str
    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    memberships: np.ndarray
    log_likelihood: float
    n_iter: int
    converged: bool


class MergeGaussianMixture(ClusterMixin, DensityMixin, BaseEstimator):
    """Gaussian mixture that begins with many components and merges them, two by two, to the best number by BIC.

    Each number of components starts from the fit of the next larger one, so that far fewer steps are needed than by
    a fit of its own for each, and no number hangs on the luck of a new start.

    Use it to find groups, or a density, of continuous data when their number is not known. A covariance of its own for
    each component has d^2 / 2 numbers, which BIC charges so much for that in many columns one component is all that is
    found; by default it is therefore free to take one covariance for all components, or variances alone, where these
    tell the rows better for what they cost. Do not use it for columns of few different values, each of which would be a
    component of no width; standardise columns of different unit.

    Costs O(n d^2 K^2) a step of EM, some tens to hundreds of steps for each of K numbers, for each form of covariance;
    memory n K.

    Parameters
    ----------
    max_components : int, default=10
        Components to begin with.
    min_components : int, default=1
        Components to end with; the same as ``max_components`` for a fixed number.
    covariance : {"auto", "full", "tied", "diagonal"}, default="auto"
        What the covariances may be: each component's own ("full", the paper's), one for all ("tied"), or variances
        alone ("diagonal"). "auto" fits all three and takes the least BIC.
    init : {"kmeans", "random", "subsample"}, default="kmeans"
        Where to begin: the best of ``n_init`` runs of k-means; ``n_init`` draws of rows as means, of which the
        greatest likelihood after EM counts; or k-means on ``n_init`` tenths of the rows, refined on all their centres
        together, for large tables.
    n_init : int, default=10
        Starts.
    tol : float, default=1e-4
        Change of the log-likelihood of all rows at which EM ends.
    max_iter : int, default=500
        Most steps of EM for each number of components.
    random_state : int, RandomState instance or None, default=None
        Draws the starts.

    Attributes
    ----------
    n_components_ : int
        Components of the best mixture.
    covariance_ : {"full", "tied", "diagonal"}
        Form of its covariances.
    weights_, means_, covariances_ : ndarray
        Its shares, means, and covariances, of shape (n_components,), (n_components, d) and (n_components, d, d).
    labels_ : ndarray of int of shape (n_samples,)
        Most likely component of each row.
    responsibilities_ : ndarray of shape (n_samples, n_components)
        Memberships of the rows.
    bic_path_ : dict of ndarray
        For every form and number of components that was reached: ``covariance``, ``n_components``, ``log_likelihood``,
        ``bic`` (less is better), and ``n_iter``.
    converged_ : bool
        Whether EM for the best number ended by ``tol``.
    n_iter_ : int
        Steps of EM for the best number.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    sklearn.mixture.GaussianMixture : For a given number of components and form of covariance.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import MergeGaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, size=(100, 2)) for centre in ([0, 0], [6, 0], [0, 6])])
    >>> MergeGaussianMixture(random_state=0).fit(X).n_components_
    3

    References
    ----------
    .. [1] Paper v05-0845, Sections 3 and 6.3, Appendix A.
    """

    _parameter_constraints: dict = {
        "max_components": [Interval(Integral, 1, None, closed="left")],
        "min_components": [Interval(Integral, 1, None, closed="left")],
        "covariance": [StrOptions({"auto", *FORMS})],
        "init": [StrOptions({"kmeans", "random", "subsample"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, max_components=10, *, min_components=1, covariance="auto", init="kmeans", n_init=10, tol=1e-4,
        max_iter=500, random_state=None,
    ):  # fmt: skip
        self.max_components = max_components
        self.min_components = min_components
        self.covariance = covariance
        self.init = init
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Fit mixtures of ever fewer components, and keep the best.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Continuous features.
        y : ignored

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.min_components > self.max_components:
            raise ValueError(
                f"min_components={self.min_components} exceeds max_components={self.max_components}; give a range"
            )
        n_distinct = len(np.unique(X, axis=0))
        if self.min_components > n_distinct:
            raise ValueError(
                f"min_components={self.min_components} exceeds the {n_distinct} distinct rows of X; choose fewer"
            )
        # Means first: the sums of squares of far-off columns would lose their digits.
        origin = X.mean(axis=0)
        columns = np.ascontiguousarray((X - origin).T)
        ridge = RIDGE * (float(columns.var(axis=1).mean()) or 1.0)
        most = min(self.max_components, n_distinct)
        starts = _starts(columns.T, most, self.init, self.n_init, check_random_state(self.random_state))
        forms = FORMS if self.covariance == "auto" else (self.covariance,)
        path = [
            mixture
            for form in forms
            for mixture in _merged_down(columns, _first(columns, starts, form, ridge, self), ridge, self)
        ]
        best = min(path, key=lambda mixture: _bic(mixture, X.shape))
        self.bic_path_ = {
            "covariance": np.array([mixture.form for mixture in path]),
            "n_components": np.array([len(mixture.weights) for mixture in path]),
            "log_likelihood": np.array([mixture.log_likelihood for mixture in path]),
            "bic": np.array([_bic(mixture, X.shape) for mixture in path]),
            "n_iter": np.array([mixture.n_iter for mixture in path]),
        }
        self.n_components_, self.covariance_ = len(best.weights), best.form
        self.weights_, self.means_, self.covariances_ = best.weights, best.means + origin, best.covariances
        self.responsibilities_ = np.ascontiguousarray(best.memberships.T)
        self.labels_ = np.argmax(self.responsibilities_, axis=1)
        self.converged_, self.n_iter_ = best.converged, best.n_iter
        if not best.converged:
            warnings.warn(
                f"EM for {self.n_components_} components did not converge in max_iter={self.max_iter} steps; raise it, "
                f"or tol={self.tol}",
                ConvergenceWarning,
                stacklevel=3,  # scikit-learn wraps fit
            )
        return self

    def _invariants(self):
        k, d = self.n_components_, self.n_features_in_
        yield "there is a component", is_count(k, 1)
        yield "its covariances have a form", self.covariance_ in FORMS
        yield (
            "shares, means and covariances fit",
            (
                is_array(self.weights_, np.float64, k)
                and is_array(self.means_, np.float64, k, d)
                and is_array(self.covariances_, np.float64, k, d, d)
            ),
        )
        yield "they are finite", all(finite(part) for part in (self.weights_, self.means_, self.covariances_))

    def _expect(self, X):
        """Memberships and log density of rows."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        memberships, log_total = np.empty((self.n_components_, len(X))), np.empty(len(X))
        origin = self.weights_ @ self.means_
        expectation(
            np.ascontiguousarray((X - origin).T), self.n_components_, self.weights_, self.means_ - origin,
            self.covariances_, memberships, log_total,
        )  # fmt: skip
        return memberships.T, log_total

    def predict_proba(self, X):
        """Membership of each row in each component.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_components)
        """
        return self._expect(X)[0]

    def predict(self, X):
        """Most likely component of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        return np.argmax(self._expect(X)[0], axis=1)

    def score_samples(self, X):
        """Log density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
        """
        return self._expect(X)[1]

    def score(self, X, y=None):
        """Mean log density of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : ignored

        Returns
        -------
        score : float
        """
        return float(np.mean(self.score_samples(X)))

    def bic(self, X):
        """Bayesian information criterion on rows; less is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        bic : float
        """
        log_density = self.score_samples(X)
        penalty = _penalty(self.covariance_, self.n_components_, self.n_features_in_, len(log_density))
        return penalty - 2.0 * float(log_density.sum())


def _penalty(form, k, d, n):
    """Free parameters of k components in d dimensions, times log n."""
    of_covariances = {"full": k * d * (d + 1) // 2, "tied": d * (d + 1) // 2, "diagonal": k * d}[form]
    return ((k - 1) + k * d + of_covariances) * np.log(n)


def _bic(mixture, shape):
    return _penalty(mixture.form, len(mixture.weights), shape[1], shape[0]) - 2.0 * mixture.log_likelihood


def from_memberships(columns, memberships, ridge, form="full"):
    """Parameters by one M-step: shares, means and covariances."""
    k, d = len(memberships), len(columns)
    weights, means, covariances = np.empty(k), np.empty((k, d)), np.empty((k, d, d))
    k = maximisation(columns, k, FORMS[form], memberships, ridge, weights, means, covariances)
    return weights[:k], means[:k], covariances[:k]


def _climbed(columns, form, weights, means, covariances, ridge, options):
    """A mixture of one form after EM from given parameters."""
    k, n = len(weights), columns.shape[1]
    weights, means, covariances = weights.copy(), means.copy(), covariances.copy()
    memberships, log_total = np.empty((k, n)), np.empty(n)
    k, log_likelihood, n_iter, converged = run_em(
        columns, k, FORMS[form], ridge, float(options.tol), options.max_iter, weights, means, covariances, memberships,
        log_total,
    )  # fmt: skip
    return Mixture(form, weights[:k], means[:k], covariances[:k], memberships[:k], log_likelihood, n_iter, converged)


def _first(columns, starts, form, ridge, options):
    """The mixture of most components, from the best start."""
    found = []
    for centres in starts:
        distance = ((columns.T[:, np.newaxis] - centres) ** 2).sum(axis=2)
        nearest = np.argmin(distance, axis=1)
        memberships = (nearest == np.arange(len(centres))[:, np.newaxis]).astype(np.float64)
        found.append(_climbed(columns, form, *from_memberships(columns, memberships, ridge, form), ridge, options))
    return max(found, key=lambda mixture: mixture.log_likelihood)


def _merged_down(columns, mixture, ridge, options):
    """The mixture, and those of fewer components that come of it."""
    yield mixture
    while len(mixture.weights) > options.min_components:
        k, n = len(mixture.weights), columns.shape[1]
        weights, means, covariances = mixture.weights.copy(), mixture.means.copy(), mixture.covariances.copy()
        memberships, log_total = np.empty((k, n)), np.empty(n)
        expectation(columns, k, weights, means, covariances, memberships, log_total)
        merge_cheapest(columns, k, weights, means, covariances, memberships, log_total)
        parameters = weights[: k - 1], means[: k - 1], covariances[: k - 1]
        mixture = _climbed(columns, mixture.form, *parameters, ridge, options)
        yield mixture


def _starts(X, k, init, n_init, rng):
    """Centres to begin from."""
    if k == 1:
        return [X.mean(axis=0, keepdims=True)]
    if init == "random":
        return [X[rng.choice(len(X), k, replace=False)] for _ in range(n_init)]
    if init == "kmeans":
        return [_centres(X, k, rng, n_init=n_init)]
    return [_refined(X, k, n_init, rng)]


def _centres(X, k, rng, **options):
    with warnings.catch_warnings():
        # Fewer distinct rows than centres: some coincide, and EM drops the empty ones.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, random_state=rng.randint(2**31 - 1), **options).fit(X).cluster_centers_


def _refined(X, k, n_init, rng):
    """Fayyad, Reina & Bradley's refinement (Section 6.3 of the paper): centres of centres of small samples."""
    size = min(len(X), max(len(X) // 10, 2 * k))
    of_samples = [
        _centres(X[rng.choice(len(X), size, replace=False)], k, rng, n_init=1, init="random") for _ in range(n_init)
    ]
    together = np.concatenate(of_samples)
    refined = [KMeans(k, init=centres, n_init=1).fit(together) for centres in of_samples]
    return min(refined, key=lambda model: model.inertia_).cluster_centers_
