"""Classes from machines of two: one machine, or one for each class against the rest."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from treatise.optimize import SVMDualProblem


def check_two_classes(classes, codes, weights):
    """Refuse objects of which only one class counts: no best offset exists for it (JMLR 5:1363, Proposition 9)."""
    counted = np.unique(codes if weights is None else codes[np.asarray(weights) > 0])
    if len(counted) == 1:
        without = "" if len(classes) == 1 else " with a weight above zero"
        raise ValueError(
            f"y has 1 class{without}, {classes[counted].tolist()[0]!r}; a classifier needs at least 2 classes, for "
            "with one alone no best machine exists (Proposition 9 of JMLR 5:1363)"
        )


class OneAgainstRestMixin:
    """Problems of two classes out of y and back: for classifiers whose ``_scores`` has a column for each machine."""

    def _class_problems(self, y, weights):
        """Set ``classes_`` and return a problem of two classes, or one for each class."""
        check_classification_targets(y)
        weights = np.ones(len(y)) if weights is None else weights
        self.classes_, codes = np.unique(y, return_inverse=True)
        check_two_classes(self.classes_, codes, weights)
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [
            SVMDualProblem.classification(np.where(codes == code, 1.0, -1.0), self.C * weights) for code in positive
        ]

    def decision_function(self, X):
        """Scores, positive for the second class; one column a class if there are more than two.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Objects to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._scores(X)
        return scores if len(self.classes_) > 2 else scores[:, 0]

    def predict(self, X):
        """Classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernels read
            Objects to classify.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        best = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.int64)
        return self.classes_[best]
