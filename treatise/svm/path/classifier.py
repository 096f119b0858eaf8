"""The entire regularisation path of a support vector machine (Hastie et al., JMLR 5:1391)."""

import warnings
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import Classifier, codes_among, codes_from_scores, signs_of
from treatise._core.invariants import is_array, within
from treatise.kernels import KernelInputMixin
from treatise.svm.path._loops import (
    BREAKPOINTS,
    BUFFER_FULL,
    ELBOW,
    ENTRIES,
    FINISHED,
    LAMBDA,
    LEFT,
    RIDGE,
    STALLED,
    Records,
    Walk,
    follow,
)
from treatise.svm.path._start import path_start


class SVMPath(Classifier, KernelInputMixin, BaseEstimator):
    """Support vector classifiers for every value of the cost C at once.

    The multipliers of the machine are piecewise linear in ``1 / C``; this walks from break to break and so holds the
    exact solution for all costs up to ``C_max``, at about the price of one fit by other means. Use it to choose C
    without a grid, or to see how the machine grows from the difference of two density estimates to the one of largest
    margin. For one given C and many thousands of rows another solver is faster: memory is the Gram matrix, n² numbers,
    and time about ``5 min(n+, n-)`` breaks of O(n m) for m points on the margin.

    Two classes only; wrap it in ``OneVsRestClassifier`` for more. Points that hang on one another to rounding (repeated
    rows, very smooth kernels) are told apart by a small number added to the diagonal of the kernel, given as
    ``ridge_``.

    Parameters
    ----------
    C : float, default=1.0
        Cost at which ``predict`` and ``decision_function`` stand unless told otherwise.
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel.
    gamma : float, "scale" or "auto", default="scale"
        Of the "rbf", "poly" and "laplacian" kernels.
    degree : int, default=3
        Of the "poly" kernel.
    coef0 : float, default=1.0
        Of the "poly" kernel.
    intercept : bool, default=True
        Whether the machine has an offset. Without one the path begins with the rule of two kernel density estimates.
    C_max : float, default=1e4
        Where the path ends.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes.
    costs_ : ndarray of shape (n_breakpoints,)
        Values of C where the path bends, growing; the last is ``C_max``.
    elbow_sizes_ : ndarray of shape (n_breakpoints,)
        Number of points on the margin.
    n_within_ : ndarray of shape (n_breakpoints,)
        Number of points within the margin or on the wrong side.
    ridge_ : float
        What had to be added to the diagonal of the kernel; 0.0 for an exact path.
    converged_ : bool
        Whether the path reached ``C_max``.
    n_features_in_ : int
        Number of features seen.

    See Also
    --------
    SVMPathCV : Chooses C by the exact cross-validated error.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treatise.svm import SVMPath
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> path = SVMPath(gamma=1.0).fit(X, y)
    >>> path.score(X, y), path.predict(X[:4], C=100.0)
    (0.9666666666666667, array([0, 1, 1, 0]))

    References
    ----------
    .. [1] Paper v05-1391, Sections 3, 4 and 6.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        **KernelInputMixin._kernel_constraints,
        "intercept": ["boolean"],
        "C_max": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, C=1.0, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, intercept=True, C_max=1e4):
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.intercept = intercept
        self.C_max = C_max

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Walk the whole path.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Training objects.
        y : array-like of shape (n_samples,)
            Two classes.

        Returns
        -------
        self : SVMPath
        """
        objects, y = self._fit_objects(X, y=y)
        (signs,) = signs_of(self._code_labels(y), 2)
        gram = np.ascontiguousarray(self._gram(objects))
        self._objects = self._kept(objects, np.arange(len(signs)))
        self._signs = signs
        self._walk(gram, path_start(gram, signs, self.intercept))
        return self

    def _walk(self, gram, start):
        n = len(self._signs)
        last = 1.0 / self.C_max
        if start.lam <= last:
            # Nothing happens before the end.
            start.alpha_0 += start.alpha_0_slope * (last - start.lam)
            start.lam = last
        alpha, place = start.alpha.copy(), start.place.copy()
        # Records of multipliers, point by point; at the first breakpoint all of them.
        points, values, breakpoints = [np.arange(n)], [alpha.copy()], [np.zeros(n, np.int64)]
        marks = [np.array([[start.lam, start.alpha_0, 0, (place == ELBOW).sum(), (place == LEFT).sum()]])]
        status = BUFFER_FULL if start.lam > last else FINISHED
        walk = Walk(
            gram, self._signs, bool(self.intercept), alpha, gram @ (self._signs * alpha), place,
            np.array([start.lam, start.alpha_0, 0.0]), np.empty(n, np.int64), np.empty(n + 1), np.empty(n),
            np.empty(n + 1),
        )  # fmt: skip
        while status == BUFFER_FULL:
            room = 64 * n + 1000
            records = Records(np.zeros(2, np.int64), np.empty(room, np.int64), np.empty(room), np.empty((n + 100, 5)))
            status = follow(walk, last, records)
            count, entries = records.counts[BREAKPOINTS], records.counts[ENTRIES]
            ends = records.marks[:count, 2].astype(np.int64)
            done = sum(len(part) for part in marks)
            points.append(records.points[:entries].copy())
            values.append(records.values[:entries].copy())
            breakpoints.append(np.repeat(np.arange(done, done + count), np.diff(ends, prepend=0)))
            marks.append(records.marks[:count].copy())
        self.converged_ = status != STALLED
        if not self.converged_:
            warnings.warn(
                f"the path ends at C={1 / walk.numbers[LAMBDA]:g} instead of C_max={self.C_max:g}: the kernel cannot "
                "tell the points on the margin apart; choose a smaller C_max or a less smooth kernel",
                ConvergenceWarning,
                stacklevel=3,
            )
        table = np.concatenate(marks)
        self._lambdas, self._alpha_0 = table[:, 0], table[:, 1]
        self._alpha_0_slope = start.alpha_0_slope
        self.costs_ = 1.0 / self._lambdas
        self.elbow_sizes_ = table[:, 3].astype(np.int64)
        self.n_within_ = table[:, 4].astype(np.int64)
        self.ridge_ = float(walk.numbers[RIDGE])
        # Sorted by point and breakpoint, so that the last record before any breakpoint is found by bisection.
        key = np.concatenate(points) * len(table) + np.concatenate(breakpoints)
        order = np.argsort(key, kind="stable")
        self._record_keys, self._record_values = key[order], np.concatenate(values)[order]

    _kept_as = "_objects"

    def _invariants(self):
        n, breakpoints = len(self._signs), len(self._lambdas)
        yield "points have signs", is_array(self._signs, np.float64, n) and n > 0
        yield "breakpoints have costs", is_array(self._lambdas, np.float64, breakpoints) and breakpoints > 0
        yield "costs are the inverse of what breakpoints have", is_array(self.costs_, np.float64, breakpoints)
        yield "breakpoints have offsets", is_array(self._alpha_0, np.float64, breakpoints)
        keys = self._record_keys
        yield "records have points and breakpoints", is_array(keys, np.int64, None) and within(keys, 0, n * breakpoints)
        yield (
            "records are in order, the first of each point at the first breakpoint",
            bool((np.diff(keys) > 0).all()) and bool(np.isin(np.arange(n) * breakpoints, keys).all()),
        )
        yield "records have values", is_array(self._record_values, np.float64, len(keys))

    def _alpha_at_breakpoints(self, which):
        """Multipliers in [0, 1] at some breakpoints, of shape (n_samples, len(which))."""
        n = len(self._signs)
        keys = np.arange(n)[:, None] * len(self._lambdas) + np.asarray(which)
        return self._record_values[np.searchsorted(self._record_keys, keys, side="right") - 1]

    def _alpha_and_offset(self, lam):
        """``alpha`` and ``alpha_0 = lambda * offset`` at one lambda."""
        lambdas = self._lambdas
        if lam >= lambdas[0]:
            return self._alpha_at_breakpoints([0])[:, 0], self._alpha_0[0] + self._alpha_0_slope * (lam - lambdas[0])
        right = int(np.searchsorted(-lambdas, -lam))
        if right == len(lambdas):
            # Beyond the end the last solution is held in 1 / C: the machine itself hardly changes any more.
            share = lam / lambdas[-1]
            return self._alpha_at_breakpoints([right - 1])[:, 0] * share, self._alpha_0[-1] * share
        both = self._alpha_at_breakpoints([right - 1, right])
        share = (lambdas[right - 1] - lam) / (lambdas[right - 1] - lambdas[right])
        alpha = both[:, 0] + share * (both[:, 1] - both[:, 0])
        return alpha, self._alpha_0[right - 1] + share * (self._alpha_0[right] - self._alpha_0[right - 1])

    def dual_coef(self, C=None):
        """Weights of the training objects at a cost, as ``SVC.dual_coef_`` has them, zeros included.

        Parameters
        ----------
        C : float or None, default=None
            The cost; None is the parameter ``C``.

        Returns
        -------
        coef : ndarray of shape (n_samples,)
        offset : float
        """
        check_is_fitted(self)
        C = self._cost(C)
        alpha, alpha_0 = self._alpha_and_offset(1.0 / C)
        return C * self._signs * alpha, C * alpha_0

    def _cost(self, C):
        C = self.C if C is None else float(C)
        if not 0 < C <= self.costs_[-1] * (1 + 1e-12):
            raise ValueError(f"C={C:g} lies outside the path, which holds 0 < C <= {self.costs_[-1]:g}; raise C_max")
        return C

    def decision_function(self, X, C=None):
        """Scores, positive for the second class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Objects to score.
        C : float, array-like of float, or None, default=None
            Cost or costs; None is the parameter ``C``.

        Returns
        -------
        scores : ndarray of shape (n_samples,), or (n_samples, n_costs) for several costs
        """
        check_is_fitted(self)
        several = np.ndim(C) == 1
        pairs = [self.dual_coef(cost) for cost in (C if several else [C])]
        weights = np.column_stack([coef for coef, _ in pairs])
        scores = self._weighted_scores(self._new_objects(X), self._objects, weights)
        scores += np.array([offset for _, offset in pairs])
        return scores if several else scores[:, 0]

    def predict(self, X, C=None):
        """Classes at one cost.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Objects to classify.
        C : float or None, default=None
            The cost; None is the parameter ``C``.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X, C)
        return self.classes_[codes_from_scores(scores.ravel()).reshape(scores.shape)]

    def error_curve(self, X, y):
        """The exact error on other objects as a function of C.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Objects with known classes.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        costs : ndarray of shape (n_steps,)
            Where the error jumps, growing; the first is 0.0.
        errors : ndarray of shape (n_steps,)
            Share of wrong predictions from each cost to the next.
        """
        check_is_fitted(self)
        objects = self._new_objects(X)
        block = self._block(objects, self._objects) * self._signs
        wanted = 2.0 * codes_among(np.asarray(y), self.classes_, where="of the path") - 1.0
        if len(wanted) != len(block):
            raise ValueError(f"y has {len(wanted)} classes for {len(block)} objects")
        lambdas = self._lambdas
        # lambda f(x) is linear between breakpoints: a prediction changes at most once in each piece.
        scores = np.empty((len(block), len(lambdas)))
        for first in range(0, len(lambdas), 256):
            which = np.arange(first, min(first + 256, len(lambdas)))
            scores[:, which] = block @ self._alpha_at_breakpoints(which) + self._alpha_0[which]
        positive = scores > 0
        rows, pieces = np.nonzero(positive[:, 1:] != positive[:, :-1])
        left, right = scores[rows, pieces], scores[rows, pieces + 1]
        crossings = lambdas[pieces] + left / (left - right) * (lambdas[pieces + 1] - lambdas[pieces])
        change = np.where(positive[rows, pieces + 1] == (wanted[rows] > 0), -1, 1)
        wrong = np.count_nonzero(positive[:, 0] != (wanted > 0))
        if self._alpha_0_slope:
            above, change_above, wrong = self._before_the_path(scores[:, 0], wanted)
            crossings, change = np.concatenate([above, crossings]), np.concatenate([change_above, change])
        order = np.argsort(-crossings, kind="stable")
        costs = np.concatenate([[0.0], 1.0 / crossings[order]])
        errors = (wrong + np.concatenate([[0], np.cumsum(change[order])])) / len(block)
        last = np.append(costs[1:] > costs[:-1], True)
        return costs[last], errors[last]

    def _before_the_path(self, scores, wanted):
        """Changes above the first lambda, where the offset alone moves towards the larger class."""
        slope = self._alpha_0_slope
        moving = scores * slope < 0
        crossings = self._lambdas[0] - scores[moving] / slope
        change = np.where(wanted[moving] == slope, 1, -1)
        return crossings, change, np.count_nonzero(wanted != slope)
