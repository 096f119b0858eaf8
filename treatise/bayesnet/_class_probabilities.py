"""Predictions of classifiers that are Bayesian networks of the class and the features."""

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin


class ClassProbabilityMixin(ClassifierMixin):
    """Labels and probabilities of classifiers with ``predict_log_proba``."""

    def predict_proba(self, X):
        """Probability of each class given the row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            As for :meth:`predict_log_proba`.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X):
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            As for :meth:`predict_log_proba`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        best = np.argmax(self.predict_log_proba(X), axis=1)
        return self.classes_[best]

    def _feature_names_beside(self, target):
        """Names of the features, or else their numbers; that of the class must be another."""
        names = list(getattr(self, "feature_names_in_", range(self.n_features_in_)))
        if target in names:
            raise ValueError(f"target={target!r} is also the name of a feature; choose another")
        return names

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class JointProbabilityMixin(ClassProbabilityMixin):
    """The same for classifiers with ``predict_joint_log_proba``."""

    def predict_log_proba(self, X):
        """Log probability of each class given the row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            As for :meth:`predict_joint_log_proba`.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        joint = self.predict_joint_log_proba(X)
        return joint - logsumexp(joint, axis=1, keepdims=True)
