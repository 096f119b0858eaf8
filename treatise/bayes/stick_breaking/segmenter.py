"""Segments of series, images and maps by logistic stick breaking (Ren, Du, Carin & Dunson, JMLR 12:203)."""

import numpy as np
from scipy.special import expit, logsumexp
from sklearn.base import ClusterMixin, _fit_context
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import are_distinct
from treatise._core.magnitudes import check_magnitudes
from treatise.bayes.stick_breaking._ascent import OneSet, Widths
from treatise.bayes.stick_breaking._base import (
    StickBreaking,
    atom_invariants,
    kept_sticks,
    moments_at,
    places_like,
    shares_of,
    stick_invariants,
)
from treatise.bayes.stick_breaking._features import checked_counts, prior_atoms, restored_atoms
from treatise.bayes.stick_breaking._start import first_groups
from treatise.bayes.stick_breaking._sticks import log_stick_weights, stick_shares


class LogisticStickBreaking(ClusterMixin, StickBreaking):
    """Divides rows that have a place into contiguous segments of one kind, and finds how many kinds there are.

    A row is features (a colour, a spectrum, counts of words) seen at a place (a time, a pixel, a point on a map). Each
    segment has its own distribution of features; which segment a place is in follows from a chain of logistic
    regressions on kernels around some centres, with sparse weights, so that neighbours go together, borders are sharp
    and one kind may lie in several places. Use it for series with change points that come back to a former state, for
    images and maps, and for tables without places, where it is a mixture of Gaussians that counts its components. Do
    not use it for segments of one row or two, for slow drifts, for places of more than some three dimensions, or where
    a segment's features have several modes.

    One cycle costs O(K (n c^2 + c^3)) for K sticks and c centres; memory O(n c) for each width in use, and K c^2.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
        Segment of each row, by falling size from 0, by features and place: a row that stands out may be in another
        than its neighbours. ``predict_prior(locations).argmax(axis=1)`` has the segments of the places alone.
    resp_ : ndarray of shape (n_samples, n_sticks)
        Chance of each row to be in each segment, in the order of the labels.
    n_segments_ : int
        Segments that are the most probable one of a row or more.
    atoms_ : dict of str to ndarray
        Posterior of each segment's distribution in the order of the labels, for scaled columns without constant ones.
    means_ : ndarray of shape (n_sticks, n_features)
        Posterior mean of each segment's features, or chances of words; NaN in empty ones.
    order_ : ndarray of int of shape (n_sticks,)
        Stick of each label.
    weights_ : ndarray of shape (n_sticks - 1, 1 + n_centers)
        Posterior mean of constant and weights of each stick, in the order of the sticks.
    roots_ : ndarray of shape (n_sticks - 1, 1 + n_centers, 1 + n_centers)
        Lower Cholesky factors of their posterior precisions.
    widths_ : ndarray of shape (n_sticks - 1,)
        Kernel width of each stick.
    centers_ : ndarray of shape (n_centers, n_dimensions)
        Centres; none without locations.

    See Also
    --------
    HierarchicalStickBreaking : Several images or series at once, with segments in common.
    plot_segments : Picture of the segments over an image or along a series.
    image_patches : Rows of an image.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import LogisticStickBreaking
    >>> rng = np.random.default_rng(1)
    >>> state = np.repeat([0, 1, 0], [60, 80, 60])
    >>> X = rng.normal(3.0 * state, 1.0)[:, np.newaxis]
    >>> model = LogisticStickBreaking(random_state=0).fit(X, locations=np.arange(200))
    >>> model.n_segments_, np.flatnonzero(np.diff(model.labels_)) + 1
    (2, array([ 60, 140]))

    References
    ----------
    .. [1] Paper v12-0203, sections 2 and 4, Appendix A.
    """

    def __init__(
        self, n_sticks=10, *, centers="auto", widths="auto", width_update="map", emission="gaussian", codebooks=None,
        breaks="reached", merge=True, n_neighbors=9, a0=1e-6, b0=1e-6, n_init=1, max_iter=200, tol=1e-4, verbose=None,
        random_state=None,
    ):  # fmt: skip
        self.n_sticks = n_sticks
        self.centers = centers
        self.widths = widths
        self.width_update = width_update
        self.emission = emission
        self.codebooks = codebooks
        self.breaks = breaks
        self.merge = merge
        self.n_neighbors = n_neighbors
        self.a0 = a0
        self.b0 = b0
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, locations=None):
        """Find the segments.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features of the rows, or counts.
        y : Ignored
        locations : array-like of shape (n_samples,) or (n_samples, n_dimensions), or None, default=None
            Place of each row, in units that are alike in all directions. None: rows have no place.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_magnitudes(X, "X")
        if self.emission == "multinomial":
            checked_counts(X, self.codebooks)
        Y = self._learn_scale(X)
        sticks, self.centers_, smooth = self._placed(Y, locations)
        best = self._best_climb(lambda seed: self._start(Y, smooth, sticks.without([]), seed), len(X))
        self._keep(best, X)
        return self

    def _start(self, Y, smooth, sticks, seed):
        shares = np.eye(self.n_sticks)[first_groups(smooth, self.n_sticks, seed)]
        atoms = prior_atoms(Y, self.emission, self.codebooks)
        return OneSet(Y, atoms, sticks, shares, Widths(self.width_update, np.random.default_rng(seed)))

    def _keep(self, found, X):
        atoms, sticks, Y = found.model.atoms, found.model.sticks, found.model.Y
        # Shares from the factors as they stand, so that training rows are in the segments that predict gives.
        shares = shares_of(atoms.log_likelihood(Y) + log_stick_weights(sticks.means, sticks.etas))
        hard = np.bincount(shares.argmax(axis=1), minlength=self.n_sticks)
        self.order_ = np.lexsort((-shares.sum(axis=0), -hard))
        self.n_segments_ = int(np.count_nonzero(hard))
        self.resp_ = shares[:, self.order_]
        self.labels_ = self.resp_.argmax(axis=1)
        kept = kept_sticks(sticks)
        self.weights_, self.roots_, self.widths_ = kept["weights"], kept["roots"], kept["widths"]
        self.atoms_ = {name: values[self.order_] for name, values in atoms.arrays().items()}
        self.means_ = self._segment_means(X, self.atoms_)
        self.means_[self.n_segments_ :] = np.nan
        self._keep_trace(found, len(X))

    def _checked(self, X, locations):
        """New rows and their places, as of the fit."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        check_magnitudes(X, "X")
        if self.emission == "multinomial":
            checked_counts(X, self.codebooks)
        return self.scale_.apply(X), places_like(self.centers_, locations, len(X))

    def _moments(self, places):
        return moments_at(places, self.weights_, self.roots_, self.widths_)

    def predict_proba(self, X, locations=None):
        """Chances of rows to be in each segment, given features and places.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        locations : array-like or None, default=None
            Places, if the fit had them.

        Returns
        -------
        chances : ndarray of shape (n_samples, n_sticks)
            In the order of the labels.
        """
        Y, places = self._checked(X, locations)
        log_weights = log_stick_weights(*self._moments(places))[:, self.order_]
        return shares_of(restored_atoms(self.atoms_, self.codebooks).log_likelihood(Y) + log_weights)

    def predict(self, X, locations=None):
        """Segments of rows, given features and places.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        locations : array-like or None, default=None
            Places, if the fit had them.

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        return self.predict_proba(X, locations).argmax(axis=1)

    def predict_prior(self, locations):
        """Chances of each segment at places, whatever is seen there.

        Parameters
        ----------
        locations : array-like of shape (n_places,) or (n_places, n_dimensions)
            Places.

        Returns
        -------
        chances : ndarray of shape (n_places, n_sticks)
            In the order of the labels; each row sums to one.
        """
        check_is_fitted(self)
        return self._prior(places_like(self.centers_, locations, None))

    def _prior(self, places):
        means, etas = self._moments(places)
        # The mean of a logistic function of a normal variable (MacKay 1992).
        chances = expit(means / np.sqrt(1.0 + np.pi / 8.0 * np.maximum(etas**2 - means**2, 0.0)))
        return stick_shares(chances)[:, self.order_]

    def score_samples(self, X, locations=None):
        """Log density of rows given their places, parameters of the segments integrated out.

        Constant columns of the fit are left out. Of counts it is the chance of the words in one order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        locations : array-like or None, default=None
            Places, if the fit had them.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
        """
        Y, places = self._checked(X, locations)
        predictive = restored_atoms(self.atoms_, self.codebooks).predictive(Y)
        with np.errstate(divide="ignore"):
            return logsumexp(predictive + np.log(self._prior(places)), axis=1) - self.scale_.log_volume

    def _invariants(self):
        K = self.n_sticks
        yield from stick_invariants(K, self.centers_, self.weights_, self.roots_, self.widths_)
        yield "each label has a stick", are_distinct(self.order_, K) and len(self.order_) == K
        yield from atom_invariants(K, len(self.columns_), self.atoms_, self.codebooks)
