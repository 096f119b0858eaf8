"""What slow feature analysis and its extension share: parameters, input, and rows in blocks."""

from abc import ABC, abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import is_array, is_count
from treatise.decomposition.slow_features._expansion import Expansion, Scales, checked_terms, scales_of
from treatise.decomposition.slow_features._moments import SlowMoments, block_size
from treatise.decomposition.slow_features.slowness import LONGEST, SHORTEST, delta_value
from treatise.statistics.time_windows import checked_lengths, time_blocks


class SlowFeatures(InheritsDocumentation, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """Slow functions of the columns of a time series.

    Parameters
    ----------
    basis : {"legendre", "monomial"}, default="legendre"
        Which polynomials. Both span the same functions; powers of a high degree are nearly equal to each other, so
        that ``eps`` drops many of them. Legendre polynomials take columns scaled to their range, beyond which new
        values are cut off; powers (the paper's choice) take them with unit variance.
    expansion : transformer or None, default=None
        Makes the functions of the columns, which it gets with unit variance, instead of polynomials; such as
        scikit-learn's ``SplineTransformer`` or ``Nystroem``.
    eps : float, default=1e-7
        Principal components of less variance are dropped, where every function has unit variance.
    dt : float, default=1.0
        Time from frame to frame, the unit of the delta values.
    chunk_size : int or None, default=None
        Frames whose functions are formed at once; None takes what fits a processor's cache. It changes memory and time
        alone.

    Attributes
    ----------
    degree_ : int
        Degree of the polynomials.
    n_terms_ : int
        Number of functions of the columns.
    n_dropped_ : int
        Dimensions that were dropped because constant, or a combination of others but for ``eps``.
    centre_, width_ : ndarray of shape (n_features,)
        Middle and width by which columns are scaled; the width of a constant column is infinite.
    expansion_ : transformer or None
        The fitted ``expansion``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has them.
    """

    _parameter_constraints: dict = {
        "basis": [StrOptions({"legendre", "monomial"})],
        "expansion": [HasMethods(["fit", "transform"]), None],
        "eps": [Interval(Real, 0, 1, closed="left")],
        "dt": [Interval(Real, SHORTEST, LONGEST, closed="both")],
        "chunk_size": [Interval(Integral, 1, None, closed="left"), None],
    }

    def fit(self, X, y=None, lengths=None):
        """Learn from a time series.

        Parameters
        ----------
        X : array-like of shape (n_times, n_features)
            Rows in the order of time, at equal distances.
        y : None
            Ignored.
        lengths : array-like of int or None, default=None
            Rows of each of several sequences that lie one below the other; None is one sequence.

        Returns
        -------
        self
        """
        self._validate_params()
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self._learn(X, checked_lengths(lengths, len(X)))
        return self

    @abstractmethod
    def _learn(self, X, lengths):
        """Fit to checked rows."""

    def fit_transform(self, X, y=None, lengths=None):
        """Learn from a time series, and give its slow features.

        Parameters
        ----------
        X : array-like of shape (n_times, n_features)
            Rows in the order of time.
        y : None
            Ignored.
        lengths : array-like of int or None, default=None
            Rows of each of several sequences; None is one sequence.

        Returns
        -------
        ndarray of shape (n_times, n_features_out)
        """
        return self.fit(X, lengths=lengths).transform(X)

    def transform(self, X):
        """Slow features of rows, each from its own values alone.

        Parameters
        ----------
        X : array-like of shape (n_times, n_features)
            Rows, in any order.

        Returns
        -------
        ndarray of shape (n_times, n_features_out)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._outputs(X)

    def score(self, X, y=None, lengths=None):
        """Minus the mean delta value of the features of other rows: higher is slower.

        It serves to choose the degree or ``eps`` on a later part of the record; fits with different numbers of features
        do not compare.

        Parameters
        ----------
        X : array-like of shape (n_times, n_features)
            Rows in the order of time.
        y : None
            Ignored.
        lengths : array-like of int or None, default=None
            Rows of each of several sequences; None is one sequence.

        Returns
        -------
        float
        """
        return float(-np.nanmean(delta_value(self.transform(X), dt=self.dt, lengths=lengths)))

    @abstractmethod
    def _outputs(self, X):
        """Features of checked rows."""

    def _expand(self, X, lengths, degree):
        """Learn the scale of the columns, and the functions of them."""
        self.degree_ = degree
        if self.expansion is None:
            checked_terms(X.shape[1], degree)
        bounded = self.expansion is None and self.basis == "legendre" and degree > 1
        self.centre_, self.width_ = scales_of(X, lengths, block_size(self.chunk_size, X.shape[1]), bounded)
        if not np.isfinite(self.width_).any():
            raise ValueError(f"all {X.shape[1]} columns of X are constant: nothing in them is slow or fast")
        self.expansion_ = None
        if self.expansion is not None:
            self.expansion_ = clone(self.expansion).fit((X - self.centre_) / self.width_)
        self.n_terms_ = self._functions().n_terms

    def _functions(self):
        return Expansion(Scales(self.centre_, self.width_), self.degree_, self.basis, self.expansion_)

    def _moments(self, X, lengths):
        """Covariances of the functions and of their changes."""
        functions, moments = self._functions(), SlowMoments(self.dt)
        for start, stop, reach in time_blocks(lengths, block_size(self.chunk_size, self.n_terms_)):
            moments.update(functions.signals(X[start:reach]), stop - start)
        return moments

    def _invariants(self):
        for scale in (self.centre_, self.width_):
            yield "every column has a scale", is_array(scale, np.floating, self.n_features_in_)
        yield "the degree is a number", is_count(self.degree_, 1) and self.degree_ <= 1000
        yield "the number of terms is that of the expansion", self.n_terms_ == self._functions().n_terms
