"""Logistic regression by averaged SGD with a step that needs no tuning (Bach, JMLR 15:595)."""

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import LogisticScores, check_classes, codes_among, signs_of
from treatise.online._stream_input import is_first_call
from treatise.online.averaged_sgd._base import AveragedSGD, can_stream
from treatise.online.averaged_sgd.guarantees import self_concordant_certificate


class AveragedSGDClassifier(LogisticScores, AveragedSGD):
    """Logistic regression on a stream, with a step that follows from the lengths of the rows alone.

    The weights are the mean of the iterates of stochastic gradient descent with the step 1 / (2 R^2), R the usual norm
    of a row: nothing is tuned. The paper's form is one pass in the order given with steps shorter by the root of the
    number N of rows and R the largest norm, ``schedule="constant", n_passes=1, shuffle=False``: its error falls like
    1 / sqrt(N) whatever the data, and like 1 / N where the loss is strongly convex at its optimum, but it leaves the
    weights near zero on all but very long streams. Use it for streams read once, and where a guarantee is wanted
    (:func:`averaged_sgd_bounds`, :meth:`certificate`). Long rows hold up the short ones: put
    :class:`sklearn.preprocessing.Normalizer` before it where norms differ much. One pass costs O(nnz), times the
    classes where there are more than two; memory is two vectors of n_features for each.

    Parameters
    ----------
    loss : {"log", "square_root"}, default="log"
        The logistic loss, or half of sqrt(1 + score^2) - y score.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Averaged weights; with more than two classes one row for each against the rest.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Averaged intercepts.
    last_coef_, last_intercept_ : ndarray
        The same of the last iterate.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import AveragedSGDClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AveragedSGDClassifier(random_state=0).fit(scale(X), y)
    >>> round(model.score(scale(X), y), 2)
    0.99

    References
    ----------
    .. [1] Paper v15-0595, Sections 2 and 3.1, Corollary 2.
    """

    _parameter_constraints = {
        **AveragedSGD._parameter_constraints,
        "loss": [StrOptions({"log", "square_root"})],
    }

    def __init__(
        self, loss="log", *, schedule="steady", radius="auto", horizon="auto", n_passes="auto", fit_intercept=True,
        shuffle=True, random_state=None,
    ):  # fmt: skip
        super().__init__(
            schedule=schedule, radius=radius, horizon=horizon, n_passes=n_passes, fit_intercept=fit_intercept,
            shuffle=shuffle, random_state=random_state,
        )  # fmt: skip
        self.loss = loss

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Forget everything and learn from the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            Their classes, at least two.

        Returns
        -------
        self : object
        """
        X, y = self._read(X, y, reset=True)
        codes = self._code_labels(y)
        return self._fit(X, codes, self._n_outputs())

    @available_if(can_stream)
    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None):
        """Learn from further rows, once each, in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next examples.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like or None, default=None
            All classes that will ever come; needed in the first call.

        Returns
        -------
        self : object
        """
        first = is_first_call(self, classes)
        X, y = self._read(X, y, reset=first)
        check_classification_targets(y)
        if first:
            classes = unique_labels(classes)
            check_classes(classes)
            self.classes_ = classes
            self._begin(self._n_outputs())
        return self._continue(X, codes_among(y, self.classes_))

    def certificate(self, X, y):
        """How far the weights can be from those with the least mean loss on these rows (Lemma 9).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples, as a rule those learnt from.
        y : array-like of shape (n_samples,)
            Their classes, two in all.

        Returns
        -------
        certificate : Certificate
        """
        check_is_fitted(self)
        if len(self.classes_) > 2:
            raise ValueError(f"a certificate is for two classes, this model has {len(self.classes_)}")
        X, y = self._read(X, y, reset=False)
        codes = codes_among(y, self.classes_)
        if self.fit_intercept:
            ones = np.ones((X.shape[0], 1))
            X = sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
        weights = self._average()[0, : X.shape[1]]
        return self_concordant_certificate(X, self._targets(codes)[0], weights, loss=self.loss)

    @property
    def coef_(self):
        """Averaged weights of the features."""
        return self._average()[:, :-1]

    @property
    def intercept_(self):
        """Averaged intercepts."""
        return self._average()[:, -1]

    @property
    def last_coef_(self):
        """Weights of the last iterate."""
        return self._current[:, :-1]

    @property
    def last_intercept_(self):
        """Intercepts of the last iterate."""
        return self._current[:, -1]

    def _n_outputs(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _targets(self, y):
        return signs_of(y, len(self.classes_))

    def _chance(self, scores):
        # Where the expected loss is least in the score, for either loss.
        return super()._chance(scores) if self.loss == "log" else 0.5 + 0.5 * scores / np.sqrt(1.0 + scores**2)
