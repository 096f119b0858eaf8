"""Relatives of independent subspace analysis: sources in time, curved sensors, complex numbers, echoes."""

from numbers import Integral

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_array
from treatise._core.threads import few_rows_in_one_thread
from treatise.information.subspaces.isa import IndependentSubspaceAnalysis
from treatise.statistics import normal_scores

_ORDER = [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})]
_MOST_LAGS = 8
_ROWS_FOR_DIRECTION = 4


def lagged(X, order):
    """Rows of the ``order`` rows before each, nearest first; rows before the first are the mean, zero."""
    padded = np.vstack([np.zeros((order, X.shape[1])), X])
    return np.hstack([padded[order - lag : len(padded) - lag] for lag in range(1, order + 1)])


def autoregression(X, order):
    """Coefficients (order p, p) of a linear prediction of centred rows from those before, and the order.

    ``"auto"`` takes the order of least Bayesian information criterion.
    """
    n, p = X.shape
    if order == "auto":
        most = max(1, min(_MOST_LAGS, (n - 2) // (2 * p + 1)))
        scores = [_criterion(X, lag, most) for lag in range(1, most + 1)]
        order = 1 + int(np.argmin(scores))
    if n <= 3 * order:
        raise ValueError(f"{n} rows are too few to look {order} rows back; give an order below {n / 3:g}")
    return _coefficients(X, order, order), order


def _coefficients(X, order, start):
    """Least squares, in the leading directions of the past alone where it has nearly as many columns as rows."""
    past, now = lagged(X, order)[start:], X[start:]
    U, s, V = np.linalg.svd(past, full_matrices=False)
    kept = min(len(past) // _ROWS_FOR_DIRECTION, int(np.sum(s > 1e-10 * max(s[0], 1e-300))))
    return (V[:kept].T / s[:kept]) @ (U[:, :kept].T @ now)


def _criterion(X, order, start):
    p = X.shape[1]
    errors = (X - lagged(X, order) @ _coefficients(X, order, start))[start:]
    spread = np.linalg.svd(errors, compute_uv=False) ** 2 / len(errors)
    spread = np.maximum(spread, 1e-12 * max(spread.max(initial=0.0), 1e-300))
    return len(errors) * np.log(spread).sum() + order * p * p * np.log(len(errors))


class AutoregressiveISA(IndependentSubspaceAnalysis):
    """Independent subspace analysis of signals whose sources follow linear dynamics of their own.

    Rows of such signals depend on one another, and their past hides how independent the sources are: the analysis is of
    the innovations, what a linear prediction from the last rows leaves. Use it for series sampled evenly in time; where
    rows are in no order use :class:`IndependentSubspaceAnalysis`. Costs a least-squares fit of ``order * p`` columns
    more than that.

    Parameters
    ----------
    dims, n_subspaces, dependence, cost, n_restarts, max_iter, random_state
        As in :class:`IndependentSubspaceAnalysis`.
    order : int or "auto", default="auto"
        Rows that the prediction looks back; "auto" takes the least Bayesian information criterion up to 8.

    Attributes
    ----------
    order_ : int
        Rows looked back.
    coefficients_ : ndarray of shape (order * n_features, n_features)
        Of the prediction, the nearest row first.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.signal import lfilter
    >>> from treatise.information import AutoregressiveISA
    >>> rng = np.random.default_rng(0)
    >>> signals = lfilter([1.0], [1.0, -0.8], rng.laplace(size=(1000, 2)), axis=0) @ rng.normal(size=(2, 2))
    >>> AutoregressiveISA(random_state=0).fit(signals).order_
    1

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Modularity", item 2.
    """

    _parameter_constraints = {**IndependentSubspaceAnalysis._parameter_constraints, "order": _ORDER}

    def __init__(
        self, dims=None, *, n_subspaces=None, dependence="shannon_ksg", cost="pairwise1d", n_restarts=10, max_iter=200,
        random_state=None, order="auto",
    ):  # fmt: skip
        super().__init__(
            dims, n_subspaces=n_subspaces, dependence=dependence, cost=cost, n_restarts=n_restarts, max_iter=max_iter,
            random_state=random_state,
        )  # fmt: skip
        self.order = order

    def _separate(self, X, kept=None):
        mean = X.mean(axis=0)
        self.coefficients_, self.order_ = autoregression(X - mean, self.order)
        super()._separate(_innovations(X - mean, self.coefficients_, self.order_)[self.order_ :], kept)
        self.mean_ = mean

    def innovations(self, X):
        """What of the components could not be predicted from the rows before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Mixed signals in the order of time.

        Returns
        -------
        E : ndarray of shape (n_samples, n_components)
            The first ``order_`` rows are predicted as if the mean had gone before.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return _innovations(X - self.mean_, self.coefficients_, self.order_) @ self.components_.T

    def _invariants(self):
        p = self.n_features_in_
        yield "the prediction has its shape", is_array(self.coefficients_, np.float64, self.order_ * p, p)
        yield "the prediction is finite", finite(self.coefficients_)


def _innovations(X, coefficients, order):
    return X - lagged(X, order) @ coefficients


class PostNonlinearISA(IndependentSubspaceAnalysis):
    """Independent subspace analysis of mixtures that each sensor bends by a rising curve of its own.

    Mixtures of many sources are nearly Gaussian, so bringing each column to normal scores undoes the curve; the
    analysis is of these. Use it where sensors saturate; with few sources, mixtures are not Gaussian and the curve is
    undone only in part.

    Parameters
    ----------
    dims, n_subspaces, dependence, cost, n_restarts, max_iter, random_state
        As in :class:`IndependentSubspaceAnalysis`.

    Attributes
    ----------
    quantiles_ : ndarray of shape (n_samples, n_features)
        Sorted columns, which new values are read against.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import PostNonlinearISA
    >>> rng = np.random.default_rng(0)
    >>> bent = np.tanh(rng.laplace(size=(500, 3)) @ rng.normal(size=(3, 3)) / 4)
    >>> PostNonlinearISA(random_state=0).fit_transform(bent).shape
    (500, 3)

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Modularity", item 2.
    """

    def _separate(self, X, kept=None):
        self.quantiles_ = np.sort(X, axis=0)
        super()._separate(normal_scores(X), kept)

    def transform(self, X):
        """Components of rows, groups one after the other.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Mixed signals; values beyond those seen count as the ends.

        Returns
        -------
        S : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        n = len(self.quantiles_)
        scores = np.empty_like(X)
        for j, seen in enumerate(self.quantiles_.T):
            values, counts = np.unique(seen, return_counts=True)
            middle = np.cumsum(counts) - (counts - 1) / 2.0  # the mean place of equal values
            scores[:, j] = ndtri(np.interp(X[:, j], values, middle / (n + 1.0)))
        return (scores - self.mean_) @ self.components_.T

    def inverse_transform(self, S):
        """Mixed signals from components, bent as the columns seen were.

        Parameters
        ----------
        S : array-like of shape (n_samples, n_components)
            Components.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        scores = super().inverse_transform(S)
        n = len(self.quantiles_)
        shares = np.arange(1, n + 1) / (n + 1.0)
        return np.column_stack([np.interp(ndtr(z), shares, seen) for z, seen in zip(scores.T, self.quantiles_.T)])

    def _invariants(self):
        yield "quantiles have a column each", is_array(self.quantiles_, np.float64, None, self.n_features_in_)
        yield "quantiles are finite", finite(self.quantiles_)


class ComplexISA(IndependentSubspaceAnalysis):
    """Independent subspace analysis of complex signals.

    Real and imaginary parts are analysed side by side, where a complex source of d dimensions is a group of 2 d.

    Parameters
    ----------
    dims : list of int or None, default=None
        Complex sizes of the groups.
    n_subspaces, dependence, cost, n_restarts, max_iter, random_state
        As in :class:`IndependentSubspaceAnalysis`.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import ComplexISA
    >>> rng = np.random.default_rng(0)
    >>> phases = np.exp(2j * np.pi * rng.random((800, 2)))
    >>> mixing = rng.normal(size=(2, 2)) + 1j * rng.normal(size=(2, 2))
    >>> [len(group) for group in ComplexISA([1, 1], random_state=0).fit(phases @ mixing).subspaces_]
    [2, 2]

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Modularity", item 2.
    """

    @_fit_context(prefer_skip_nested_validation=True)
    @few_rows_in_one_thread
    def fit(self, signals, y=None):
        """Find the components and their groups.

        Parameters
        ----------
        signals : array-like of complex of shape (n_samples, n_features)
            Mixed signals.
        y : None
            Not used.

        Returns
        -------
        self
        """
        real = _as_real(signals)
        self.n_features_in_ = real.shape[1]
        self._separate(real)
        return self

    def transform(self, signals):
        """Real components of complex rows, groups one after the other.

        Parameters
        ----------
        signals : array-like of complex of shape (n_samples, n_features)
            Mixed signals.

        Returns
        -------
        S : ndarray of shape (n_samples, 2 * n_features)
        """
        check_is_fitted(self)
        real = _as_real(signals)
        if real.shape[1] != self.n_features_in_:
            raise ValueError(f"signals have {real.shape[1] // 2} columns; {self.n_features_in_ // 2} were fitted")
        return (real - self.mean_) @ self.components_.T

    def _groups(self, sources, rng):
        dims = self.dims
        try:
            self.dims = None if dims is None else [2 * int(width) for width in dims]
            return super()._groups(sources, rng)
        finally:
            self.dims = dims


def _as_real(signals):
    signals = np.asarray(signals)
    if signals.ndim != 2 or not np.iscomplexobj(signals):
        raise ValueError(
            f"signals must be a complex array of two dimensions, got {signals.dtype} of shape {signals.shape}; for "
            "real ones use IndependentSubspaceAnalysis"
        )
    if not np.isfinite(signals).all():
        raise ValueError("signals hold NaN or infinite values; all must be finite")
    return np.hstack([signals.real, signals.imag])


class ConvolutiveISA(IndependentSubspaceAnalysis):
    """Independent subspace analysis of sources that reach more sensors than there are sources, with echoes.

    Each sensor adds delayed copies of all sources. With more sensors than sources, linear prediction of the sensors
    from their past removes the echoes, and what it leaves is an instantaneous mixture of the sources: it is reduced to
    ``n_components`` dimensions and analysed. Use it for sources without memory of their own (those that have one come
    out whitened). Rows must be in the order of time.

    Parameters
    ----------
    n_components : int
        Dimensions of all sources together, fewer than there are sensors.
    dims, n_subspaces, dependence, cost, n_restarts, max_iter, random_state
        As in :class:`IndependentSubspaceAnalysis`.
    order : int or "auto", default="auto"
        Rows that the prediction looks back; longer than the echo. "auto" takes the least Bayesian information
        criterion up to 8.

    Attributes
    ----------
    order_ : int
        Rows looked back.
    coefficients_ : ndarray of shape (order * n_features, n_features)
        Of the prediction, the nearest row first.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import ConvolutiveISA
    >>> rng = np.random.default_rng(0)
    >>> sources = rng.laplace(size=(2000, 2))
    >>> echo = np.roll(sources, 1, axis=0) @ rng.normal(size=(2, 4))
    >>> sensors = sources @ rng.normal(size=(2, 4)) + echo
    >>> found = ConvolutiveISA(2, random_state=0).fit_transform(sensors)
    >>> bool(np.abs(np.corrcoef(found.T, sources.T)[:2, 2:]).max(axis=0).min() > 0.95)
    True

    References
    ----------
    .. [1] Paper v15-0283, Section 1; undercomplete deconvolution by linear prediction.
    """

    _parameter_constraints = {
        **IndependentSubspaceAnalysis._parameter_constraints,
        "order": _ORDER,
        "n_components": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, n_components, dims=None, *, n_subspaces=None, dependence="shannon_ksg", cost="pairwise1d", n_restarts=10,
        max_iter=200, random_state=None, order="auto",
    ):  # fmt: skip
        super().__init__(
            dims, n_subspaces=n_subspaces, dependence=dependence, cost=cost, n_restarts=n_restarts, max_iter=max_iter,
            random_state=random_state,
        )  # fmt: skip
        self.n_components = n_components
        self.order = order

    @_fit_context(prefer_skip_nested_validation=True)
    @few_rows_in_one_thread
    def fit(self, signals, y=None):
        """Find the sources and their groups.

        Parameters
        ----------
        signals : array-like of shape (n_samples, n_features)
            Sensors, a row for each moment in the order of time.
        y : None
            Not used.

        Returns
        -------
        self
        """
        X = validate_data(self, signals, dtype=np.float64, ensure_min_samples=4)
        if self.n_components >= X.shape[1]:
            raise ValueError(
                f"n_components={self.n_components} sources need more sensors than the {X.shape[1]} of signals: with as "
                "many, echoes cannot be told from sources"
            )
        mean = X.mean(axis=0)
        self.coefficients_, self.order_ = autoregression(X - mean, self.order)
        self._separate(_innovations(X - mean, self.coefficients_, self.order_)[self.order_ :], self.n_components)
        self.mean_ = mean
        return self

    def transform(self, signals):
        """Sources of sensors in the order of time, groups one after the other.

        Parameters
        ----------
        signals : array-like of shape (n_samples, n_features)
            Sensors; the first ``order_`` rows are predicted as if the mean had gone before.

        Returns
        -------
        S : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, signals, dtype=np.float64, reset=False)
        return _innovations(X - self.mean_, self.coefficients_, self.order_) @ self.components_.T

    def _invariants(self):
        p = self.n_features_in_
        yield "the prediction has its shape", is_array(self.coefficients_, np.float64, self.order_ * p, p)
        yield "the prediction is finite", finite(self.coefficients_)
