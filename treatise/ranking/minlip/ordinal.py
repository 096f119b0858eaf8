"""MINLIP for ordered classes, with thresholds (Van Belle, Pelckmans, Suykens & Van Huffel, JMLR 12:819)."""

import warnings

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from treatise._core.classifier import ScoreClassifier, codes_among, row_weights, shown
from treatise._core.invariants import is_array
from treatise.ranking.minlip._base import Minlip
from treatise.ranking.minlip._order import order_of_levels


class MinlipOrdinal(ScoreClassifier, Minlip):
    """Classifier of ordered classes: one utility, cut by thresholds that are learnt with it.

    Each row is compared with the thresholds below and above its class, so that n rows give at most 2n comparisons; the
    margins are in proportion to the distances of the classes' values. One direction orders all classes: fewer
    parameters than a classifier that knows no order, and its mistakes are near.

    Use it for grades, stages, ratings and binned numbers, with few rows for many classes above all. Where one class
    lies between others in some columns and outside in others, a plain classifier does better. Bring the columns to one
    scale first. A linear fit costs O(n p²) a step; with kernels memory is n² numbers, for some thousand rows.

    Parameters
    ----------
    C : float, default=1.0
        Cost of an error, in units of the mean distance of neighbouring classes; infinity allows none.
    unit : "spread" or float, default="spread"
        What C is multiplied by: the mean distance of neighbouring classes, which is twice their margin, over the median
        variance of the columns where the kernel is linear; one over their median deviation with ``penalty="l1"``; or a
        number; 1 makes C the paper's gamma.
    levels : array-like of shape (n_classes,) or None, default=None
        The classes, lowest first; None takes the order of an ordered category, and else their sorted order.
    level_values : array-like of shape (n_classes,) or None, default=None
        Increasing outcomes that stand for the levels; None takes the classes if they are numbers, and else 0, 1, 2...
    margin : {"lipschitz", "unit"}, default="lipschitz"
        "unit" has the same margin between all neighbours: Chu and Keerthi's machine with explicit constraints (EXC).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    levels_ : ndarray of shape (n_classes,)
        The classes, lowest first.
    thresholds_ : ndarray of shape (n_classes - 1,)
        Utilities at which one level ends and the next begins.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from treatise.ranking import MinlipOrdinal
    >>> X, y = load_wine(return_X_y=True)
    >>> machine = MinlipOrdinal().fit(scale(X), y)
    >>> round(machine.score(scale(X), y), 3), machine.thresholds_.shape
    (0.961, (2,))

    References
    ----------
    .. [1] Paper v12-0819, Equation 11 and Section 4.
    """

    _parameter_constraints: dict = {
        **Minlip._parameter_constraints,
        "levels": ["array-like", None],
        "level_values": ["array-like", None],
        "margin": [StrOptions({"lipschitz", "unit"})],
    }

    def __init__(
        self,
        C=1.0,
        *,
        unit="spread",
        levels=None,
        level_values=None,
        margin="lipschitz",
        kernel="linear",
        gamma="scale",
        degree=3,
        coef0=1.0,
        penalty="l2",
        tol=1e-8,
        max_iter=200,
    ):
        self.C = C
        self.unit = unit
        self.levels = levels
        self.level_values = level_values
        self.margin = margin
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.penalty = penalty
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Find the utility and the thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Rows; with ``kernel="precomputed"``, their Gram matrix.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the errors; two is a second copy.

        Returns
        -------
        self : MinlipOrdinal
        """
        given = _given_levels(y) if self.levels is None else np.asarray(self.levels)
        objects, y = self._fit_objects(X, y=y, sample_weight=sample_weight)
        codes = self._code_labels(y)
        weights, _ = row_weights(codes, self.classes_, sample_weight)
        self.levels_, values = self._levels_and_values(given)
        counted = np.flatnonzero(weights > 0)
        place = np.argsort(np.searchsorted(self.classes_, self.levels_))
        order, n_above = order_of_levels(place[codes[counted]], values, margin=self.margin)
        order = order.of_rows(counted)
        self.cost_ = self._cost(objects, weights, self._distance(values))
        costs = self.cost_ * weights[order.rows]
        above = np.arange(len(costs)) < n_above
        utilities = self._fit_utility(objects, order, np.where(above, costs, 0.0), np.where(above, 0.0, costs))
        self.thresholds_ = _central_thresholds(utilities[order.moments], self._utility(X), order, n_above, costs)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Classes without an order, as general checks bring them, lie on no line.
        tags.classifier_tags.poor_score = True
        return tags

    def _distance(self, values):
        """Mean distance of neighbouring classes: of their values, or of two margins of one."""
        return np.mean(np.diff(values)) if self.margin == "lipschitz" else 2.0

    def _levels_and_values(self, given):
        """The classes at hand, lowest first, and the outcome that stands for each."""
        classes = self.classes_
        if given is None:
            if len(classes) > 2 and classes.dtype.kind in "OUS":
                warnings.warn(
                    f"the order of the classes is taken to be {shown(classes)}; give levels, or an ordered category",
                    UserWarning,
                    stacklevel=3,
                )
            given = classes
        names, counts = np.unique(given, return_counts=True)
        if len(names) < len(given):
            raise ValueError(
                f"levels={shown(given)} name {shown(names[counts > 1])} more than once; name each class once"
            )
        codes_among(classes, names, where="of levels")
        present = np.flatnonzero(np.isin(given, classes))
        levels = given[present]
        if self.level_values is not None:
            values = np.asarray(self.level_values, np.float64)
            if len(values) != len(given):
                raise ValueError(
                    f"{len(values)} level_values for {len(given)} levels, {shown(given)}; give one for each"
                )
            values = values[present]
        elif levels.dtype.kind in "iuf" and np.all(np.diff(levels) > 0):
            values = levels.astype(np.float64)
        else:
            values = np.arange(len(levels), dtype=np.float64)
        if not np.all(np.diff(values) > 0):
            raise ValueError(f"level_values must increase from level to level; they are {shown(values)}")
        return levels, values

    def utility(self, X):
        """Utility of each row, the number that the thresholds cut.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        utility : ndarray of shape (n_samples,)
        """
        return self._utility(X)

    def _invariants(self):
        yield "levels are the classes", np.array_equal(np.sort(self.levels_), self.classes_)
        yield "thresholds lie between them", is_array(self.thresholds_, np.floating, len(self.levels_) - 1)

    def _scores(self, X):
        """How far inside each class's interval a row lies; with two classes, above their threshold."""
        utility = self._utility(X)[:, None]
        if len(self.levels_) == 2:
            above = utility - self.thresholds_
            return above if self.levels_[1] == self.classes_[1] else -above
        edge = np.full(len(utility), np.inf)
        above = np.column_stack([edge, utility - self.thresholds_])
        below = np.column_stack([self.thresholds_ - utility, edge])
        scores = np.empty(above.shape)
        scores[:, np.searchsorted(self.classes_, self.levels_)] = np.minimum(above, below)
        return scores


