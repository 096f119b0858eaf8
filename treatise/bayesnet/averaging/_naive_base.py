"""Naive Bayes on states, with a weight for each arc from the class: what averaging and selection share."""

from abc import abstractmethod
from numbers import Real

import numpy as np
from scipy import sparse
from scipy.special import gammaln
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from treatise._core.classifier import codes_among
from treatise._core.invariants import are_starts, is_array
from treatise._core.jit import compiled
from treatise.bayesnet._classifier import NetworkClassifier
from treatise.bayesnet._tables import TableCoder, read_table
from treatise.bayesnet.network.bayesian_network import BayesianNetwork


class NaiveStructureClassifier(NetworkClassifier, BaseEstimator):
    """Base of the naive Bayes classifiers that weigh a feature with the class as its parent against one without.

    A subclass turns the posterior log odds of the arcs from the class into their weights, in ``_arc_weights``.
    """

    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "parameter_prior": [StrOptions({"k2", "bdeu"})],
        "structure_prior": [Interval(Real, 0, 1, closed="both"), "array-like"],
        "discretizer": [StrOptions({"mdl"}), HasMethods(["fit", "transform"]), None],
    }

    def __init__(self, alpha=1.0, *, parameter_prior="k2", structure_prior=0.5, discretizer="mdl"):
        self.alpha = alpha
        self.parameter_prior = parameter_prior
        self.structure_prior = structure_prior
        self.discretizer = discretizer

    @abstractmethod
    def _arc_weights(self, log_odds):
        """Weight of each arc from its posterior log odds."""

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Count states within classes, and weigh the arcs.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Numbers, strings, Booleans or categories. Cells may be missing (NaN, None).
        y : array-like of shape (n_samples,)
            Class of each row.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight of each row: 2 counts as two rows. In the search of cuts weights are rounded to whole numbers of
            at least one.

        Returns
        -------
        self
        """
        X, y = self._read(X, y, reset=True)
        return self._learn(X, self._code_labels(y), sample_weight, anew=True)

    @_fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add the counts of more rows.

        Categories that are new become states; the cuts of numeric columns stay those of the first call, which should
        therefore have enough rows. Without numeric columns to cut, any split of the rows into calls gives what one
        call of ``fit`` gives.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            As for :meth:`fit`.
        y : array-like of shape (n_samples,)
            Class of each row.
        classes : array-like of shape (n_classes,) or None, default=None
            All classes that will come; needed in the first call alone.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight of each row.

        Returns
        -------
        self
        """
        anew = _check_partial_fit_first_call(self, classes)
        X, y = self._read(X, y, reset=anew)
        return self._learn(X, codes_among(y, self.classes_), sample_weight, anew)

    def predict_joint_log_proba(self, X):
        """Log probability of each class together with the row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Missing cells (NaN, None) are left out, which is exact; values that were never seen have the mass of a
            state without counts.

        Returns
        -------
        joint : ndarray of shape (n_samples, n_classes)
            Up to the probability of missing cells, which is one.
        """
        return self._joint_log_proba(X)

    def _joint_log_proba(self, X):
        check_is_fitted(self)
        X = self._read(X, reset=False)
        joint = np.tile(self.class_log_prior_, (X.shape[0], 1))
        if sparse.issparse(X):
            X, codes, zero_codes = self._coder.coded_entries(X)
            joint += self._log_table[self._starts[:-1] + zero_codes].sum(axis=0)
            add_entries(X.indptr, X.indices, codes, zero_codes, self._log_table, self._starts, joint)
            return joint
        for rows, codes in self._coder.coded_rows(X):
            add_cells(codes, self._log_table, self._starts, joint[rows])
        return joint

    @property
    def theta_(self):
        """Probabilities of each feature's states within each class: a list of arrays (n_classes, n_states)."""
        check_is_fitted(self)
        ends = self._starts[1:] - 1
        return [np.exp(self._log_table[begin:end].T) for begin, end in zip(self._starts, ends)]

    @property
    def states_(self):
        """What the states of each feature are: categories, numbers, or intervals written out."""
        check_is_fitted(self)
        return self._coder.states_

    def to_network(self, target="class"):
        """The classifier as one Bayesian network, which answers other questions, draws rows, and is written to files.

        Features of a single state are left out; a feature whose arc has the weight zero has no parent.

        Parameters
        ----------
        target : str, default="class"
            Name of the class among the variables. The features have their names, or else their numbers.

        Returns
        -------
        network : BayesianNetwork
            Its states are those of ``states_``, and ``classes_``.
        """
        check_is_fitted(self)
        names = self._feature_names_beside(target)
        parents, cpts, states = {}, {}, {}
        for i, (theta, own) in enumerate(zip(self.theta_, self.states_)):
            if len(own) > 1:
                linked = self._weights[i] > 0
                parents[names[i]], states[names[i]] = (target,) if linked else (), own
                cpts[names[i]] = theta if linked else theta[0]
        parents[target], states[target] = (), self.classes_
        cpts[target] = np.exp(self.class_log_prior_)
        return BayesianNetwork(parents, cpts, states)

    def _read(self, X, y=None, *, reset):
        return read_table(self, X, y, reset=reset, allow_missing=True, accept_sparse=True)

    def _learn(self, X, labels, sample_weight, anew):
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, labels, dtype=np.float64, ensure_non_negative=True)
            if (weights == 0).any():
                kept = np.flatnonzero(weights)
                X, labels, weights = _safe_indexing(X, kept), labels[kept], weights[kept]
        if anew:
            self._coder = TableCoder(self.discretizer, allow_missing=True)
            self._coder.fit(X, labels, len(self.classes_), weights)
            self.class_count_ = np.zeros(len(self.classes_))
            self._lay_out()
        else:
            self._grow(self._coder.extend(X))
        self._count(X, labels, np.ones(len(labels)) if weights is None else weights)
        self._weigh()
        return self

    def _invariants(self):
        width, n_classes = self.n_features_in_, len(self.classes_)
        yield (
            "states are those of the coder",
            is_array(self.n_states_, np.int64, width) and (self.n_states_ == self._coder.n_states_).all(),
        )
        rows = int(self.n_states_.sum()) + width
        yield (
            "tables begin one after another",
            are_starts(self._starts, width, rows) and (np.diff(self._starts) == self.n_states_ + 1).all(),
        )
        for name in ("_counts", "_log_table"):
            yield f"{name} has a row for each state", is_array(getattr(self, name), np.float64, rows, n_classes)
        yield "features have weights", is_array(self._weights, np.float64, width)
        for name in ("class_count_", "class_log_prior_"):
            yield f"{name} has a number for each class", is_array(getattr(self, name), np.float64, n_classes)

    def _lay_out(self):
        """Places for the counts: the states of a feature, and one for what was never seen."""
        self.n_states_ = self._coder.n_states_
        self._starts = np.concatenate([[0], np.cumsum(self.n_states_ + 1)])
        self._counts = np.zeros((self._starts[-1], len(self.classes_)))

    def _grow(self, moved):
        if not moved:
            return
        starts, counts = self._starts, self._counts
        self._lay_out()
        for i in range(len(starts) - 1):
            old = counts[starts[i] : starts[i + 1] - 1]
            new = moved.get(i, np.arange(len(old)))
            self._counts[self._starts[i] + new] = old[: len(new)]

    def _count(self, X, labels, weights):
        here = np.bincount(labels, weights, len(self.classes_))
        self.class_count_ += here
        if sparse.issparse(X):
            X, codes, zero_codes = self._coder.coded_entries(X)
            count_entries(
                X.indptr, X.indices, codes, zero_codes, labels, weights, here, self._starts, self._counts
            )  # fmt: skip
            # Differences of fractional weights may leave a rounding error below zero.
            np.maximum(self._counts, 0.0, out=self._counts)
            self._counts[self._starts[1:] - 1] = 0.0
            return
        for rows, codes in self._coder.coded_rows(X):
            count_cells(codes, labels[rows], weights[rows], self._starts, self._counts)

    def _weigh(self):
        """Log Bayes factors of the arcs, and the one table that equals the sum over structures (Equation 19)."""
        begin, feature = self._starts[:-1], np.repeat(np.arange(len(self.n_states_)), self.n_states_ + 1)
        n_classes, r = len(self.classes_), self.n_states_[:, np.newaxis].astype(np.float64)
        if self.parameter_prior == "k2":
            given_class, alone, class_cell = np.full(r.shape, self.alpha), np.full(r.shape, self.alpha), self.alpha
        else:
            given_class, alone, class_cell = self.alpha / (n_classes * r), self.alpha / r, self.alpha / n_classes
        likelihoods, thetas = [], []
        for cells, counts in ((alone, self._counts.sum(axis=1, keepdims=True)), (given_class, self._counts)):
            rows = np.add.reduceat(counts, begin, axis=0)
            own = gammaln(cells[feature] + counts) - gammaln(cells[feature])
            outer = gammaln(r * cells) - gammaln(r * cells + rows)
            likelihoods.append(np.add.reduceat(own.sum(axis=1), begin) + outer.sum(axis=1))
            thetas.append((cells[feature] + counts) / (r * cells + rows)[feature])
        self.log_bayes_factors_ = likelihoods[1] - likelihoods[0]
        with np.errstate(divide="ignore"):
            prior = self._structure_prior()
            self._weights = self._arc_weights(self.log_bayes_factors_ + np.log(prior) - np.log1p(-prior))
        weight = self._weights[feature, np.newaxis]
        self._log_table = np.log((1.0 - weight) * thetas[0] + weight * thetas[1])
        total = class_cell + self.class_count_
        self.class_log_prior_ = np.log(total / total.sum())

    def _structure_prior(self):
        prior = np.asarray(self.structure_prior, dtype=np.float64)
        if prior.ndim == 0:
            return np.full(self.n_features_in_, prior)
        if prior.shape != (self.n_features_in_,) or not ((prior >= 0) & (prior <= 1)).all():
            raise ValueError(
                f"structure_prior must be a probability, or one for each of the {self.n_features_in_} features; "
                f"got an array of shape {prior.shape} from {prior.min(initial=0):g} to {prior.max(initial=0):g}"
            )
        return prior

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


