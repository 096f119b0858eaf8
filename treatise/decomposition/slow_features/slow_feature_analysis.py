"""Slow feature analysis: the functions of a time series that vary least (section 2 of JMLR 15:921)."""

from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise._core.invariants import finite, is_array
from treatise.decomposition.slow_features._base import SlowFeatures
from treatise.decomposition.slow_features._moments import block_size, slow_terms, warn_of_noise
from treatise.statistics.time_windows import time_blocks


class SlowFeatureAnalysis(SlowFeatures):
    """Features of a time series that vary as slowly as any linear or polynomial function of its columns can.

    Features have zero mean and unit variance, are uncorrelated, and come in the order of their slowness: the first is
    the function of one row with the least mean squared change from row to row, its delta value. Use it to find what
    drives a record (drift, phases, positions, states), in the monitoring of processes, or to reduce dimensions before a
    model of sequences. There is no random start and no iteration.

    Do not use it on rows without an order in time, nor where what matters is fast or rare. Functions of a high degree
    follow noise: a warning says if the slowest feature is no slower than noise would make it look. For sources that
    were mixed, take :class:`XSFA`, which tells a source from functions of others.

    Costs O(n_times d^2 + d^3) for d terms, d being the number of columns for degree one and about n_features^degree
    beyond; memory is X and a few d x d matrices, and X may be a memory map.

    Parameters
    ----------
    n_components : int or None, default=None
        Features that are kept; None keeps all.
    degree : int, default=1
        Degree of the polynomials of the columns; one is linear.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_terms_)
        Weights of the terms in each feature; for degree one of the columns themselves.
    offset_ : ndarray of shape (n_components_,)
        What is added to the weighted terms; for degree one to the weighted columns less their ``centre_``.
    deltas_ : ndarray of shape (n_components_,)
        Delta value of each feature, ascending: mean squared change from row to row.
    n_components_ : int
        Number of features.

    See Also
    --------
    XSFA : Separates sources that were mixed.
    delta_value : Slowness of given signals.
    treatise.statistics.delay_windows : Puts the past beside every row, for features that need it.

    Notes
    -----
    Signs are set so that the largest weight of a term, in units of its deviation, is above zero.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import SlowFeatureAnalysis
    >>> time = np.arange(2000)
    >>> sources = np.column_stack([np.sin(time / 40), np.sin(time / 9), np.sin(time / 3)])
    >>> X = sources @ np.random.default_rng(0).normal(size=(3, 3))
    >>> features = SlowFeatureAnalysis().fit_transform(X)
    >>> np.round(np.abs(np.corrcoef(features.T, sources.T)[:3, 3:]), 2)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])

    References
    ----------
    .. [1] Paper v15-0921, section 2.
    """

    _parameter_constraints = {
        **SlowFeatures._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "degree": [Interval(Integral, 1, 100, closed="both")],
    }

    def __init__(
        self,
        n_components=None,
        *,
        degree=1,
        basis="legendre",
        expansion=None,
        eps=1e-7,
        dt=1.0,
        chunk_size=None,
    ):
        self.n_components = n_components
        self.degree = degree
        self.basis = basis
        self.expansion = expansion
        self.eps = eps
        self.dt = dt
        self.chunk_size = chunk_size

    def _learn(self, X, lengths):
        self._expand(X, lengths, self.degree)
        moments = self._moments(X, lengths)
        found = slow_terms(moments, self.eps)
        if self.n_components is not None and self.n_components > len(found.deltas):
            raise ValueError(
                f"n_components={self.n_components} exceeds the {len(found.deltas)} dimensions of the terms of X; "
                "choose at most so many, or a higher degree"
            )
        weights = found.weights[: self.n_components]
        self.deltas_ = found.deltas[: self.n_components]
        self.n_dropped_ = found.n_dropped
        self.n_components_ = len(weights)
        self.components_ = weights / self._term_widths()
        self.offset_ = -weights @ moments.mean
        warn_of_noise(self.deltas_[0], len(found.deltas), len(X), self.dt, stacklevel=4)

    def _outputs(self, X):
        functions, outputs = self._functions(), np.empty((len(X), self.n_components_))
        for start, stop, _ in time_blocks([len(X)], block_size(self.chunk_size, self.n_terms_)):
            rows = X[start:stop]
            terms = (rows - self.centre_).T if self._is_linear() else functions.signals(rows)
            outputs[start:stop] = (self.components_ @ terms).T + self.offset_
        return outputs

    def _is_linear(self):
        return self.expansion_ is None and self.degree_ == 1

    def _term_widths(self):
        """What a weight of a term is divided by to be one of a column."""
        return self.width_ if self._is_linear() else np.ones(self.n_terms_)

    @property
    def _n_features_out(self):
        return self.n_components_

    def _invariants(self):
        shape = (self.n_components_, self.n_terms_)
        yield "features have a weight for each term", is_array(self.components_, np.floating, *shape)
        yield "features have an offset", is_array(self.offset_, np.floating, self.n_components_)
        yield "both are finite", finite(self.components_) and finite(self.offset_)
