"""Ensembles of support vector machines with one store of support vectors (Claesen et al., JMLR 15:141)."""

import warnings
from functools import partial
from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from treatise._core.classifier import Classifier, codes_among, codes_from_scores, row_weights
from treatise._core.invariants import is_array, is_count, within
from treatise.kernels import GramRows, KernelInputMixin, Prepared
from treatise.kernels.base import count
from treatise.svm.ensemble._aggregation import FIXED_RULES, MOST_ROWS, combine, fill_absent, learner_of
from treatise.svm.ensemble._members import draw_rows, train_member
from treatise.svm.ensemble._store import joined

_BLOCK_BYTES = 2 << 20
"""Kernel values held at a time in prediction: few enough to stay near the processor."""
_FEWEST = 500
"""Rows below which a subsample of a longer table costs nothing worth saving."""
_DENSE_SHARE = 0.3
"""Share of weights other than zero above which a product of full matrices is the faster one."""


def _gives_probabilities(self):
    rule = self.aggregator_ if hasattr(self, "aggregator_") else learner_of(self.aggregation)
    return hasattr(rule, "predict_proba")


def _learns_to_aggregate(self):
    aggregation = getattr(self, "aggregation_", self.aggregation)
    if isinstance(aggregation, str) and aggregation in FIXED_RULES:
        raise AttributeError(f"aggregation={aggregation!r} has no probabilities; take 'linear' or a classifier")
    return _gives_probabilities(self)


