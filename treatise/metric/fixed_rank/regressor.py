"""Regression on positive semi-definite matrices of fixed rank (Meyer, Bonnabel & Sepulchre, JMLR 12:593)."""

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from treatise.metric.fixed_rank._base import FixedRankLearner, checked_targets
from treatise.metric.fixed_rank._measurements import MatrixMeasurements, RowMeasurements


class FixedRankPSDRegressor(RegressorMixin, FixedRankLearner):
    """Fits ``y = x' W x`` by a positive semi-definite matrix W of given rank; or ``y = Tr(W X)`` for matrices X.

    W is a squared length: distances between objects (x the difference of two), energies, variances of portfolios,
    quadratic measurements of a signal. It is kept as ``W = G G'`` with G of few columns and improved by gradient steps
    that never leave the matrices of that rank, so that nothing of size d x d is formed. A target may also be a bound
    from above or below.

    Use it where the response is a non-negative quadratic form and the dimension is large or the rank known to be
    small. Do not use it for responses of either sign, nor where W is small and dense: then least squares over all
    entries of W is convex. Below full rank the problem is not convex: take several starts (`n_init`).

    A batch step costs n d r (flat) or n d r + n r^2 (polar), and about twenty trials of n (flat) or n r^2 (polar) for
    its length; an online pass costs n d r. Memory is that of X and n r numbers. Matrices X are cut into eigenvectors
    first, n d^3, and cost d times as much as rows.

    Parameters
    ----------
    rank : int or None, default=None
        Rank r of W; None is the full one.
    init : {"random", "identity"} or ndarray of shape (n_features, rank), default="random"
        Factor G to start from: standard normal numbers, the first columns of the identity, or one of yours.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_features)
        The transposed factor: ``W = components_.T @ components_``.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    FixedRankMetricLearner : The same for distances between rows with classes or in pairs.
    LowRankKernelLearner : The same for objects known only by distances.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.metric import FixedRankPSDRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, G = rng.normal(size=(300, 8)), rng.normal(size=(8, 2))
    >>> y = ((X @ G) ** 2).sum(axis=1)
    >>> model = FixedRankPSDRegressor(2, tol=1e-8, random_state=0).fit(X[:200], y[:200])
    >>> round(model.score(X[200:], y[200:]), 4)
    1.0

    References
    ----------
    .. [1] Paper v12-0593: Equations 9, 10, 20 and 21, Figure 2, Sections 7.4, 7.5 and 8.2.
    """

    _parameter_constraints: dict = {
        **FixedRankLearner._parameter_constraints,
        "init": [StrOptions({"random", "identity"}), "array-like"],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.three_d_array = True
        # A squared length: it knows neither negative responses nor an offset.
        tags.regressor_tags.poor_score = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sense=None, sample_weight=None):
        """Find the matrix.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or array (n_samples, n_features, n_features)
            Vectors x, or matrices of which the symmetric part counts.
        y : array of shape (n_samples,)
            Responses.
        sense : array of shape (n_samples,), default=None
            0 where the response is to equal y, 1 where it is to be at most y, -1 where at least. None is 0 throughout.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the squared residuals.

        Returns
        -------
        self : FixedRankPSDRegressor
        """
        X, y = self._checked(X, y, reset=True)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        return self._learn(_measurements(X), checked_targets(y, sense, weights))

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, sense=None, sample_weight=None):
        """One online pass over more rows, in their order.

        The first call draws the start and sets the steps from its first twenty batches; steps shrink with the rows
        seen, in units of the rows of that call.

        Parameters
        ----------
        X, y, sense, sample_weight
            As for :meth:`fit`.

        Returns
        -------
        self : FixedRankPSDRegressor
        """
        X, y = self._checked(X, y, reset=not hasattr(self, "components_"))
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        return self._advance(_measurements(X), checked_targets(y, sense, weights))

    def predict(self, X):
        """Responses ``x' W x``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or array (n_samples, n_features, n_features)
            Vectors or matrices.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if X.ndim == 3:
            G = self.components_.T
            return np.einsum("ijk,jk->i", X @ G, G)
        return RowMeasurements(None).values(np.asarray(X @ self.components_.T))

    def _checked(self, X, y="no_validation", *, reset):
        """X alone, or X and y, as arrays."""
        options = {} if isinstance(y, str) else {"y_numeric": True}
        checked = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, allow_nd=True, reset=reset, **options
        )
        rows = checked[0] if isinstance(checked, tuple) else checked
        if rows.ndim > 2 and rows.shape[1:] != (rows.shape[1],) * 2:
            raise ValueError(f"X has shape {rows.shape}; matrices must be square, of shape (n_samples, d, d)")
        return checked


def _measurements(X):
    return MatrixMeasurements.of_matrices(X) if X.ndim == 3 else RowMeasurements(X)