def _central_thresholds(found, utility, order, n_above, costs):
    """The middle of all thresholds that cost the same, where a threshold is not the only best one.

    Between two classes the cost is piecewise linear in the threshold: its slope rises at the edge of each sample's
    margin, by the sample's cost, and it is least where the slope passes zero.
    """
    sample = np.where(order.head < len(costs), order.head, order.tail)
    comparison = (order.head < len(costs)) | (order.tail < len(costs))
    above = order.head < len(costs)
    edge = utility[order.rows[sample[comparison]]] + np.where(above, -order.gap, order.gap)[comparison]
    threshold = np.where(above, order.tail, order.head)[comparison] - order.moments[0]
    # Errors that are not allowed cost alike: there are none.
    cost, above = np.where(np.isinf(costs), 1.0, costs)[sample[comparison]], above[comparison]
    central = np.empty(len(found))
    for j in range(len(found)):
        here = np.flatnonzero(threshold == j)
        here = here[np.argsort(edge[here], kind="stable")]
        slope = np.cumsum(cost[here]) - cost[here][~above[here]].sum()
        flat = 1e-9 * cost[here].sum()
        first, last = np.argmax(slope >= -flat), np.argmax(slope > flat)
        central[j] = (edge[here[first]] + edge[here[last]]) / 2
    # Where the thresholds press on one another, they are not free to move.
    return central if np.all(np.diff(central) >= 0) else found


def _given_levels(y):
    """The categories of an ordered column, lowest first; None for any other column."""
    kind = getattr(y, "dtype", None)
    return np.asarray(kind.categories) if getattr(kind, "ordered", False) else None
