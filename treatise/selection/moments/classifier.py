"""Few features that keep a promise for every distribution with the classes' moments (Bhattacharyya, JMLR 5:1417)."""

from numbers import Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.optimize import NormCondition
from treatise.selection.moments._base import Promising, SparsePlane, distances_of, promised
from treatise.statistics.class_moments import checked_moments, difference_of, mean_and_factor, root_of


class MomentSparseClassifier(Promising, SparsePlane):
    r"""Linear rule with few features whose error no distribution with the classes' means and covariances exceeds.

    Among the planes that every distribution with a class's mean and covariance has on its right side with a
    probability of at least ``eta``, it takes the one with the least sum of absolute weights
    :math:`\|w\|_1`, so that most weights are zero. A larger ``eta`` asks for more features.

    Use it to pick few features with a stated, distribution-free bound on the error, as with gene expression, or when
    only moments may be shared (:meth:`fit_moments`). The promise is about the moments given, those of the sample: with
    fewer rows than features it says little about new rows. Bring features to one scale first, as for every l1
    penalty. l1 logistic regression is the rival, and usually more accurate where classes are of unlike size, since
    the promise is the same for both. Do not use it where the classes' means coincide.

    Costs O(n p) for each of some ten rounds, and O(n p min(n, p)) once for ``eta_max_``; no covariance of p x p is
    formed where there are fewer rows than features.

    Parameters
    ----------
    mean_radius : float, default=0.0
        How far a class's mean may be off its estimate (delta of Equation 22): see ``uncertainty``.
    covariance_radius : float, default=0.0
        How far a class's covariance may be off its estimate, in Frobenius norm in the space of weights of its rows (rho
        of Equation 22).
    uncertainty : {"sample", "input"}, default="sample"
        Whether ``mean_radius`` is a distance between weights of the rows, as Equation (18) is printed, or between
        points in the span of the rows, as the set above it says. Neither is about the centre of the rows: centre the
        columns.

    Attributes
    ----------
    worst_case_error_ : float
        What the plane's error is at most, for either class.

    See Also
    --------
    KernelMomentSparseClassifier : The same with few rows of a kernel.
    SparseFisherDiscriminant : The same promise about the difference of two rows.
    L1MarginClassifier : The linear programme that it is compared with.
    leave_one_out_features : Features that any of the fits without one row selects.
    treatise.statistics.worst_case_accuracy : What any plane promises.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.selection import MomentSparseClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MomentSparseClassifier(eta=0.7).fit(scale(X), y)
    >>> model.selected_
    array([27, 20, 21,  0])
    >>> round(model.worst_case_error_, 6), round(model.eta_max_, 3)
    (0.3, 0.775)

    References
    ----------
    .. [1] Paper v05-1417: Equations (6)-(8), Section 4 and Equation (22).
    """

    _parameter_constraints: dict = {
        **Promising._promise_constraints,
        "mean_radius": [Interval(Real, 0, None, closed="left")],
        "covariance_radius": [Interval(Real, 0, None, closed="left")],
        "uncertainty": [StrOptions({"sample", "input"})],
    }

    def __init__(
        self, eta="auto", *, reach=0.95, mean_radius=0.0, covariance_radius=0.0, uncertainty="sample", tol=1e-7
    ):
        self.eta = eta
        self.reach = reach
        self.mean_radius = mean_radius
        self.covariance_radius = covariance_radius
        self.uncertainty = uncertainty
        self.tol = tol

    def _fit_codes(self, X, codes):
        parts = [X[codes == code] for code in (0, 1)]
        means, spreads = zip(*(mean_and_factor(part) for part in parts))
        if self.covariance_radius > 0:
            # |L' T' w|^2 with L L' = (I - ee'/m)/m + rho I; the paper's Cholesky factor has none at rho = 0.
            spreads = [np.vstack([F, np.sqrt(self.covariance_radius) * T]) for F, T in zip(spreads, parts)]
        losses = [self._loss(part) for part in parts] if self.mean_radius > 0 else []
        self._fit_conditions(np.array(means), list(spreads), losses)

    def _loss(self, rows):
        """The matrix whose norm is what an error of the mean takes off the margin.

        Equation (18) is printed for the ellipsoid of T'T; its minimum there is that of "input", and the printed one
        belongs to a ball.
        """
        if self.uncertainty == "sample":
            return self.mean_radius * rows
        _, sizes, axes = np.linalg.svd(rows, full_matrices=False)
        return self.mean_radius * axes[sizes > 1e-10 * sizes.max(initial=0.0)]

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
        """
        if self.mean_radius > 0 or self.covariance_radius > 0:
            raise ValueError(
                "mean_radius and covariance_radius are about the rows of the classes, which moments do not tell; set "
                "both to 0, or use fit"
            )
        means, covariances, self.classes_ = checked_moments(means, covariances, classes)
        self.n_features_in_ = means.shape[1]
        self._fit_conditions(means, [root_of(covariance) for covariance in covariances], [])
        return self

    def _fit_conditions(self, means, spreads, losses):
        difference = difference_of(means)
        distance = self._distance_asked(difference, spreads, losses)
        conditions = [NormCondition(F, distance, 1.0) for F in spreads] + [NormCondition(G, 1.0) for G in losses]
        w = self._least_weights(difference, conditions)
        taken = np.array([np.linalg.norm(G @ w) for G in losses]) if losses else np.zeros(2)
        deviations = np.array([np.linalg.norm(F @ w) for F in spreads])
        margins = np.maximum(1.0, distance * deviations)
        # The margins fill the distance of the means but for rounding, of which each class gets half.
        threshold = 0.5 * ((means[0] @ w + margins[0] + taken[0]) + (means[1] @ w - margins[1] - taken[1]))
        self._keep(w, threshold)
        self.class_accuracies_ = promised(distances_of(margins, deviations))
        self.worst_case_error_ = float(1.0 - self.class_accuracies_.min())
