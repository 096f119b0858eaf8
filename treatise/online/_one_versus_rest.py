"""Classes from scores, one class against the rest, and their probabilities."""

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin


class OneVersusRest(ClassifierMixin):
    """Classifier with one score for two classes, and one for each where there are more.

    What it joins has ``_scores``, which gives the scores of rows, always with two dimensions.
    """

    def decision_function(self, X):
        """Signed score of the second class, or a score for each class where there are more than two.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X):
        """Probability of each class; with more than two, each against the rest and then made to sum to one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        chance = self._chance(self._scores(X))
        if chance.shape[1] == 1:
            return np.column_stack([1.0 - chance, chance])
        return chance / chance.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The class with the highest score.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return self.classes_[(scores[:, 0] > 0.0).astype(np.intp)]
        return self.classes_[np.argmax(scores, axis=1)]

    def _chance(self, scores):
        """Probability of a class against the rest."""
        return expit(scores)

    def _set_classes(self, classes):
        if len(classes) < 2:
            raise ValueError(f"y holds one class only ({classes[0]}); a classifier needs two")
        self.classes_ = classes

    def _signs(self, y):
        """Labels of each class against the rest, 1 and -1; the second against the first where there are two."""
        positives = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return [np.where(y == positive, 1.0, -1.0) for positive in positives]
