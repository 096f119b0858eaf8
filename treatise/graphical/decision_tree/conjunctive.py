"""Markov networks over binary columns whose features are conjunctions of tests."""

import warnings

import numpy as np
from scipy.special import expit, logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from treatise._core.invariants import are_starts, is_array, is_count, within
from treatise.graphical.decision_tree._conjunction_loops import (
    active_rows,
    conditional_log_odds,
    negative_pseudo_likelihood,
)
from treatise.graphical.decision_tree._gibbs_loops import enumerated_marginals, enumerated_potentials, gibbs_chains
from treatise.graphical.decision_tree.probability_tree import pack_columns
from treatise.optimize import minimize_lbfgs

_MOST_ENUMERATED = 20
_CHEAPER_ENUMERATED = 10
"""Queried columns up to which all states are summed: about as much work as one chain of Gibbs sampling."""


class ConjunctiveMarkovNetwork:
    """Distribution ``P(x)`` proportional to ``exp(sum_j w_j f_j(x))`` of binary rows, f_j a conjunction of tests.

    Use it for a structure of your own, or for what :class:`DecisionTreeMarkovNetwork` found. Weights are fitted by the
    pseudo-likelihood, which needs no normaliser; marginals given evidence come from enumeration for few queried columns
    and from Gibbs sampling otherwise, which mixes badly where strong weights hold modes apart.

    An evaluation of the pseudo-likelihood costs as much as there are (row, feature, test) with all other tests of the
    feature true; they are listed once, at four bytes each, and equal rows are counted once.

    Parameters
    ----------
    features : sequence of sequence of (column, value)
        Tests of each feature; values are 0 or 1.
    n_features : int
        Number of columns.
    weights : array-like of shape (len(features),) or None, default=None
        One weight each; None starts at zero.

    Attributes
    ----------
    weights : ndarray
        The weights.
    indptr, variables, values : ndarray
        Tests ``indptr[j]`` to ``indptr[j + 1]`` belong to feature j.

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

    def __init__(self, features, n_features, weights=None):
        self.n_features = int(n_features)
        lengths = np.array([len(tests) for tests in features], dtype=np.int64)
        if not lengths.all():
            raise ValueError("a feature without tests is the same in all rows; leave it out")
        self.indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        tests = np.array([test for tests in features for test in tests], dtype=np.int64).reshape(-1, 2)
        if len(tests) and (tests[:, 0].min() < 0 or tests[:, 0].max() >= self.n_features):
            raise ValueError(f"tests name columns {tests[:, 0].min()} to {tests[:, 0].max()} of {self.n_features}")
        if not np.isin(tests[:, 1], (0, 1)).all():
            raise ValueError(f"tests compare with {np.unique(tests[:, 1]).tolist()}; columns hold 0 and 1")
        self.variables, self.values = np.ascontiguousarray(tests[:, 0]), tests[:, 1].astype(np.uint8)
        self._refuse_repeated_columns()
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
        yield "tests compare with 0 or 1", is_array(self.values, np.uint8, tests) and within(self.values, 0, 2)
        feature_of = np.repeat(np.arange(len(self.weights)), np.diff(self.indptr))
        pairs = np.column_stack([feature_of, self.variables])
        yield "no feature tests a column twice", len(np.unique(pairs, axis=0)) == tests

    @property
    def features(self):
        """Tests (column, value) of each feature."""
        pairs = list(zip(self.variables.tolist(), self.values.tolist()))
        return [tuple(pairs[a:b]) for a, b in zip(self.indptr[:-1], self.indptr[1:])]

    def fit_weights(self, X, *, prior_sd=1.0, l1=0.0, start=None, tol=1e-5, max_iter=1000):
        """Weights of the largest pseudo-likelihood under a Gaussian prior, by L-BFGS.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Zeros and ones.
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
            total += self.weights[j] * (X[:, self.variables[tests]] == self.values[tests]).all(axis=1)
        return total

    def log_partition(self):
        """Logarithm of the normaliser, by enumeration; up to 20 columns."""
        if self.n_features > _MOST_ENUMERATED:
            raise ValueError(f"{self.n_features} columns have too many states to sum; at most {_MOST_ENUMERATED} do")
        nothing = np.zeros(self.n_features, dtype=np.uint8)
        potentials = enumerated_potentials(nothing, np.arange(self.n_features), self.n_features, *self._arrays())
        return float(logsumexp(potentials) - potentials[0] + self.log_potential(nothing[np.newaxis])[0])

    def conditional_log_odds(self, X):
        """``log P(x_i = 1 | others) / P(x_i = 0 | others)`` of every row and column."""
        X = self._table(X)
        return conditional_log_odds(pack_columns(X), len(X), *self._arrays()).T

    def conditional_proba(self, X):
        """Probability that each entry is 1 given the rest of its row."""
        return expit(self.conditional_log_odds(X))

    def pseudo_log_likelihood(self, X):
        """Sum over columns of ``log P(x_i | others)``, for each row."""
        X = self._table(X)
        odds = self.conditional_log_odds(X)
        return -np.logaddexp(0.0, np.where(X > 0, -odds, odds)).sum(axis=1)

    def conditional_marginals(
        self, X, query, *, method="auto", n_chains=10, burn_in=100, n_samples=1000, random_state=None
    ):
        """Probability of 1 of the queried columns given the other columns of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Zeros and ones; the entries of the query are not looked at.
        query : array-like of int
            Queried columns.
        method : {"auto", "exact", "gibbs"}, default="auto"
            "exact" sums over all states of the query, "auto" does so for at most 10 columns.
        n_chains, burn_in, n_samples : int
            Chains of the sampler, sweeps before the first that counts, and sweeps that count.
        random_state : int, RandomState or None, default=None
            Draws the chains.

        Returns
        -------
        marginals : ndarray of shape (n_samples, len(query))
        """
        X, query = self._table(X), np.asarray(query, dtype=np.int64)
        known = np.isin(query, np.arange(self.n_features)).all()
        if not known or len(np.unique(query)) != len(query):
            raise ValueError(f"query={query.tolist()} must name different columns below {self.n_features}")
        place = np.full(self.n_features, -1)
        place[query] = np.arange(len(query))
        evidence = X.copy()
        evidence[:, query] = 0
        distinct, back = np.unique(evidence, axis=0, return_inverse=True)
        if method == "exact" or (method == "auto" and len(query) <= _CHEAPER_ENUMERATED):
            if len(query) > _MOST_ENUMERATED:
                raise ValueError(f"{len(query)} queried columns have too many states to sum; use method='gibbs'")
            found = enumerated_marginals(distinct, place, len(query), *self._arrays())
        elif method in ("auto", "gibbs"):
            chains = (n_chains, burn_in, n_samples, n_samples + 1, _seed(random_state))
            found, _ = gibbs_chains(distinct, place, len(query), *self._arrays(), *chains)
        else:
            raise ValueError(f"method={method!r} is unknown; choose 'auto', 'exact' or 'gibbs'")
        return found[back.ravel()]

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
        _, states = gibbs_chains(nothing, everything, self.n_features, *self._arrays(), *chains)
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
        return self.indptr, self.variables, self.values, self.weights

    def _table(self, X):
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features or not np.isin(X, (0, 1)).all():
            raise ValueError(f"X must be a table of zeros and ones with {self.n_features} columns")
        return np.ascontiguousarray(X, dtype=np.uint8)

    def _refuse_repeated_columns(self):
        feature_of = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        keys = feature_of * self.n_features + self.variables
        if len(np.unique(keys)) < len(keys):
            raise ValueError("a feature tests a column twice; give each column of a feature one value")


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
        self._signs = np.where(network.values[order] > 0, 1.0, -1.0)
        self._starts, self._rows = active_rows(
            pack_columns(distinct), len(distinct), order, feature_of, *network._arrays()[:3]
        )
        self._truth, self._counts = np.ascontiguousarray(distinct.T), counts.astype(np.float64)

    def __call__(self, weights):
        gradient = np.empty(len(weights))
        loss = negative_pseudo_likelihood(
            weights,
            self._first,
            self._features,
            self._signs,
            self._starts,
            self._rows,
            self._truth,
            self._counts,
            gradient,
        )
        loss += self.precision / 2 * (weights @ weights)
        return loss / self.n_samples, (gradient + self.precision * weights) / self.n_samples

    def curvature(self):
        """Diagonal of the Hessian at zero weights, where every probability is a half."""
        totals = np.concatenate([[0.0], np.cumsum(self._counts[self._rows])])[self._starts]
        matched = np.bincount(self._features, np.diff(totals), minlength=self._n_weights)
        return (matched / 4 + self.precision) / self.n_samples + np.finfo(np.float64).tiny


def _seed(random_state):
    return np.uint64(check_random_state(random_state).randint(2**31 - 1))
