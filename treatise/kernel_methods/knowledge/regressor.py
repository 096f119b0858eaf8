"""Kernel regression that obeys knowledge of regions (Mangasarian, Shavlik & Wild, JMLR 5:1127)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from treatise._core.invariants import is_array, is_number
from treatise.kernel_methods.knowledge._program import PointBlock, RegionBlock, solve_program
from treatise.kernel_methods.knowledge.implications import Knowledge, check_knowledge
from treatise.kernel_methods.knowledge.polyhedron import Polyhedron
from treatise.kernels import KernelInputMixin, Linear


class KnowledgeKernelRegressor(RegressorMixin, KernelInputMixin, BaseEstimator):
    """Kernel regression by linear programming that also obeys what is known of the function in regions.

    Minimises the absolute weights of the kernels plus C times the absolute errors, so that few training objects carry
    the function and outliers move it little, plus what it misses of the knowledge. The kernel need only be symmetric,
    not positive semi-definite.

    Use it with few, noisy or one-sided data and trusted rules about regions without data. Not beyond some thousand
    rows, and not for rules learned from the same data. By default the bounds are conditions at points of their regions;
    knowledge that no function can keep is an error unless its cost is finite. With ``enforcement="kernel"``, the
    paper's way, a region is translated into the space of the kernel: for a non-linear kernel it is then another region,
    which changes with the scale of its inequalities, and the function need not keep the bound in the region itself:
    look at :meth:`shortfalls`.

    A linear program over one copy of the Gram matrix: n = 500 rows with three pieces of knowledge take about one second
    and 1000 rows about four; memory a few times n^2.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the absolute error of a row, beside the absolute weights.
    knowledge : Knowledge or list of Knowledge, default=()
        What is known.
    mismatch_cost : float, default=inf
        Cost of the error of the proof of a bound (the paper's mu_1); infinite makes it a condition. Serves only
        ``enforcement="kernel"``.
    shortfall_cost : float, default=inf
        Cost of what the function lacks to a bound (mu_2), once for each bound; infinite makes the bound a condition. A
        finite cost must match that of all rows, some C times their number, or the knowledge is outvoted.
    enforcement : {"points", "kernel"}, default="points"
        Whether a bound holds at points of the region, or in the kernel's space, equation (21): the paper's way.
    knowledge_kernel : {"same", "linear"}, default="same"
        Kernel between training rows and inequalities, for ``enforcement="kernel"``.
    n_points : int, default=200
        Points of each region, for ``enforcement="points"``. An unbounded region is cut at the range of X.
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel; "precomputed" and kernels of other objects than rows of numbers only without knowledge.
    gamma : float, "scale" or "auto", default="scale"
        Of the kernels "rbf", "poly" and "laplacian" (the paper's mu).
    degree : int, default=3
        Of the kernel "poly".
    coef0 : float, default=1.0
        Of the kernel "poly".
    random_state : int, RandomState or None, default=None
        Draws the points of regions.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Training rows with a weight.
    dual_coef_ : ndarray of shape (n_support,)
        Their weights.
    intercept_ : float
        The constant.
    objective_ : float
        Value of the linear program.
    knowledge_mismatch_ : ndarray of shape (n_bounds,)
        Per bound, the sum of absolute errors of its proof (z); a piece of knowledge with two bounds has two.
    knowledge_shortfall_ : ndarray of shape (n_bounds,)
        Per bound, what it lacks (zeta).
    n_iter_ : int
        Steps of the linear program.
    converged_ : bool
        Whether the program and its dual have the same value.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    LinearKnowledgeRegressor : Linear functions, for which the knowledge holds exactly.
    plot_knowledge : Fit, data and regions in one picture.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import Knowledge, KnowledgeKernelRegressor, Polyhedron
    >>> x = np.array([-3.0, -2.5, -2.0, -1.5, 1.5, 2.0, 2.5, 3.0])[:, None]
    >>> peak = Knowledge(Polyhedron.box([-0.25], [0.25]), at_least=0.9)
    >>> blind = KnowledgeKernelRegressor(C=10.0, gamma=1.0).fit(x, np.sinc(x[:, 0]))
    >>> told = KnowledgeKernelRegressor(C=10.0, gamma=1.0, knowledge=[peak], random_state=0).fit(x, np.sinc(x[:, 0]))
    >>> blind.predict([[0.0]]).round(2), told.predict([[0.25]]).round(2)
    (array([-0.4]), array([0.9]))

    References
    ----------
    .. [1] Paper v05-1127, equations (7) and (21), Proposition 3.1.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "knowledge": [Knowledge, list, tuple],
        "mismatch_cost": [Interval(Real, 0, None, closed="both")],
        "shortfall_cost": [Interval(Real, 0, None, closed="both")],
        "enforcement": [StrOptions({"kernel", "points"})],
        "knowledge_kernel": [StrOptions({"same", "linear"})],
        "n_points": [Interval(Integral, 1, None, closed="left")],
        **KernelInputMixin._kernel_constraints,
        "random_state": ["random_state"],
    }

    _needs_definite = False

    def __init__(
        self,
        C=1.0,
        *,
        knowledge=(),
        mismatch_cost=np.inf,
        shortfall_cost=np.inf,
        enforcement="points",
        knowledge_kernel="same",
        n_points=200,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
        random_state=None,
    ):
        self.C = C
        self.knowledge = knowledge
        self.mismatch_cost = mismatch_cost
        self.shortfall_cost = shortfall_cost
        self.enforcement = enforcement
        self.knowledge_kernel = knowledge_kernel
        self.n_points = n_points
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Solve the linear program.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Training objects.
        y : array-like of shape (n_samples,)
            Values of the function, exact or not.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Factors of the errors' costs; an object of weight zero takes no part.

        Returns
        -------
        self : KnowledgeKernelRegressor
        """
        objects, y = self._fit_objects(X, y=y, y_numeric=True, sample_weight=sample_weight)
        y = np.asarray(y, np.float64)
        weights = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        used = np.flatnonzero(weights > 0)
        knowledge = self._checked_knowledge()
        gram = self._gram(objects)[np.ix_(used, used)]
        objects = objects if isinstance(self.kernel_, str) else objects[used]
        blocks = self._blocks(objects, X, used, knowledge)
        costs = self.C * weights[used]
        found = solve_program(gram, None, y[used], costs, 1.0, blocks)
        if found is None:
            raise ValueError(contradiction(gram, None, blocks, knowledge))
        kept = np.flatnonzero(found.coef)
        self.support_, self.dual_coef_, self.intercept_ = used[kept], found.coef[kept], found.offset
        self._support_objects = used[kept] if isinstance(self.kernel_, str) else objects[kept]
        keep_outcome(self, found)
        return self

    def _invariants(self):
        yield "there is a constant", is_number(self.intercept_)
        yield "objects that are kept have coefficients", is_array(self.dual_coef_, np.floating, len(self.support_))

    def predict(self, X):
        """Values of the function.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Objects.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.intercept_ + self._weighted_scores(self._new_objects(X), self._support_objects, self.dual_coef_)

    def shortfalls(self, n_points=1000, *, random_state=None):
        """By how much the function misses each piece of knowledge at the worst of some points of its region.

        Parameters
        ----------
        n_points : int, default=1000
            Points of each region, unbounded ones cut at the range of the training data.
        random_state : int, RandomState or None, default=None
            Draws the points.

        Returns
        -------
        shortfalls : ndarray of shape (n_knowledge,)
        """
        check_is_fitted(self)
        found = []
        for position, piece in enumerate(self._checked_knowledge()):
            points = self._cut(piece.region, position).points(n_points, random_state=random_state)
            found.append(piece.shortfall(points, self.predict(points)).max())
        return np.array(found)

    def _checked_knowledge(self):
        # An empty list says nothing of features, which kernels of other objects do not have.
        if not isinstance(self.knowledge, Knowledge) and len(self.knowledge) == 0:
            return []
        if isinstance(self.kernel_, str) or self.kernel_.structured:
            raise ValueError("knowledge is about rows of numbers; this kernel does not read them")
        return check_knowledge(self.knowledge, self.n_features_in_)

    def _blocks(self, objects, X, used, knowledge):
        if not knowledge:
            return []
        rows = (sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X, np.float64))[used]
        self._range = tuple(np.asarray(_dense(end(axis=0))).ravel() for end in (rows.min, rows.max))
        build = self._point_blocks if self.enforcement == "points" else self._region_blocks
        return [block for position, piece in enumerate(knowledge) for block in build(objects, rows, position, piece)]

    def _region_blocks(self, objects, rows, position, piece):
        """Equation (21): the inequalities of the region as kernels with the training rows."""
        if self.knowledge_kernel == "linear":
            plain = Linear()
            sides = plain.block(plain.prepare(rows), piece.region.A)
        else:
            sides = self.kernel_.block(objects, self.kernel_.prepare(piece.region.A))
        # Proposition 3.1 asks for a t with sides' t <= limits; without one everything would follow.
        empty = linprog(np.zeros(len(sides)), A_ub=sides.T, b_ub=piece.region.b, bounds=(None, None)).status == 2
        if empty:
            raise ValueError(
                f"knowledge[{position}] is about nothing in the kernel's space, where no combination of training rows "
                "satisfies its inequalities; take enforcement='points', or knowledge_kernel='linear', or bring the "
                "features to the kernel's scale (Knowledge.standardized)"
            )
        return [
            RegionBlock(
                sides, piece.region.b, np.asarray(rows @ part.slope), part.constant, part.sign,
                self.mismatch_cost, self.shortfall_cost,
            )
            for part in piece.implications
        ]  # fmt: skip

    def _point_blocks(self, objects, rows, position, piece):
        points = self._cut(piece.region, position).points(self.n_points, random_state=self.random_state)
        columns = self.kernel_.block(objects, self.kernel_.prepare(points))
        return [PointBlock(columns, part.bound(points), part.sign, self.shortfall_cost) for part in piece.implications]

    def _cut(self, region, position):
        if region.bounded:
            return region
        try:
            return region.intersect(Polyhedron.box(*self._range))
        except ValueError:
            raise ValueError(
                f"the region of knowledge[{position}] is unbounded and does not meet the range of X, so no points can "
                "stand for it; bound it"
            ) from None