class EnsembleSVC(Classifier, KernelInputMixin, BaseEstimator):
    """Many kernel SVMs on small subsamples, combined by vote, mean or a learnt rule.

    Training p machines on s rows each costs p s² instead of n². Rows that several machines use as support vectors are
    stored once and their kernel values are computed once for each prediction, so that it costs little more than one
    machine of all distinct support vectors.

    Use it where one SVM on all rows takes too long and a point of accuracy may be lost, with any kernel and any number
    of features (for few features :class:`ExtremePointsSVC` loses less); and to combine machines that exist already, by
    :func:`merge_svms`. Do not use it on a few thousand rows, where a single SVM is as quick and better.

    Costs p times an SVM on s rows; n |U| kernel values and at most n |U| p products to predict n rows from |U| distinct
    support vectors. Memory is those vectors, their weights, and one block of kernel values.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of subsamples.
    max_samples : float, int or "auto", default="auto"
        Size of a subsample, as a share of the rows or as their number. At least one row of each class is drawn. "auto"
        is a tenth of the rows, and 500 at least where there are so many: on a short table a tenth is too few to learn
        from.
    C : float, default=1.0
        Cost of slack.
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel of all machines.
    gamma : float, "scale" or "auto", default="scale"
        Of the "rbf", "poly" and "laplacian" kernels.
    degree : int, default=3
        Of the "poly" kernel.
    coef0 : float, default=1.0
        Of the "poly" kernel.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement.
    stratified : bool, default=True
        Whether classes keep their shares in every subsample.
    class_weight : dict, "balanced" or None, default=None
        Factors of the costs of each class.
    aggregation : {"vote", "mean", "linear"}, or classifier, default="vote"
        How to combine the machines: the majority, with ties broken by the mean decision value; the sign of the mean
        decision value; a logistic regression on the decision values; or any classifier or pipeline on them. What is
        learnt is learnt on rows that the machines were not trained on.
    oob_score : bool, default=False
        Whether to estimate the accuracy from the machines that have not seen a row.
    tol : float, default=1e-3
        Tolerance of each machine.
    cache_bytes : int, default=200 << 20
        Memory for rows of Gram matrices, each thread its own.
    n_jobs : int or None, default=None
        Machines to train at once, in threads.
    random_state : int, RandomState instance or None, default=None
        Draws the subsamples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    support_ : ndarray of shape (n_support,)
        Training rows that any machine uses, each once.
    dual_coef_ : sparse or dense array of shape (n_support, n_machines)
        Their weights; machines follow one another member by member, with one for each pair of classes.
    intercept_ : ndarray of shape (n_machines,)
        Offsets.
    n_support_total_ : int
        Support vectors of all machines, counted as often as they occur.
    converged_ : bool
        Whether all machines reached ``tol``; those of :func:`merge_svms` count as they are.
    estimators_samples_ : list of ndarray
        Rows drawn for each member; empty after :func:`merge_svms`.
    aggregator_ : classifier
        What was learnt on the decision values, if anything was.
    oob_score_ : float
        Accuracy on rows by the members that have not seen them, if ``oob_score=True``; of a learnt aggregation, by
        cross-validation on top.
    kernel_ : Kernel or "precomputed"
        The kernel in use.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    merge_svms : An ensemble of machines that were trained elsewhere.
    stratified_bootstrap : The subsamples.
    plot_ensemble_growth : Accuracy against the number of members.

    Notes
    -----
    The paper's machines have two classes; more are learnt pair by pair, each pair combined by the rule, as votes of
    ``SVC``. For a learnt aggregation a member that was trained on a row is left out there: the mean of the other
    members takes its place.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treatise.svm import EnsembleSVC
    >>> X, y = make_moons(5000, noise=0.2, random_state=0)
    >>> ensemble = EnsembleSVC(n_estimators=20, random_state=0).fit(X, y)
    >>> len(ensemble.support_) < ensemble.n_support_total_, round(ensemble.score(X, y), 2)
    (True, 0.97)

    References
    ----------
    .. [1] Paper v15-0141, Section 2.
    """

    _parameter_constraints: dict = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            Interval(Real, 0, 1, closed="right"),
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "C": [Interval(Real, 0, None, closed="neither")],
        **KernelInputMixin._kernel_constraints,
        "bootstrap": ["boolean"],
        "stratified": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "aggregation": [StrOptions({*FIXED_RULES, "linear"}), HasMethods(["fit", "predict"])],
        "oob_score": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "cache_bytes": [Interval(Integral, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_estimators=50, *, max_samples="auto", C=1.0, kernel="rbf", gamma="scale", degree=3, coef0=1.0,
        bootstrap=True, stratified=True, class_weight=None, aggregation="vote", oob_score=False, tol=1e-3,
        cache_bytes=200 << 20, n_jobs=None, random_state=None,
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bootstrap = bootstrap
        self.stratified = stratified
        self.class_weight = class_weight
        self.aggregation = aggregation
        self.oob_score = oob_score
        self.tol = tol
        self.cache_bytes = cache_bytes
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Train all machines, and the aggregation if it is a learnt one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Rows, the Gram matrix with ``kernel="precomputed"``, or the objects of a kernel of its own.
        y : array-like of shape (n_samples,)
            Classes, at least two.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the costs; rows of weight zero are not drawn.

        Returns
        -------
        self : EnsembleSVC
            The fitted classifier.
        """
        objects, y = self._fit_objects(X, y=y)
        codes = self._code_labels(y)
        counts, factors = row_weights(codes, self.classes_, sample_weight, self.class_weight)
        present = np.flatnonzero(counts * factors > 0)
        if len(np.unique(codes[present])) < len(self.classes_):
            raise ValueError("a class has no row of positive weight; leave its rows out")
        generator = check_random_state(self.random_state)
        size = self._subsample_size(len(present))
        draw = partial(draw_rows, stratified=self.stratified, replace=self.bootstrap, generator=generator)
        self.estimators_samples_ = [present[draw(codes[present], size)] for _ in range(self.n_estimators)]
        rows_of = self._shared_rows(objects)
        members = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(train_member)(rows_of, drawn, codes, len(self.classes_), self.C * counts * factors, self.tol)
            for drawn in self.estimators_samples_
        )
        self.converged_ = self._reached(max(member.violation for member in members))
        self._store(
            [support for member in members for support in member.support],
            [coef for member in members for coef in member.coef],
            [offset for member in members for offset in member.offset],
        )
        self._support_objects = self._kept(objects, self.support_)
        self._n_rows_seen = len(codes)
        self._aggregate_unseen(objects, codes, present, generator)
        return self

    @_fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add one member, trained on all rows of a part of the data; for data that do not fit into memory.

        The first part settles ``gamma``. Members are combined by "vote" or "mean"; a rule is learnt afterwards by
        :meth:`set_aggregation` on rows held back.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            A part of the rows, with all classes among them.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All classes, in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the costs.

        Returns
        -------
        self : EnsembleSVC
        """
        if self.kernel == "precomputed":
            raise ValueError("partial_fit needs rows: a precomputed kernel has no values between two parts of the data")
        if not (isinstance(self.aggregation, str) and self.aggregation in FIXED_RULES):
            raise ValueError("partial_fit combines by 'vote' or 'mean'; learn a rule by set_aggregation afterwards")
        first = not hasattr(self, "support_")
        if first and classes is None:
            raise ValueError("the first call of partial_fit needs the classes")
        if first:
            objects, y = self._fit_objects(X, y=y)
            self.classes_ = np.unique(classes)
        else:
            objects, y = self._new_objects(X), column_or_1d(y)
            if len(y) != count(objects):
                raise ValueError(f"y has {len(y)} classes for {count(objects)} rows of X")
        check_classification_targets(y)
        codes = codes_among(y, self.classes_)
        counts, factors = row_weights(codes, self.classes_, sample_weight, self.class_weight)
        positions = np.flatnonzero(counts * factors > 0)
        if len(np.unique(codes[positions])) < len(self.classes_):
            raise ValueError(
                f"each part of the data must hold all {len(self.classes_)} classes; hand over larger parts"
            )
        rows_of = partial(self._rows_at, objects)
        member = train_member(rows_of, positions, codes, len(self.classes_), self.C * counts * factors, self.tol)
        self.converged_ = self._reached(member.violation) and (first or self.converged_)
        self._append(member, objects, first)
        seen = 0 if first else self._n_rows_seen
        self.estimators_samples_ = [*([] if first else self.estimators_samples_), positions + seen]
        self._n_rows_seen = seen + len(codes)
        self.aggregation_ = self.aggregation
        return self

    def _append(self, member, objects, first):
        """Put one member into the store; its rows are new, so that it shares none with earlier members."""
        if first:
            self._store(member.support, member.coef, member.offset)
            self._support_objects = self._kept(objects, self.support_)
            return
        before = self.support_, self.dual_coef_, self.intercept_, self.n_support_total_
        self._store(member.support, member.coef, member.offset)
        self._support_objects = joined(self._support_objects, self._kept(objects, self.support_))
        self.support_ = np.concatenate([before[0], self.support_ + self._n_rows_seen])
        self.dual_coef_ = sparse.block_diag([before[1], self.dual_coef_], format="csc")
        self.intercept_ = np.concatenate([before[2], self.intercept_])
        self.n_support_total_ += before[3]

    def _reached(self, violation):
        if violation > 0:
            warnings.warn(
                f"a machine stopped at a violation of {violation:.3g}, where tol={self.tol:g} was asked for; lower C",
                ConvergenceWarning,
                stacklevel=3,
            )
        return violation <= 0

    def _subsample_size(self, n):
        if isinstance(self.max_samples, str):
            # Without replacement, no more than the distinct rows of a draw with it: some must be left out.
            size = max(round(n / 10), min(_FEWEST, n if self.bootstrap else round(0.63 * n)))
        else:
            size = self.max_samples if isinstance(self.max_samples, Integral) else round(self.max_samples * n)
        if not self.bootstrap and size > n:
            raise ValueError(f"max_samples={self.max_samples} exceeds the {n} rows; draw with bootstrap=True or fewer")
        return max(int(size), len(self.classes_))

    def _shared_rows(self, objects):
        """A function that gives the rows of the Gram matrix of some positions.

        Where the machines together would compute more values than the matrix of all rows has, and that fits, they share
        it.
        """
        n, size = count(objects), len(self.estimators_samples_[0])
        gram = objects if isinstance(self.kernel_, str) else None
        if gram is None and n * n <= min(self.cache_bytes // 8, self.n_estimators * size * size):
            gram = self._gram(objects)
        if gram is not None:
            return lambda positions: GramRows.precomputed(np.ascontiguousarray(gram[np.ix_(positions, positions)]))
        return partial(self._rows_at, objects)

    def _rows_at(self, objects, positions):
        return GramRows(self.kernel_, objects[positions], cache_bytes=self.cache_bytes)

    def _store(self, supports, coefs, offsets):
        """Put every support vector into the store once; a machine is a column of weights."""
        self.support_, places = np.unique(np.concatenate(supports), return_inverse=True)
        columns = np.repeat(np.arange(len(supports)), [len(support) for support in supports])
        shape = (len(self.support_), len(supports))
        self.dual_coef_ = sparse.csc_matrix((np.concatenate(coefs), (places, columns)), shape=shape)
        self.n_support_total_ = len(places)
        if self.n_support_total_ > _DENSE_SHARE * shape[0] * shape[1]:
            self.dual_coef_ = self.dual_coef_.toarray()
        self.intercept_ = np.array(offsets)

    def _aggregate_unseen(self, objects, codes, present, generator):
        """Learn the aggregation and estimate the accuracy on rows, without the members trained on them."""
        self.aggregation_ = self.aggregation
        self.__dict__.pop("aggregator_", None)
        fixed = self._rule_is_fixed()
        if fixed and not self.oob_score:
            return
        rows = present
        if len(rows) > MOST_ROWS:
            rows = np.sort(generator.choice(rows, MOST_ROWS, replace=False))
        some = objects[rows]
        decisions = self._decisions(some)
        n_pairs = len(self.intercept_) // len(self.estimators_samples_)
        for member, drawn in enumerate(self.estimators_samples_):
            decisions[np.isin(rows, drawn), member * n_pairs : (member + 1) * n_pairs] = np.nan
        heard = ~np.isnan(decisions[:, ::n_pairs]).all(axis=1)
        decisions, truth = decisions[heard], codes[rows[heard]]
        if len(np.unique(truth)) < len(self.classes_):
            raise ValueError(
                "too few rows were left out of any subsample to learn an aggregation or to estimate the accuracy; "
                "lower max_samples, or give rows of their own to set_aggregation"
            )
        if fixed:
            scores = combine(self.aggregation, decisions, len(self.classes_))
            self.oob_score_ = float(np.mean(codes_from_scores(scores) == truth))
            return
        filled = fill_absent(decisions, n_pairs)
        if self.oob_score:
            self.oob_score_ = float(np.mean(cross_val_score(learner_of(self.aggregation), filled, truth)))
        self.aggregator_ = learner_of(self.aggregation).fit(filled, truth)

    def set_aggregation(self, aggregation, X=None, y=None):
        """Replace the rule that combines the machines; these stay as they are.

        Parameters
        ----------
        aggregation : {"vote", "mean", "linear"}, or classifier
            As the parameter.
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Rows to learn a rule on, for one that is learnt; best rows that no machine was trained on.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : EnsembleSVC
        """
        check_is_fitted(self)
        known = aggregation in (*FIXED_RULES, "linear") if isinstance(aggregation, str) else hasattr(aggregation, "fit")
        if not known:
            raise ValueError(f"aggregation={aggregation!r} is unknown; it may be vote, mean, linear or a classifier")
        if isinstance(aggregation, str) and aggregation in FIXED_RULES:
            self.__dict__.pop("aggregator_", None)
        elif X is None or y is None:
            raise ValueError("an aggregation that is learnt needs rows X and their classes y to learn from")
        else:
            codes = codes_among(np.asarray(y), self.classes_, where="of the ensemble")
            self.aggregator_ = learner_of(aggregation).fit(self.decision_matrix(X), codes)
        self.aggregation = self.aggregation_ = aggregation
        return self

    def _rule_is_fixed(self):
        return isinstance(self.aggregation_, str) and self.aggregation_ in FIXED_RULES

    def _invariants(self):
        n, machines = len(self.support_), len(self.intercept_)
        yield "rows that are kept were there", is_array(self.support_, np.integer, n)
        yield "rows that are kept have a coefficient for each machine", self.dual_coef_.shape == (n, machines)
        yield "machines have constants", is_array(self.intercept_, np.floating, machines)
        yield "rows that were seen are counted", is_count(self._n_rows_seen) and is_count(self.n_support_total_)
        yield "it converged, or not", isinstance(self.converged_, (bool, np.bool_))
        classes = len(self.classes_)
        pairs = classes * (classes - 1) // 2
        # Machines that were trained elsewhere tell two classes apart, each a member.
        members = len(self.estimators_samples_) or machines
        yield "members have a machine for each pair of classes", machines > 0 and machines == members * pairs
        yield (
            "the rule that combines them is fixed, or was learnt",
            self._rule_is_fixed() or hasattr(self, "aggregator_"),
        )
        if hasattr(self, "aggregator_"):
            yield "it tells these classes by number", within(getattr(self.aggregator_, "classes_", 0), 0, classes)

    def _decisions(self, new_objects):
        """Decision values of all machines: each kernel value once, a block of rows at a time."""
        n = count(new_objects)
        decisions = np.empty((n, len(self.intercept_)))
        width = max(1, _BLOCK_BYTES // (8 * max(1, len(self.support_))))
        by_machine = self.dual_coef_.T.tocsr() if sparse.issparse(self.dual_coef_) else None
        for start in range(0, n, width):
            some = new_objects[start : start + width]
            if by_machine is None:
                decisions[start : start + width] = self._block(some, self._support_objects) @ self.dual_coef_
            elif isinstance(self.kernel_, str):
                decisions[start : start + width] = (by_machine @ some[:, self._support_objects].T).T
            else:
                decisions[start : start + width] = (by_machine @ self.kernel_.block(self._support_objects, some)).T
        return decisions + self.intercept_

    def decision_matrix(self, X):
        """Decision values of every machine, before aggregation.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            As in ``fit``; with ``kernel="precomputed"``, kernel values with all training objects.

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_machines)
            Positive for the second class of a machine's pair.
        """
        check_is_fitted(self)
        return self._decisions(self._new_objects(X))

    def decision_function(self, X):
        """Aggregated scores.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            As in ``decision_matrix``.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for the second of two classes; largest for the predicted one of several. For votes, the majority
            as a share from -1 to 1, with less than half a vote added for ties.
        """
        decisions = self.decision_matrix(X)
        if self._rule_is_fixed():
            return combine(self.aggregation_, decisions, len(self.classes_))
        if hasattr(self.aggregator_, "decision_function"):
            return self.aggregator_.decision_function(decisions)
        shares = self.aggregator_.predict_proba(decisions)
        return shares[:, 1] - shares[:, 0] if len(self.classes_) == 2 else shares

    def predict(self, X):
        """Classes of new objects.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            As in ``decision_matrix``.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted classes.
        """
        check_is_fitted(self)
        if self._rule_is_fixed():
            return self.classes_[codes_from_scores(self.decision_function(X))]
        return self.classes_[self.aggregator_.predict(self.decision_matrix(X))]

    @available_if(_learns_to_aggregate)
    def predict_proba(self, X):
        """Probabilities by a learnt aggregation that has them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            As in ``decision_matrix``.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
        """
        return self.aggregator_.predict_proba(self.decision_matrix(X))

    @property
    def support_vectors_(self):
        """The distinct support vectors, for kernels of rows."""
        check_is_fitted(self)
        kept = self._support_objects
        return kept.objects if isinstance(kept, Prepared) else kept
