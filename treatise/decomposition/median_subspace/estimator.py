"""Geometric median subspace: principal components that withstand outlying rows (Zhang & Lerman, JMLR 15:749)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_array
from treatise._core.magnitudes import check_magnitudes
from treatise._core.threads import one_blas_thread
from treatise.decomposition.median_subspace import _variants
from treatise.decomposition.median_subspace._span import span_of
from treatise.decomposition.median_subspace.dimension import eigengap_dimension, share_dimension
from treatise.statistics.geometric_median import median_of_rows
from treatise.statistics.row_blocks import RowBlocks

# A gap between eigenvalues below this factor is no sign of a dimension.
_CLEAR = 10.0
# The geometric median that only moves the rows near zero before the centre is found with the subspace.
_NEAR = {"tol": 1e-2, "max_iter": 50}
_EXACT = {"tol": 1e-9, "max_iter": 2000}


class GeometricMedianSubspace(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Principal components of most rows, however far away the others are (GMS and its variants).

    Use it in place of PCA where a share of the rows, up to half or more, may be anything: the subspace of the others
    is found exactly where they lie in it, and its dimension with it. It solves a convex problem without a parameter
    to tune, at the cost of some twenty steps of PCA, and tells outlying rows by their distance
    (``residuals_``, :meth:`score_samples`). Where rows have outliers of very different length, ``spherize=True``
    takes only their directions.

    Do not use it for single corrupted entries in otherwise good rows (principal component pursuit is for those), nor
    for outliers that themselves lie near a subspace of few dimensions and are as many as the rest. Columns of different
    units should be scaled, as for PCA.

    Costs O(n p^2 + p^3) a step, usually 20 to 40 steps and a few hundred where rows lie almost in several subspaces.
    Memory is X and a block of rows; X may be a memory map.

    Parameters
    ----------
    n_components : int, float or "gap", default=0.99
        Dimension d of the subspace. A number between 0 and 1 takes as many directions as have this share of the robust
        variance, the sum of inverse eigenvalues of Q. ``"gap"``, the paper's rule, takes the largest gap between their
        logarithms and warns where it is small: right for little noise, but no rule for data without a subspace.
    variant : {"spread", "gms", "gms2", "egms", "ridge", "reaper"}, default="spread"
        ``"gms"``, the paper's, minimises the sum of lengths of ``Q (x - center)`` over symmetric Q of trace one
        (Algorithm 2); it needs at least 1.5 (p - d) outlying rows. ``"gms2"`` draws 2p artificial outliers for where
        there are fewer, and puts all rows on a sphere. ``"spread"`` adds what such outliers, as long as the median row,
        would add in expectation: nothing is drawn, and the problem stays convex in Q and the centre. ``"egms"`` removes
        one direction after the other (Algorithm 3): for few outliers and degenerate data, p - d times as expensive.
        ``"ridge"`` adds a multiple of the squared norm of Q (Equation 42). ``"reaper"`` bounds the eigenvalues of Q
        by ``1 / (p - d)``. The last three need ``n_components`` as an int.
    center : {"subspace", "geometric_median", "mean"} or None, default="subspace"
        ``"subspace"`` finds the centre together with Q, as part of the same convex problem, so that an affine subspace
        is found as exactly as a linear one; where rows go to a sphere, the geometric median takes its place. None is
        for rows that are centred, as in the paper.
    spherize : bool, default=False
        Divide each centred row by its length, so that no row counts by how far it is. ``"gms2"`` always does.
    ridge : float or "auto", default="auto"
        Weight of ``"ridge"``, in the unit of X. ``"auto"`` finds the one whose eigenvalues have the widest gap at
        ``n_components``, by bisection.
    removal : {"one", "all"}, default="one"
        Directions that a round of ``"egms"`` removes: that of the largest eigenvalue, or all above the largest gap.
    delta : float, default=1e-12
        Smallest length of ``Q x``, in the unit of the median row's at the start; smaller ones count as this. The
        subspace is exact to about this.
    stopping : {"kernel", "optimum"}, default="kernel"
        ``"kernel"`` ends also where Q has become zero, to ``delta``, on a subspace that holds more rows than it has
        dimensions: then this is found. Where few rows lie outside, the optimum would have a larger kernel than that.
        With noise there is no kernel, and both are the same.
    tol : float, default=1e-8
        Steps end when the objective is at most this share above the optimum, as a dual bound proves.
    max_iter : int, default=1000
        Most steps (of each round); a ``ConvergenceWarning`` tells that they were too few.
    random_state : int, RandomState instance or None, default=None
        Draws the artificial outliers of ``"gms2"``.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Orthonormal directions of the subspace, by falling robust variance.
    center_ : ndarray of shape (n_features,)
        A point of the (affine) subspace.
    n_components_ : int
        Dimension of the subspace.
    precision_ : ndarray of shape (n_features, n_features)
        Q, a robust inverse covariance of trace one; of ``"egms"``, that of the first round. Zero where no row goes.
    eigenvalues_ : ndarray of shape (rank,)
        Eigenvalues of Q, ascending, as many as the rows fill dimensions.
    eigengap_ : float
        Ratio of the two eigenvalues beside the largest gap.
    residuals_ : ndarray of shape (n_samples,)
        Distance of each row from the subspace.
    weights_ : ndarray of shape (n_samples,)
        Share of each row in the estimate of Q; outlying rows have little.
    objective_history_ : list of float
        Sum of lengths (and penalty) at every step, in the unit of the median row.
    dual_gap_ : float
        Share by which the objective may exceed the optimum.
    n_iter_ : int
        Steps, of all rounds.
    converged_ : bool
        Whether ``dual_gap_`` is at most ``tol``, or the steps ended at a kernel.
    ridge_ : float
        The ridge, in the unit of X; 0 for other variants.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has them.

    See Also
    --------
    plot_scree : Picture of the eigenvalues beside those of PCA.
    check_recovery_conditions : Whether known inliers and outliers meet the conditions for exact recovery.
    treatise.statistics.scatter_m_estimate : Robust covariances.

    Notes
    -----
    Rows that fill fewer dimensions than there are columns, as any with more columns than rows, are first projected on
    those without loss.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.datasets import make_subspace_outliers
    >>> from treatise.decomposition import GeometricMedianSubspace
    >>> from treatise.statistics import subspace_distance
    >>> X, inlier, components = make_subspace_outliers(125, 125, 50, 5, random_state=0)
    >>> model = GeometricMedianSubspace("gap").fit(X)
    >>> model.n_components_
    5
    >>> bool(subspace_distance(model.components_, components) < 1e-6)
    True
    >>> bool(model.residuals_[inlier].max() < 1e-6 < model.residuals_[~inlier].min())
    True

    References
    ----------
    .. [1] Paper v15-0749, Algorithms 1 to 3 and Equation 42; the joint centre is that of its footnote 1.
    """

    _parameter_constraints = {
        "n_components": [
            Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither"), StrOptions({"gap"}),
        ],
        "variant": [StrOptions({"spread", "gms", "gms2", "egms", "ridge", "reaper"})],
        "center": [StrOptions({"subspace", "geometric_median", "mean"}), None],
        "spherize": ["boolean"],
        "ridge": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "removal": [StrOptions({"one", "all"})],
        "delta": [Interval(Real, 0, None, closed="neither")],
        "stopping": [StrOptions({"kernel", "optimum"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }  # fmt: skip

    def __init__(
        self,
        n_components=0.99,
        *,
        variant="spread",
        center="subspace",
        spherize=False,
        ridge="auto",
        removal="one",
        delta=1e-12,
        stopping="kernel",
        tol=1e-8,
        max_iter=1000,
        random_state=None,
    ):
        self.n_components = n_components
        self.variant = variant
        self.center = center
        self.spherize = spherize
        self.ridge = ridge
        self.removal = removal
        self.delta = delta
        self.stopping = stopping
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the subspace of most rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=1 if self.center is None else 2)
        check_magnitudes(X, "X")
        with one_blas_thread(X.shape[1]):
            self._fit(X)
        return self

    def _fit(self, X):
        on_sphere = self.spherize or self.variant == "gms2"
        origin = self._origin(X, on_sphere)
        rows = RowBlocks(X, origin)
        lengths = rows.norms()
        if not lengths.any():
            raise ValueError(
                f"all {len(X)} rows of X are {'zero' if self.center is None else 'equal'}: they have no subspace"
            )
        longest = lengths.max()
        if not on_sphere and len(X) > 2 and longest > lengths.sum() - longest:
            warnings.warn(
                f"row {lengths.argmax()} is longer than all others together ({longest:.3g}) and may decide alone; "
                "spherize=True takes only the directions of rows",
                UserWarning,
                stacklevel=3,
            )
        unit = float(np.median(lengths[lengths > 0.0]))
        rows = RowBlocks(X, origin, _inverse(lengths) if on_sphere else np.full(len(X), 1.0 / unit))
        rows = rows.at_hand()
        span = span_of(rows)
        if span is not None:
            rows = RowBlocks(rows.by(span))
        found = self._find(rows, self.center == "subspace" and not on_sphere, 1.0 if on_sphere else unit)
        self._settle(X, found, origin, span, 1.0 if on_sphere else unit)

    def _origin(self, X, on_sphere):
        """What is subtracted from the rows before all else."""
        if self.center is None:
            return None
        if self.center == "mean":
            return X.mean(axis=0)
        near = self.center == "subspace" and not on_sphere
        return median_of_rows(X, **(_NEAR if near else _EXACT))[0]

    def _find(self, rows, with_center, unit):
        dimension, wanted, variant = rows.shape[1], self.n_components, self.variant
        whole = isinstance(wanted, Integral)
        if whole and wanted > dimension:
            raise ValueError(f"n_components={wanted} exceeds the {dimension} dimensions that the rows of X fill")
        if not whole and (variant in ("egms", "reaper") or (variant == "ridge" and self.ridge == "auto")):
            raise ValueError(f"variant={variant!r} needs the dimension; give n_components as an int, not {wanted!r}")
        settings = {
            "floor": self.delta / dimension, "tol": self.tol, "max_iter": self.max_iter, "with_center": with_center,
            "until_kernel": self.stopping == "kernel",
        }  # fmt: skip
        if variant == "gms2":
            return _variants.with_artificial_outliers(rows, check_random_state(self.random_state), **settings)
        if variant == "spread":
            return _variants.spread(rows, **settings)
        if variant == "egms":
            return _variants.one_by_one(rows, wanted, self.removal == "all", **settings)
        if variant == "ridge" and self.ridge != "auto":
            return _variants.with_ridge(rows, self.ridge / unit, **settings)
        if variant == "ridge" and wanted < dimension:
            return _variants.with_matching_ridge(rows, wanted, **settings)
        if variant == "reaper" and wanted < dimension:
            return _variants.reaper(rows, wanted, **settings)
        return _variants.geometric_median_subspace(rows, **settings)

    def _settle(self, X, found, origin, span, unit):
        """Attributes, in the coordinates and the unit of X."""
        span = np.eye(X.shape[1]) if span is None else span
        self.eigenvalues_ = found.eigenvalues
        dimension, self.eigengap_ = eigengap_dimension(found.eigenvalues)
        self.n_components_ = self._dimension(dimension)
        self.components_ = _signed((span @ found.directions[:, : self.n_components_]).T)
        self.center_ = unit * (span @ found.center) + (0.0 if origin is None else origin)
        self.precision_ = span @ found.Q @ span.T
        shares = 1.0 / np.maximum(found.lengths, self.delta / len(found.Q))
        self.weights_ = shares / shares.sum()
        self.objective_history_, self.n_iter_ = found.objectives, found.n_iter
        self.ridge_ = found.ridge * unit
        self.dual_gap_, self.converged_ = float(found.gap), found.reached
        self.residuals_ = -self._similarities(X)
        if not self.converged_:
            warnings.warn(
                f"after max_iter={self.max_iter} steps the objective may be a share of {self.dual_gap_:.1e} above the "
                f"optimum, more than tol={self.tol:g}; raise max_iter",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _dimension(self, by_gap):
        if self.n_components == "gap":
            if self.eigengap_ < _CLEAR and len(self.eigenvalues_) > 1:
                warnings.warn(
                    f"no dimension stands out: the largest step between eigenvalues of Q, by a factor of "
                    f"{self.eigengap_:.3g}, leaves {by_gap} of {len(self.eigenvalues_)}; give n_components",
                    UserWarning,
                    stacklevel=5,
                )
            return by_gap
        if isinstance(self.n_components, Integral):
            return int(self.n_components)
        return share_dimension(self.eigenvalues_, self.n_components)

    def transform(self, X):
        """Coordinates of the rows in the subspace.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        X = self._checked(X)
        return RowBlocks(X, self.center_).by(self.components_.T)

    def inverse_transform(self, X):
        """Points of the subspace with given coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components_)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = check_array(X, dtype=np.float64)
        if X.shape[1] != self.n_components_:
            raise ValueError(f"X has {X.shape[1]} columns; the subspace has {self.n_components_} dimensions")
        return X @ self.components_ + self.center_

    def score_samples(self, X):
        """Minus the distance of each row from the subspace: low for outlying rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._similarities(self._checked(X))

    def score(self, X, y=None):
        """Minus the mean distance from the subspace.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored.

        Returns
        -------
        float
        """
        return float(self.score_samples(X).mean())

    def _similarities(self, X):
        distances = np.empty(len(X))
        for places, block in RowBlocks(X, self.center_):
            beyond = block - (block @ self.components_.T) @ self.components_
            distances[places] = np.sqrt(np.einsum("ij,ij->i", beyond, beyond))
        return -distances

    def _checked(self, X):
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)

    @property
    def _n_features_out(self):
        return self.n_components_

    def _invariants(self):
        yield (
            "components have a number for each feature",
            is_array(self.components_, np.float64, self.n_components_, self.n_features_in_),
        )
        yield "so has the centre", is_array(self.center_, np.float64, self.n_features_in_)
        yield "both are finite", finite(self.components_) and finite(self.center_)


def _inverse(lengths):
    """One over each length; a row without a direction stays where it is."""
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)


def _signed(components):
    """Each direction with its largest entry above zero, so that the same data give the same signs."""
    largest = np.abs(components).argmax(axis=1)
    signs = np.sign(components[np.arange(len(components)), largest])
    return components * signs[:, np.newaxis]
