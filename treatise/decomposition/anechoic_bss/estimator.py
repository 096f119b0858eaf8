"""Sources that come to each recording with a weight and a delay of their own (JMLR 12:1111)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.fft import next_fast_len
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_array, is_count
from treatise.decomposition.anechoic_bss._rows import Placing
from treatise.decomposition.anechoic_bss._search import search_sources
from treatise.decomposition.anechoic_bss._spectra import Frame

# Delays that differ by less than this, in samples, are taken for the same.
SAME_DELAY = 0.25


class AnechoicBSS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Few sources that appear in every recording with a weight and a shift of their own.

    Recording i is ``sum_j weight_ij * source_j(t - delay_ij)``, for signals (rows of a table) or images (a stack).
    Where one pattern arrives at different times, or one object stands at different places, a factor model without
    shifts such as PCA needs many components for each; this one needs one, and tells when or where.

    Use it for muscle activity, gait, event-related potentials, a few microphones without echoes, images of objects that
    move. Do not use it for rooms with echoes (several copies of a source in one recording), for more sources than
    recordings, or where two sources always come with the same delays: then only their span is determined, and a warning
    says so. Rows are not centred: a constant level is part of the sources.

    The fit starts from power spectra, which know nothing of delays, and alternates between delays with weights and the
    sources until neither explains more; the unexplained share never rises. The problem has local minima: the best of
    several starts is kept, and it never explains less than the same number of principal components (of rows that are
    not centred). Costs O(m k^2 T log T) for each round on m recordings of T samples with k sources; tens of rounds for
    each start. Memory is the spectra of X.

    Parameters
    ----------
    n_sources : int, default=2
        Number of sources; at most the number of recordings.
    positive : bool, default=False
        Whether weights must not be negative, as for objects in images.
    max_delay : float or None, default=None
        Largest delay either way, in samples (for images along each axis); None allows any. 0 is the best subspace.
    boundary : {"circular", "zero"}, default="circular"
        What comes in as a source is shifted: its other end, right for periods such as steps; or nothing, right for
        recordings that begin and end in silence. ``"zero"`` doubles the length that is worked on.
    fractional : bool, default=True
        Whether delays may lie between the samples.
    n_starts : int, default=5
        Starts from power spectra: the first from their singular vectors, others at random. One more is the best
        subspace without delays, and one adds a source at a time.
    max_iter : int, default=300
        Most rounds of the best start.
    tol : float, default=1e-4
        Ends where a round lowers the unexplained share by at most this share of it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts.

    Attributes
    ----------
    sources_ : ndarray of shape (n_sources, n_samples) or (n_sources, height, width)
        Sources with a mean square of one, the most important first. Of the doubled length for ``boundary="zero"``.
    weights_ : ndarray of shape (n_recordings, n_sources)
        Weights; the largest of each source is positive.
    delays_ : ndarray of shape (n_recordings, n_sources) or (n_recordings, n_sources, 2)
        Delays in samples (for images down and to the right), at most half of the length either way. Only differences
        have a meaning: without ``max_delay`` they are counted from the recording where the source is strongest, to the
        sample.
    unexplained_ : float
        Share of the recordings' squares that is left.
    residual_history_ : ndarray of shape (n_iter_ + 1,)
        That share at the best start and after each round.
    n_iter_ : int
        Rounds of the best start.
    converged_ : bool
        Whether the last round came to rest.
    n_features_in_ : int
        Samples of a recording, or lines of an image.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the samples, where X has them.

    See Also
    --------
    sklearn.decomposition.FastICA : Sources without delays.
    estimate_delays : Weights and delays of known signals.
    plot_sources : Picture of the sources, their weights and delays.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import AnechoicBSS
    >>> rng = np.random.default_rng(0)
    >>> burst, click = rng.normal(size=(2, 200)) * np.exp(-np.arange(200) / np.array([[40.0], [8.0]]))
    >>> X = np.array([np.roll(burst, d) + w * np.roll(click, 50 - d) for d, w in [(0, 1), (9, 2), (4, 3), (20, 1)]])
    >>> model = AnechoicBSS(2, random_state=0).fit(X)
    >>> round(model.score(X), 3)
    1.0
    >>> delays = model.delays_[:, np.argmin(np.ptp(model.weights_, axis=0))]  # the burst is equally strong in all
    >>> (delays - delays[0]).round(3) + 0.0
    array([ 0.,  9.,  4., 20.])

    References
    ----------
    .. [1] Paper v12-1111, Algorithm 2 in the Fourier domain, Section 3.3.1 and Appendix A.
    """

    _parameter_constraints: dict = {
        "n_sources": [Interval(Integral, 1, None, closed="left")],
        "positive": ["boolean"],
        "max_delay": [Interval(Real, 0, None, closed="left"), None],
        "boundary": [StrOptions({"circular", "zero"})],
        "fractional": ["boolean"],
        "n_starts": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_sources=2,
        *,
        positive=False,
        max_delay=None,
        boundary="circular",
        fractional=True,
        n_starts=5,
        max_iter=300,
        tol=1e-4,
        random_state=None,
    ):
        self.n_sources = n_sources
        self.positive = positive
        self.max_delay = max_delay
        self.boundary = boundary
        self.fractional = fractional
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the sources, and the weights and delays with which they make up the recordings.

        Parameters
        ----------
        X : array-like of shape (n_recordings, n_samples) or (n_recordings, height, width)
            Recordings.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        images = self._checked(X, reset=True)
        if len(images) < self.n_sources:
            raise ValueError(
                f"n_sources={self.n_sources} exceeds n_samples={len(images)}, the number of recordings: they do not "
                f"determine so many; choose at most {len(images)}"
            )
        size = np.abs(images).max()
        if size == 0.0:
            raise ValueError(f"all {len(images)} recordings are zero: there is no source to find")
        placing = self._placing()
        recordings = placing.frame.spectra(images / size)
        best = search_sources(
            placing, recordings, self.n_sources, n_starts=self.n_starts, max_iter=self.max_iter, tol=self.tol,
            random_state=check_random_state(self.random_state),
        )  # fmt: skip
        self.converged_ = best.converged
        self.residual_history_ = np.array(best.history)
        self.n_iter_ = len(best.history) - 1
        best.placement.keep_better(placing.cold(recordings, best.sources))
        self.unexplained_ = float(best.placement.errors.sum() / np.sum(np.abs(recordings) ** 2))
        self._store(best, placing.frame, size)
        self._warn()
        return self

    def _store(self, best, frame, size):
        """Sources in their order, of mean square one, counted from where they are strongest."""
        weights, delays = best.placement.weights, best.placement.delays
        order = np.argsort(-np.sum(weights**2, axis=0), kind="stable")
        weights, delays, sources = weights[:, order], delays[:, order], best.sources[order]
        strongest = np.argmax(np.abs(weights), axis=0)
        places = np.arange(self.n_sources)
        signs = np.where(weights[strongest, places] < 0.0, -1.0, 1.0)
        if self.max_delay is None:
            # Whole samples, as a shift between them would blur the highest frequency.
            origin = np.round(delays[strongest, places])
            sources = Placing(frame).shifted(sources, origin[np.newaxis])[0]
            delays = frame.wrapped(delays - origin)
        length = np.sqrt(frame.height * frame.width)
        found = frame.images(sources * signs[:, np.newaxis, np.newaxis]) * length
        self.weights_ = weights * signs * (size / length)
        delays = np.where(weights[..., np.newaxis] == 0.0, 0.0, delays)
        self.sources_, self.delays_ = (found, delays) if self._is_image() else (found[:, 0], delays[..., 1])

    def _warn(self):
        if not self.converged_:
            warnings.warn(
                f"the unexplained share, {self.unexplained_:.3g}, still fell after max_iter={self.max_iter} rounds; "
                "raise it, or tol",
                ConvergenceWarning,
                stacklevel=3,
            )
        pair = None if self.max_delay == 0 else self._inseparable()
        if pair:
            warnings.warn(
                f"sources {pair[0]} and {pair[1]} come with the same delays in all recordings: only their span is "
                "determined; take fewer sources, or recordings with other delays",
                UserWarning,
                stacklevel=3,
            )

    def _inseparable(self):
        """Two sources whose delays differ by the same amount in every recording that has both, or None."""
        delays = self.delays_ if self._is_image() else self.delays_[..., np.newaxis]
        size = np.array(self._shape() if self._is_image() else self._shape()[1:], dtype=np.float64)
        for j in range(self.n_sources):
            for k in range(j):
                heard = self.weights_[:, j] * self.weights_[:, k] != 0.0
                apart = delays[heard, j] - delays[heard, k]
                if heard.sum() > 1:
                    apart = apart - apart[0]
                    if np.abs(apart - size * np.round(apart / size)).max() < SAME_DELAY:
                        return k, j
        return None

    def transform(self, X):
        """Weights of the sources in recordings, each source shifted to where it fits best.

        Parameters
        ----------
        X : array-like of shape (n_recordings, n_samples) or (n_recordings, height, width)
            Recordings.

        Returns
        -------
        ndarray of shape (n_recordings, n_sources)
        """
        return self.place(X)[0]

    def place(self, X):
        """Weights and delays of the sources in recordings.

        Parameters
        ----------
        X : array-like of shape (n_recordings, n_samples) or (n_recordings, height, width)
            Recordings.

        Returns
        -------
        weights : ndarray of shape (n_recordings, n_sources)
        delays : ndarray of shape (n_recordings, n_sources) or (n_recordings, n_sources, 2)
        """
        placement = self._placed(X)
        return placement.weights, placement.delays if self._is_image() else placement.delays[..., 1]

    def reconstruct(self, X):
        """Recordings as far as the sources explain them.

        Parameters
        ----------
        X : array-like of shape (n_recordings, n_samples) or (n_recordings, height, width)
            Recordings.

        Returns
        -------
        ndarray of the shape of X
        """
        placement, placing = self._placed(X), self._placing()
        sources = placing.frame.spectra(self._source_images())
        images = placing.frame.images(placing.rebuilt(sources, placement))
        images = images[:, : self._sample_shape[0], : self._sample_shape[1]]
        return images if self._is_image() else images[:, 0]

    def score(self, X, y=None):
        """Quality of the approximation, ``1 - |X - reconstruction| / |X|`` in Frobenius norms (Section 5.2.1).

        Parameters
        ----------
        X : array-like of shape (n_recordings, n_samples) or (n_recordings, height, width)
            Recordings.
        y : None
            Ignored.

        Returns
        -------
        float
        """
        rebuilt = self.reconstruct(X)
        X = np.asarray(X, dtype=np.float64)
        length = np.linalg.norm(X)
        return float(1.0 - np.linalg.norm(X - rebuilt) / length) if length > 0.0 else 1.0

    def _placed(self, X):
        check_is_fitted(self)
        images = self._checked(X, reset=False)
        placing = self._placing()
        # Each recording in its own unit, so that it is placed alike in any company.
        sizes = np.abs(images).max(axis=(1, 2), keepdims=True)
        sizes[sizes == 0.0] = 1.0
        sources = placing.frame.spectra(self._source_images())
        placement = placing.cold(placing.frame.spectra(images / sizes), sources)
        placement.weights *= sizes[:, 0]
        return placement

    def _checked(self, X, *, reset):
        """Recordings as a stack of images."""
        X = validate_data(self, X, dtype=np.float64, allow_nd=True, reset=reset, ensure_min_features=1 + reset)
        if X.ndim > 3:
            raise ValueError(f"X has {X.ndim} dimensions; recordings are rows of a table or a stack of images")
        if X.ndim == 3 and X.shape[1] == 1:
            raise ValueError(f"X has the shape {X.shape}: images of one line; give signals as rows of a table, X[:, 0]")
        images = X[:, np.newaxis] if X.ndim == 2 else X
        if reset:
            self._sample_shape = images.shape[1:]
        elif images.shape[1:] != self._sample_shape:
            raise ValueError(f"recordings have the shape {images.shape[1:]}; the model has seen {self._sample_shape}")
        return images

    def _is_image(self):
        return self._sample_shape[0] > 1

    def _shape(self):
        """Lines and columns of the grid."""
        if self.boundary == "circular":
            return self._sample_shape
        return tuple(size if size == 1 else next_fast_len(2 * size, real=True) for size in self._sample_shape)

    def _placing(self):
        return Placing(Frame(*self._shape()), self.max_delay, self.positive, self.fractional)

    def _source_images(self):
        return self.sources_ if self._is_image() else self.sources_[:, np.newaxis]

    @property
    def _n_features_out(self):
        return self.n_sources

    def _invariants(self):
        height, width = self._sample_shape
        yield "recordings have lines and columns", is_count(height, 1) and is_count(width, 1)
        shape = self._shape() if self._is_image() else self._shape()[1:]
        yield "sources fill the grid", is_array(self.sources_, np.float64, self.n_sources, *shape)
        yield "sources are finite", finite(self.sources_)
        heard = len(self.weights_)
        yield "weights are one for each source", is_array(self.weights_, np.float64, heard, self.n_sources)
        axes = (2,) if self._is_image() else ()
        yield "delays go with weights", is_array(self.delays_, np.float64, heard, self.n_sources, *axes)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags
