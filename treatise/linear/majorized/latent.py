"""Latent log-linear classification by bound majorisation (Choromanska, 2014, Section 2.2.3)."""

from numbers import Integral

import numpy as np
from scipy.special import logsumexp
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from treatise.linear.majorized._descent import bound_descent, quasi_newton_descent
from treatise.linear.majorized._log_linear import DESCENT_CONSTRAINTS, LogLinearClassifier, inverse_penalty
from treatise.linear.majorized._majorizer import Majorizer


class LatentLogLinearClassifier(LogLinearClassifier):
    r"""Classifier in which every class is a mixture of several linear scores, the part hidden.

    :math:`p(y|x)\propto\sum_m\exp(\theta_{y,m}^\top x+\nu_{y,m})`: each class may lie in several places, so that the
    borders bend (an exclusive or needs two parts a class), while training stays monotone: the numerator is bounded by
    Jensen's inequality, the denominator by the quadratic bound.

    Use it where linear classes fit badly and a handful of regions a class is plausible. The objective has local
    minima, so that several starts are made. An iteration costs O(n w) for w weights, and some hundred iterations are
    usual; without ``accelerate`` it costs O(n w^2 + w^3).

    Parameters
    ----------
    n_hidden : int, default=2
        Parts of each class; 1 is multinomial logistic regression.
    C : float, default=1.0
        Inverse strength of the penalty on weights, as in ``LogisticRegression``; intercepts have none. The thesis takes
        infinity, with which weights grow without end where the classes can be separated.
    fit_intercept : bool, default=True
        Learn an intercept for each part, nu.
    n_restarts : int, default=5
        Starts, drawn near zero; the best end is kept.
    accelerate : bool, default=True
        Whether the bound at zero is the first guess of L-BFGS, as in :class:`MajorizedLogisticRegression`; otherwise
        every step goes to the minimum of the bound, as in the thesis, which is slower by far with many weights.
    max_iter : int, default=1000
        Most iterations of each start.
    tol : float, default=1e-5
        Largest entry of the gradient of the mean objective at the end, in the width of the widest column where that is
        below one.
    random_state : int, RandomState instance or None, default=None
        Of the starts.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    coef_ : ndarray of shape (n_classes * n_hidden, n_features)
        Weights of the parts, those of the first class first.
    intercept_ : ndarray of shape (n_classes * n_hidden,)
        Their intercepts.
    objective_path_ : list of float
        Negative log-likelihood and penalty of the best start, before and after each iteration; it never rises.
    n_iter_ : int
        Iterations of the best start.
    converged_ : bool
        Whether they sufficed, to a local minimum.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import LatentLogLinearClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice([-1.0, 1.0], size=(200, 2)) + 0.2 * rng.normal(size=(200, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> LatentLogLinearClassifier(n_hidden=2, random_state=0).fit(X, y).score(X, y)
    1.0

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, PhD thesis, Columbia University, 2014, Section
       2.2.3.
    """

    _parameter_constraints: dict = {
        **LogLinearClassifier._parameter_constraints,
        **DESCENT_CONSTRAINTS,
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "n_restarts": [Interval(Integral, 1, None, closed="left")],
        "accelerate": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_hidden=2,
        *,
        C=1.0,
        fit_intercept=True,
        n_restarts=5,
        accelerate=True,
        max_iter=1000,
        tol=1e-5,
        random_state=None,
    ):
        self.n_hidden = n_hidden
        self.C = C
        self.fit_intercept = fit_intercept
        self.n_restarts = n_restarts
        self.accelerate = accelerate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit from every start and keep the best end.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of each row.

        Returns
        -------
        self : object
        """
        X, labels, weights = self._read(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        problem = Majorizer(
            X, labels, weights, len(self.classes_), self.n_hidden, inverse_penalty(self.C), self.fit_intercept
        )
        ends = [self._descend(problem, rng) for _ in range(self.n_restarts)]
        best = min(ends, key=lambda end: end.path[-1])
        theta = best.theta
        if problem.fixed:
            theta = np.vstack([np.zeros(theta.shape[1]), theta])
        self._keep(theta)
        self._keep_course(best)
        return self

    def _descend(self, problem, rng):
        # Scores of the order of one: parts that start alike would stay alike.
        start = rng.normal(size=problem.shape) / np.sqrt(problem.shape[1])
        if self.accelerate:
            return quasi_newton_descent(problem, start, self.tol, self.max_iter)
        return bound_descent(
            problem, start, lambda scores, _, gradient: problem.bound_step(scores, gradient), self.tol, self.max_iter
        )

    def _scores(self, X):
        """Log-probabilities of the classes: the scores themselves are known up to a number that all of them share."""
        parts = super()._scores(X)
        summed = logsumexp(parts.reshape(len(parts), len(self.classes_), -1), axis=2)
        return summed - logsumexp(summed, axis=1, keepdims=True)
