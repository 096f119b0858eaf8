"""Minimax probability machines in the space of a kernel (Huang et al., JMLR 5:1253, Section 4)."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import is_array, is_number
from treatise.kernels import KERNEL_NAMES, Kernel, KernelFactor, kernel_gamma, resolve_kernel
from treatise.linear.minimax._base import MinimaxClassifier
from treatise.statistics.class_moments import moments


class KernelMinimaxProbabilityMachine(MinimaxClassifier):
    """Minimax probability machine in the space of a kernel: a curved border between two classes.

    The classes' means and covariances are those of the rows' images; the plane between them is a combination of kernels
    at training rows. There are as many dimensions as rows, so the covariances are never known well:
    ``covariance_radius``, which is added to all variances, is what keeps the border smooth, and must be tuned together
    with the width of the kernel.

    Use it on up to a few thousand rows where a linear border is not enough, and for its guarantee on one class. The
    accuracies promised are those of the estimated moments and too good where ``covariance_radius`` is small. Do not use
    it on more rows: the cost is O(n²) memory and O(n r²) time for a kernel of numerical rank r, O(n³) at worst.

    Parameters
    ----------
    criterion : {"balanced", "minimum_error", "guarantee"}, default="balanced"
        What the plane is best in: see :class:`MinimaxProbabilityMachine`.
    guarantee : dict or None, default=None
        For ``criterion="guarantee"``: one class and the accuracy that it must keep.
    priors : array-like of shape (2,) or None, default=None
        Probabilities of the classes; None takes their frequencies.
    distribution : {"any", "gaussian"}, default="any"
        What may be assumed of the classes besides the moments.
    mean_radius : float or array-like of shape (2,), default=0.0
        How far a class's mean may be off its estimate, in deviations.
    covariance_radius : float or array-like of shape (2,), default=0.01
        Added to the variance in every direction of the kernel's space (rho of Section 4.1).
    kernel : {"rbf", "laplacian", "poly", "linear"}, Kernel or callable, default="rbf"
        A positive definite kernel; a callable takes two matrices of rows and gives the matrix of their kernels.
    gamma : float or "scale", default="scale"
        Parameter of the first three; "scale" is ``1 / (n_features * X.var())``.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1.0
        Its constant.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes.
    class_accuracies_ : ndarray of shape (2,)
        Accuracy promised to each class.
    worst_case_accuracy_ : float
        Their mean under the priors.
    distances_ : ndarray of shape (2,)
        Distances of the plane from the means, in deviations, mean radii included.
    priors_ : ndarray of shape (2,)
        Probabilities of the classes.
    frontier_ : ndarray of shape (n_planes, 2)
        Accuracies of all candidate planes; see :meth:`frontier`.
    dual_coef_ : ndarray of shape (n_pivots,)
        Weights of the kernels at the pivots.
    intercept_ : float
        Score where all kernels are 0.
    pivots_ : ndarray of shape (n_pivots, n_features)
        Training rows whose kernels span those of all others to machine precision.
    gamma_ : float
        The parameter in use.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    MinimaxProbabilityMachine : The linear machine.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from treatise.linear import KernelMinimaxProbabilityMachine
    >>> X, y = make_circles(200, noise=0.1, factor=0.4, random_state=0)
    >>> machine = KernelMinimaxProbabilityMachine().fit(X, y)
    >>> machine.score(X, y)
    1.0

    References
    ----------
    .. [1] Paper v05-1253: Corollary 7, Equations (22)-(23) and Table 1.
    """

    _parameter_constraints: dict = {
        **MinimaxClassifier._parameter_constraints,
        "kernel": [StrOptions(set(KERNEL_NAMES)), Kernel, callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale"})],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        criterion="balanced",
        *,
        guarantee=None,
        priors=None,
        distribution="any",
        mean_radius=0.0,
        covariance_radius=0.01,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
    ):
        self.criterion = criterion
        self.guarantee = guarantee
        self.priors = priors
        self.distribution = distribution
        self.mean_radius = mean_radius
        self.covariance_radius = covariance_radius
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _fit_rows(self, X, rows):
        self.gamma_ = kernel_gamma(self.gamma, X)
        # In these features the identity of Corollary 7's rho I is the K of its kernel form.
        factor = KernelFactor.of(self._gram(X, X))
        means, covariances = zip(*(moments(factor.features[row]) for row in rows))
        diagonal = np.einsum("kii->ki", widened := np.array(covariances))
        diagonal += self._pair("covariance_radius")[:, np.newaxis]
        normal, threshold = self._solve(np.array(means), widened, [np.mean(row) for row in rows])
        self.pivots_, self.dual_coef_, self.intercept_ = X[factor.pivots], factor.dual(normal), -float(threshold)
        return self

    def _invariants(self):
        yield "pivots are rows", is_array(self.pivots_, np.float64, None, self.n_features_in_)
        yield "pivots have coefficients", is_array(self.dual_coef_, np.float64, len(self.pivots_))
        yield "there are a constant and a width", is_number(self.intercept_) and is_number(self.gamma_)

    def _projections(self, X):
        return self._gram(X, self.pivots_) @ self.dual_coef_ + self.intercept_

    def _gram(self, X, Y):
        return resolve_kernel(self.kernel, X, gamma=self.gamma_, degree=self.degree, coef0=self.coef0)(X, Y)
