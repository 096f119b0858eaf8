"""Linear minimax probability machines: minimum error, balanced and biased (Huang et al., JMLR 5:1253)."""

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from treatise._core.invariants import linear
from treatise.linear.minimax._base import MinimaxClassifier
from treatise.statistics.class_moments import checked_moments, moments


class MinimaxProbabilityMachine(MinimaxClassifier):
    r"""Linear rule for two classes from their means and covariances, with an accuracy that no distribution undercuts.

    Among all distributions with a class's mean and covariance, the worst puts a share of at most
    :math:`1 / (1 + \kappa^2)` beyond a plane :math:`\kappa` deviations from the mean. The machine chooses the plane
    for which the resulting promises are best: overall (the minimum error machine, MEMPM), equal for both classes
    (MPM), or as good as possible for one class while the other keeps a guaranteed accuracy (the biased machine,
    BMPM).

    Use it when only moments are known or may be shared (:meth:`fit_moments`), when one class must keep an accuracy,
    or as a linear discriminant for classes of unlike covariance. The promises are conservative and refer to the true
    moments: they are no estimates of accuracy and no probabilities. Do not use it for classes whose means coincide.
    Where the classes overlap much, the minimum error criterion may give up one of them (its promise is 0): it is not
    the default for that.

    Costs O(n p² + p³) once; the plane is then found among all candidates at O(p) each.

    Parameters
    ----------
    criterion : {"balanced", "minimum_error", "guarantee"}, default="balanced"
        What the plane is best in: the accuracy promised to the worse class, that promised overall (the paper's own
        machine), or that of one class while ``guarantee`` holds for the other.
    guarantee : dict or None, default=None
        For ``criterion="guarantee"``: one class and the accuracy that it must keep, such as ``{"healthy": 0.8}``.
    priors : array-like of shape (2,) or None, default=None
        Probabilities of the classes; None takes their frequencies.
    distribution : {"any", "gaussian"}, default="any"
        What may be assumed of the classes besides the moments. For Gaussian classes the minimum error plane is the best
        plane there is (Section 2.5).
    mean_radius : float or array-like of shape (2,), default=0.0
        How far a class's mean may be off its estimate, in deviations (nu of Section 3).
    covariance_radius : float, array-like of shape (2,) or "auto", default="auto"
        How far a class's covariance may be off its estimate, in Frobenius norm (rho of Section 3): added to the
        variances. Above 0 it also regularises where there are few rows; scale the features then. 0 takes the estimates
        for exact, as the paper's experiments do. "auto" adds to each feature's variances their mean over the classes
        times the number of features for each row, by which estimates of so many variances err: a feature that is
        constant in one class would otherwise promise everything and decide alone.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes.
    coef_ : ndarray of shape (1, n_features)
        Normal of the plane, scaled so that the means' scores differ by 1.
    intercept_ : ndarray of shape (1,)
        Score of the origin.
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
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    KernelMinimaxProbabilityMachine : The same in the space of a kernel.
    plot_frontier : What one class's accuracy costs the other.

    Notes
    -----
    The paper solves a fractional programme for every trial accuracy and searches over these by quadratic interpolation,
    which can end in a local optimum; here the curve of candidates is scanned as a whole. Where its optimum gives one
    class nothing, that is the optimum.

    Examples
    --------
    >>> from treatise.linear import MinimaxProbabilityMachine
    >>> means, covariances = [[-1, 0], [3, 0]], [[[1, 0], [0, 5]], [[4, 0], [0, 1]]]
    >>> machine = MinimaxProbabilityMachine("balanced").fit_moments(means, covariances)
    >>> machine.class_accuracies_.round(4)
    array([0.64, 0.64])
    >>> biased = MinimaxProbabilityMachine("guarantee", guarantee={0: 0.5}).fit_moments(means, covariances)
    >>> biased.class_accuracies_.round(4)
    array([0.5   , 0.6923])

    References
    ----------
    .. [1] Paper v05-1253: Equations (1)-(15), Sections 2.5 and 3.
    """

    _parameter_constraints: dict = {
        **MinimaxClassifier._parameter_constraints,
        "covariance_radius": [*MinimaxClassifier._parameter_constraints["covariance_radius"], StrOptions({"auto"})],
    }

    def __init__(
        self,
        criterion="balanced",
        *,
        guarantee=None,
        priors=None,
        distribution="any",
        mean_radius=0.0,
        covariance_radius="auto",
    ):
        self.criterion = criterion
        self.guarantee = guarantee
        self.priors = priors
        self.distribution = distribution
        self.mean_radius = mean_radius
        self.covariance_radius = covariance_radius

    def _fit_rows(self, X, rows):
        means, covariances = map(np.array, zip(*(moments(X[row]) for row in rows)))
        if self._own_radius:
            variances = np.einsum("kii->i", covariances) / 2.0
            covariances = covariances + np.diag(variances * X.shape[1] / len(X))
        return self._fit_plane(means, covariances, [np.mean(row) for row in rows])

    @property
    def _own_radius(self):
        return isinstance(self.covariance_radius, str)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_moments(self, means, covariances, *, classes=(0, 1)):
        """Find the plane from moments alone.

        Parameters
        ----------
        means : array-like of shape (2, n_features)
            Means of the classes.
        covariances : array-like of shape (2, n_features, n_features)
            Their covariances.
        classes : sequence of two labels, default=(0, 1)
            What to call the classes.

        Returns
        -------
        self
            With equal priors where ``priors`` is None, and moments taken for exact where ``covariance_radius`` is
            "auto".
        """
        means, covariances, self.classes_ = checked_moments(means, covariances, classes)
        self.n_features_in_ = means.shape[1]
        return self._fit_plane(means, covariances, [0.5, 0.5])

    def _fit_plane(self, means, covariances, frequencies):
        if not self._own_radius:
            radii = self._pair("covariance_radius")
            covariances = covariances + radii[:, np.newaxis, np.newaxis] * np.eye(means.shape[1])
        normal, threshold = self._solve(means, covariances, frequencies)
        self.coef_, self.intercept_ = normal[np.newaxis], np.array([-threshold])
        return self

    def _invariants(self):
        yield from linear(self, 1)

    def _projections(self, X):
        return X @ self.coef_[0] + self.intercept_[0]
