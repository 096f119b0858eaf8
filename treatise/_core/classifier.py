"""The front of every classifier: labels in, scores or probabilities to labels out, by one rule and in one wording.

One score speaks for two classes and is positive for the second; several classes have a score each. The tie rule is
scikit-learn's: a single score of zero means the first class, and of several equal scores the first one counts.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit, logsumexp, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight

from treatise._core.invariants import Invariants


def check_classes(classes: np.ndarray, *, who: str = "a classifier", why: str = "") -> None:
    """Refuse fewer than two classes; ``who`` is what needs two, ``why`` may add what the user can do."""
    if len(classes) < 2:
        raise ValueError(f"y holds one class only, {classes.tolist()[0]!r}; {who} needs at least two{why}")


def check_two_classes(y: Any) -> None:
    """Refuse labels of more than two classes, in scikit-learn's words."""
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")


def classes_and_codes(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The sorted classes of labels, and each label's position among them; numbers with fractions are refused."""
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int64)


def codes_among(y: np.ndarray, classes: np.ndarray, *, where: str = "of the first call") -> np.ndarray:
    """Labels as positions in sorted ``classes``; a label that is none of them is refused."""
    if len(classes) == 2:
        codes = y == classes[1]
        known = codes | (y == classes[0])
    else:
        codes = np.searchsorted(classes, y)
        known = classes[np.minimum(codes, len(classes) - 1)] == y
    if not np.all(known):
        raise ValueError(f"y holds {shown(np.unique(y[~known]))}, not among the classes {shown(classes)} {where}")
    return codes.astype(np.int64)


def codes_from_scores(scores: np.ndarray) -> np.ndarray:
    """Numbers of the classes that scores speak for: the one tie rule of the library."""
    if scores.ndim == 1:
        return (scores > 0).astype(np.intp)
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).astype(np.intp)
    return np.argmax(scores, axis=1)


def signs_of(codes: np.ndarray, n_classes: int) -> list[np.ndarray]:
    """Labels -1 and 1 of each machine: the second of two classes against the first, or each against the rest."""
    positive = [1] if n_classes == 2 else range(n_classes)
    return [np.where(codes == code, 1.0, -1.0) for code in positive]


def row_weights(
    codes: np.ndarray, classes: np.ndarray, sample_weight: Any = None, class_weight: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Weight of each row by itself, and by its class; refuses what leaves fewer than two classes."""
    check_classes(classes)
    counts = _check_sample_weight(sample_weight, codes, dtype=np.float64, ensure_non_negative=True)
    factors = compute_class_weight(class_weight, classes=classes, y=classes[codes], sample_weight=counts)[codes]
    present = np.flatnonzero(np.bincount(codes, weights=counts * factors, minlength=len(classes)) > 0)
    if len(present) < 2:
        raise ValueError(
            f"only {classes[present].tolist()} of the classes of y have a weight above zero; a classifier needs at "
            "least two classes that count"
        )
    return counts, factors


def shown(labels: Any) -> str:
    """A few labels in full, of many the first and the last."""
    return np.array2string(np.asarray(labels), threshold=10, separator=", ")


class Classifier(ClassifierMixin):
    """Label coding, the part that every classifier shares."""

    classes_: np.ndarray

    def _invariants(self) -> Invariants:
        for classes in self._classes_of_targets():
            yield "classes are in one row", isinstance(classes, np.ndarray) and classes.ndim == 1
            yield "there are two classes or more, all different", 2 <= len(classes) == len(np.unique(classes))
            # Two stand as the user named them, where he did.
            yield "more than two are sorted", len(classes) == 2 or bool(np.all(classes[:-1] < classes[1:]))

    def _classes_of_targets(self) -> list[np.ndarray]:
        """The classes of each target; a classifier of several overrides it."""
        return [self.classes_]

    def _code_labels(self, y: Any) -> np.ndarray:
        """Set ``classes_`` and return the rows' positions in it.

        A classifier whose tags say that it knows two classes only refuses more.
        """
        classes, codes = classes_and_codes(y)
        check_classes(classes)
        if len(classes) > 2 and not self.__sklearn_tags__().classifier_tags.multi_class:
            check_two_classes(y)
        self.classes_ = classes
        return codes


class ScoreClassifier(Classifier):
    """Classes from scores.

    What it joins has ``_scores(X)``: of shape (n, 1) for two classes, (n, 2) where each of the two has a score of its
    own, else (n, n_classes).
    """

    _scores: Callable[[Any], np.ndarray]

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed score of the second of two classes, or a score for each of several.

        Parameters
        ----------
        X : array-like, sparse matrix or what ``fit`` takes, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return scores[:, 0]
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest score; a score of zero between two classes means the first.

        Parameters
        ----------
        X : array-like, sparse matrix or what ``fit`` takes, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        codes = codes_from_scores(self.decision_function(X))
        return self.classes_[codes]


class LogisticScores(ScoreClassifier):
    """Probabilities from scores by the logistic function, each class against the rest where there are several."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class; with more than two, each against the rest and then made to sum to one.

        Parameters
        ----------
        X : array-like, sparse matrix or what ``fit`` takes, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        chance = self._chance(scores)
        if chance.ndim == 1:
            # Not one less the other, which would lose the digits of small ones.
            return np.column_stack([self._chance(-scores), chance])
        total = chance.sum(axis=1, keepdims=True)
        # Where every class is out of the question, none is likelier than another.
        return np.divide(chance, total, out=np.full_like(chance, 1.0 / chance.shape[1]), where=total > 0)

    def _chance(self, scores: np.ndarray) -> np.ndarray:
        """Probability of a class against the rest; that of the opposite score is what is left to one."""
        return expit(scores)


class SoftmaxScores(ScoreClassifier):
    """Probabilities in proportion to the exponentials of the scores."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or what ``fit`` takes, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(scores, axis=1)


class ProbabilityClassifier(Classifier):
    """Classes from probabilities.

    What it joins has ``_joint_log_proba(X)``, of shape (n, n_classes): the log of numbers in proportion to the
    probabilities of the classes.
    """

    _joint_log_proba: Callable[[Any], np.ndarray]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Log probability of each class given the row.

        Parameters
        ----------
        X : array-like, sparse matrix or what ``fit`` takes, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        joint = self._joint_log_proba(X)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class given the row.

        Parameters
        ----------
        X : array-like, sparse matrix or what ``fit`` takes, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row; of equals, the first.

        Parameters
        ----------
        X : array-like, sparse matrix or what ``fit`` takes, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        best = np.argmax(self.predict_log_proba(X), axis=1)
        return self.classes_[best]
