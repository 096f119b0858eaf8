"""Segments of series, images and maps by logistic stick breaking (Ren, Du, Carin & Dunson, JMLR 12:203)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.special import expit, logsumexp
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import are_distinct, finite, is_array, within
from treatise._core.progress import progress
from treatise.bayes.stick_breaking._ascent import OneSet, Widths, climb, climb_with_merges
from treatise.bayes.stick_breaking._features import (
    checked_counts,
    feature_scale,
    prior_atoms,
    restored_atoms,
)
from treatise.bayes.stick_breaking._places import (
    checked_locations,
    chosen_centers,
    chosen_widths,
    places_of,
    smoothed,
)
from treatise.bayes.stick_breaking._start import first_groups
from treatise.bayes.stick_breaking._sticks import Sticks, log_stick_weights, regression_moments, stick_shares

_POSITIVE = Interval(Real, 0, None, closed="neither")
_COUNT = Interval(Integral, 1, None, closed="left")


class LogisticStickBreaking(ClusterMixin, BaseEstimator):
    """Divides rows that have a place into contiguous segments of one kind, and finds how many kinds there are.

    A row is features (a colour, a spectrum, counts of words) seen at a place (a time, a pixel, a point on a map). Each
    segment has its own distribution of features; which segment a place is in follows from a chain of logistic
    regressions on kernels around some centres, with sparse weights, so that neighbours go together, borders are sharp
    and one kind may lie in several places. Use it for series with change points that come back to a former state, for
    images and maps, and for tables without places, where it is a mixture of Gaussians that counts its components. Do
    not use it for segments of one row or two, for slow drifts, for places of more than some three dimensions, or where
    a segment's features have several modes.

    One cycle costs O(K (n c^2 + c^3)) for K sticks and c centres; memory O(n c) for each width in use, and K c^2.

    Parameters
    ----------
    n_sticks : int, default=10
        Segments at most (the truncation K). More than needed stay empty.
    centers : int, "all" or array-like of shape (n_centers, n_dimensions), default=100
        Centres of the kernels: so many places far apart from each other, all different places, or those given. The
        paper takes every fifth or tenth place: ``centers=locations[::10]``. Borders are resolved to about their
        distance.
    widths : "auto" or array-like, default="auto"
        Kernel widths psi of ``exp(-distance^2 / psi)`` that a stick may have. "auto" is 1 to 16 times the squared
        distance between neighbouring centres.
    width_update : {"map", "sample", "fixed"}, default="map"
        Whether a stick takes its most probable width, draws one by its probability as in the paper (the bound then
        falls at times), or keeps the middle one.
    emission : {"gaussian", "diag", "multinomial"}, default="gaussian"
        Distribution of features in a segment: normal with any covariance, with independent columns, or words drawn
        from codebooks, for rows of counts.
    codebooks : list of int or None, default=None
        Numbers of columns of each codebook, for "multinomial"; None is one for all columns.
    breaks : {"reached", "independent"}, default="reached"
        Whether a stick learns from rows that reach it alone, which gives the higher bound, or has a factor for every
        row, as in the paper.
    merge : bool, default=True
        Whether to try to make two segments one, and keep it if that raises the bound. Without it (the paper's way) one
        segment often ends as several.
    n_neighbors : int, default=9
        Rows over which features are averaged for the start; 1 starts from the features as they are.
    a0, b0 : float, default=1e-6
        Shape and rate of the gamma prior of weights' precisions.
    n_init : int, default=1
        Starts, each with k-means of its own; that of the highest bound is kept.
    max_iter : int, default=200
        Cycles at most, after the merges.
    tol : float, default=1e-4
        Cycles end where one raises the bound by less than this for each row.
    verbose : bool or None, default=None
        None shows progress on a terminal.
    random_state : int, RandomState or None, default=None
        Seed.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
        Segment of each row, by falling size from 0.
    resp_ : ndarray of shape (n_samples, n_sticks)
        Chance of each row to be in each segment, in the order of the labels.
    n_segments_ : int
        Segments that are the most probable one of a row or more.
    bound_ : float
        Lower bound on the log evidence of the features given the places, at the end. Compare it between fits of equal
        ``n_sticks``, centres and prior alone: every weight costs some 12 nats, used or not.
    bound_trace_ : ndarray
        The bound after every cycle of the way kept; never falls with "reached" breaks unless widths are drawn.
    converged_ : bool
        Whether the last cycle raised the bound by less than ``tol`` a row.
    n_iter_ : int
        Cycles and merges on the way kept.
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
    n_features_in_ : int
        Number of features.

    See Also
    --------
    HierarchicalStickBreaking : Several images or series at once, with segments in common.
    plot_segments : Picture of the segments over an image or along a series.
    image_patches : Rows of an image.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import LogisticStickBreaking
    >>> rng = np.random.default_rng(0)
    >>> state = np.repeat([0, 1, 0], [60, 80, 60])
    >>> X = rng.normal(2.0 * state, 1.0)[:, np.newaxis]
    >>> model = LogisticStickBreaking(random_state=0).fit(X, locations=np.arange(200))
    >>> model.n_segments_, np.flatnonzero(np.diff(model.labels_)) + 1
    (2, array([ 60, 140]))

    References
    ----------
    .. [1] Paper v12-0203, sections 2 and 4, Appendix A.
    """

    _parameter_constraints: dict = {
        "n_sticks": [_COUNT],
        "centers": [_COUNT, StrOptions({"all"}), "array-like"],
        "widths": [StrOptions({"auto"}), "array-like"],
        "width_update": [StrOptions({"map", "sample", "fixed"})],
        "emission": [StrOptions({"gaussian", "diag", "multinomial"})],
        "codebooks": ["array-like", None],
        "breaks": [StrOptions({"reached", "independent"})],
        "merge": ["boolean"],
        "n_neighbors": [_COUNT],
        "a0": [_POSITIVE],
        "b0": [_POSITIVE],
        "n_init": [_COUNT],
        "max_iter": [_COUNT],
        "tol": [_POSITIVE],
        "verbose": ["boolean", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_sticks=10, *, centers=100, widths="auto", width_update="map", emission="gaussian", codebooks=None,
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
        if self.emission == "multinomial":
            checked_counts(X, self.codebooks)
        self.scale_ = feature_scale(X, self.emission)
        Y = smooth = self.scale_.apply(X)
        if locations is None:
            locations, self.centers_, widths = np.zeros((len(X), 0)), np.zeros((0, 0)), np.ones(1)
        else:
            locations = checked_locations(locations, len(X))
            self.centers_ = chosen_centers(self.centers, locations)
            widths = chosen_widths(self.widths, self.centers_)
            smooth = smoothed(Y, locations, self.n_neighbors)
        places, best = places_of(locations, self.centers_), None
        random_state = check_random_state(self.random_state)
        with progress("LogisticStickBreaking", self.n_init * self.max_iter, show=self.verbose) as advance:
            for _ in range(self.n_init):
                start = self._start(Y, smooth, places, widths, random_state.randint(2**31 - 1))
                ascend = climb_with_merges if self.merge else climb
                found = ascend(start, self.max_iter, self.tol * len(X), advance)
                if best is None or found.trace[-1] > best.trace[-1]:
                    best = found
        self._keep(best, X)
        return self

    def _start(self, Y, smooth, places, widths, seed):
        groups = first_groups(smooth, self.n_sticks, seed)
        shares = np.eye(self.n_sticks)[groups]
        atoms = prior_atoms(Y, self.emission, self.codebooks)
        sticks = Sticks(places, widths, self.n_sticks, self.a0, self.b0, self.breaks)
        return OneSet(Y, atoms, sticks, shares, Widths(self.width_update, np.random.default_rng(seed)))

    def _keep(self, found, X):
        model = found.model
        sticks = model.sticks.sticks
        # Factors of this very moment, so that the training rows' segments are those of predict.
        model.atoms.update(model.Y, model.shares)
        n_weights = 1 + len(self.centers_)
        self.weights_ = np.array([stick.mean for stick in sticks]).reshape(-1, n_weights)
        self.roots_ = np.array([stick.root for stick in sticks]).reshape(-1, n_weights, n_weights)
        self.widths_ = np.array([stick.width for stick in sticks])
        self.bound_trace_ = np.array(found.trace) - len(X) * self.scale_.log_volume
        self.bound_, self.n_iter_, self.converged_ = float(self.bound_trace_[-1]), len(found.trace), found.converged
        shares = _shares(model.atoms.log_likelihood(model.Y) + log_stick_weights(model.sticks.means, model.sticks.etas))
        hard = np.bincount(shares.argmax(axis=1), minlength=self.n_sticks)
        self.order_ = np.lexsort((-shares.sum(axis=0), -hard))
        self.n_segments_ = int(np.count_nonzero(hard))
        self.resp_ = shares[:, self.order_]
        self.labels_ = self.resp_.argmax(axis=1)
        self.atoms_ = {name: values[self.order_] for name, values in model.atoms.arrays().items()}
        self.means_ = self._means(X)
        if not self.converged_:
            warnings.warn(
                f"LogisticStickBreaking: the bound still rises by more than tol={self.tol:g} a row after "
                f"max_iter={self.max_iter} cycles; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _means(self, X):
        if self.emission == "multinomial":
            atoms = restored_atoms(self.atoms_, self.codebooks)
            means = atoms.alpha / np.repeat(atoms._by_book(atoms.alpha), atoms.sizes, axis=1)
        else:
            means = np.tile(X[0], (self.n_sticks, 1))
            means[:, self.scale_.kept] = self.scale_.mean + self.scale_.scale * self.atoms_["mean"]
        means[self.n_segments_ :] = np.nan
        return means

    def _checked(self, X, locations):
        """New rows and their places, as of the fit."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if self.emission == "multinomial":
            checked_counts(X, self.codebooks)
        return self.scale_.apply(X), self._checked_places(locations, len(X))

    def _checked_places(self, locations, n_rows):
        n_dimensions = self.centers_.shape[1]
        if locations is None:
            if n_dimensions:
                raise ValueError(
                    f"locations is None; the model was fitted to places of {n_dimensions} dimensions: give those of X"
                )
            return places_of(np.zeros((n_rows, 0)), self.centers_)
        if not n_dimensions:
            raise ValueError("the model was fitted without locations, and has no use for them: leave them out")
        return places_of(checked_locations(locations, n_rows, n_dimensions), self.centers_)

    def _moments(self, places):
        """Means and root mean squares of all regressions at places, and the sticks' order undone."""
        n, K = len(places.squares), self.n_sticks
        means, etas = np.empty((n, K - 1)), np.empty((n, K - 1))
        for k, (mean, root, width) in enumerate(zip(self.weights_, self.roots_, self.widths_)):
            means[:, k], etas[:, k] = regression_moments(places.features(width), mean, root)
        return means, etas

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
        return _shares(restored_atoms(self.atoms_, self.codebooks).log_likelihood(Y) + log_weights)

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
        return self._prior(self._checked_places(locations, None))

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
        K, n_weights = self.n_sticks, 1 + len(self.centers_)
        yield "centres are places", is_array(self.centers_, np.float64, None, None) and finite(self.centers_)
        yield "each stick has weights", is_array(self.weights_, np.float64, K - 1, n_weights)
        yield "each has their precisions", is_array(self.roots_, np.float64, K - 1, n_weights, n_weights)
        yield "each has a width above zero", is_array(self.widths_, np.float64, K - 1) and within(
            self.widths_, 1e-300, np.inf
        )
        yield "weights are finite", finite(self.weights_) and finite(self.roots_)
        yield "each label has a stick", are_distinct(self.order_, K) and len(self.order_) == K
        kept = self.scale_.kept
        yield "columns are those of the fit", are_distinct(kept, self.n_features_in_)
        yield "each has a scale", is_array(self.scale_.scale, np.float64, len(kept))
        yield "each label has its distribution", all(len(own) == K and finite(own) for own in self.atoms_.values())


def _shares(logs):
    return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
