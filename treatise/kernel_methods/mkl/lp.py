"""Support vector machines on a learned mixture of kernels, sparse or not (Kloft et al., JMLR 12:953)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import OutlierMixin, RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import is_number
from treatise._core.threads import few_rows_in_one_thread
from treatise.kernel_methods.mkl._grouped_solver import solve_grouped_mkl
from treatise.kernel_methods.mkl._lp_solver import solve_lp_mkl, solve_ridge_mkl
from treatise.kernel_methods.mkl._mixture_base import MixtureClassifier, MixtureMachineBase
from treatise.kernels import KernelBankInputMixin
from treatise.optimize import SVMDualProblem


class LpMKLBase(InheritsDocumentation, MixtureMachineBase):
    """A machine whose kernel weights have p-norm one.

    Parameters
    ----------
    p : float, default=2.0
        The norm of the kernel weights, 1 to ``inf``.
    block_norm : float or None, default=None
        The norm r over the lengths of the kernels' parts of the machine, 1 to ``inf``, in place of ``p``. Up to 2 it is
        ``p = r / (2 - r)``; above 2 the parts become more alike than in the plain sum: kernels of short parts are given
        the larger weights.
    kernels : {"widths", "features", "precomputed"} or list, default="widths"
        "widths": Gaussian kernels of seven widths, ``gamma`` from 1/64 to 64 times that of scikit-learn's "scale".
        "features": a Gaussian kernel of every feature. A list: Kernel objects (``OnColumns(Gaussian(0.1), [0, 1, 2])``
        is one of a feature group), the names "rbf", "linear", "poly" and "laplacian", functions of two tables.
        "precomputed": X is a list of Gram matrices, or an array of shape (n_samples, n_samples, n_kernels) that
        cross-validation can slice.
    normalize : {"multiplicative", "spherical", "trace"} or None, default="multiplicative"
        How kernels are made comparable: to variance one in their feature space, to objects of length one, to a
        diagonal of sum one.
    solver : {"auto", "wrapper", "interleaved"}, default="auto"
        "wrapper" solves a machine on all objects for every set of weights, "interleaved" on working sets, so that only
        rows of objects in play are ever computed. "auto" interleaves where the Gram matrices exceed ``memory_bytes``.
    tol : float, default=1e-3
        Relative duality gap at which to stop.
    max_iter : int, default=200
        Most steps.
    memory_bytes : int, default=2 << 30
        Memory that Gram matrices may take.

    Attributes
    ----------
    kernel_weights_ : ndarray of shape (n_kernels,)
        Weights of the normalised kernels.
    kernel_scales_ : ndarray of shape (n_kernels,)
        Factors that normalise the kernels.
    kernels_ : list of Kernel, or "precomputed"
        The kernels.
    support_ : ndarray
        Positions of the training objects with a weight.
    dual_coef_ : ndarray of shape (n_support,)
        Their weights.
    objective_ : float
        Value of the primal problem: an upper bound of the optimal one.
    duality_gap_ : float
        Relative width of the interval that holds the optimal value.
    converged_ : bool
        Whether that is at most ``tol``.
    bounds_ : ndarray of shape (n_iter_, 2)
        Upper and lower end of that interval after every step.
    n_iter_ : int
        Steps.
    n_machines_ : int
        Support vector machines solved, warm-started, on one set of weights each.
    """

    _parameter_constraints: dict = {
        "p": [Interval(Real, 1, np.inf, closed="both")],
        "block_norm": [Interval(Real, 1, np.inf, closed="both"), None],
        **KernelBankInputMixin._bank_constraints,
        "solver": [StrOptions({"auto", "wrapper", "interleaved"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _learn(self, bank, problems):
        """Solve one machine or several on the same bank."""
        self._store(bank, [self._solved(bank, problem) for problem in problems])

    def _solved(self, bank, problem):
        if self._is_beyond_sums:
            if self.solver == "interleaved":
                raise ValueError(f"block_norm={self.block_norm} has no working sets above 2; take solver='wrapper'")
            alone = list(np.arange(bank.n_kernels)[:, np.newaxis])
            options = {"step": 1.0, "tol": self.tol, "max_iter": self.max_iter}
            return solve_grouped_mkl(bank, problem, alone, self.block_norm / 2.0, **options)[0]
        interleaved = self.solver == "interleaved" or (self.solver == "auto" and not bank.holds_all)
        options = {"tol": self.tol, "max_iter": self.max_iter, "interleaved": interleaved}
        return solve_lp_mkl(bank, problem, self._weight_norm, **options)

    @property
    def _is_beyond_sums(self):
        return self.block_norm is not None and self.block_norm > 2.0

    @property
    def _weight_norm(self):
        """The norm of the weights that a block norm up to 2 amounts to, or the one given."""
        if self.block_norm is None:
            return self.p
        return np.inf if self.block_norm == 2.0 else self.block_norm / (2.0 - self.block_norm)


class LpMKLClassifier(MixtureClassifier, LpMKLBase):
    """Support vector classifier that learns how to weigh many kernels.

    The machine runs on ``sum_m weights[m] k_m``, with weights that are not negative and of p-norm one, and learns
    machine and weights together. ``p=1`` picks few kernels, ``p=inf`` is the plain sum, and values between (4/3, 2, 4)
    are usually the best where kernels carry different parts of the information. Use it for several sources of
    data, for many widths or feature groups, and to see which of them matter; with a handful of kernels that are all
    good their sum (``p=inf``) is cheaper and hard to beat. Kernels count by their scale, so leave ``normalize`` on
    unless they are comparable already; C near 1 is then a fair start.

    The result carries a certificate: the optimal value lies within ``duality_gap_`` of the one found, also where the
    machine was solved loosely. Time is a few machines on n objects and M n² for M kernels in each of some ten steps;
    memory M n² numbers up to ``memory_bytes``, and O(M n) beyond that.

    More than two classes are learned one against the rest, each with kernel weights of its own.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a unit of margin violation.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    kernel_weights_ : ndarray of shape (n_kernels,), or (n_classes, n_kernels) for more than two classes
        Weights of the normalised kernels.
    dual_coef_ : ndarray of shape (n_support,), or (n_classes, n_support)
        Their weights, with the sign of the class.
    intercept_ : float or ndarray of shape (n_classes,)
        The offset.
    objective_ : float or ndarray of shape (n_classes,)
        Value of the primal problem: an upper bound of the optimal one.
    bounds_ : ndarray of shape (n_iter_, 2), or a list of them
        Upper and lower end of that interval after every step.

    See Also
    --------
    plot_kernel_weights : Draws the weights.
    GroupedMKLClassifier : Few kernels within every group, but all groups.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import LpMKLClassifier
    >>> from treatise.kernels import Gaussian, OnColumns
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = X[:, 0] ** 2 > 0.5
    >>> machine = LpMKLClassifier(p=1.0, kernels=[OnColumns(Gaussian(), [j]) for j in range(3)]).fit(X, y)
    >>> machine.kernel_weights_.round(1), machine.score(X, y)
    (array([1., 0., 0.]), 0.99)

    References
    ----------
    .. [1] Paper v12-0953, Sections 2 to 4, Algorithms 1 and 2.
    """

    _parameter_constraints: dict = {
        **LpMKLBase._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        p=2.0,
        *,
        C=1.0,
        block_norm=None,
        kernels="widths",
        normalize="multiplicative",
        solver="auto",
        tol=1e-3,
        max_iter=200,
        memory_bytes=2 << 30,
    ):
        self.p = p
        self.C = C
        self.block_norm = block_norm
        self.kernels = kernels
        self.normalize = normalize
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.memory_bytes = memory_bytes

    @_fit_context(prefer_skip_nested_validation=False)
    @few_rows_in_one_thread
    def fit(self, X, y, sample_weight=None):
        """Learn the kernel weights and the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Training objects, or their Gram matrices.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Factors of C; a weight of two is a second copy of the object.

        Returns
        -------
        self : LpMKLClassifier
        """
        weights = self._object_weights(X, sample_weight)
        bank, y = self._fit_bank(X, y=y, weights=weights)
        self._learn(bank, self._class_problems(y, weights))
        self.intercept_ = self._offsets if len(self.classes_) > 2 else float(self._offsets[0])
        return self


class LpMKLRegressor(RegressorMixin, LpMKLBase):
    """Support vector or ridge regression that learns how to weigh many kernels.

    The loss is the distance from the target beyond ``epsilon``, or half the squared error; all else is as in
    :class:`LpMKLClassifier`. The former gives fewer support objects and bears outliers, the latter needs no epsilon and
    costs O(n^3) a step.

    Parameters
    ----------
    C : float or "auto", default="auto"
        Cost of a unit of error beyond ``epsilon``, or of half the squared error. "auto" is the standard deviation of
        the targets for the former and 1 for the latter, so that their unit does not matter.
    epsilon : float or "auto", default="auto"
        Errors up to this size cost nothing, with the first loss; "auto" is a tenth of the targets' standard deviation.
    loss : {"epsilon_insensitive", "squared"}, default="epsilon_insensitive"
        The loss. The squared one needs the wrapper ("auto" takes it).

    Attributes
    ----------
    intercept_ : float
        The offset.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import LpMKLRegressor
    >>> x = np.linspace(-3, 3, 120)[:, None]
    >>> machine = LpMKLRegressor(C=10.0, epsilon=0.01).fit(x, np.sinc(x[:, 0]))
    >>> bool(machine.score(x, np.sinc(x[:, 0])) > 0.999)
    True

    References
    ----------
    .. [1] Paper v12-0953, Sections 3.2 and 4.4.1.
    """

    _parameter_constraints: dict = {
        **LpMKLBase._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "epsilon": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "loss": [StrOptions({"epsilon_insensitive", "squared"})],
    }

    def __init__(
        self,
        p=2.0,
        *,
        C="auto",
        epsilon="auto",
        loss="epsilon_insensitive",
        block_norm=None,
        kernels="widths",
        normalize="multiplicative",
        solver="auto",
        tol=1e-3,
        max_iter=200,
        memory_bytes=2 << 30,
    ):
        self.p = p
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.block_norm = block_norm
        self.kernels = kernels
        self.normalize = normalize
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.memory_bytes = memory_bytes

    @_fit_context(prefer_skip_nested_validation=False)
    @few_rows_in_one_thread
    def fit(self, X, y, sample_weight=None):
        """Learn the kernel weights and the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Training objects, or their Gram matrices.
        y : array-like of shape (n_samples,)
            Numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Factors of C; a weight of two is a second copy of the object.

        Returns
        -------
        self : LpMKLRegressor
        """
        weights = self._object_weights(X, sample_weight)
        bank, y = self._fit_bank(X, y=y, weights=weights, y_numeric=True)
        weights = np.ones(len(y)) if weights is None else weights
        if self.loss == "squared":
            cost = 1.0 if self.C == "auto" else self.C
            self._learn_ridge(bank, np.asarray(y, np.float64), cost * weights)
        else:
            spread = np.sqrt(np.cov(y, aweights=weights, ddof=0)) or 1.0
            cost = spread if self.C == "auto" else self.C
            tube = 0.1 * spread if self.epsilon == "auto" else self.epsilon
            self._learn(bank, [SVMDualProblem.regression(y, cost * weights, tube)])
        self.intercept_ = float(self._offsets[0])
        return self

    def _learn_ridge(self, bank, y, costs):
        if self.solver == "interleaved":
            raise ValueError("loss='squared' has no working sets, as every object carries it; take solver='wrapper'")
        if self._is_beyond_sums:
            raise ValueError(f"loss='squared' takes a block_norm up to 2; it is {self.block_norm}")
        self._store(bank, [solve_ridge_mkl(bank, y, costs, self._weight_norm, tol=self.tol, max_iter=self.max_iter)])

    def predict(self, X):
        """Numbers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Objects to predict.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._scores(X)[:, 0]


