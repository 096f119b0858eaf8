"""Markov networks over discrete columns whose features are conjunctions of tests."""

import warnings
from copy import copy
from numbers import Integral

import numpy as np
from scipy.special import expit, logsumexp, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from treatise._core.invariants import are_starts, is_array, is_count, within
from treatise.graphical.decision_tree._conjunction_loops import (
    active_rows,
    conditional_log_odds,
    negative_pseudo_likelihood,
)
from treatise.graphical.decision_tree._gibbs_loops import enumerated_marginals, enumerated_potentials, gibbs_chains
from treatise.graphical.decision_tree.value_tests import MOST_VALUES, packed_tests, table_of_values
from treatise.optimize import minimize_lbfgs

_MOST_ENUMERATED = 20
_CHEAPER_ENUMERATED = 10
"""Bits of the queried columns up to which all states are summed: about as much work as one chain of Gibbs sampling."""


class ConjunctiveMarkovNetwork:
    """Distribution ``P(x)`` proportional to ``exp(sum_j w_j f_j(x))`` of discrete rows, f_j a conjunction of tests.

    Use it for a structure of your own, or for what :class:`DecisionTreeMarkovNetwork` found. Weights are fitted by the
    pseudo-likelihood, which needs no normaliser; marginals given evidence come from enumeration for few queried columns
    and from Gibbs sampling otherwise, which mixes badly where strong weights hold modes apart.

    An evaluation of the pseudo-likelihood costs as much as there are (row, feature, test) with all other tests of the
    feature true; they are listed once, at four bytes each, and equal rows are counted once.

    Parameters
    ----------
    features : sequence of sequence of (column, value)
        Tests of each feature, one for a column; values are 0, 1, ... A tuple of several values in the place of one
        holds at any of them.
    n_features : int
        Number of columns.
    weights : array-like of shape (len(features),) or None, default=None
        One weight each; None starts at zero.
    n_values : sequence of int or None, default=None
        Number of values of each column, 64 at most; None for two.

    Attributes
    ----------
    weights : ndarray
        The weights.
    indptr, variables, allowed : ndarray
        Tests ``indptr[j]`` to ``indptr[j + 1]`` belong to feature j; a test holds at the values whose bits are set in
        ``allowed``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import ConjunctiveMarkovNetwork
    >>> network = ConjunctiveMarkovNetwork([[(0, 1), (1, 1)], [(0, 0), (1, 0)]], 2, weights=[1.0, 1.0])
    >>> round(network.log_partition(), 4)  # log(2 e + 2)
    2.0064
    >>> network.conditional_proba(np.array([[1, 1]])).round(4)
    array([[0.7311, 0.7311]])

    References
    ----------
    .. [1] Paper v15-0501, equations 1 and 2.
    """

    def __init__(self, features, n_features, weights=None, *, n_values=None):
        self.n_features = int(n_features)
        self.n_values = np.full(self.n_features, 2) if n_values is None else np.array(n_values, dtype=np.int64)
        if self.n_values.shape != (self.n_features,) or not np.isin(self.n_values, np.arange(1, MOST_VALUES + 1)).all():
            raise ValueError(
                f"n_values must be 1 to {MOST_VALUES} for each of {self.n_features} columns; it is {n_values}"
            )
        lengths = np.array([len(tests) for tests in features], dtype=np.int64)
        if not lengths.all():
            raise ValueError("a feature without tests is the same in all rows; leave it out")
        self.indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        tests = [
            (int(column), values if isinstance(values, Integral) else tuple(values))
            for tests in features
            for column, values in tests
        ]
        self.variables = np.array([column for column, _ in tests], dtype=np.int64)
        if len(tests) and (self.variables.min() < 0 or self.variables.max() >= self.n_features):
            raise ValueError(
                f"tests name columns {self.variables.min()} to {self.variables.max()} of {self.n_features}"
            )
        bits = {test: self._bits_of(*test) for test in dict.fromkeys(tests)}
        self.allowed = np.array([bits[test] for test in tests], dtype=np.uint64)
        self._refuse_repeated_columns()
        self._mark_tests()
        self.weights = np.zeros(len(lengths)) if weights is None else np.array(weights, dtype=np.float64)
        if self.weights.shape != lengths.shape:
            raise ValueError(f"{len(lengths)} features need as many weights; there are {self.weights.shape}")

    def _invariants(self):
        tests = len(self.variables)
        yield "weights are numbers", is_array(self.weights, np.float64, None)
        yield "every feature has its tests", are_starts(self.indptr, len(self.weights), tests)
        yield "no feature is without tests", within(-np.diff(self.indptr), -np.inf, 0)
        yield (
            "tests are of columns",
            (
                is_count(self.n_features)
                and is_array(self.variables, np.int64, tests)
                and within(self.variables, 0, self.n_features)
            ),
        )
        yield (
            "columns have values",
            is_array(self.n_values, np.int64, self.n_features) and within(self.n_values, 1, MOST_VALUES + 1),
        )
        yield (
            "tests are of values of their columns",
            is_array(self.allowed, np.uint64, tests) and not (self.allowed & ~self._all_values()).any(),
        )
        fresh = copy(self)
        fresh._mark_tests()
        same = all(map(np.array_equal, fresh._marked(), self._marked()))
        yield "marks follow from the tests", same and fresh._marks == self._marks
        feature_of = np.repeat(np.arange(len(self.weights)), np.diff(self.indptr))
        pairs = np.column_stack([feature_of, self.variables])
        yield "no feature tests a column twice", len(np.unique(pairs, axis=0)) == tests

    @property
    def features(self):
        """Tests (column, value) of each feature, several values as a tuple."""
        pairs = [(column, _values_of(bits)) for column, bits in zip(self.variables.tolist(), self.allowed.tolist())]
        return [tuple(pairs[a:b]) for a, b in zip(self.indptr[:-1], self.indptr[1:])]

    def fit_weights(self, X, *, prior_sd=1.0, l1=0.0, start=None, tol=1e-5, max_iter=1000):
        """Weights of the largest pseudo-likelihood under a Gaussian prior, by L-BFGS.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Codes of values: zeros and ones where there are two.
        prior_sd : float, default=1.0
            Deviation of the prior of each weight, whose mean is 0; ``numpy.inf`` for none.
        l1 : float, default=0.0
            Price of the absolute value of each weight, in units of log-likelihood (then by OWL-QN).
        start : ndarray or None, default=None
            Where to begin; None begins at zero.
        tol : float, default=1e-5
            Ends when no component of the gradient exceeds ``tol`` times the number of rows.
        max_iter : int, default=1000
            Iterations at most.

        Returns
        -------
        self : ConjunctiveMarkovNetwork
        """
        objective = PseudoLikelihood(self, X, prior_sd)
        begin = np.zeros(len(self.weights)) if start is None else np.asarray(start, dtype=np.float64)
        end = minimize_lbfgs(
            objective,
            begin,
            diagonal=objective.curvature(),
            l1=l1 / objective.n_samples,
            max_iter=max_iter,
            gradient_tolerance=tol,
        )
        if end.status == "running":
            warnings.warn(
                f"the weights are not settled after {max_iter} iterations: the gradient is still above {tol:g} times "
                "the number of rows; raise max_iter or tol, or lower prior_sd",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.weights = end.w
        self.n_iter, self.converged = end.iteration, end.status != "running"
        return self

    def log_potential(self, X):
        """Sum of the weights of the features that hold in each row."""
        X = self._table(X)
        total = np.zeros(len(X))
        for j in range(len(self.weights)):
            tests = slice(self.indptr[j], self.indptr[j + 1])
            bits = self.allowed[tests] >> X[:, self.variables[tests]].astype(np.uint64)
            total += self.weights[j] * (bits & np.uint64(1)).astype(bool).all(axis=1)
        return total

    def log_partition(self):
        """Logarithm of the normaliser, by enumeration; up to 20 columns of two values, or as many states."""
        everything = np.arange(self.n_features)
        query = _Query(everything, self.n_values)
        if query.n_bits > _MOST_ENUMERATED:
            raise ValueError(f"{self.n_features} columns have too many states to sum; 20 columns of two values do not")
        nothing = np.zeros(self.n_features, dtype=np.uint8)
        potentials = enumerated_potentials(nothing, everything, *query.layout, query.shift, *self._arrays())
        return float(logsumexp(potentials) - potentials[0] + self.log_potential(nothing[np.newaxis])[0])

    def conditional_log_odds(self, X):
        """``log P(x_i = v | others) / P(x_i = 0 | others)`` of every row, column and value v but 0.

        Of two values, a column for each column of X; of k values, k - 1 columns side by side.
        """
        return self._log_odds(self._table(X))

    def conditional_proba(self, X):
        """Probability that each entry is 1 given the rest of its row.

        Where columns have other numbers of values than two: a list with the probabilities of all values of each.
        """
        odds = self.conditional_log_odds(X)
        if self.is_binary:
            return expit(odds)
        return [softmax(scores, axis=1) for scores in self._by_column(odds)]

    def pseudo_log_likelihood(self, X):
        """Sum over columns of ``log P(x_i | others)``, for each row."""
        X = self._table(X)
        odds = self._log_odds(X)
        if self.is_binary:
            return -np.logaddexp(0.0, np.where(X > 0, -odds, odds)).sum(axis=1)
        total = np.zeros(len(X))
        for column, scores in zip(X.T, self._by_column(odds)):
            total += scores[np.arange(len(X)), column] - logsumexp(scores, axis=1)
        return total

    @property
    def is_binary(self):
        """Whether all columns have two values."""
        return bool((self.n_values == 2).all())

    def _log_odds(self, X):
        columns = packed_tests(X, self._marks)
        slots = int((self.n_values - 1).sum())
        return conditional_log_odds(columns, len(X), slots, self.indptr, *self._marked(), self.weights).T

    def _by_column(self, odds):
        """Scores of all values of each column, that of value 0 being zero."""
        parts = np.split(odds, np.cumsum(self.n_values - 1)[:-1], axis=1)
        return [np.column_stack([np.zeros(len(odds)), part]) for part in parts]

    def conditional_marginals(
        self, X, query, *, method="auto", n_chains=10, burn_in=100, n_samples=1000, random_state=None
    ):
        """Probability of the values of the queried columns given the other columns of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Codes of values; the entries of the query are not looked at.
        query : array-like of int
            Queried columns.
        method : {"auto", "exact", "gibbs"}, default="auto"
            "exact" sums over all states of the query, "auto" does so for at most 10 columns of two values, or as many
            states.
        n_chains, burn_in, n_samples : int
            Chains of the sampler, sweeps before the first that counts, and sweeps that count.
        random_state : int, RandomState or None, default=None
            Draws the chains.

        Returns
        -------
        marginals : ndarray of shape (n_samples, len(query)), or list of ndarray of shape (n_samples, n_values)
            The probability of 1; where columns of the network have other numbers of values than two, a list with the
            probabilities of all values of each queried column.
        """
        X, query = self._table(X), np.asarray(query, dtype=np.int64)
        known = np.isin(query, np.arange(self.n_features)).all()
        if not known or len(np.unique(query)) != len(query):
            raise ValueError(f"query={query.tolist()} must name different columns below {self.n_features}")
        asked = _Query(query, self.n_values)
        place = np.full(self.n_features, -1)
        place[query] = np.arange(len(query))
        evidence = X.copy()
        evidence[:, query] = 0
        distinct, back = np.unique(evidence, axis=0, return_inverse=True)
        if method == "exact" or (method == "auto" and asked.n_bits <= _CHEAPER_ENUMERATED):
            if asked.n_bits > _MOST_ENUMERATED:
                raise ValueError(f"{len(query)} queried columns have too many states to sum; use method='gibbs'")
            found = enumerated_marginals(distinct, place, *asked.layout, asked.shift, *self._arrays())
        elif method in ("auto", "gibbs"):
            chains = (n_chains, burn_in, n_samples, n_samples + 1, _seed(random_state))
            found, _ = gibbs_chains(distinct, place, *asked.layout, *self._arrays(), *chains)
        else:
            raise ValueError(f"method={method!r} is unknown; choose 'auto', 'exact' or 'gibbs'")
        found = found[back.ravel()]
        return found if self.is_binary else asked.with_value_zero(found)

    def sample(self, n_samples=1, *, n_chains=10, burn_in=100, thin=10, random_state=None):
        """Rows by Gibbs sampling, in turn from several chains; rows of one chain depend a little on each other.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        n_chains, burn_in, thin : int
            Chains, sweeps of each before the first row, and sweeps between two rows of a chain.
        random_state : int, RandomState or None, default=None
            Draws the rows.

        Returns
        -------
        X : ndarray of uint8 of shape (n_samples, n_features)
        """
        nothing, everything = np.zeros((1, self.n_features), dtype=np.uint8), np.arange(self.n_features)
        sweeps = thin * -(-int(n_samples) // n_chains)
        chains = (n_chains, burn_in, sweeps, thin, _seed(random_state))
        layout = _Query(everything, self.n_values).layout
        _, states = gibbs_chains(nothing, everything, *layout, *self._arrays(), *chains)
        return states.reshape(-1, self.n_features)[:n_samples]

    def pair_weights(self):
        """For each pair of columns the sum of ``|w|`` over the features that test both."""
        total = np.zeros((self.n_features, self.n_features))
        for j, weight in enumerate(np.abs(self.weights)):
            tested = self.variables[self.indptr[j] : self.indptr[j + 1]]
            total[np.ix_(tested, tested)] += weight
        np.fill_diagonal(total, 0.0)
        return total

    def _arrays(self):
        return self.indptr, self.variables, self.allowed, self.weights

    def _marked(self):
        return self._mark_of, self._inside, self._slot_starts, self._slots

    def _table(self, X):
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X must be a table with {self.n_features} columns; its shape is {X.shape}")
        return table_of_values(X, self.n_values)[0]

    def _bits_of(self, column, values):
        """The values at which a test holds as the bits of a word."""
        values, count = np.atleast_1d(values), int(self.n_values[column])
        if not np.isin(values, np.arange(count)).all():
            held = "0 and 1" if count == 2 else f"0 to {count - 1}"
            raise ValueError(f"tests compare with {np.unique(values).tolist()}; column {column} holds {held}")
        bits = sum(1 << int(v) for v in np.unique(values))
        if bits in (0, (1 << count) - 1):
            raise ValueError(f"a test of column {column} for {values.tolist()} is the same in all rows; leave it out")
        return bits

    def _all_values(self):
        """The bits of all values of each test's column."""
        return (np.uint64(1) << (self.n_values[self.variables] - 1).astype(np.uint64) << np.uint64(1)) - np.uint64(1)

    def _mark_tests(self):
        """Every test as a set of values without 0, a mark, in which the value lies or does not lie.

        The slots of a mark are the places of its values among the log-odds of all columns.
        """
        full = self._all_values()
        self._inside = ((self.allowed & np.uint64(1)) == 0).astype(np.uint8)
        members = np.where(self._inside > 0, self.allowed, self.allowed ^ full)
        number: dict[tuple[int, int], int] = {}
        pairs = zip(self.variables.tolist(), members.tolist())
        self._mark_of = np.array([number.setdefault(pair, len(number)) for pair in pairs], dtype=np.int64)
        self._marks = [(column, _values_of(bits)) for column, bits in number]
        first = np.cumsum(self.n_values - 1) - (self.n_values - 1)
        slots = [first[column] + np.atleast_1d(values) - 1 for column, values in self._marks]
        self._slot_starts = np.concatenate([[0], np.cumsum([len(own) for own in slots])]).astype(np.int64)
        self._slots = np.concatenate([np.zeros(0), *slots]).astype(np.int64)

    def _refuse_repeated_columns(self):
        feature_of = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        keys = feature_of * self.n_features + self.variables
        if len(np.unique(keys)) < len(keys):
            raise ValueError("a feature tests a column twice; give each column of a feature one value, or one tuple")


class _Query:
    """Queried columns: how their values lie among the log-odds and in the bits of a state."""

    def __init__(self, columns, n_values):
        own = np.asarray(n_values, dtype=np.int64)[columns]
        self.layout = own, np.concatenate([[0], np.cumsum(own - 1)])
        self.shift = np.concatenate([[0], np.cumsum([int(k - 1).bit_length() for k in own])]).astype(np.int64)
        self.n_bits = int(self.shift[-1])

    def with_value_zero(self, found):
        """The probabilities of all values of each column from those of the values but 0."""
        parts = np.split(found, self.layout[1][1:-1], axis=1)
        return [np.column_stack([np.maximum(1.0 - part.sum(axis=1), 0.0), part]) for part in parts]


def _values_of(bits):
    """The number of the one bit that is set, or those of several as a tuple."""
    if bits & (bits - 1) == 0:
        return bits.bit_length() - 1
    return tuple(v for v in range(bits.bit_length()) if bits >> v & 1)


class PseudoLikelihood:
    """Minus the mean penalised pseudo-log-likelihood of rows as a function of the weights, with its gradient.

    Parameters
    ----------
    network : ConjunctiveMarkovNetwork
        Whose features are weighed.
    X : array-like of shape (n_samples, n_features)
        Zeros and ones.
    prior_sd : float
        Deviation of the Gaussian prior.
    """

    def __init__(self, network, X, prior_sd):
        if not prior_sd > 0:
            raise ValueError(f"prior_sd={prior_sd} is no deviation; choose a positive number")
        distinct, counts = np.unique(network._table(X), axis=0, return_counts=True)
        self.n_samples, self.precision = int(counts.sum()), prior_sd**-2
        order = np.argsort(network.variables, kind="stable")
        feature_of = np.repeat(np.arange(len(network.weights)), np.diff(network.indptr))
        self._first = np.searchsorted(network.variables[order], np.arange(network.n_features + 1))
        self._features, self._n_weights = feature_of[order], len(network.weights)
        mark_of, inside, slot_starts, slots = network._marked()
        self._signs = np.where(inside[order] > 0, 1.0, -1.0)
        self._starts, self._rows = active_rows(
            packed_tests(distinct, network._marks), len(distinct), order, feature_of, network.indptr, mark_of, inside
        )
        # The slots of each occurrence, counted from the first of its column.
        lengths = np.diff(slot_starts)[mark_of[order]]
        self._slot_starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(self._slot_starts[-1]) + np.repeat(
            slot_starts[mark_of[order]] - self._slot_starts[:-1], lengths
        )
        before = np.cumsum(network.n_values - 1) - (network.n_values - 1)
        self._slots = slots[places] - np.repeat(before[network.variables[order]], lengths)
        self._n_values = network.n_values
        self._truth, self._counts = np.ascontiguousarray(distinct.T), counts.astype(np.float64)

    def __call__(self, weights):
        gradient = np.empty(len(weights))
        loss = negative_pseudo_likelihood(
            weights,
            self._first,
            self._features,
            self._signs,
            self._slot_starts,
            self._slots,
            self._starts,
            self._rows,
            self._n_values,
            self._truth,
            self._counts,
            gradient,
        )
        loss += self.precision / 2 * (weights @ weights)
        return loss / self.n_samples, (gradient + self.precision * weights) / self.n_samples

    def curvature(self):
        """Diagonal of the Hessian at zero weights, where all values of a column are as likely."""
        totals = np.concatenate([[0.0], np.cumsum(self._counts[self._rows])])[self._starts]
        share = np.diff(self._slot_starts) / np.repeat(self._n_values, np.diff(self._first))
        matched = np.bincount(self._features, np.diff(totals) * (share * (1.0 - share)), minlength=self._n_weights)
        return (matched + self.precision) / self.n_samples + np.finfo(np.float64).tiny


def _seed(random_state):
    return np.uint64(check_random_state(random_state).randint(2**31 - 1))
