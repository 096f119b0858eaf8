"""A weighted sum of what several classifiers say (Oentaryo et al., JMLR 15:99, Section 5.2.2)."""

from numbers import Integral, Real

import numpy as np
from scipy.optimize import nnls
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import Classifier
from treatise._core.invariants import Invariants, all_alike, is_array

SHRINKAGES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, np.inf)
"""What "auto" tries, in units of the mean square of the scores: from linear regression to what it is drawn to."""
LEVEL = 1e-9
"""A weight of the plain mean so small that it only settles what the data leave open, as between equal models."""


class LinearBlender(Classifier, _BaseComposition, BaseEstimator):
    """Blend classifiers by a weighted sum of their scores, with weights learned on held-out predictions.

    The scores of every model are brought to [0, 1]. Weights are those of a linear regression of the labels on held-out
    scores, none below zero, drawn towards equal weights, or towards the best model alone, as far as average precision
    under cross-validation says. Use it
    to gain a little more than the best of several unlike models, above all where one class is rare. Not for
    probabilities: the sum ranks, and its size says nothing. Cost: every model is fitted once for each fold and once
    more.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        The models. None takes extremely randomised trees, a random forest and a logistic regression of scaled features.
    cv : int, default=10
        Folds, drawn by class, for held-out scores and for the choice of the shrinkage; fewer where a class has fewer
        rows.
    shrinkage : float or "auto", default="auto"
        How far the weights are drawn towards the plain mean; 0 is linear regression, a large number the plain mean.
        "auto" takes what has the highest average precision over the folds, the best model alone among it.
    nonnegative : bool, default=True
        Whether weights below zero are ruled out. They take out what models have in common and fit noise.
    random_state : int, RandomState instance or None, default=None
        Draws the folds, and seeds the usual models.

    Attributes
    ----------
    weights_ : ndarray of shape (n_estimators,)
        Weights; they sum to one where they are not below zero.
    shrinkage_, towards_ : float and str
        The shrinkage taken, and whether it is towards the "mean" or the "best" model.
    estimators_ : list of estimator
        The models, fitted to all rows.
    low_, high_ : ndarray of shape (n_estimators,)
        Held-out scores that become 0 and 1.
    scores_ : dict of str to float
        Average precision of the held-out scores: of each model, of their "mean", and of the "blend", in each fold with
        weights learned on the others; but the shrinkage was chosen by it.
    classes_ : ndarray of shape (2,)
        The two classes; the second is the one that is looked for.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treatise.applications import LinearBlender
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
    >>> blend = LinearBlender(models, random_state=0).fit(X, y)
    >>> {name: round(float(score), 2) for name, score in blend.scores_.items()}
    {'bayes': 0.99, 'tree': 0.93, 'mean': 0.97, 'blend': 0.99}

    References
    ----------
    .. [1] Paper v15-0099, Section 5.2.2. It does not say how average precision entered its linear regression: here it
       chooses the shrinkage.
    """

    _parameter_constraints: dict = {
        "estimators": [list, None],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, None, closed="both")],
        "nonnegative": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(self, estimators=None, *, cv=10, shrinkage="auto", nonnegative=True, random_state=None):
        self.estimators = estimators
        self.cv = cv
        self.shrinkage = shrinkage
        self.nonnegative = nonnegative
        self.random_state = random_state

    def get_params(self, deep=True):
        """Parameters, those of the models among them.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include those of the models, as ``name__parameter``.

        Returns
        -------
        parameters : dict
        """
        if self._named():
            return self._get_params("estimators", deep=deep)
        return super().get_params(deep=deep)

    def _named(self):
        """Whether the models are given in pairs, as names for their parameters need."""
        return isinstance(self.estimators, list) and all(isinstance(pair, tuple) for pair in self.estimators)

    def set_params(self, **params):
        """Set parameters, those of the models by ``name__parameter``.

        Parameters
        ----------
        **params : dict
            Names and values.

        Returns
        -------
        self
        """
        if self._named():
            return self._set_params("estimators", **params)
        return super().set_params(**params)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Fit the models and learn their weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        codes = self._code_labels(y)
        rng = check_random_state(self.random_state)
        named = self._models(rng)
        rarest = int(np.bincount(codes).min())
        if rarest < 2:
            raise ValueError(
                f"class {self.classes_.tolist()[np.argmin(np.bincount(codes))]!r} has one row; a fold needs another"
            )
        folds = StratifiedKFold(min(self.cv, rarest), shuffle=True, random_state=rng.randint(2**31 - 1))
        splits = list(folds.split(X, codes))
        held_out = np.column_stack([_held_out(model, X, codes, splits) for _, model in named])
        self.low_, self.high_ = held_out.min(axis=0), held_out.max(axis=0)
        scaled = self._scaled(held_out)
        truth = codes.astype(float)
        if self.shrinkage == "auto":
            tried = [(shrinkage, towards) for shrinkage in SHRINKAGES for towards in ("mean", "best")]
        else:
            tried = [(float(self.shrinkage), "mean")]
        precision = [self._judged(scaled, truth, splits, *choice) for choice in tried]
        best = int(np.argmax(precision))
        self.shrinkage_, self.towards_ = tried[best]
        self.weights_ = self._weights(scaled, truth, *tried[best])
        self.scores_ = {name: average_precision_score(codes, scaled[:, i]) for i, (name, _) in enumerate(named)}
        self.scores_ |= {"mean": average_precision_score(codes, scaled.mean(axis=1)), "blend": precision[best]}
        self.estimators_ = [clone(model).fit(X, codes) for _, model in named]
        return self

    def _models(self, rng):
        if self.estimators is None:
            seeds = rng.randint(2**31 - 1, size=2)
            return [
                ("extra_trees", ExtraTreesClassifier(100, random_state=seeds[0])),
                ("forest", RandomForestClassifier(100, random_state=seeds[1])),
                ("logistic", make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))),
            ]
        if not self.estimators:
            raise ValueError("estimators is empty; a blend needs a model")
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in self.estimators):
            raise ValueError("estimators are pairs of a name and a model, such as [('forest', ...), ('bayes', ...)]")
        self._validate_names([name for name, _ in self.estimators])
        return self.estimators

    def _scaled(self, scores):
        spread = self.high_ - self.low_
        return (scores - self.low_) / np.where(spread > 0, spread, 1.0)

    def _weights(self, scaled, truth, shrinkage, towards):
        """Least squares of the labels, about their means, with a pull towards equal weights or the best model alone."""
        models = scaled.shape[1]
        aim = np.full(models, 1.0 / models)
        if towards == "best":
            aim = np.eye(models)[np.argmax([average_precision_score(truth, column) for column in scaled.T])]
        if shrinkage == np.inf:
            return aim
        Z, t = scaled - scaled.mean(axis=0), truth - truth.mean()
        pull = np.sqrt(max(shrinkage, LEVEL) * max(np.mean(np.sum(Z**2, axis=0)), np.finfo(float).tiny))
        # Of the size that fits best, so that the pull does not depend on how rare the class is.
        size = max(float(Z @ aim @ t), 0.0) / max(float(np.sum((Z @ aim) ** 2)), np.finfo(float).tiny)
        system = np.vstack([Z, pull * np.eye(models)])
        goal = np.concatenate([t, pull * size * aim])
        found = nnls(system, goal)[0] if self.nonnegative else np.linalg.lstsq(system, goal, rcond=None)[0]
        total = found.sum() if self.nonnegative else np.abs(found).sum()
        return found / total if total > 0 else np.full(models, 1.0 / models)

    def _judged(self, scaled, truth, splits, shrinkage, towards):
        """Average precision of the blend, each fold with weights learned on the other ones."""
        blended = np.empty(len(truth))
        for train, test in splits:
            blended[test] = scaled[test] @ self._weights(scaled[train], truth[train], shrinkage, towards)
        return float(average_precision_score(truth, blended))

    def decision_function(self, X):
        """The weighted sum, less one half: above zero is the second class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "weights_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores = np.column_stack([_score(model, X) for model in self.estimators_])
        return self._scaled(scores) @ self.weights_ - 0.5

    def predict(self, X):
        """The second class where the weighted sum exceeds one half.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp)]

    def _invariants(self) -> Invariants:
        models = len(self.estimators_)
        yield "what is blended are models", all_alike(self.estimators_, BaseEstimator)
        for name in ("weights_", "low_", "high_"):
            yield f"{name} has a number for each model", is_array(getattr(self, name), np.float64, models)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _score(model, X):
    """Probability, or score, of the second class."""
    return model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else model.decision_function(X)


def _held_out(model, X, codes, splits):
    method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    found = cross_val_predict(clone(model), X, codes, cv=splits, method=method)
    return found[:, 1] if found.ndim == 2 else found
