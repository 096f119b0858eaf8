"""Kernels in groups: few within each group, all groups in play (Aflalo et al., JMLR 12:565)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.kernel_methods.mkl._grouped_solver import solve_grouped_mkl
from treatise.kernel_methods.mkl._mixture_base import MixtureClassifier, MixtureMachineBase
from treatise.kernels import Gaussian, Kernel, KernelBankInputMixin, OnColumns, kernel_gamma, resolve_kernel

_WIDTH_STEPS = range(-2, 3)
"""Powers of four of the width's inverse around the one that fits the scale of a feature."""


class GroupedMKLClassifier(MixtureClassifier, MixtureMachineBase):
    """Support vector classifier on groups of kernels: sparse within every group, and with weight on all groups.

    For data from several sources that all matter (shape, colour and text of an object; blocks of measurements), each
    with redundant kernels such as many widths. The penalty is ``( sum_j ( sum_k ||w_jk|| )^2q )^(1/q) / 2``: within a
    group it picks few kernels, over groups it spreads the weight, the more evenly the larger ``q``. One group is sparse
    multiple kernel learning for every q; groups of one kernel each with ``q=1`` are the plain sum of kernels. Do not
    use it where whole sources may be worthless: no group is ever switched off (``LpMKLClassifier(p=1.0)`` does that).

    Time is about 10 to 60 steps with a few warm-started machines and M n² for M kernels in each. More than two classes
    are learned one against the rest.

    Parameters
    ----------
    q : float, default=2.0
        Half the norm over the groups, 1 to ``inf``.
    C : float, default=1000.0
        Cost of a unit of margin violation. Kernels of trace one have entries of about 1 / n: C is large.
    kernels : {"features", "precomputed"} or list of lists, default="features"
        "features": a group for every feature, of Gaussian kernels of five widths. A list of lists: the groups, of
        Kernel objects, names ("rbf", "linear", "poly", "laplacian") or functions of two tables. "precomputed": X is a
        list of Gram matrices, or an array of shape (n_samples, n_samples, n_kernels), and ``groups`` tells how they
        belong together.
    groups : list of lists of int or None, default=None
        With precomputed kernels: the positions of the matrices of each group; None puts all into one group.
    normalize : {"trace", "multiplicative", "spherical"} or None, default="trace"
        How kernels are made comparable.
    step : float, default=10.0
        Length of the first step of mirror descent, which goes on until a step does not lower the value; then each step
        solves a linear and a quadratic program over the kernels.
    tol : float, default=1e-3
        Relative duality gap at which to stop.
    max_iter : int, default=500
        Most steps.
    memory_bytes : int, default=2 << 30
        Memory that Gram matrices may take.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    groups_ : list of ndarray
        Positions of the kernels of each group.
    kernel_weights_ : ndarray of shape (n_kernels,), or (n_classes, n_kernels) for more than two classes
        Weights of the normalised kernels in the mixture.
    group_weights_ : ndarray of shape (n_groups,), or (n_classes, n_groups)
        Their sums over the groups.
    kernel_scales_ : ndarray of shape (n_kernels,)
        Factors that normalise the kernels.
    kernels_ : list of Kernel, or "precomputed"
        The kernels, group after group.
    support_ : ndarray
        Positions of the training objects with a weight.
    dual_coef_ : ndarray of shape (n_support,), or (n_classes, n_support)
        Their weights, with the sign of the class.
    intercept_ : float or ndarray of shape (n_classes,)
        The offset.
    objective_ : float or ndarray of shape (n_classes,)
        Value of the primal problem: an upper bound of the optimal one.
    duality_gap_ : float
        Relative width of the interval that holds the optimal value.
    converged_ : bool
        Whether that is at most ``tol``.
    bounds_ : ndarray of shape (n_iter_, 2), or a list of them
        Upper and lower end of that interval after every step.
    n_iter_, n_machines_ : int
        Steps, and support vector machines solved.
    n_ascent_rounds_ : int
        Most rounds between machine and group weights in a step.

    See Also
    --------
    LpMKLClassifier : Kernels without groups.
    plot_kernel_weights : Draws the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import GroupedMKLClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 2))
    >>> y = np.abs(X[:, 0]) + np.abs(X[:, 1]) > 1.5
    >>> machine = GroupedMKLClassifier(q=2.0).fit(X, y)
    >>> [len(group) for group in machine.groups_], bool(machine.score(X, y) > 0.95)
    ([5, 5], True)

    References
    ----------
    .. [1] Paper v12-0565, problem (1), Algorithms 2 and 3.
    """

    _parameter_constraints: dict = {
        "q": [Interval(Real, 1, np.inf, closed="both")],
        "C": [Interval(Real, 0, None, closed="neither")],
        **KernelBankInputMixin._bank_constraints,
        "kernels": [StrOptions({"features", "precomputed"}), list, tuple],
        "groups": [list, tuple, None],
        "step": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        q=2.0,
        *,
        C=1000.0,
        kernels="features",
        groups=None,
        normalize="trace",
        step=10.0,
        tol=1e-3,
        max_iter=500,
        memory_bytes=2 << 30,
    ):
        self.q = q
        self.C = C
        self.kernels = kernels
        self.groups = groups
        self.normalize = normalize
        self.step = step
        self.tol = tol
        self.max_iter = max_iter
        self.memory_bytes = memory_bytes

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Learn the weights of kernels and groups, and the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Training objects, or their Gram matrices.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : GroupedMKLClassifier
        """
        if self.groups is not None and not self._is_precomputed:
            raise ValueError("groups belongs to kernels='precomputed'; give other kernels as a list of lists")
        bank, y = self._fit_bank(X, y=y)
        self.groups_ = self._grouped(bank.n_kernels)
        found = [
            solve_grouped_mkl(bank, problem, self.groups_, self.q, step=self.step, tol=self.tol, max_iter=self.max_iter)
            for problem in self._class_problems(y, None)
        ]
        self._store(bank, [solution for solution, _, _ in found])
        several = len(found) > 1
        self.group_weights_ = np.array([weights for _, weights, _ in found]) if several else found[0][1]
        self.n_ascent_rounds_ = max(rounds for _, _, rounds in found)
        self.intercept_ = self._offsets if several else float(self._offsets[0])
        return self

    @property
    def _structured(self):
        return not isinstance(self.kernels, str) and any(
            isinstance(kernel, Kernel) and kernel.structured for group in self.kernels for kernel in group
        )

    def _resolved(self, X, weights):
        if isinstance(self.kernels, str):
            kernels = []
            for j in range(X.shape[1]):
                middle = kernel_gamma("scale", X[:, [j]])
                kernels += [OnColumns(Gaussian(middle * 4.0**step), [j]) for step in _WIDTH_STEPS]
            return kernels
        if len(self.kernels) == 0 or not all(isinstance(group, (list, tuple)) for group in self.kernels):
            raise ValueError("kernels must be a list of lists of kernels, one list for each group")
        for j, group in enumerate(self.kernels):
            if len(group) == 0:
                raise ValueError(f"group {j} of kernels is empty; a group needs at least one kernel")
        return [resolve_kernel(kernel, X) for group in self.kernels for kernel in group]

    def _grouped(self, n_kernels):
        """The groups as arrays of positions that cover every kernel once."""
        if self._is_precomputed:
            groups = [range(n_kernels)] if self.groups is None else self.groups
            arrays = [np.asarray(group, np.int64).ravel() for group in groups]
            for j, group in enumerate(arrays):
                if len(group) == 0:
                    raise ValueError(f"group {j} is empty; a group needs at least one kernel")
            if not np.array_equal(np.sort(np.concatenate(arrays)), np.arange(n_kernels)):
                raise ValueError(f"groups must hold each of the kernels 0 to {n_kernels - 1} once")
            return arrays
        sizes = [len(_WIDTH_STEPS)] * (n_kernels // len(_WIDTH_STEPS))
        if not isinstance(self.kernels, str):
            sizes = [len(group) for group in self.kernels]
        return np.split(np.arange(n_kernels), np.cumsum(sizes)[:-1])