class LpMKLOneClass(OutlierMixin, LpMKLBase):
    """One-class support vector machine that learns how to weigh many kernels.

    Finds the half-space furthest from the origin, in the mixture of feature spaces, that leaves out a share ``nu`` of
    the objects. The mixture maximises that distance, so it prefers kernels in which the objects lie close together;
    normalise to comparable kernels ("spherical", or none for Gaussian kernels of similar widths) and see whether the
    weights make sense: without labels nothing tells a useful kernel from one that is large.

    Parameters
    ----------
    nu : float, default=0.1
        Bound of the share of training objects outside.
    normalize : {"multiplicative", "spherical", "trace"} or None, default="spherical"
        How kernels are made comparable; precomputed ones cannot be made spherical here, so give another.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_support,)
        Weights of the training objects in ``support_``, which sum to ``nu`` times the number of objects.
    offset_ : float
        Score below which an object is outside.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import LpMKLOneClass
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> LpMKLOneClass(nu=0.1).fit(X).predict([[0.0, 0.0], [6.0, 6.0]])
    array([ 1, -1])

    References
    ----------
    .. [1] Paper v12-0953, Sections 3.2 and 4.4.1.
    """

    _parameter_constraints: dict = {
        **LpMKLBase._parameter_constraints,
        "nu": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        p=2.0,
        *,
        nu=0.1,
        block_norm=None,
        kernels="widths",
        normalize="spherical",
        solver="auto",
        tol=1e-3,
        max_iter=200,
        memory_bytes=2 << 30,
    ):
        self.p = p
        self.nu = nu
        self.block_norm = block_norm
        self.kernels = kernels
        self.normalize = normalize
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.memory_bytes = memory_bytes

    @_fit_context(prefer_skip_nested_validation=False)
    @few_rows_in_one_thread
    def fit(self, X, y=None, sample_weight=None):
        """Learn the kernel weights and the half-space.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Training objects, or their Gram matrices.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of two is a second copy of the object.

        Returns
        -------
        self : LpMKLOneClass
        """
        weights = self._object_weights(X, sample_weight)
        bank = self._fit_bank(X, weights=weights)
        self._learn(bank, [SVMDualProblem.one_class(len(bank), self.nu, weights)])
        self.offset_ = -float(self._offsets[0])
        return self

    def _invariants(self):
        yield "the threshold is a number", is_number(self.offset_)

    def score_samples(self, X):
        """Scores without the offset: the higher, the more like the training objects.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Objects to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        scores = self._scores(X)[:, 0] + self.offset_
        # Objects on the boundary are inside, whatever rounding makes of them.
        scores[np.abs(scores - self.offset_) <= 1e-8 * abs(self.offset_)] = self.offset_
        return scores

    def decision_function(self, X):
        """Scores, negative outside.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Objects to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X):
        """1 for objects like the training objects, -1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Objects to judge.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)
