"""Support vector machines trained on approximate extreme points (Nandan, Khargonekar & Talathi, JMLR 15:59)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted, check_memory

from treatise._core.classifier import ScoreClassifier, row_weights, shown
from treatise._core.invariants import is_array
from treatise.kernels import GramRows, KernelInputMixin, Prepared
from treatise.kernels.base import count
from treatise.svm._pair_machines import pair_machines
from treatise.svm.extreme_points.representatives import PositionKernel, derive_representatives, lengths_of


class ExtremePointsSVC(ScoreClassifier, KernelInputMixin, BaseEstimator):
    """Kernel SVM on a few weighted rows that stand for all of them (AESVM).

    The rows of each class are sorted into small subsets, of each subset the points near the surface of its convex hull
    in kernel space are kept, and the weight of every other row goes to those that it lies between. An SVM with one cost
    for each kept row follows. The objective lost is bounded by ``epsilon``.

    Use it for 10⁵ to 10⁷ rows of few features, where it is ten and more times faster than ``SVC`` and loses a few
    tenths of a percent at most; predictions are faster too, as fewer rows can be support vectors. Do not use it in high
    dimension: there nearly all rows are extreme points (``n_representatives_`` tells) and the search for them is lost.

    Costs about n log n kernel values for the subsets, ``n a`` and a small quadratic program for each row, if ``a``
    points are kept of each subset, and an SVM on ``n a / subset_size`` rows. Memory is X and one subset's share of the
    Gram matrix for each thread.

    Parameters
    ----------
    C : float, default=1.0
        Cost of slack of one row, as in ``SVC``; the paper's C / N.
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel. With "precomputed", X is the Gram matrix in ``fit`` and later the kernel values with all training
        objects.
    gamma : float, "scale" or "auto", default="scale"
        Of the "rbf", "poly" and "laplacian" kernels. The wider the kernel, the fewer rows are kept.
    degree : int, default=3
        Of the "poly" kernel.
    coef0 : float, default=1.0
        Of the "poly" kernel.
    epsilon : float, default=1e-2
        Largest squared distance in kernel space of a row from the hull of those that stand for it; a Gaussian kernel
        has ``k(x, x) = 1``. The paper also takes 1e-3 and 1e-4.
    leaf_size : int, default=100_000
        The paper's P: size down to which rows are halved before the subsets are formed.
    subset_size : int, default=1000
        The paper's V: most rows in a subset. Larger ones keep fewer rows and cost more for each row.
    segregation : {"distance", "position"}, default="distance"
        Whether to halve by the median distance from the first row (FLS2) or to cut by position (FLS1), which is quicker
        and fits rows that come in order of time.
    class_weight : dict, "balanced" or None, default=None
        Factors of the costs of each class.
    tol : float, default=1e-3
        Tolerance of the SVM.
    cache_bytes : int, default=200 << 20
        Memory for rows of the Gram matrix of the SVM.
    memory : str, object with the joblib.Memory interface or None, default=None
        Where to keep representatives found, so that a search over C finds them once for each kernel and training set.
    n_jobs : int or None, default=None
        Subsets to work on at once, in threads.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    representative_indices_ : ndarray of shape (n_representatives,)
        Training rows that were kept.
    representative_weights_ : ndarray of shape (n_representatives,)
        How many rows each stands for; the paper's beta.
    n_representatives_ : int
        Number of rows kept.
    approximation_error_ : float
        Largest squared distance of a row from those that stand for it; at most ``epsilon``.
    support_ : ndarray of shape (n_support,)
        Training rows with a weight in any machine.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Weights of those rows; one machine for two classes, else one for each pair of classes.
    intercept_ : ndarray of shape (n_machines,)
        Offsets.
    n_iter_ : ndarray of shape (n_machines,)
        Steps of the solver.
    converged_ : bool
        Whether all machines reached ``tol``.
    kernel_ : Kernel or "precomputed"
        The kernel in use.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    representative_set : The rows alone, for other learners.
    plot_representatives : The rows kept, and the border.

    Notes
    -----
    Several classes are learnt pair by pair with the votes of ``SVC``; the rows kept of a class serve in all its pairs.
    A row's ``sample_weight`` is handed on to its representatives, which leaves the paper's bounds as they are.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treatise.svm import ExtremePointsSVC
    >>> X, y = make_moons(4000, noise=0.2, random_state=0)
    >>> machine = ExtremePointsSVC(gamma=1.0).fit(X, y)
    >>> machine.n_representatives_ < 400, round(machine.score(X, y), 2)
    (True, 0.97)

    References
    ----------
    .. [1] Paper v15-0059, equation (2) and Section 4.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        **KernelInputMixin._kernel_constraints,
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "leaf_size": [Interval(Integral, 2, None, closed="left")],
        "subset_size": [Interval(Integral, 2, None, closed="left")],
        "segregation": [StrOptions({"distance", "position"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "cache_bytes": [Interval(Integral, 0, None, closed="neither")],
        "memory": [str, HasMethods("cache"), None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self, C=1.0, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, epsilon=1e-2, leaf_size=100_000,
        subset_size=1000, segregation="distance", class_weight=None, tol=1e-3, cache_bytes=200 << 20, memory=None,
        n_jobs=None,
    ):  # fmt: skip
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.epsilon = epsilon
        self.leaf_size = leaf_size
        self.subset_size = subset_size
        self.segregation = segregation
        self.class_weight = class_weight
        self.tol = tol
        self.cache_bytes = cache_bytes
        self.memory = memory
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Find representatives of each class and train on them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Rows, the Gram matrix with ``kernel="precomputed"``, or the objects of a kernel of its own.
        y : array-like of shape (n_samples,)
            Classes, at least two.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the costs.

        Returns
        -------
        self : ExtremePointsSVC
            The fitted classifier.
        """
        objects, y = self._fit_objects(X, y=y)
        codes = self._code_labels(y)
        counts, factors = row_weights(codes, self.classes_, sample_weight, self.class_weight)
        kernel, places = self.kernel_, objects
        if isinstance(kernel, str):
            kernel, places = PositionKernel(objects), np.arange(count(objects))
        rows = None
        if not isinstance(self.kernel_, str) and not self.kernel_.structured:
            rows = objects.objects if isinstance(objects, Prepared) else objects
        derive = check_memory(self.memory).cache(derive_representatives, ignore=["n_jobs"])
        found = derive(
            kernel, places, codes, counts * factors, lengths_of(rows, kernel, places), epsilon=self.epsilon,
            leaf_size=self.leaf_size, subset_size=self.subset_size, segregation=self.segregation, n_jobs=self.n_jobs,
        )  # fmt: skip
        self.representative_indices_ = found.indices
        self.representative_weights_ = found.weights
        self.n_representatives_ = len(found.indices)
        self.approximation_error_ = found.error
        self._train(kernel, places, codes[found.indices])
        self._support_objects = self._kept(objects, self.support_)
        return self

    def _train(self, kernel, objects, codes):
        """One machine for each pair of classes that were seen with a weight, on their representatives."""

        def rows_of(part):
            return GramRows(kernel, objects[self.representative_indices_[part]], cache_bytes=self.cache_bytes)

        costs, n_classes = self.C * self.representative_weights_, len(self.classes_)
        coefs, offsets, steps = [], [], []
        self.converged_ = True
        for (first, second), part, solution in pair_machines(rows_of, codes, n_classes, costs, self.tol):
            if not solution.converged:
                self.converged_ = False
                warnings.warn(
                    f"the machine of classes {shown(self.classes_[[first, second]])} stopped at a "
                    f"violation of {solution.violation:.3g}, where tol={self.tol:g} was asked for; lower C",
                    ConvergenceWarning,
                    stacklevel=3,
                )
            coefs.append(np.zeros(self.n_representatives_))
            coefs[-1][part] = solution.beta
            offsets.append(solution.offset)
            steps.append(solution.n_iter)
        self.intercept_, self.n_iter_, coefs = np.array(offsets), np.array(steps), np.array(coefs)
        used = np.flatnonzero(coefs.any(axis=0))
        self.support_, self.dual_coef_ = self.representative_indices_[used], coefs[:, used]

    def _invariants(self):
        machines = len(self.classes_) * (len(self.classes_) - 1) // 2
        yield (
            "every pair of classes has a machine",
            is_array(self.dual_coef_, np.floating, machines, len(self.support_)),
        )
        yield "machines have constants", is_array(self.intercept_, np.floating, machines)

    def _scores(self, X):
        """The score of the pair of two classes; of several, votes of the pairs with their scores to break ties."""
        check_is_fitted(self)
        scores = self._weighted_scores(self._new_objects(X), self._support_objects, self.dual_coef_.T)
        scores += self.intercept_
        if len(self.classes_) == 2:
            return scores
        return _ovr_decision_function((scores > 0).astype(int), scores, len(self.classes_))