@compiled
def count_cells(codes, labels, weights, starts, counts):
    """Adds each row's weight to ``counts[starts[i] + state, class]`` for every column i; missing cells are left out."""
    for t in range(codes.shape[0]):
        c, weight = labels[t], weights[t]
        for i in range(codes.shape[1]):
            if codes[t, i] >= 0:
                counts[starts[i] + codes[t, i], c] += weight


@compiled
def count_entries(indptr, columns, codes, zero_codes, labels, weights, class_weights, starts, counts):
    """As :func:`count_cells` for the stored entries of a sparse table; the zeros are what is left of each class."""
    for i in range(zero_codes.shape[0]):
        for c in range(class_weights.shape[0]):
            counts[starts[i] + zero_codes[i], c] += class_weights[c]
    for t in range(indptr.shape[0] - 1):
        c, weight = labels[t], weights[t]
        for e in range(indptr[t], indptr[t + 1]):
            i = columns[e]
            counts[starts[i] + zero_codes[i], c] -= weight
            if codes[e] >= 0:
                counts[starts[i] + codes[e], c] += weight


@compiled
def add_cells(codes, log_table, starts, out):
    """Adds ``log_table[starts[i] + state]``, one number a class, over the columns of each row."""
    for t in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[t, i] >= 0:
                at = starts[i] + codes[t, i]
                for c in range(out.shape[1]):
                    out[t, c] += log_table[at, c]


@compiled
def add_entries(indptr, columns, codes, zero_codes, log_table, starts, out):
    """Adds over the stored entries of each row of a sparse table what they have instead of a zero."""
    for t in range(indptr.shape[0] - 1):
        for e in range(indptr[t], indptr[t + 1]):
            i = columns[e]
            zero, at = starts[i] + zero_codes[i], starts[i] + codes[e]
            for c in range(out.shape[1]):
                out[t, c] -= log_table[zero, c]
                if codes[e] >= 0:
                    out[t, c] += log_table[at, c]
