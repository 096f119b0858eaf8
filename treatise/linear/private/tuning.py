"""Choice of parameters with differential privacy from end to end (JMLR 12:1069, Section 6)."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import Classifier
from treatise.linear.private._base import POSITIVE, SeededNoiseWarning, warn_of_seed
from treatise.linear.private.accountant import PrivacyAccountant
from treatise.linear.private.mechanisms import exponential_mechanism


class PrivateTuner(MetaEstimatorMixin, Classifier, BaseEstimator):
    """Chooses the parameters of a private classifier, and trains it, for epsilon in all.

    The proof is about real numbers: **what can be read from the last digits of floating-point noise, or from how long a
    fit takes, is not covered**. With a ``random_state`` there is no privacy at all, and ``fit`` warns.

    To train with several parameters and keep the best reveals more than one of the fits did, and a grid search that
    nobody accounts for has no privacy at all. Here the rows are split at random: each candidate trains on a part of its
    own, the last part counts their mistakes, and one candidate is drawn by the exponential mechanism. A person is in
    one part only, so that the whole costs epsilon, not epsilon for each candidate.

    Use it with many rows and few candidates: of m candidates each sees one of m + 1 parts only. With a public sample of
    the same kind, tune on that instead and spend nothing. The candidates must be written down without a look at the
    data.

    Costs m fits to n / (m + 1) rows each.

    Parameters
    ----------
    estimator : classifier with a parameter ``epsilon``
        Any private learner, such as :class:`PrivateLogisticRegression`, without an accountant of its own. Its
        ``epsilon`` and ``random_state`` are set here, and ``classes`` if it has such a parameter.
    param_grid : dict or list of dicts
        Values of the parameters, as for scikit-learn's ``ParameterGrid``.
    epsilon : float, default=1.0
        Privacy spent in all.
    accountant : PrivacyAccountant or None, default=None
        Budget from which the fit takes its epsilon, or fails.
    random_state : int, RandomState instance or None, default=None
        Draws the parts, the noise and the choice. None takes noise and choice from the operating system's cryptographic
        source.

    Attributes
    ----------
    best_estimator_ : classifier
        The one that was chosen.
    best_params_ : dict
        Its parameters.
    best_index_ : int
        Its number.
    candidates_ : list of (dict, classifier)
        All of them: their release is covered by epsilon too. Their mistakes are not, and are not kept.
    classes_ : ndarray of shape (2,)
        The labels.

    Examples
    --------
    >>> from treatise.datasets import make_logistic_sphere
    >>> from treatise.linear import PrivateLogisticRegression, PrivateTuner
    >>> X, y = make_logistic_sphere(20_000, (4.0, -4.0, 2.0), random_state=0)
    >>> tuner = PrivateTuner(PrivateLogisticRegression(), {"alpha": [0.001, 0.01, 10.0]}, epsilon=0.5, random_state=0)
    >>> round(tuner.fit(X, y).score(X, y), 2)
    0.88

    References
    ----------
    .. [1] Paper v12-1069, Algorithm 4, Theorems 26 and 27.
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"])],
        "param_grid": [dict, list],
        "epsilon": [POSITIVE],
        "accountant": [PrivacyAccountant, None],
        "random_state": ["random_state"],
    }

    def __init__(self, estimator, param_grid, *, epsilon=1.0, accountant=None, random_state=None):
        self.estimator = estimator
        self.param_grid = param_grid
        self.epsilon = epsilon
        self.accountant = accountant
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Train all candidates and draw one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            One row for each person.
        y : array-like of shape (n_samples,)
            Two labels.

        Returns
        -------
        self
            The fitted classifier.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        candidates = list(ParameterGrid(self.param_grid))
        self._check(candidates, y)
        warn_of_seed(self)
        if self.accountant is not None:
            self.accountant.spend(self.epsilon, type(self).__name__)
        source = None if self.random_state is None else check_random_state(self.random_state)
        # The split needs no secret source: it says nothing of the data.
        order = (source or np.random.RandomState()).permutation(len(y))
        *parts, judging = np.array_split(order, len(candidates) + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeededNoiseWarning)  # it was told once
            self.candidates_ = [
                (params, self._learner(params, source).fit(X[part], y[part])) for params, part in zip(candidates, parts)
            ]
        mistakes = [np.count_nonzero(learner.predict(X[judging]) != y[judging]) for _, learner in self.candidates_]
        self.best_index_ = exponential_mechanism(-np.array(mistakes), self.epsilon, random_state=source)
        self.best_params_, self.best_estimator_ = self.candidates_[self.best_index_]
        return self

    def _check(self, candidates: list[dict], y: np.ndarray) -> None:
        params = self.estimator.get_params()
        if "epsilon" not in params:
            raise ValueError(
                f"{type(self.estimator).__name__} has no parameter epsilon; the tuner needs a private learner"
            )
        if params.get("accountant") is not None:
            raise ValueError(
                "the accountant belongs to the tuner, not to its estimator: the parts share one epsilon, and the "
                "estimator would ask for it once per candidate"
            )
        if any("epsilon" in candidate for candidate in candidates):
            raise ValueError("param_grid varies epsilon, but each candidate trains with the epsilon of the tuner")
        if not candidates:
            raise ValueError(f"param_grid={self.param_grid!r} holds no candidate; name one at least")
        if params.get("classes") is None:
            self._code_labels(y)
        else:
            self.classes_ = np.asarray(params["classes"])
            if self.classes_.shape != (2,):
                raise ValueError(f"classes={params['classes']!r} of the estimator must be two labels")
        if len(y) < len(candidates) + 1:
            raise ValueError(f"n_samples={len(y)} is too few to split into {len(candidates) + 1} parts")

    def _learner(self, params: dict, source):
        learner = clone(self.estimator).set_params(**params, epsilon=self.epsilon)
        known = learner.get_params(deep=False)
        if "classes" in known:
            learner.set_params(classes=self.classes_)  # a part may hold one of them only
        if "random_state" in known:
            seed = None if source is None else int(source.randint(2**31 - 1))
            learner.set_params(random_state=seed)
        return learner

    def _invariants(self):
        yield "there is a classifier", isinstance(self.best_estimator_, BaseEstimator)

    def predict(self, X) -> np.ndarray:
        """Class of each row, by the chosen classifier.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self.best_estimator_.predict(X)

    @available_if(lambda self: hasattr(getattr(self, "best_estimator_", self.estimator), "decision_function"))
    def decision_function(self, X) -> np.ndarray:
        """Score of each row, by the chosen classifier.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self.best_estimator_.decision_function(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags
