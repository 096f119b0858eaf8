"""One binary classifier for each pair of classes, coupled to class probabilities (Wu, Lin & Weng, JMLR 5:975)."""

import warnings
from contextlib import nullcontext
from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import check_cv
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter, validate_data

from treatise._core.classifier import Classifier, codes_from_scores
from treatise._core.invariants import all_alike, is_array
from treatise._core.threads import one_blas_thread
from treatise.svm.coupling._support_machines import decisions, held_out_decisions, is_plain, many_small
from treatise.svm.coupling.coupling import COUPLINGS, couple, pair_indices
from treatise.svm.coupling.platt import platt_sigmoid


def _pairs_have_decisions(self):
    base = self.estimators_[0] if hasattr(self, "estimators_") else self._base()
    return hasattr(base, "decision_function")


class PairwiseCouplingClassifier(MetaEstimatorMixin, Classifier, BaseEstimator):
    """Class probabilities for any binary classifier, one against one.

    A classifier is fitted to each pair of classes. What it says of a row becomes a probability r_ij of class i
    given i or j, and these are coupled to one probability for each class by a small linear system. A classifier
    without probabilities, such as an SVM, gets them from a sigmoid through its decision values on rows held out.

    Use it where a binary learner is to serve several classes and probabilities are wanted: an SVM, a forest, a
    boosted ensemble, anything that is better on two classes. scikit-learn's ``OneVsOneClassifier`` decides by votes
    and has no probabilities. Do not use it with hundreds of classes, for which the pairs are too many, nor with a
    learner that handles several classes well by itself: with many classes a multi-class forest beats coupled ones.

    Costs k (k - 1) / 2 fits on 2 n / k rows each, times one more than ``cv`` where decision values are held out;
    k (k - 1) / 2 predictions and about k^3 / 6 operations for each row predicted.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The binary classifier. None is scikit-learn's ``SVC()``, an SVM with a Gaussian kernel.
    method : str, default="least_squares"
        How to couple; see :func:`pairwise_coupling`. "least_squares" and "markov" are the paper's own.
    calibration : {"auto", "sigmoid", "isotonic"}, default="auto"
        Where the r_ij come from. "sigmoid" and "isotonic" fit a sigmoid (Platt's) or a step function to held-out
        decision values. "auto" takes the classifier's own probabilities if it has any, and else "sigmoid".
    cv : int or cross-validation splitter, default=5
        Folds for the held-out decision values, the same for all pairs and stratified by class. An int takes the
        rows in their order: hand over a splitter that shuffles if neighbouring rows are alike.
    n_jobs : int or None, default=None
        Pairs to fit at once.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each pair (i, j), i < j, in the order of ``pairs_``; fitted to 1 for class i and 0 for class j.
    pairs_ : ndarray of shape (n_pairs, 2)
        Numbers of both classes of each pair.
    calibration_ : {"sigmoid", "isotonic"} or None
        What "auto" came to; None for the classifier's own probabilities.
    calibrators_ : list of ndarray or None
        For each pair A and B of 1 / (1 + exp(A f + B)), or the knots of its step function; None without calibration.
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    pairwise_coupling : The coupling alone.
    plot_coupling : How the methods differ on one row.

    Notes
    -----
    ``predict`` takes the likeliest class, the first one of those level. Weights are handed to the classifier and to
    the calibration; folds are drawn without regard to them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from treatise.svm import PairwiseCouplingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PairwiseCouplingClassifier(SVC(C=10)).fit(X, y)
    >>> model.predict_proba(X[[0, 70]]).round(2)
    array([[0.98, 0.01, 0.01],
           [0.01, 0.48, 0.51]])

    References
    ----------
    .. [1] Paper v05-0975, Sections 3, 4 and 7.
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit"]), None],
        "method": [StrOptions(set(COUPLINGS))],
        "calibration": [StrOptions({"auto", "sigmoid", "isotonic"})],
        "cv": ["cv_object"],
        "n_jobs": [int, None],
    }

    def __init__(self, estimator=None, *, method="least_squares", calibration="auto", cv=5, n_jobs=None):
        self.estimator = estimator
        self.method = method
        self.calibration = calibration
        self.cv = cv
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Fit and calibrate a classifier for each pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows; a square kernel matrix if ``estimator`` takes one.
        y : array-like of shape (n_samples,)
            Their classes, at least two.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, for classifiers that take them.

        Returns
        -------
        self : object
        """
        base = self._base()
        X, y = validate_data(self, X, y, **self._reading(base))
        coded = self._code_labels(y)
        k = len(self.classes_)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        own = hasattr(base, "predict_proba")
        if not (own or hasattr(base, "decision_function")):
            raise ValueError(f"{type(base).__name__} has neither predict_proba nor decision_function")
        self.calibration_ = self.calibration if self.calibration != "auto" else None if own else "sigmoid"
        self.pairs_ = np.column_stack(pair_indices(k))
        folds = None if self.calibration_ is None else _fold_of_rows(self.cv, X, y)
        pairwise = get_tags(base).input_tags.pairwise
        members = [np.flatnonzero(coded == c) for c in range(k)]
        self._rows = [np.sort(np.concatenate([members[i], members[j]])) for i, j in self.pairs_]
        plain = not pairwise and is_plain(base, X)
        with many_small(base, max(map(len, self._rows))) if plain else nullcontext():
            fitted = Parallel(n_jobs=self.n_jobs)(
                delayed(_fit_pair)(
                    base,
                    X[rows][:, rows] if pairwise else X[rows],
                    (coded[rows] == first).astype(np.int64),
                    None if sample_weight is None else sample_weight[rows],
                    self.calibration_,
                    None if folds is None else folds[rows],
                    pairwise,
                )
                for (first, _), rows in zip(self.pairs_, self._rows)
            )
        if not pairwise:
            self._rows = None
        self.estimators_ = [estimator for estimator, _ in fitted]
        self.calibrators_ = None if self.calibration_ is None else [calibrator for _, calibrator in fitted]
        return self

    def predict_proba(self, X):
        """Coupled probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
        """
        X = self._read(X)
        return couple(self._pair_probabilities(X), len(self.classes_), self.method)

    def predict(self, X):
        """Likeliest class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        likeliest = codes_from_scores(self.predict_proba(X))
        return self.classes_[likeliest]

    def pairwise_proba(self, X):
        """Probability of class i given i or j, before coupling.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        R : ndarray of shape (n_samples, n_classes, n_classes)
            With 1/2 on the diagonal.
        """
        packed = self._pair_probabilities(self._read(X))
        first, second = self.pairs_.T
        R = np.full((len(packed), len(self.classes_), len(self.classes_)), 0.5)
        R[:, first, second], R[:, second, first] = packed, 1.0 - packed
        return R

    @available_if(_pairs_have_decisions)
    def pairwise_decision(self, X):
        """Decision values of each pair, positive for class i against j.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        F : ndarray of shape (n_samples, n_classes, n_classes)
            Antisymmetric; what :func:`exponential_decoding` takes.
        """
        X = self._read(X)
        F = np.zeros((X.shape[0], len(self.classes_), len(self.classes_)))
        for pair, (i, j) in enumerate(self.pairs_):
            F[:, i, j] = _score_of(self.estimators_[pair], self._seen_by(pair, X))
        return F - F.transpose(0, 2, 1)

    def _invariants(self):
        pairs = np.column_stack(pair_indices(len(self.classes_)))
        yield (
            "pairs are those of the classes",
            is_array(self.pairs_, np.int64, len(pairs), 2) and np.array_equal(self.pairs_, pairs),
        )
        for name in ("estimators_", "calibrators_", "_rows"):
            parts = getattr(self, name)
            if parts is not None or name == "estimators_":
                yield f"{name} has one for each pair", isinstance(parts, list) and len(parts) == len(pairs)
        yield "pairs have classifiers", all_alike(self.estimators_, BaseEstimator)
        for each in self.calibrators_ or ():
            steps = is_array(each, np.floating, 2, None) and each.size > 0
            yield "calibrators are of two numbers, or of steps", steps or is_array(each, np.floating, 2)

    def _base(self):
        return SVC() if self.estimator is None else self.estimator

    @staticmethod
    def _reading(base):
        allow_nan = get_tags(base).input_tags.allow_nan
        return {"accept_sparse": "csr", "ensure_all_finite": "allow-nan" if allow_nan else True}

    def _read(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **self._reading(self._base()))

    def _seen_by(self, pair, X):
        """What the classifier of a pair takes: all of X, or the kernel against the rows of both classes."""
        return X if self._rows is None else X[:, self._rows[pair]]

    def _pair_probabilities(self, X):
        packed = np.empty((X.shape[0], len(self.pairs_)))
        if self.calibrators_ is None:
            for pair, estimator in enumerate(self.estimators_):
                packed[:, pair] = estimator.predict_proba(self._seen_by(pair, X))[:, 1]
            return packed
        plain = self._rows is None and all(is_plain(estimator, X) for estimator in self.estimators_)
        squares = np.einsum("ij,ij->i", X, X) if plain else None
        with one_blas_thread(len(X)) if plain else nullcontext():
            for pair, (estimator, calibrator) in enumerate(zip(self.estimators_, self.calibrators_)):
                seen = self._seen_by(pair, X)
                score = decisions(estimator, seen, squares) if plain else _score_of(estimator, seen)
                packed[:, pair] = _calibrated(calibrator, score)
        return packed

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = get_tags(self._base()).input_tags
        tags.input_tags.sparse = base.sparse
        tags.input_tags.allow_nan = base.allow_nan
        tags.input_tags.pairwise = base.pairwise
        return tags


def _fit_pair(base, X, target, sample_weight, calibration, folds, pairwise):
    """The fitted classifier of a pair and its calibration: None, (A, B), or the knots of a step function.

    ``target`` is 1 for the first class of the pair and 0 for the second; ``folds`` numbers the fold of each row.
    """
    fitted = _fit_weighted(clone(base), X, target, sample_weight)
    if calibration is None:
        return fitted, None
    held_out = _held_out_decision(base, fitted, X, target, sample_weight, folds, pairwise)
    if calibration == "sigmoid":
        return fitted, np.array(platt_sigmoid(held_out, target, sample_weight))
    step = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    step.fit(held_out, target, sample_weight=sample_weight)
    return fitted, np.stack([step.X_thresholds_, step.y_thresholds_])


def _fit_weighted(estimator, X, target, sample_weight):
    """Fit, with weights if there are any."""
    if sample_weight is None:
        return estimator.fit(X, target)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"sample_weight was given, but {type(estimator).__name__}.fit takes none")
    return estimator.fit(X, target, sample_weight=sample_weight)


def _score_of(fitted, X):
    """Decision values, positive for the first class; of a classifier without any, its probabilities."""
    if hasattr(fitted, "decision_function"):
        return np.asarray(fitted.decision_function(X), dtype=np.float64).ravel()
    return fitted.predict_proba(X)[:, 1]


def _fold_of_rows(cv, X, y):
    """Number of the fold in which each row is held out; folds are drawn once, and serve all pairs (Figure 4)."""
    most = int(np.unique(y, return_counts=True)[1].max())
    if most < 2:
        raise ValueError("every class has one row, so that none can be held out to calibrate on; give more rows")
    if isinstance(cv, Integral):
        # A class with fewer rows than folds is absent from some, which does no harm: both classes of a pair are
        # there to learn from as long as each has two rows.
        cv = max(2, min(int(cv), most))
    folds = np.full(len(y), -1)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        for number, (_, test) in enumerate(check_cv(cv, y, classifier=True).split(X, y)):
            folds[test] = number
    if (folds < 0).any():
        raise ValueError(f"cv={cv!r} holds out {int((folds >= 0).sum())} of {len(y)} rows; each row must be, once")
    return folds


def _held_out_decision(base, fitted, X, target, sample_weight, folds, pairwise):
    """Decision value of every row from a fit that did not see it, as Section 7.1 wants it for (36)."""
    numbers = np.unique(folds)
    if any(len(np.unique(target[folds != number])) < 2 for number in numbers):
        warnings.warn(
            "all rows of a class are in one fold, so that none of their decision values can be held out: a pair is "
            "calibrated on the rows that it was learnt from, and its probabilities are too sure",
            UserWarning,
            stacklevel=2,
        )
        return _score_of(fitted, X)
    if not pairwise and is_plain(base, X):
        held_out = held_out_decisions(base, X, target, sample_weight, folds)
        if held_out is not None:
            return held_out
    held_out = np.empty(len(target))
    for number in numbers:
        train, test = np.flatnonzero(folds != number), np.flatnonzero(folds == number)
        weight = None if sample_weight is None else sample_weight[train]
        model = _fit_weighted(clone(base), X[train][:, train] if pairwise else X[train], target[train], weight)
        held_out[test] = _score_of(model, X[test][:, train] if pairwise else X[test])
    return held_out


def _calibrated(calibrator, score):
    """Probability of the first class of the pair from its decision value."""
    if calibrator.ndim == 1:
        A, B = calibrator
        return expit(-(A * score + B))
    return np.interp(score, calibrator[0], calibrator[1])
