"""What segmentations of one data set and of several have in common."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import are_distinct, finite, is_array, within
from treatise._core.progress import progress
from treatise._core.threads import one_blas_thread
from treatise.bayes.stick_breaking._ascent import Climb, Climber, climb, climb_with_merges
from treatise.bayes.stick_breaking._features import FeatureScale, feature_scale, restored_atoms
from treatise.bayes.stick_breaking._places import (
    checked_locations,
    chosen_centers,
    chosen_widths,
    places_of,
    smoothed,
)
from treatise.bayes.stick_breaking._sticks import Places, Sticks, inverse_of_root, regression_moments

_POSITIVE = Interval(Real, 0, None, closed="neither")
_COUNT = Interval(Integral, 1, None, closed="left")


class StickBreaking(InheritsDocumentation, BaseEstimator):
    """Segmentation by sticks that logistic regressions of the place break.

    Parameters
    ----------
    n_sticks : int, default=10
        Segments at most (the truncation K). More than needed stay empty.
    centers : "auto", int, "all" or array-like of shape (n_centers, n_dimensions), default="auto"
        Centres of the kernels: so many places far apart from each other, all different places, or those given. "auto"
        is 100, or one for eight different places where there are fewer than 800. The paper takes every fifth or tenth
        place: ``centers=locations[::10]``. Borders are resolved to about their distance.
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
    bound_ : float
        Lower bound on the log evidence of the features given the places, at the end. Compare it between fits of equal
        sticks, centres and prior alone: every weight costs some 12 nats, used or not.
    bound_trace_ : ndarray
        The bound after every cycle of the way kept; never falls with "reached" breaks unless widths are drawn.
    converged_ : bool
        Whether the last cycle raised the bound by less than ``tol`` a row.
    n_iter_ : int
        Cycles and merges on the way kept.
    columns_ : ndarray of int
        Columns that are not constant.
    column_means_, column_scales_ : ndarray of shape (n_columns,)
        Their means and standard deviations, by which they are scaled; counts are not.
    n_features_in_ : int
        Number of features.
    """

    _parameter_constraints: dict = {
        "n_sticks": [_COUNT],
        "centers": [_COUNT, StrOptions({"auto", "all"}), "array-like"],
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

    def _learn_scale(self, X: np.ndarray) -> np.ndarray:
        """Keep the scale of rows; gives them scaled."""
        # A model file holds arrays, and no tuple of ours.
        self.columns_, self.column_means_, self.column_scales_ = found = feature_scale(X, self.emission)
        return found.apply(X)

    @property
    def scale_(self) -> FeatureScale:
        """Which columns are used, and how they are scaled."""
        return FeatureScale(self.columns_, self.column_means_, self.column_scales_)

    def _invariants(self) -> Any:
        kept = self.columns_
        yield "columns are those of the fit", are_distinct(kept, self.n_features_in_)
        for values in (self.column_means_, self.column_scales_):
            yield "each has a mean and a scale", is_array(values, np.float64, len(kept)) and finite(values)
        yield "no scale is zero", bool((self.column_scales_ != 0.0).all())

    def _placed(self, Y: np.ndarray, locations: Any, what: str = "locations") -> tuple[Sticks, np.ndarray, np.ndarray]:
        """New sticks at the places of some rows, the centres, and the features smoothed over the places."""
        if locations is None:
            locations, centers, widths, smooth = np.zeros((len(Y), 0)), np.zeros((0, 0)), np.ones(1), Y
        else:
            locations = checked_locations(locations, len(Y), what=what)
            centers = chosen_centers(self.centers, locations)
            widths = chosen_widths(self.widths, centers)
            smooth = smoothed(Y, locations, self.n_neighbors)
        places = places_of(locations, centers)
        return Sticks(places, widths, self.n_sticks, self.a0, self.b0, self.breaks), centers, smooth

    def _keep_trace(self, found: Any, n_rows: int) -> None:
        self.bound_trace_ = np.array(found.trace) - n_rows * self.scale_.log_volume
        self.bound_, self.n_iter_, self.converged_ = float(self.bound_trace_[-1]), len(found.trace), found.converged
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__}: the bound still rises by more than tol={self.tol:g} a row after "
                f"max_iter={self.max_iter} cycles; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _best_climb(self, start: Callable[[int], Climber], n_rows: int) -> Climb:
        """The highest of the climbs from several starts, each made of a seed."""
        random_state = check_random_state(self.random_state)
        ascend = climb_with_merges if self.merge else climb
        with (
            progress(type(self).__name__, self.n_init * self.max_iter, show=self.verbose) as advance,
            one_blas_thread(),
        ):
            climbs = (
                ascend(start(random_state.randint(2**31 - 1)), self.max_iter, self.tol * n_rows, advance)
                for _ in range(self.n_init)
            )
            return max(climbs, key=lambda found: found.trace[-1])

    def _segment_means(self, X: np.ndarray, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """Mean features of each segment, in the units of the rows."""
        atoms: Any = restored_atoms(arrays, self.codebooks)
        if self.emission == "multinomial":
            return np.asarray(atoms.word_chances())
        means = np.tile(X[0], (len(arrays["mean"]), 1))
        means[:, self.scale_.kept] = self.scale_.mean + self.scale_.scale * arrays["mean"]
        return means


def kept_sticks(sticks: Sticks) -> dict[str, np.ndarray]:
    """What prediction needs of sticks: means of weights, factors of their precisions, widths."""
    size = sticks.places.squares.shape[1] + 1
    return {
        "weights": np.array([stick.mean for stick in sticks.sticks]).reshape(-1, size),
        "roots": np.array([stick.root for stick in sticks.sticks]).reshape(-1, size, size),
        "widths": np.array([stick.width for stick in sticks.sticks]),
    }


def moments_at(places: Places, weights: np.ndarray, roots: np.ndarray, widths: np.ndarray) -> tuple[Any, Any]:
    """Means and root mean squares of regressions at places."""
    means, etas = np.empty((len(places.squares), len(weights))), np.empty((len(places.squares), len(weights)))
    for k, (mean, root, width) in enumerate(zip(weights, roots, widths)):
        means[:, k], etas[:, k] = regression_moments(places.features(width), mean, inverse_of_root(root))
    return means, etas


def places_like(centers: np.ndarray, locations: Any, n_rows: int | None) -> Places:
    """Places of new rows beside the centres of a fit."""
    n_dimensions = centers.shape[1]
    if locations is None:
        if n_dimensions:
            raise ValueError(
                f"locations is None; the model was fitted to places of {n_dimensions} dimensions: give those of X"
            )
        return places_of(np.zeros((n_rows or 0, 0)), centers)
    if not n_dimensions:
        raise ValueError("the model was fitted without locations, and has no use for them: leave them out")
    return places_of(checked_locations(locations, n_rows, n_dimensions), centers)


def shares_of(logs: np.ndarray) -> np.ndarray:
    """Chances from log chances up to a constant."""
    return np.asarray(np.exp(logs - logsumexp(logs, axis=1, keepdims=True)))


def atom_invariants(n_atoms: int, n_columns: int, atoms: Any, codebooks: Any) -> Any:
    """What the distributions of a stored model promise."""
    shapes = {"mean": (n_columns,), "scatter": (n_columns,), "alpha": (n_columns,), "root": (n_columns, n_columns)}
    for name, values in atoms.items():
        fits = is_array(values, np.float64, n_atoms, *shapes.get(name, ())) and finite(values)
        yield f"each distribution has its {name}", fits
    found = restored_atoms(atoms, codebooks).log_likelihood(np.zeros((1, n_columns)))
    yield "together they are distributions", found.shape == (1, n_atoms)


def stick_invariants(n_sticks: int, centers: Any, weights: Any, roots: Any, widths: Any) -> Any:
    """What the sticks of a stored model promise."""
    size = 1 + len(centers)
    yield "centres are places", is_array(centers, np.float64, None, None) and finite(centers)
    yield "each stick has weights", is_array(weights, np.float64, n_sticks - 1, size) and finite(weights)
    yield "each has their precisions", is_array(roots, np.float64, n_sticks - 1, size, size) and finite(roots)
    fit = is_array(widths, np.float64, n_sticks - 1) and within(widths, 1e-300, np.inf)
    yield "each has a width above zero", fit