def keep_outcome(regressor, found):
    """Attributes that say how the linear program ended."""
    regressor.objective_ = found.objective
    regressor.knowledge_mismatch_ = found.mismatches
    regressor.knowledge_shortfall_ = found.shortfalls
    regressor.n_iter_ = found.n_iter
    regressor.converged_ = bool(found.solved)
    if not regressor.converged_:
        warnings.warn(
            f"the linear program and its dual differ by {found.gap:.2g} of their value; bring y, the features or the "
            "costs closer to one another",
            ConvergenceWarning,
            stacklevel=3,
        )


def contradiction(left, right, blocks, knowledge):
    """Says which knowledge cannot hold: the least that must be missed where nothing else counts."""
    owners = [position for position, piece in enumerate(knowledge) for _ in piece.implications]
    soft = [
        PointBlock(block.columns, block.bounds, block.sign, 1.0)
        if isinstance(block, PointBlock)
        else RegionBlock(block.sides, block.limits, block.slope, block.constant, block.sign, 1.0, 1.0)
        for block in blocks
    ]
    m = left.shape[0]
    found = solve_program(left, right, np.zeros(m), np.zeros(m), 0.0, soft)
    missed = found.mismatches + found.shortfalls
    worst = sorted({owners[i] for i in np.flatnonzero(missed > 1e-6 * (1.0 + missed.max()))})
    named = " and ".join(f"knowledge[{position}]" for position in worst)
    return (
        f"no function of this kind keeps all of the knowledge; at the least, {named} must give way. Correct it, or "
        "make the costs of missing it finite"
    )


def _dense(values):
    return values.toarray() if sparse.issparse(values) else values
