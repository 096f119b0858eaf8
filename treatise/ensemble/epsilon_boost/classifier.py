"""Boosting in tiny steps for two classes (Rosset, Zhu & Hastie, JMLR 5:941)."""

from numbers import Integral

import numpy as np
from scipy.special import expit
from sklearn.base import _fit_context
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import validate_data

from treatise._core.classifier import LogisticScores, codes_from_scores, row_weights
from treatise.ensemble.epsilon_boost._base import EpsilonBoost
from treatise.ensemble.epsilon_boost._loops import Rule
from treatise.ensemble.epsilon_boost._paths import Judgement
from treatise.optimize import make_loss
from treatise.optimize.losses.logistic import LOGISTIC

_STEP = 0.05


class EpsilonBoostClassifier(LogisticScores, EpsilonBoost):
    """Boosting by tiny steps: the whole path from a constant to the separator of largest l1 margin.

    Each step adds epsilon to the coefficient in which the loss falls most steeply. The path so traced is nearly that
    of the loss under a bound on the sum of absolute coefficients, from tight to loose, and how near is certified at
    every step. Use it for a sparse additive model (stumps) or linear one (columns) that is stopped where
    cross-validation says, and to see the path. For large tables and deep interactions a gradient boosting library is
    faster and better. Two classes; wrap it in OneVsRestClassifier for more.

    A step costs O(n p) for stumps and columns, and early stopping with 5 folds 5 times the path; 4 600 rows of 57
    columns take some seconds.

    Parameters
    ----------
    loss : {"logistic", "exponential"}, default="logistic"
        "exponential" is AdaBoost's, to which a mislabelled row counts without bound.
    epsilon : float or "auto", default="auto"
        Length of a step, in units of the score; "auto" is 0.05.

    Attributes
    ----------
    min_margin_path_ : ndarray of shape (n_path_steps + 1,)
        Least margin ``y F(x)`` of a training row, divided by the norm; NaN before the first step.
    classes_ : ndarray of shape (2,)
        The classes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treatise.ensemble import EpsilonBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = EpsilonBoostClassifier(epsilon=0.2).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.94
    True
    >>> bool(model.gap_path_[model.n_steps_] < 0.05 * model.loss_path_[0])
    True

    References
    ----------
    .. [1] Paper v05-0941, Algorithm 1; "l2" is step 2(c)* of Section 7.1.1.
    """

    _parameter_constraints: dict = {
        **EpsilonBoost._parameter_constraints,
        "loss": [StrOptions({"logistic", "exponential"})],
    }

    def __init__(
        self, loss="logistic", *, dictionary="stumps", epsilon="auto", n_steps=5000, step="epsilon", norm="l1",
        fit_intercept=True, early_stopping=True, cv=5, random_state=0,
    ):  # fmt: skip
        self.loss = loss
        self.dictionary = dictionary
        self.epsilon = epsilon
        self.n_steps = n_steps
        self.step = step
        self.norm = norm
        self.fit_intercept = fit_intercept
        self.early_stopping = early_stopping
        self.cv = cv
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Walk the path and choose a step on it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Columns; constant ones have no stump.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows in the loss.

        Returns
        -------
        self : EpsilonBoostClassifier
        """
        self._check_settings()
        X, y = validate_data(self, X, y, dtype=np.float64)
        self._check_sizes(X)
        codes = self._code_labels(y)
        weights, _ = row_weights(codes, self.classes_, sample_weight)
        signs = np.where(codes == 1, 1.0, -1.0)
        self.epsilon_ = _STEP if isinstance(self.epsilon, str) else float(self.epsilon)
        generator = check_random_state(self.random_state)
        self._seed = int(generator.randint(2**31 - 1))
        self._boost(X, signs, weights, make_loss(self.loss), self._folds(X, codes, weights, generator))
        with np.errstate(invalid="ignore", divide="ignore"):
            self.min_margin_path_ = np.where(self.norm_path_ > 0, self._margins / self.norm_path_, np.nan)
        del self._margins
        return self

    def _folds(self, X, codes, weights, generator):
        if not self.early_stopping:
            return []
        if not isinstance(self.cv, Integral):
            return list(check_cv(self.cv, codes, classifier=True).split(X, codes))
        counts = np.bincount(codes[weights > 0], minlength=2)
        if counts.min() < 2:
            label = self.classes_.tolist()[counts.argmin()]
            raise ValueError(
                f"class {label!r} has one row only, so that it cannot be held out; give more "
                "rows or set early_stopping=False"
            )
        splitter = StratifiedKFold(min(self.cv, counts.min()), shuffle=True, random_state=generator)
        return list(splitter.split(X, codes))

    def _constant(self, y, weights):
        share = weights[y > 0].sum() / weights.sum()
        return np.log(share / (1.0 - share)) / self._odds_factor

    def _judgement(self):
        return Judgement(Rule(LOGISTIC, 0.0, 0.0), self._odds_factor)

    def _keep(self, walk):
        super()._keep(walk)
        self._margins = walk.trace.margins

    @property
    def _odds_factor(self):
        """The score that minimises the exponential loss is half the log odds (Section 2.3)."""
        return 2.0 if self.loss == "exponential" else 1.0

    def _chance(self, scores):
        return expit(self._odds_factor * scores)

    def _scores(self, X):
        return self._final_scores(X)[:, np.newaxis]

    def staged_decision_function(self, X, steps=None):
        """Scores along the path.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        steps : iterable of int or None, default=None
            After how many steps; None is after every one.

        Yields
        ------
        scores : ndarray of shape (n_samples,)
        """
        yield from self._staged_scores(X, steps)

    def staged_predict(self, X, steps=None):
        """Classes along the path.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        steps : iterable of int or None, default=None
            After how many steps; None is after every one.

        Yields
        ------
        labels : ndarray of shape (n_samples,)
        """
        for scores in self._staged_scores(X, steps):
            yield self.classes_[codes_from_scores(scores)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
