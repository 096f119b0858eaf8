"""Conditional random fields of any order for labelling sequences (Cuong, Ye, Lee & Chieu, JMLR 15:981)."""

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.progress import progress
from treatise.inference import Chains, PatternAutomaton, PatternChains, observed_patterns
from treatise.sequence._labels import coded_labels, label_lists
from treatise.sequence.crf._base import BaseCRF
from treatise.sequence.crf._emissions import emissions_of
from treatise.sequence.crf._likelihood import ChainLikelihood
from treatise.sequence.crf._majorized import majorized_descent
from treatise.sequence.crf._semistochastic import semistochastic_descent


class CRF(BaseCRF):
    """Labels every position of a sequence, from features of the positions and patterns of neighbouring labels.

    Of all labellings the model prefers those whose positions look like their labels and whose labels follow each other
    as in training. Order 1 looks at pairs of labels, as CRFsuite does and with its input; a higher order adds every
    longer string of labels, up to ``order + 1``, that occurred in training. Training is exact and convex; so are
    decoding and probabilities.

    Use it for tagging, chunking, names in text, labels along a protein or a pen stroke: wherever labels depend on
    their neighbours and features are at hand. Raise the order where longer strings of labels recur (spelling, fields
    of an address) and the features alone leave doubt. Not where features must be learned from raw signals, and not for
    labels of long runs, whose lengths :class:`SemiCRF` models.

    An iteration costs O(nnz c + T K^2) at order 1 (nnz values of features, c labels that a feature occurs with, T
    positions, K labels) and O(nnz c + T A) above (A strings in the trie of observed label patterns, at most
    ``order + 1`` times their number): no power of K.

    Parameters
    ----------
    order : int, default=1
        How many labels back a label depends on.
    l1 : float, default=0.0
        Weight of the sum of absolute weights (CRFsuite's ``c1``); weights become exactly zero.
    l2 : float, default=1.0
        Weight of half the sum of squared weights: the paper's ``1 / sigma^2``, twice CRFsuite's ``c2``.
    min_count : int, default=1
        Attributes that occur less often are left out.
    min_pattern_count : int, default=1
        Label patterns that occur less often are left out.
    all_states : bool, default=False
        Whether an attribute has a weight for every label, and not only for those it occurred with. Arrays always do.
    all_transitions : bool, default=False
        Whether every pair of labels has a weight, and not only those that occurred.
    solver : {"lbfgs", "majorized", "semistochastic"}, default="lbfgs"
        How to train. All end at the same weights, L-BFGS soonest nearly always. The others are for order 1 and without
        L1. "majorized" goes from minimum to minimum of quadratic bounds on the objective, which never rises, and has
        no step size to tune; it takes a handful of passes where the penalty is strong (``l2`` ten times the number of
        sequences) and a hundred where it is weak. "semistochastic" first takes such steps from growing mini-batches,
        which cost less at the start. An iteration costs 10 to 40 times one of L-BFGS, and memory 4 T K^2 bytes more;
        no matrix over the weights is formed, however many there are.
    max_iter : int, default=200
        Iterations at most; a mini-batch is one too.
    tol : float, default=1e-4
        Training ends when three iterations in a row lower the objective by a smaller share of itself.
    random_state : int, RandomState instance or None, default=None
        Of the mini-batches.
    verbose : bool or None, default=None
        Whether to draw a bar of progress; None draws it on a terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    coef_ : csr_array or ndarray of shape (A, K)
        Weights of attributes (the last row is the bias where arrays were given).
    patterns_ : list of tuples
        Label patterns with a weight.
    pattern_weights_ : ndarray of shape (M,)
        Their weights.
    state_features_, transition_features_, pattern_features_ : dict
        Weights by (attribute, label), by (label, next label) and by tuple of labels.
    n_iter_ : int
        Iterations made.
    converged_ : bool
        Whether training ended by ``tol``; a ConvergenceWarning tells where not.
    objective_path_ : ndarray
        The penalised negative log-likelihood at the start and after each iteration; of mini-batches about once a pass.
    passes_ : ndarray
        Passes over the sequences, for the objective and its gradient, till then.

    Examples
    --------
    >>> from treatise.sequence import CRF, word_features
    >>> sentences = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["dogs", "bark"]]
    >>> tags = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]]
    >>> crf = CRF(l2=0.1).fit([word_features(words) for words in sentences], tags)
    >>> crf.predict([word_features(["the", "cat", "barks"])])
    [['D', 'N', 'V']]
    >>> max(crf.transition_features_, key=crf.transition_features_.get)
    ('N', 'V')

    References
    ----------
    .. [1] Paper v15-0981, Sections 2 and 3.1.
    .. [2] A. Choromanska, Selected machine learning reductions, PhD thesis, Columbia University, 2014: Algorithms 2 and
       3 ("majorized") and Equation 3.3 ("semistochastic").
    """

    _parameter_constraints: dict = {
        **BaseCRF._parameter_constraints,
        "solver": [StrOptions({"lbfgs", "majorized", "semistochastic"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        order=1,
        *,
        l1=0.0,
        l2=1.0,
        min_count=1,
        min_pattern_count=1,
        all_states=False,
        all_transitions=False,
        solver="lbfgs",
        max_iter=200,
        tol=1e-4,
        random_state=None,
        verbose=None,
    ):
        self.order = order
        self.l1 = l1
        self.l2 = l2
        self.min_count = min_count
        self.min_pattern_count = min_pattern_count
        self.all_states = all_states
        self.all_transitions = all_transitions
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, sequences, labels):
        """Learn the weights.

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
        self._check_solver()
        rows, lengths = self._encoded(sequences, fitting=True)
        codes, self.classes_ = coded_labels(labels, lengths)
        K = len(self.classes_)
        paths = np.split(codes, np.cumsum(lengths)[:-1])
        counts = observed_patterns(paths, min_length=2, max_length=self.order + 1, min_count=self.min_pattern_count)
        if self.all_transitions:
            counts = {**{(i, j): counts.get((i, j), 0) for i in range(K) for j in range(K)}, **counts}
        patterns = list(counts)
        emissions = emissions_of(rows, codes, K, everywhere=self.all_states, min_count=self.min_count)
        if self.solver == "lbfgs":
            often = np.array(list(counts.values()), float)
            w = self._quasi_newton(emissions, codes, patterns, often, lengths)
        else:
            pairs = np.array(patterns, np.int64).reshape(-1, 2)
            w = self._descend(ChainLikelihood(emissions, codes, lengths, pairs, self.l2))
        self.coef_ = emissions.table(w[: emissions.n_weights])
        self._set_patterns(patterns, w[emissions.n_weights :])
        return self

    def _check_solver(self):
        if self.solver == "lbfgs":
            return
        if self.l1 > 0:
            raise ValueError(f"l1={self.l1:g} needs solver='lbfgs'; solver={self.solver!r} has no steps for it")
        if self.order > 1:
            raise ValueError(
                f"order={self.order} needs solver='lbfgs'; solver={self.solver!r} bounds pairs of labels alone"
            )

    def _quasi_newton(self, emissions, codes, patterns, often, lengths):
        seen = np.concatenate([emissions.expectations(np.eye(len(self.classes_))[codes]), often])
        expected = _expectations(patterns, len(self.classes_), lengths)

        def objective(w):
            states, pattern_weights = w[: emissions.n_weights], w[emissions.n_weights :]
            log_z, nodes, occurring = expected(emissions.scores(states), pattern_weights)
            gradient = np.concatenate([emissions.expectations(nodes), occurring]) - seen + self.l2 * w
            return log_z - seen @ w + 0.5 * self.l2 * (w @ w), gradient

        return self._minimise(objective, np.concatenate([emissions.curvature(), np.sqrt(often)]))

    def _descend(self, likelihood):
        """By quadratic bounds, from zero."""
        with progress(type(self).__name__, self.max_iter, show=self.verbose) as advance:
            ending = {"max_iter": self.max_iter, "tol": self.tol, "advance": advance}
            if self.solver == "semistochastic":
                rng = check_random_state(self.random_state)
                descent = semistochastic_descent(likelihood, rng=rng, **ending)
            else:
                descent = majorized_descent(likelihood, np.zeros(likelihood.n_weights), **ending)
        self.n_iter_ = descent.n_iter
        self.objective_path_, self.passes_ = np.array(descent.path), np.array(descent.passes)
        self._tell(descent.converged)
        return descent.w

    def _chains(self, sequences):
        check_is_fitted(self, "classes_")
        rows, lengths = self._encoded(sequences, fitting=False)
        scores = self._scores_of(rows, self.coef_)
        if self._is_first_order:
            return Chains(scores, self._transition_matrix(), lengths=lengths)
        return PatternChains(self._automaton(), scores, self.pattern_weights_, lengths=lengths)

    @property
    def _is_first_order(self):
        return self._pattern_codes.shape[1] <= 2

    def _transition_matrix(self):
        matrix = np.zeros((len(self.classes_),) * 2)
        for (i, j), weight in zip(self._pattern_strings(), self.pattern_weights_):
            matrix[i, j] = weight
        return matrix

    def predict(self, sequences):
        """The most probable labels of each sequence.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.

        Returns
        -------
        labels : list of lists
        """
        chains = self._chains(sequences)
        return [self.classes_[path].tolist() for path in np.split(chains.best_paths()[0], chains.offsets[1:-1])]

    def predict_marginals(self, sequences):
        """Probability of each label at each position.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.

        Returns
        -------
        probabilities : list of ndarray of shape (length, K)
            Columns in the order of ``classes_``.
        """
        chains = self._chains(sequences)
        found = chains.marginals()
        nodes = found.nodes if self._is_first_order else found.segments[:, 0]
        return np.split(nodes, chains.offsets[1:-1])

    def predict_k_best(self, sequences, k):
        """The ``k`` most probable labellings of each sequence.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        k : int
            How many; a sequence with fewer labellings gives them all.

        Returns
        -------
        labellings : list of lists of (labels, log probability)
            Best first.
        """
        chains = self._chains(sequences)
        paths, scores = chains.best_k_paths(k)
        if not self._is_first_order:
            paths = [[[label for _, _, label in way] for way in ways] for ways in paths]
        return [
            [(self.classes_[np.asarray(path)].tolist(), float(score - log_z)) for path, score in zip(ways, values)]
            for ways, values, log_z in zip(paths, scores, chains.log_partition())
        ]

    def log_probability(self, sequences, labels):
        """Logarithm of the probability of given labels, one number for each sequence.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        labels : list of sequences
            Labels that occurred in training.

        Returns
        -------
        log_probabilities : ndarray of shape (n,)
        """
        chains = self._chains(sequences)
        codes, _ = coded_labels(labels, np.diff(chains.offsets), self.classes_)
        if self._is_first_order:
            return chains.path_scores(codes) - chains.log_partition()
        ways = [[(t, t + 1, int(y)) for t, y in enumerate(path)] for path in np.split(codes, chains.offsets[1:-1])]
        return chains.scores_of(ways) - chains.log_partition()

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
        predicted = self.predict(sequences)
        labels = label_lists(labels, [len(path) for path in predicted])
        hits = [p == y for given, path in zip(labels, predicted) for y, p in zip(given, path)]
        return float(np.mean(hits))

    @property
    def state_features_(self):
        """Weights of attributes: a dictionary from (attribute, label)."""
        check_is_fitted(self, "classes_")
        names, labels = self._attribute_names(), self.classes_.tolist()
        if isinstance(self.coef_, np.ndarray):
            where = np.indices(self.coef_.shape).reshape(2, -1)
            weights = self.coef_.ravel()
        else:
            table = self.coef_.tocoo()
            where, weights = (table.row, table.col), table.data
        return {(names[a], labels[y]): float(w) for a, y, w in zip(*where, weights)}

    def weights(self, top=None):
        """Weights of attributes as a table, those of each label by size.

        Parameters
        ----------
        top : int or None, default=None
            How many for each label; None is all that are not zero.

        Returns
        -------
        table : polars.DataFrame
            With the columns label, attribute and weight.
        """
        import polars as pl

        found = [(label, name, weight) for (name, label), weight in self.state_features_.items() if weight != 0.0]
        found.sort(key=lambda item: (str(item[0]), -abs(item[2])))
        table = pl.DataFrame(found, schema=["label", "attribute", "weight"], orient="row")
        return table if top is None else table.group_by("label", maintain_order=True).head(top)


def _expectations(patterns, K, lengths):
    """The log partition sum, label marginals and expected pattern counts, as a function of scores and weights."""
    if all(len(pattern) == 2 for pattern in patterns):
        first = np.array([pattern[0] for pattern in patterns], np.int64)
        second = np.array([pattern[1] for pattern in patterns], np.int64)

        def first_order(scores, weights):
            transition = np.zeros((K, K))
            transition[first, second] = weights
            found = Chains(scores, transition, lengths=lengths).marginals()
            return found.log_partition.sum(), found.nodes, found.pairs[first, second]

        return first_order
    automaton = PatternAutomaton(patterns, K)

    def any_order(scores, weights):
        found = PatternChains(automaton, scores, weights, lengths=lengths).marginals()
        return found.log_partition.sum(), found.segments[:, 0], found.patterns

    return any_order
