"""xSFA: sources one by one from an unknown non-linear mixture, by their slowness (JMLR 15:921)."""

import warnings
from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import finite, is_array, is_count
from treatise.decomposition.slow_features._base import SlowFeatures
from treatise.decomposition.slow_features._expansion import checked_terms, independent_pieces, largest_degree
from treatise.decomposition.slow_features._extraction import Extraction
from treatise.decomposition.slow_features._moments import block_size, warn_of_noise
from treatise.decomposition.slow_features.slowness import resolvable_difference
from treatise.statistics import PolynomialTerms
from treatise.statistics.time_windows import time_blocks

MOST_DATA_TERMS, MOST_DATA_DEGREE = 119, 7
"""Of the automatic degree of the columns: long records get the paper's 7 for two columns and 3 for six."""
MOST_SOURCE_TERMS, MOST_SOURCE_DEGREE = 130, 20
"""Of the automatic degree of the sources: long records get the paper's 20 for one source and 4 for five."""
PIECES_PER_DATA_TERM, PIECES_PER_SOURCE_TERM = 3, 20
"""Independent pieces of the record that the automatic degrees ask for each term. The removal is the more careful: what
it takes away by chance is lost to all later sources."""


class XSFA(SlowFeatures):
    """Independent sources of different slowness, recovered one by one from an unknown non-linear mixture of them.

    Every column of X is taken for a function of the same few sources at the same time, from which these could be
    computed. The slowest polynomial of the columns is then a monotone function of the slowest source. All polynomials
    of it are projected out, the slowest of what is left belongs to the second source, and so on. Use it for recordings
    of signals with different time scales through curved or saturating sensors. There is no random start.

    Do not use it for sources of equal slowness or without structure in time, nor for mixtures with delays or echoes;
    for linear mixtures of non-Gaussian sources scikit-learn's ``FastICA`` needs no order of time. Errors of a source
    carry over to faster ones: believe the first few.

    Costs O(n_times d (d + q)) for d terms of the columns and q of the sources; memory is X, the sources and a
    few matrices of d + q rows, and X may be a memory map.

    Parameters
    ----------
    n_sources : int, default=2
        Sources to extract.
    expansion_degree : int or "auto", default="auto"
        Degree of the polynomials of the columns, in which the mixture must be invertible. ``"auto"`` takes the
        largest up to 7 with at most 119 terms and a third of the number of independent pieces of the record, whose
        length is the correlation time 1 / sqrt(delta) of the columns. Long records get 7 for two columns and 3 for
        six, the paper's values.
    removal_degree : int or "auto", default="auto"
        Degree of the polynomials of the sources found, which are projected out. ``"auto"`` takes the largest up to 20
        with at most 130 terms and a twentieth of the number of pieces. Long records get 20 for two sources and 4 for
        six, the paper's values.

    Attributes
    ----------
    n_sources_ : int
        Sources that were found; fewer than asked for, with a warning, where X has fewer columns or nothing is left.
    deltas_ : ndarray of shape (n_sources_,)
        Delta value of each source: mean squared change from row to row.
    gaps_ : ndarray of shape (n_sources_,)
        By which share the second slowest signal was faster when the source was taken.
    resolution_ : ndarray of shape (n_sources_,)
        Smallest such share that the length of X can tell from chance (equation 17); a smaller gap is warned of.
    n_dropped_ : ndarray of int of shape (n_sources_,)
        Dimensions that were dropped before each source was taken: first of the terms of the columns, then of what the
        removal of earlier sources left.
    removal_degree_ : int
        Degree of the polynomials of the sources.
    weights_ : list of ndarray
        For each source the weights of the terms of the columns, then of the terms of the sources before it.
    offsets_ : ndarray of shape (n_sources_,)
        What is added to the weighted terms.
    source_scales_ : ndarray of shape (n_sources_, 2)
        Middle and width by which each source is scaled in its own polynomials.

    See Also
    --------
    SlowFeatureAnalysis : The slowest functions, whatever they depend on.
    required_length : Frames that tell two sources apart.

    Notes
    -----
    A source is found up to a monotone function and its sign, which is set so that the largest weight is above zero; for
    Gaussian sources the function is linear.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.datasets import make_colored_sources, mix_spiral
    >>> from treatise.decomposition import XSFA
    >>> sources = make_colored_sources(5000, random_state=0)[:, [0, 2]]
    >>> X = mix_spiral(sources / np.abs(sources).max(axis=0))
    >>> found = XSFA().fit_transform(X)
    >>> np.abs(np.corrcoef(found.T, sources.T)[:2, 2:]).diagonal() > 0.95
    array([ True,  True])

    References
    ----------
    .. [1] Paper v15-0921, section 4.1.
    """

    _parameter_constraints = {
        **SlowFeatures._parameter_constraints,
        "n_sources": [Interval(Integral, 1, None, closed="left")],
        "expansion_degree": [Interval(Integral, 1, 100, closed="both"), StrOptions({"auto"})],
        "removal_degree": [Interval(Integral, 1, 100, closed="both"), StrOptions({"auto"})],
    }

    def __init__(
        self,
        n_sources=2,
        *,
        expansion_degree="auto",
        removal_degree="auto",
        basis="legendre",
        expansion=None,
        eps=1e-7,
        dt=1.0,
        chunk_size=None,
    ):
        self.n_sources = n_sources
        self.expansion_degree = expansion_degree
        self.removal_degree = removal_degree
        self.basis = basis
        self.expansion = expansion
        self.eps = eps
        self.dt = dt
        self.chunk_size = chunk_size

    def _learn(self, X, lengths):
        n_sources = self._possible_sources(X.shape[1])
        signals = max(n_sources - 1, 1)
        pieces = independent_pieces(X, lengths, block_size(self.chunk_size, X.shape[1]))
        degree, self.removal_degree_ = self.expansion_degree, self.removal_degree
        if degree == "auto":
            most = min(MOST_DATA_TERMS, pieces // PIECES_PER_DATA_TERM)
            degree = largest_degree(X.shape[1], MOST_DATA_DEGREE, most)
        if self.removal_degree == "auto":
            most = min(MOST_SOURCE_TERMS, pieces // PIECES_PER_SOURCE_TERM)
            self.removal_degree_ = largest_degree(signals, MOST_SOURCE_DEGREE, most)
        self._expand(X, lengths, degree)
        checked_terms(signals, self.removal_degree_)
        removal = self._removal(n_sources)
        size = block_size(self.chunk_size, self.n_terms_ + (removal.n_terms if removal is not None else 0))
        sources, _ = Extraction(X, lengths, self._functions(), removal, self.eps, self.dt, size).run(n_sources)
        self.n_sources_ = len(sources)
        self.weights_ = [source.weights for source in sources]
        self.offsets_ = np.array([source.offset for source in sources])
        self.source_scales_ = np.array([(source.centre, source.width) for source in sources])
        self.deltas_ = np.array([source.delta for source in sources])
        self.gaps_ = np.array([source.runner_up for source in sources]) / self.deltas_ - 1.0
        self.resolution_ = np.array([resolvable_difference(d, len(X), dt=self.dt) for d in self.deltas_])
        self.n_dropped_ = np.array([source.n_dropped for source in sources])
        self._warn_of_doubts(len(X))

    def _possible_sources(self, n_columns):
        """At most as many sources as columns, from which they are to be computed."""
        if self.n_sources > n_columns:
            warnings.warn(
                f"n_sources={self.n_sources} exceeds the {n_columns} columns of X, from which no more sources can be "
                "told apart; ask for fewer, or put earlier rows beside each with treatise.statistics.delay_windows",
                UserWarning,
                stacklevel=4,
            )
        return min(self.n_sources, n_columns)

    def _warn_of_doubts(self, n_times):
        warn_of_noise(self.deltas_[0], self.n_terms_ - self.n_dropped_[0], n_times, self.dt, stacklevel=5)
        if self.n_sources_ < min(self.n_sources, self.n_features_in_):
            warnings.warn(
                f"n_sources={self.n_sources} exceeds the {self.n_sources_} found: nothing is left of the terms of X "
                "but functions of these; ask for fewer, or lower removal_degree",
                UserWarning,
                stacklevel=4,
            )
        close = np.flatnonzero(self.gaps_ < self.resolution_)
        if len(close):
            warnings.warn(
                f"source {close[0] + 1} may be a mixture: the next signal is faster by {self.gaps_[close[0]]:.2%} "
                f"alone, and {n_times} frames resolve {self.resolution_[close[0]]:.2%}; give a longer record",
                UserWarning,
                stacklevel=4,
            )

    def _removal(self, n_sources):
        """Terms of all sources but the last, which nothing follows; None where there is no other."""
        return PolynomialTerms(n_sources - 1, self.removal_degree_, self.basis) if n_sources > 1 else None

    def _outputs(self, X):
        functions, removal = self._functions(), self._removal(self.n_sources_)
        n_terms = self.n_terms_ + (removal.n_terms if removal is not None else 0)
        outputs = np.empty((len(X), self.n_sources_))
        for start, stop, _ in time_blocks([len(X)], block_size(self.chunk_size, n_terms)):
            terms = np.empty((n_terms, stop - start))
            terms[: self.n_terms_] = functions.signals(X[start:stop])
            for number, weights in enumerate(self.weights_):
                values = weights @ terms[: len(weights)] + self.offsets_[number]
                outputs[start:stop, number] = values
                if number < self.n_sources_ - 1:
                    centre, width = self.source_scales_[number]
                    values = (values - centre) / width
                    if self.basis == "legendre":
                        np.clip(values, -1.0, 1.0, out=values)
                    removal.add_signal(number, values, terms[self.n_terms_ :])
        return outputs

    @property
    def _n_features_out(self):
        return self.n_sources_

    def _invariants(self):
        n = self.n_sources_
        yield "there are sources", is_count(n, 1) and len(self.weights_) == n
        yield "sources have an offset", is_array(self.offsets_, np.floating, n) and finite(self.offsets_)
        yield "sources have a scale", is_array(self.source_scales_, np.floating, n, 2) and finite(self.source_scales_)
        yield "the degree of removal is a number", is_count(self.removal_degree_, 1) and self.removal_degree_ <= 1000
        removal = self._removal(n)
        for number, weights in enumerate(self.weights_):
            known = self.n_terms_ + (removal.n_terms_of(number) if number else 0)
            yield "sources have a weight for each term", is_array(weights, np.floating, known) and finite(weights)
