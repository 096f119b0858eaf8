"""Recurrent classifiers for sequences (Doppa, Fern & Tadepalli, JMLR 15:1317, Section 3.1)."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, is_count
from treatise._core.threads import over_ranges
from treatise.sequence._labels import coded_labels, position_accuracy
from treatise.sequence._listed_sequences import check_form, listed_sequences, n_columns
from treatise.sequence.features import SequenceVectorizer
from treatise.sequence.output_search._recurrent_loops import decide, decide_on_the_true_path, perceptron_epoch

MOST_CONTEXTS = 2**27
"""Most numbers in a table of scores by context and label."""


class RecurrentClassifier(BaseEstimator):
    """Labels a sequence from left to right by a plain classifier that sees its own last labels.

    Training is that of any classifier: one example for each position, its features those of the position and the true
    labels just before it (exact imitation). Prediction feeds decisions back, so that an early mistake may cause later
    ones; ``exact_imitation_score`` tells how much of the error that is.

    Use it as a quick tagger, and as what :class:`OutputSpaceSearch` starts from. Not where labels depend on what comes
    after them, unless the features tell: a :class:`CRF` weighs whole sequences.

    The perceptron costs O(nnz K) for each of ``epochs`` passes (nnz values of features, K labels), a prediction
    O(nnz K + T K). A linear ``base`` predicts at the same cost; any other is asked for its scores in each of the
    ``(K + 1) ** n_prev`` contexts of every position, which are kept in memory.

    Parameters
    ----------
    base : classifier or None, default=None
        A scikit-learn classifier with ``decision_function`` or ``predict_proba`` that takes sparse input. None is the
        paper's multiclass perceptron.
    n_prev : int, default=1
        How many labels before a position are features of it. The paper takes 2 for chunks and parts of speech.
    window : int, default=0
        How many positions to each side lend their features to a position.
    epochs : int, default=100
        Passes of the perceptron.
    average : bool, default=True
        Whether the perceptron's weights are averaged over its course, which is more accurate. The paper does not
        average.
    random_state : int, RandomState instance or None, default=None
        Order of the perceptron's examples.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    coef_ : ndarray of shape (columns, K)
        Weights of features, if the classifier is linear.
    label_coef_ : ndarray of shape (n_prev, K + 1, K)
        Weights of the labels before, the latest first, if the classifier is linear; row K stands for the time before
        the start.
    base_ : classifier or None
        The fitted base.
    encoder_ : object
        Turns sequences into rows.

    Examples
    --------
    >>> from treatise.sequence import RecurrentClassifier, word_features
    >>> sentences = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["dogs", "bark"]]
    >>> tags = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]]
    >>> tagger = RecurrentClassifier(random_state=0).fit([word_features(words) for words in sentences], tags)
    >>> tagger.predict([word_features(["the", "cat", "barks"])])
    [['D', 'N', 'V']]

    References
    ----------
    .. [1] Paper v15-1317, Section 3.1 and Algorithm 1.
    """

    _parameter_constraints: dict = {
        "base": [HasMethods(["fit", "predict"]), None],
        "n_prev": [Interval(Integral, 0, None, closed="left")],
        "window": [Interval(Integral, 0, None, closed="left")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "average": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(self, base=None, *, n_prev=1, window=0, epochs=100, average=True, random_state=None):
        self.base = base
        self.n_prev = n_prev
        self.window = window
        self.epochs = epochs
        self.average = average
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, sequences, labels):
        """Learn the classifier.

        Parameters
        ----------
        sequences : list of sequences
            Each a list with, for every position, a dictionary or a list of names of features; or each an array of
            shape (length, d).
        labels : list of sequences
            The label of every position.

        Returns
        -------
        self
        """
        self.encoder_ = FeatureRows(self.window)
        rows, lengths = self.encoder_.fit_transform(sequences)
        codes, self.classes_ = coded_labels(labels, lengths)
        K = len(self.classes_)
        if (K + 1) ** self.n_prev * K > MOST_CONTEXTS:
            raise ValueError(
                f"n_prev={self.n_prev} gives {(K + 1) ** self.n_prev} contexts of {K} labels, which is too many; "
                "choose it smaller"
            )
        previous = _previous(codes, lengths, self.n_prev, K)
        if self.base is None:
            self.base_ = None
            self._fit_perceptron(rows, codes, previous)
        else:
            self._fit_base(rows, codes, previous)
        return self

    def _fit_perceptron(self, rows, codes, previous):
        K = len(self.classes_)
        weights, label_weights = np.zeros((rows.shape[1], K)), np.zeros((self.n_prev, K + 1, K))
        sums, label_sums = np.zeros_like(weights), np.zeros_like(label_weights)
        rng = check_random_state(self.random_state)
        visited, mistakes = 0.0, 1
        for _ in range(self.epochs):
            order = rng.permutation(len(codes))
            # Without a mistake the weights stay: the remaining passes only add to the average.
            visited, mistakes = perceptron_epoch(
                order, rows.indptr, rows.indices, rows.data, codes, previous,
                weights, label_weights, sums, label_sums, visited,
            )  # fmt: skip
            if mistakes == 0:
                break
        if self.average:
            visited = float(self.epochs * len(codes))
            weights -= sums / visited
            label_weights -= label_sums / visited
        self.coef_, self.label_coef_ = weights, label_weights

    def _fit_base(self, rows, codes, previous):
        K, n_columns = len(self.classes_), rows.shape[1]
        X = _joined(rows, _one_hot(previous, K))
        self.base_ = clone(self.base).fit(X, codes)
        for name in ("coef_", "label_coef_"):
            vars(self).pop(name, None)
        coef = getattr(self.base_, "coef_", None)
        if isinstance(coef, np.ndarray) and coef.shape in ((1, X.shape[1]), (K, X.shape[1])):
            coef = np.vstack([-coef, coef]) if K == 2 and len(coef) == 1 else coef
            # Coefficients may mean something else, such as pairs of classes: only scores tell.
            if len(coef) == K and np.allclose(X[:32] @ coef.T + self._intercept(), self._base_scores(X[:32])):
                self.coef_ = np.ascontiguousarray(coef[:, :n_columns].T, np.float64)
                self.label_coef_ = np.ascontiguousarray(coef[:, n_columns:].T, np.float64).reshape(-1, K + 1, K)

    def _intercept(self):
        K = len(self.classes_)
        intercept = np.ravel(getattr(self.base_, "intercept_", 0.0))
        return np.array([-intercept[0], intercept[0]]) if K == 2 and len(intercept) == 1 else intercept

    def _invariants(self):
        K = len(self.classes_)
        # To put features together would never end.
        yield "features are of at most ten thousand positions to each side", self.encoder_.window <= 10_000
        if hasattr(self, "coef_"):
            columns = self.encoder_.width
            yield "columns have a weight for each label", is_array(self.coef_, np.float64, columns, K)
            shape = (self.n_prev, K + 1, K)
            yield "labels before have a weight for each label", is_array(self.label_coef_, np.float64, *shape)

    def encode(self, sequences):
        """Rows of features of all positions, one after another, and the lengths of the sequences.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.

        Returns
        -------
        rows : csr_array of shape (positions, columns)
        lengths : ndarray of shape (n,)
        """
        check_is_fitted(self, "classes_")
        return self.encoder_.transform(sequences)

    def decision_tables(self, rows):
        """Scores of labels at positions in every context.

        Parameters
        ----------
        rows : csr_array of shape (positions, columns)
            From :meth:`encode`.

        Returns
        -------
        observed : ndarray of shape (positions, K)
            Scores that do not depend on the labels before.
        pushes : ndarray of shape (1, contexts, K) or (positions, contexts, K)
            What is added to them after the labels of each context. A context is a number to the base K + 1, its last
            digit the latest label, K the time before the start.
        """
        K = len(self.classes_)
        n_contexts = (K + 1) ** self.n_prev
        digits = np.array([np.arange(n_contexts) // (K + 1) ** j % (K + 1) for j in range(self.n_prev)], np.int64)
        digits = digits.reshape(self.n_prev, n_contexts)
        if hasattr(self, "coef_"):
            pushes = np.zeros((1, n_contexts, K))
            for j in range(self.n_prev):
                pushes[0] += self.label_coef_[j, digits[j]]
            observed = np.ascontiguousarray(rows @ self.coef_)
            if self.base_ is not None:
                observed += self._intercept()
            return observed, pushes
        seen = _one_hot(digits.T, K)
        pushes = np.empty((rows.shape[0], n_contexts, K))
        block = max(1, 2**16 // n_contexts)
        for low in range(0, rows.shape[0], block):
            here = rows[low : low + block]
            n = here.shape[0]
            repeated = here[np.repeat(np.arange(n), n_contexts)]
            tiled = seen[np.tile(np.arange(n_contexts), n)]
            pushes[low : low + n] = self._base_scores(_joined(repeated, tiled)).reshape(n, -1, K)
        return np.zeros((rows.shape[0], K)), pushes

    def _base_scores(self, X):
        K = len(self.classes_)
        method = "decision_function" if hasattr(self.base_, "decision_function") else "predict_proba"
        scores = np.asarray(getattr(self.base_, method)(X), np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        if scores.shape[1] != K:
            raise ValueError(
                f"{method} of {self.base_!r} gives {scores.shape[1]} scores for {K} labels; it must give one each"
            )
        return scores

    def predict(self, sequences):
        """Labels decided from left to right.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.

        Returns
        -------
        labels : list of lists
        """
        rows, lengths = self.encode(sequences)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        labels = decisions(*self.decision_tables(rows), offsets)
        return [self.classes_[path].tolist() for path in np.split(labels, offsets[1:-1])]

    def decision_scores(self, sequence, prefix):
        """Scores of the labels at the position after a prefix.

        Parameters
        ----------
        sequence : sequence
            One sequence, as in :meth:`fit`.
        prefix : sequence
            Labels of its first positions.

        Returns
        -------
        scores : ndarray of shape (K,)
        """
        rows, lengths = self.encode([sequence])
        if not len(prefix) < lengths[0]:
            raise ValueError(
                f"the prefix has {len(prefix)} labels and the sequence {lengths[0]} positions; it must be shorter"
            )
        codes = coded_labels([prefix], [len(prefix)], self.classes_)[0]
        observed, pushes = self.decision_tables(rows)
        context, base = pushes.shape[1] - 1, len(self.classes_) + 1
        for code in codes:
            context = (context * base + code) % pushes.shape[1]
        t = len(prefix)
        return observed[t] + pushes[min(t, len(pushes) - 1), context]

    def exact_imitation_score(self, sequences, labels):
        """Share of positions decided right where all labels before are the true ones.

        The number of positions decided wrong is the least number of discrepancies that lead to the true labels
        (Proposition 1).

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        labels : list of sequences
            Labels that occurred in training.

        Returns
        -------
        accuracy : float
        """
        rows, lengths = self.encode(sequences)
        codes, _ = coded_labels(labels, lengths, self.classes_)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        found = np.empty(len(codes), np.int32)
        decide_on_the_true_path(0, len(lengths), offsets, *self.decision_tables(rows), codes, found)
        return float(np.mean(found == codes))

    def score(self, sequences, labels):
        """Share of positions that are labelled right; a label that did not occur in training is never right.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        labels : list of sequences
            The labels.

        Returns
        -------
        accuracy : float
        """
        return position_accuracy(self.predict(sequences), labels)


def decisions(observed, pushes, offsets):
    """The classifier's labels of all positions, as numbers."""
    labels = np.empty(len(observed), np.int32)
    over_ranges(
        lambda first, last: decide(first, last, offsets, observed, pushes, labels),
        len(offsets) - 1,
        cost=2.0 * observed.size,
    )
    return labels


