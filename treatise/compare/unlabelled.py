"""Methods that learn from rows without a label too: their place in a pipeline, and the usual choices."""

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import Invariants, is_array

UNLABELLED = -1
"""What stands for a label that is not there, in scikit-learn's convention."""


def _gives_probabilities(model: "WithUnlabelled") -> bool:
    return hasattr(getattr(model, "estimator_", model.estimator), "predict_proba")


class WithUnlabelled(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A semi-supervised classifier that is handed labels as they are, and the rows without one apart.

    Parameters
    ----------
    estimator : estimator
        Takes whole numbers for classes, and -1 for rows without a label.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> Self:
        """Learn from rows with a label, and from others.

        Parameters
        ----------
        X, y :
            The rows with a label, and their labels.
        unlabelled : matrix or None
            The others, with the same columns.
        """
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.prior_ = np.bincount(codes) / len(codes)
        if unlabelled is not None and unlabelled.shape[0]:
            stack = sparse.vstack if sparse.issparse(X) else np.vstack
            X = stack([X, unlabelled])
            codes = np.concatenate([codes, np.full(unlabelled.shape[0], UNLABELLED)])
        self.n_features_in_ = X.shape[1]
        self.estimator_ = clone(self.estimator).fit(X.tocsr() if sparse.issparse(X) else X, codes)
        return self

    def _invariants(self) -> Invariants:
        k = len(self.classes_)
        yield "there are classes", is_array(self.prior_, np.floating, k) and self.classes_.shape == (k,)
        told = self.estimator_.classes_
        yield (
            "the method names them by number, each once",
            is_array(told, np.integer, None) and np.array_equal(np.sort(told[told != UNLABELLED]), np.arange(k)),
        )

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row."""
        check_is_fitted(self)
        return self.classes_[np.asarray(self.estimator_.predict(X)).astype(int)]

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes; the shares of the classes where a method gives none to a row."""
        check_is_fitted(self)
        found = np.zeros((X.shape[0], len(self.classes_)))
        found[:, np.asarray(self.estimator_.classes_, int)] = np.nan_to_num(self.estimator_.predict_proba(X))
        total = found.sum(axis=1, keepdims=True)
        return np.where(total > 0, found / np.where(total > 0, total, 1.0), self.prior_)


def fit_with_unlabelled(pipeline: Pipeline, X: Any, y: np.ndarray, unlabelled: Any) -> Pipeline:
    """Fit what stands before the method to the rows with a label, and the method to all rows."""
    before, method = pipeline[:-1], pipeline[-1]
    labelled = before.fit_transform(X, y)
    method.fit(labelled, y, before.transform(unlabelled))
    return pipeline


class SelfTrainedLogistic(ClassifierMixin, BaseEstimator):
    """Logistic regression that takes the labels it is surest of for given ones, again and again.

    Parameters
    ----------
    C : float, default=1.0
        Inverse weight of the penalty.
    threshold : float, default=0.9
        Probability from which on a label is taken for given.
    """

    def __init__(self, C: float = 1.0, threshold: float = 0.9) -> None:
        self.C = C
        self.threshold = threshold

    def fit(self, X: Any, y: Any) -> Self:
        """Learn; -1 in y is a row without a label."""
        y = np.asarray(y)
        single = LogisticRegression(C=self.C, max_iter=1000)
        if (y == UNLABELLED).any():
            self.estimator_ = SelfTrainingClassifier(single, threshold=self.threshold).fit(X, y)
        else:
            self.estimator_ = single.fit(X, y)
        self.classes_, self.n_features_in_ = self.estimator_.classes_, X.shape[1]
        return self

    def _invariants(self) -> Invariants:
        yield "there is a classifier", isinstance(self.estimator_, ClassifierMixin)
        yield "its classes are these", np.array_equal(self.classes_, self.estimator_.classes_)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        return self.estimator_.predict_proba(X)
