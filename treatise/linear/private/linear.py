"""Differentially private linear classifiers (Chaudhuri, Monteleoni & Sarwate, JMLR 12:1069)."""

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.extmath import safe_sparse_dot

from treatise._core.classifier import LogisticScores
from treatise._core.invariants import linear
from treatise.linear.private._base import POSITIVE, PrivateClassifier
from treatise.linear.private._erm import append_constant, bound_rows, private_loss
from treatise.optimize import LogisticLoss, Loss


class _PrivateLinearClassifier(PrivateClassifier):
    _parameter_constraints: dict = {
        **PrivateClassifier._parameter_constraints,
        "data_norm": [POSITIVE],
        "norm_excess": [StrOptions({"raise", "clip"})],
        "fit_intercept": ["boolean"],
    }

    def _bounded(self, X):
        rows = bound_rows(X, self.data_norm, self.norm_excess)
        return append_constant(rows) if self.fit_intercept else rows

    def _keep(self, weights: np.ndarray) -> None:
        # In the units of X: the division by data_norm, and with an intercept by the root of two, is undone.
        if self.fit_intercept:
            weights = weights * np.sqrt(0.5)
            self.intercept_ = weights[-1:]
            weights = weights[:-1]
        else:
            self.intercept_ = np.zeros(1)
        self.coef_ = weights[None, :] / self.data_norm

    def _invariants(self):
        yield from linear(self, 1)

    def _projections(self, X) -> np.ndarray:
        return safe_sparse_dot(X, self.coef_[0], dense_output=True) + self.intercept_[0]