def _previous(codes, lengths, n_prev, K):
    """Labels before each position, the latest first; K before the start."""
    place = np.concatenate([np.arange(length) for length in lengths])
    previous = np.full((len(codes), n_prev), K, np.int64)
    for j in range(n_prev):
        inside = np.flatnonzero(place > j)
        previous[inside, j] = codes[inside - j - 1]
    return previous


def _joined(rows, before):
    """Features of positions beside those of the labels before, in the narrow indices that trees ask for."""
    joined = sparse.hstack([rows, before], format="csr")
    joined.indices, joined.indptr = joined.indices.astype(np.intc), joined.indptr.astype(np.intc)
    return joined


def _one_hot(previous, K):
    """A column for each of the labels before and each of its values."""
    n, n_prev = previous.shape
    columns = (previous + np.arange(n_prev) * (K + 1)).ravel()
    return sparse.csr_array((np.ones(n * n_prev), columns, np.arange(n + 1) * n_prev), shape=(n, n_prev * (K + 1)))


class FeatureRows(BaseEstimator):
    """Turns sequences into rows, one for each position, with the columns of the positions around it.

    Arrays are given a column of ones; dictionaries carry a bias if their author wants one.

    Parameters
    ----------
    window : int, default=0
        How many positions to each side lend their columns.
    """

    def __init__(self, window=0):
        self.window = window

    def fit_transform(self, sequences):
        """Rows of shape (positions, columns) and lengths of sequences, from which the columns are taken."""
        sequences = listed_sequences(sequences)
        self.n_columns_ = n_columns(sequences)
        self.vectorizer_ = SequenceVectorizer() if self.n_columns_ is None else None
        return self._rows(sequences, fitting=True)

    def transform(self, sequences):
        """Rows and lengths, in the columns of the fit."""
        return self._rows(listed_sequences(sequences), fitting=False)

    def _rows(self, sequences, fitting):
        check_form(sequences, self.n_columns_)
        if self.n_columns_ is None:
            encode = self.vectorizer_.fit_transform if fitting else self.vectorizer_.transform
            rows, lengths = encode(sequences)
        else:
            lengths = np.array([len(sequence) for sequence in sequences], np.int64)
            stacked = sparse.csr_array(np.concatenate(sequences))
            rows = sparse.hstack([stacked, np.ones((lengths.sum(), 1))], format="csr")
        rows = self._with_neighbours(rows, lengths).tocsr()
        rows.sum_duplicates()
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int64)
        return rows, lengths

    def _invariants(self):
        yield "positions to each side are counted", is_count(self.window)
        named = self.n_columns_ is None and isinstance(self.vectorizer_, SequenceVectorizer)
        yield "columns are counted, or named", named or is_count(self.n_columns_, 1)

    @property
    def width(self):
        """Number of columns of the rows."""
        own = len(self.vectorizer_.vocabulary_) if self.n_columns_ is None else self.n_columns_ + 1
        return own * (2 * self.window + 1)

    def _with_neighbours(self, rows, lengths):
        if self.window == 0:
            return rows
        sequence = np.repeat(np.arange(len(lengths)), lengths)
        here = np.arange(len(sequence))
        blank = sparse.csr_array((1, rows.shape[1]))
        extended = sparse.vstack([rows, blank], format="csr")
        parts = []
        for step in range(-self.window, self.window + 1):
            there = np.clip(here + step, 0, len(here) - 1)
            inside = (there == here + step) & (sequence[there] == sequence)
            parts.append(extended[np.where(inside, there, len(here))])
        return sparse.hstack(parts, format="csr")
