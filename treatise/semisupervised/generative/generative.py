"""Generative classifiers from labelled and unlabelled rows (Fox-Roberts & Rosten, JMLR 15:367)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.special import log_softmax, logsumexp
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ProbabilityClassifier
from treatise._core.invariants import finite, is_array
from treatise.semisupervised._labels import UNLABELLED, read_labels
from treatise.semisupervised.generative._choice import choose_density
from treatise.semisupervised.generative._densities import DENSITIES
from treatise.semisupervised.generative._objective import OBJECTIVES, Objective, log_joint, weights_of
from treatise.semisupervised.generative.diagnostics import DEVIATIONS, objective_variance


class SemiSupervisedGenerative(ProbabilityClassifier, BaseEstimator):
    """Classifier by class densities that learns from rows without a label, and is not led astray by them.

    The usual way to use unlabelled rows in a generative model, to add their log likelihood, draws the model away from
    the classes wherever its densities are not the true ones, and the more so the more rows there are. Here the
    likelihood of all rows without their labels counts as much as the labelled rows are, and no more: the objective
    estimates the same quantity as the labelled rows alone, with less noise.

    Use it when labels are few and other rows many, above all where the densities themselves are wanted
    (``score_samples``), and for text (``density="multinomial"``). Do not use it where the labelled rows were picked by
    their class or are not like the others: labels must be missing at random. For error rates alone a discriminative
    classifier of the labelled rows is often as good; :func:`unlabelled_worth` tells what the unlabelled rows bring.

    A step costs O(n p k), or O(n p^2 k) with covariances; 20 to 200 steps are usual. Memory is that of X twice.

    Parameters
    ----------
    density : {"auto", "diag", "tied", "full", "spherical", "multinomial", "bernoulli"}, default="auto"
        Density of a class: normal with a variance for each column ("diag", the paper's), with one covariance matrix
        for all classes ("tied", linear boundaries), one for each ("full"), or one variance ("spherical"); or of counts
        or of zeros and ones. "auto" takes the one of the first three whose fit predicts held-out labels
        best, or "tied" where no class has two labelled rows; on those labels it also sees whether the unlabelled
        rows hurt, and warns where they do.
    objective : {"unbiased", "biased", "supervised"}, default="unbiased"
        The paper's proposal (Equation 20), the usual likelihood of all rows (Equation 3), or that of the labelled rows
        (Equation 1).
    smoothing : float, default=3.0
        Rows of each class that a prior stands for: rows of the columns' overall variances for normal densities, a row
        of each word, or one of zeros and one of ones, for the others. 0 is the paper's.
    var_floor : float, default=1e-6
        Added to every variance, as a share of the column's.
    max_iter : int, default=500
        Steps of L-BFGS at most.
    tol : float, default=1e-5
        Ends when no slope of the objective, for a labelled row and a whitened parameter, is larger.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes of the labelled rows.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class.
    class_count_ : ndarray of int of shape (n_classes,)
        Labelled rows of each class.
    n_unlabelled_ : int
        Rows without a label.
    density_ : str
        The density taken.
    means_ : ndarray of shape (n_classes, n_features)
        Means of normal densities.
    covariances_ : ndarray of shape (n_classes, n_features) or (n_classes, n_features, n_features)
        Their variances, or covariance matrices.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log probabilities of words, or of ones.
    objective_ : float
        What was maximised, for a labelled row, in units in which columns have variance 1.
    variance_ratio_ : float
        Variance of the objective with the unlabelled rows over that without, at the model found (Equation 27); above
        1 they add noise. NaN where nothing can be told.
    label_gain_ : float
        What the unlabelled rows bring to held-out labels where the density is chosen by them: the mean gain in log
        P(y|x), below 0 where they hurt. NaN without such a choice or unlabelled rows.
    n_iter_ : int
        Steps made; 1 also where the supervised fit is the end.
    converged_ : bool
        Whether the slope came within ``tol``.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    unlabelled_worth : What the unlabelled rows bring, on held-out labels.

    Notes
    -----
    A row has no label where y is -1, as in scikit-learn, and where it is None, NaN or pandas' NA; so classes may be
    strings. The objective has several maxima; the climb begins at the supervised fit. Columns that never vary are left
    out. The unit and origin of a column change nothing with normal densities. The paper's penalty on means is left
    out: it is too small to matter, and the prior of ``smoothing`` does its work.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from treatise.semisupervised import SemiSupervisedGenerative
    >>> X, y = load_wine(return_X_y=True)
    >>> few = np.where(np.arange(len(y)) % 9 == 0, y, -1)
    >>> model = SemiSupervisedGenerative().fit(X, few)
    >>> alone = SemiSupervisedGenerative(objective="supervised").fit(X, few)
    >>> model.density_, round(model.score(X, y), 3), round(alone.score(X, y), 3)
    ('tied', 0.983, 0.961)

    References
    ----------
    .. [1] Paper v15-0367, Equation 20 and Section 4.1.
    """

    _parameter_constraints: dict = {
        "density": [StrOptions({"auto", *DENSITIES})],
        "objective": [StrOptions(set(OBJECTIVES))],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "var_floor": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, density="auto", *, objective="unbiased", smoothing=3.0, var_floor=1e-6, max_iter=500, tol=1e-5):
        self.density = density
        self.objective = objective
        self.smoothing = smoothing
        self.var_floor = var_floor
        self.max_iter = max_iter
        self.tol = tol

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn the densities of the classes.

        Parameters
        ----------
        X : array-like or, for counts and ones, sparse matrix of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels; -1, None or NaN for rows without one.

        Returns
        -------
        self
        """
        X = self._validated(X, reset=True)
        self.classes_, codes = read_labels(y, X.shape[0], who=type(self).__name__)
        X = self._standardised(X, learn=True)
        labelled = codes != UNLABELLED
        rows, others, codes = X[labelled], X[~labelled], codes[labelled]
        self.class_count_ = np.bincount(codes)
        self.n_unlabelled_ = int(others.shape[0])
        self.density_ = self.density
        weights = weights_of(self.objective, len(codes), self.n_unlabelled_)
        self.label_gain_ = float("nan")
        if self.density == "auto":
            choice = choose_density(rows, codes, others, weights, self.smoothing, self.var_floor)
            self.density_ = choice.density
            self._tell_of_worth(choice)
        objective = Objective(self._density(), rows, codes, others, weights)
        self._theta, end = objective.maximise(self.max_iter, self.tol)
        self.objective_, self.n_iter_ = -float(end.value), max(end.iteration, 1)
        self._describe()
        self._tell_of_convergence(end)
        self._tell_of_variance(rows, codes)
        return self

    def predict_joint_log_proba(self, X):
        """Log density of each row together with each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_densities : ndarray of shape (n_samples, n_classes)
            Of counts, up to the number of orders of the words, which no class changes.
        """
        return self._joint_log_proba(X)

    def score_samples(self, X):
        """Log density of each row, whatever its class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_densities : ndarray of shape (n_samples,)
        """
        return logsumexp(self._joint_log_proba(X), axis=1)

    def _joint_log_proba(self, X):
        check_is_fitted(self)
        X = self._standardised(self._validated(X, reset=False), learn=False)
        return log_joint(self._density(), self._theta, X) - np.log(self._scale[self._varies]).sum()

    def _validated(self, X, *, reset):
        counted = self.density in DENSITIES and not DENSITIES[self.density].standardised
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr" if counted else False, reset=reset)
        values = X.data if sparse.issparse(X) else X
        if self.density == "multinomial" and np.any(values < 0):
            raise ValueError(f"Negative values in data passed to X: {values.min():g} is no count of a word")
        if self.density == "bernoulli" and not np.all((values == 0) | (values == 1)):
            raise ValueError('density="bernoulli" needs columns of 0 and 1; binarise X first, as by X > threshold')
        return X

    def _standardised(self, X, *, learn):
        """Columns of mean 0 and variance 1 without those that never vary; counts and ones as they are."""
        counted = self.density in DENSITIES and not DENSITIES[self.density].standardised
        if learn:
            d = X.shape[1]
            self._location, self._scale, self._varies = np.zeros(d), np.ones(d), np.ones(d, dtype=bool)
        if counted:
            return X
        if learn:
            self._location = X.mean(axis=0)
            widest = np.abs(X - self._location).max(axis=0)
            # In units of the widest, so that no square overflows or vanishes.
            unit = np.where(widest > 0, widest, 1.0)
            self._scale = unit * np.sqrt(np.mean(((X - self._location) / unit) ** 2, axis=0))
            self._varies = widest > 16.0 * np.finfo(float).eps * np.abs(self._location)
            if not self._varies.any():
                raise ValueError("no column of X varies, so that nothing tells the classes apart")
        return (X[:, self._varies] - self._location[self._varies]) / self._scale[self._varies]

    def _density(self):
        varying = int(self._varies.sum())
        return DENSITIES[self.density_](len(self.classes_), varying, self.class_count_, self.smoothing, self.var_floor)

    def _describe(self):
        """Set the parameters by their names, in the units of X."""
        k, kept = len(self.classes_), np.flatnonzero(self._varies)
        self.class_prior_ = np.exp(log_softmax(self._theta[:k]))
        named = self._density().describe(self._theta[k:])
        if "feature_log_prob_" in named:
            self.feature_log_prob_ = named["feature_log_prob_"]
            return
        scale, covariances = self._scale[kept], named["covariances_"]
        self.means_ = np.tile(self._location, (k, 1))
        self.means_[:, kept] += named["means_"] * scale
        self.covariances_ = np.zeros((k, *(len(self._location),) * (covariances.ndim - 1)))
        if covariances.ndim == 2:
            self.covariances_[:, kept] = covariances * scale**2
        else:
            self.covariances_[np.ix_(np.arange(k), kept, kept)] = covariances * np.outer(scale, scale)

    def _tell_of_convergence(self, end):
        self.converged_ = end.status == "gradient"
        if not self.converged_:
            slope = np.abs(end.gradient).max()
            why = "cannot be climbed further" if end.status == "stalled" else f"still rises after {end.iteration} steps"
            warnings.warn(
                f"the objective {why}, with a slope of {slope:.2g} where tol={self.tol:g} is asked for; raise "
                "max_iter, tol or smoothing",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _tell_of_worth(self, choice):
        """Whether labels that were held out are better predicted without the unlabelled rows."""
        if self.n_unlabelled_ == 0 or self.objective == "supervised":
            return
        self.label_gain_ = choice.gain
        if choice.gain < -DEVIATIONS * choice.error:
            warnings.warn(
                f"the {self.n_unlabelled_} unlabelled rows hurt: held-out labels are predicted worse with them, by "
                f"{-choice.gain:.3g} in mean log probability (standard error {choice.error:.2g}), than by the "
                'labelled rows alone. Take objective="supervised", or a density that suits the rows better',
                UserWarning,
                stacklevel=3,
            )

    def _tell_of_variance(self, rows, codes):
        """Section 4.1 at the model found: whether the unlabelled rows steady the objective."""
        self.variance_ratio_ = float("nan")
        if self.n_unlabelled_ == 0 or self.objective == "supervised" or len(codes) < 3:
            return
        joint = log_joint(self._density(), self._theta, rows)
        marginal = logsumexp(joint, axis=1)
        found = objective_variance(marginal - joint[np.arange(len(codes)), codes], -marginal, self.n_unlabelled_)
        self.variance_ratio_ = found.ratio
        if found.hurts:
            warnings.warn(
                f"the {self.n_unlabelled_} unlabelled rows make the objective noisier, {found.ratio:.3g} times its "
                "variance from the labelled rows alone: rows that look unusual are classified better than others. "
                'Compare with objective="supervised", by unlabelled_worth, or take another density',
                UserWarning,
                stacklevel=3,
            )

    def _invariants(self):
        d, k = self.n_features_in_, len(self.classes_)
        yield "every column has an origin and a unit", is_array(self._location, np.float64, d)
        yield "units are positive", is_array(self._scale, np.float64, d) and bool((self._scale[self._varies] > 0).all())
        yield "columns vary or not", is_array(self._varies, np.bool_, d)
        yield "the density is known", self.density_ in DENSITIES
        yield "there is a count for each class", is_array(self.class_count_, np.integer, k)
        yield "parameters are finite", is_array(self._theta, np.float64, None) and finite(self._theta)
        row = np.zeros((1, int(self._varies.sum())))
        yield "they are of the density", log_joint(self._density(), self._theta, row).shape == (1, k)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.density in DENSITIES and not DENSITIES[self.density].standardised
        tags.input_tags.positive_only = self.density == "multinomial"
        return tags