class PrivateLogisticRegression(LogisticScores, _PrivateLinearClassifier):
    """Logistic regression whose weights may be published: epsilon-differentially private.

    The proof is about real numbers: **what can be read from the last digits of floating-point noise, or from how long a
    fit takes, is not covered**; no snapped or discrete form of the paper's noise is known. With a ``random_state``
    there is no privacy at all, and ``fit`` warns.

    Whoever sees the model learns almost the same about a person, whether that person's row was what it is or anything
    else: no outcome becomes more than exp(epsilon) times as likely. Noise goes into the training objective
    (``"objective"``, as a rule the more accurate) or onto the trained weights (``"output"``). The objective is
    ``mean(log(1 + exp(-y w.x))) + alpha/2 |w|^2`` over rows divided by ``data_norm``; without noise it is that of
    ``LogisticRegression(C=1/(n*alpha), fit_intercept=False)``.

    Use it when a model of personal records is to leave the house. Expect little from few rows or many features: the
    noise grows with n_features / (n_samples * alpha * epsilon). Not where the records are public, nor where only the
    predictions are protected by other means.

    Costs a few Newton steps of O(n p^2), less for sparse rows, whatever epsilon.

    **What the guarantee asks of you.** Nothing may be learned from the data beside this fit. Not the row norm
    (``data_norm`` is a bound that you know beforehand; it is never computed here, since the largest norm is somebody's
    record), not scaling by column means or maxima, not a choice of features, ``alpha`` or a grid by looking at scores:
    each of these spends privacy that nobody counts. Rows to train on that are longer than ``data_norm`` are refused, or
    shortened one by one, which is safe. An error message may tell of the data: it is for you, not for publication. Two
    fits cost twice; an accountant counts them. One row is one person, whose row may be replaced but not left out: the
    number of rows is taken to be public.

    Parameters
    ----------
    epsilon : float, default=1.0
        Privacy spent by one fit; smaller is more private and noisier.
    alpha : float, default=0.01
        The penalty, the paper's Lambda. More of it means less noise; 0.001 to 0.03 did best in the paper.
    mechanism : {"objective", "output"}, default="objective"
        Where the noise goes: Algorithm 2 or Algorithm 1.
    data_norm : float, default=1.0
        Bound on the Euclidean norm of every row that could ever occur.
    norm_excess : {"raise", "clip"}, default="raise"
        What to do with longer rows in training: refuse, or shorten them to ``data_norm``. Rows to predict are taken as
        they are.
    fit_intercept : bool, default=False
        Whether to append a constant feature, within the norm and with the penalty of the others.
    classes : array-like of two labels or None, default=None
        The labels, the negative one first. None takes them from y, which makes public that both occur.
    accountant : PrivacyAccountant or None, default=None
        Budget from which the fit takes its epsilon, or fails.
    random_state : int, RandomState instance or None, default=None
        None draws noise from the operating system's cryptographic source. A seed that can be guessed undoes the
        privacy: it is for tests.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Private weights, in the units of X.
    intercept_ : ndarray of shape (1,)
        Private constant, or 0.
    classes_ : ndarray of shape (2,)
        The labels.
    noise_scale_ : float
        Mean norm of the noise for each feature: 1 / beta.
    noise_epsilon_ : float
        The part of epsilon that the noise may spend.
    extra_penalty_ : float
        The paper's Delta: penalty that objective perturbation adds where ``alpha`` alone is too small.

    Examples
    --------
    >>> from treatise.datasets import make_logistic_sphere
    >>> from treatise.linear import PrivateLogisticRegression
    >>> X, y = make_logistic_sphere(20_000, (4.0, -4.0, 2.0), random_state=0)
    >>> private = PrivateLogisticRegression(epsilon=0.5, random_state=0).fit(X, y)
    >>> round(private.score(X, y), 2)
    0.88

    References
    ----------
    .. [1] Paper v12-1069, Algorithms 1 and 2, Corollary 11.
    """

    def __init__(
        self, epsilon=1.0, alpha=0.01, *, mechanism="objective", data_norm=1.0, norm_excess="raise",
        fit_intercept=False, classes=None, accountant=None, random_state=None,
    ):  # fmt: skip
        self.epsilon = epsilon
        self.alpha = alpha
        self.mechanism = mechanism
        self.data_norm = data_norm
        self.norm_excess = norm_excess
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.accountant = accountant
        self.random_state = random_state

    def _loss(self) -> Loss:
        return LogisticLoss()

    def predict_proba(self, X) -> np.ndarray:
        """Probability of each class under the logistic model; the noise leaves it uncalibrated where it is large.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        return super().predict_proba(X)


class PrivateLinearSVC(_PrivateLinearClassifier):
    """Linear support vector machine whose weights may be published: epsilon-differentially private.

    The proof is about real numbers: **what can be read from the last digits of floating-point noise, or from how long a
    fit takes, is not covered**. With a ``random_state`` there is no privacy at all, and ``fit`` warns.

    The hinge is rounded at its corner, since privacy needs a loss of bounded curvature. Everything else is as for
    :class:`PrivateLogisticRegression`, and so is what the guarantee asks of you: read it there. In the paper it was the
    more accurate of the two at small epsilon; there are no probabilities.

    Costs a few Newton steps of O(n p^2), less for sparse rows.

    Parameters
    ----------
    epsilon : float, default=1.0
        Privacy spent by one fit; smaller is more private and noisier.
    alpha : float, default=0.01
        The penalty, the paper's Lambda.
    loss : {"huber", "smooth_hinge"}, default="huber"
        Corner rounded by a parabola, or by a polynomial of fourth degree, which is twice differentiable everywhere but
        bends half as much again.
    h : float, default=0.5
        Half the width of the rounded corner; the paper's choice. Smaller is nearer the hinge and costs privacy.
    mechanism : {"objective", "output"}, default="objective"
        Where the noise goes: Algorithm 2 or Algorithm 1.
    data_norm : float, default=1.0
        Bound on the Euclidean norm of every row that could ever occur.
    norm_excess : {"raise", "clip"}, default="raise"
        What to do with longer rows in training: refuse, or shorten them to ``data_norm``.
    fit_intercept : bool, default=False
        Whether to append a constant feature, within the norm and with the penalty of the others.
    classes : array-like of two labels or None, default=None
        The labels, the negative one first. None takes them from y, which makes public that both occur.
    accountant : PrivacyAccountant or None, default=None
        Budget from which the fit takes its epsilon, or fails.
    random_state : int, RandomState instance or None, default=None
        None draws noise from the operating system's cryptographic source. A seed that can be guessed undoes the
        privacy: it is for tests.

    Attributes
    ----------
    coef_, intercept_, classes_ : ndarray
    noise_scale_, noise_epsilon_, extra_penalty_ : float
        As for :class:`PrivateLogisticRegression`.

    Examples
    --------
    >>> from treatise.datasets import make_logistic_sphere
    >>> from treatise.linear import PrivateLinearSVC
    >>> X, y = make_logistic_sphere(20_000, (4.0, -4.0, 2.0), random_state=0)
    >>> private = PrivateLinearSVC(epsilon=0.5, mechanism="output", random_state=0).fit(X, y)
    >>> round(private.score(X, y), 2)
    0.88

    References
    ----------
    .. [1] Paper v12-1069, Algorithms 1 and 2, Corollaries 12 and 13.
    """

    _parameter_constraints: dict = {
        **_PrivateLinearClassifier._parameter_constraints,
        "loss": [StrOptions({"huber", "smooth_hinge"})],
        "h": [POSITIVE],
    }

    def __init__(
        self, epsilon=1.0, alpha=0.01, *, loss="huber", h=0.5, mechanism="objective", data_norm=1.0,
        norm_excess="raise", fit_intercept=False, classes=None, accountant=None, random_state=None,
    ):  # fmt: skip
        self.epsilon = epsilon
        self.alpha = alpha
        self.loss = loss
        self.h = h
        self.mechanism = mechanism
        self.data_norm = data_norm
        self.norm_excess = norm_excess
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.accountant = accountant
        self.random_state = random_state

    def _loss(self) -> Loss:
        return private_loss(self.loss, self.h)
