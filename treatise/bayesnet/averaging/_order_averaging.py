"""What estimators that average over the networks of an order share: parameters, orders, and the fitted average."""

import math
from itertools import chain, combinations
from numbers import Integral, Real

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from treatise.bayesnet.averaging._summary_network import SummaryNetwork, dirichlet_cell
from treatise.bayesnet.averaging.greedy_thick_thin import thick_thin_parents
from treatise.bayesnet.network.dag import topological_order
from treatise.statistics.family_scores import FamilyScores


class OrderAveraging(BaseEstimator):
    """Base of the estimators that average over all networks that respect an order of the variables."""

    _parameter_constraints: dict = {
        "max_parents": [Interval(Integral, 0, None, closed="left")],
        "max_union": [Interval(Integral, 1, None, closed="left"), None],
        "order": [StrOptions({"greedy", "random", "opposite"}), "array-like"],
        "parameter_prior": [StrOptions({"k2", "bdeu"})],
        "equivalent_sample_size": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def _average(self, codes, n_states):
        """Fit to coded rows: sets the structure's attributes."""
        scores = FamilyScores(codes, n_states, self.parameter_prior, self.equivalent_sample_size)
        self.n_states_ = np.asarray(n_states)
        self.orders_ = self._orders(scores)
        found = [average_over_order(scores, levels, self.max_parents, self.max_union) for levels in self.orders_]
        self._summaries = [summary for summary, _ in found]
        self.arc_posterior_ = np.mean([posterior for _, posterior in found], axis=0)
        self.adjacency_ = self.arc_posterior_ > 0.5
        self.edges_ = np.argwhere(self.adjacency_)
        self.edge_weights_ = self.arc_posterior_[self.adjacency_]
        self.summary_parents_ = [
            tuple(sorted({int(u) for summary in self._summaries for u in summary.unions_[child]}))
            for child in range(len(n_states))
        ]

    def _invariants(self):
        coder = self._coder
        yield "the coder takes no missing cells", not coder.allow_missing
        given = np.append(coder.n_states_, len(self.classes_)) if hasattr(self, "classes_") else coder.n_states_
        yield "states are those of the coder, and the classes", np.array_equal(self.n_states_, given)
        yield (
            "networks are of these states",
            len(self._summaries) > 0
            and all(
                isinstance(own, SummaryNetwork) and np.array_equal(own.n_states_, given) for own in self._summaries
            ),
        )

    def _orders(self, scores):
        """The orders to average over, each a list of levels."""
        p = scores.counts.n_columns
        if not isinstance(self.order, str):
            return [_checked_levels(self.order, p)]
        if self.order == "greedy":
            order = topological_order(tuple(thick_thin_parents(scores)), tuple(range(p)))
        else:
            order = check_random_state(self.random_state).permutation(p).tolist()
        levels = [[int(u)] for u in order]
        return [levels, levels[::-1]] if self.order == "opposite" else [levels]

    def _network(self, names, states):
        """The summary network with names and states."""
        check_is_fitted(self)
        if len(self._summaries) > 1:
            raise ValueError("order='opposite' averages two networks, which no single one equals; choose another order")
        return self._summaries[0].to_network(names, states)


def repeated_rows(sample_weight, X):
    """Numbers of the rows of X, each as often as its weight says."""
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    fractional = weights[weights != np.floor(weights)]
    if len(fractional):
        raise ValueError(
            f"sample_weight holds {fractional[0]:.6g}; structures are scored by counting rows: weights must be whole"
        )
    return np.repeat(np.arange(len(weights)), weights.astype(np.int64))


def _checked_levels(order, p):
    """Levels of variables from a sequence of variables, or of groups of them."""
    levels = [[int(u) for u in np.atleast_1d(level)] for level in order]
    named = sorted(u for level in levels for u in level)
    if named != list(range(p)):
        absent, strange = sorted(set(range(p)) - set(named)), sorted(set(named) - set(range(p)))
        wrong = f"lacks {absent[0]}" if absent else f"names {strange[0]}" if strange else "names one twice"
        raise ValueError(f"order must name each of the variables 0 to {p - 1} once; it {wrong}")
    return levels


_MOST_SETS = 5_000_000


def average_over_order(scores, levels, max_parents, max_union):
    """The summary network of all networks that respect an order, and the posterior probability of each arc.

    Parameters
    ----------
    scores : FamilyScores
        Log marginal likelihoods of families; parent sets are equally probable a priori.
    levels : list of list of int
        The order: variables of earlier levels may be parents of those of later ones.
    max_parents : int
        Most parents in a network that is averaged over.
    max_union : int or None
        Most parents in the summary network; None for all that occur, which is the exact average.

    Returns
    -------
    summary : SummaryNetwork
    arc_posterior : ndarray of shape (p, p)
        Probability of the arc from row to column, averaged exactly over all networks whatever ``max_union`` is.
    """
    p = scores.counts.n_columns
    _refuse_too_many(levels, max_parents, p)
    families, arc_posterior, earlier = [None] * p, np.zeros((p, p)), []
    for level in levels:
        candidates = sorted(earlier)
        sets = [own for size in range(max_parents + 1) for own in combinations(candidates, size)]
        members, sizes = np.fromiter(chain.from_iterable(sets), dtype=np.int64), list(map(len, sets))
        for child in level:
            log_scores = scores.scores(child, sets)
            # Normalised for each variable by itself: the constant that the paper writes c^(1/N) differs between them.
            weights = softmax(log_scores)
            arc_posterior[:, child] = np.bincount(members, np.repeat(weights, sizes), p)
            if max_union is not None and max_union < len(candidates):
                chosen = within_union(sets, log_scores, max_union)
                families[child] = [sets[at] for at in chosen], softmax(log_scores[chosen])
            else:
                families[child] = sets, weights
        earlier += level
    return SummaryNetwork().fit(scores.counts, families, dirichlet_cell(scores)), arc_posterior


def within_union(sets, log_scores, max_union):
    """Numbers of the sets inside the union of the best that stays small enough (Procedure 1)."""
    union = set()
    for at in np.argsort(-log_scores, kind="stable"):
        if len(union) == max_union:
            break
        if len(union.union(sets[at])) <= max_union:
            union.update(sets[at])
    return [at for at, own in enumerate(sets) if union.issuperset(own)]


def _refuse_too_many(levels, max_parents, p):
    n_sets, before = 0, 0
    for level in levels:
        n_sets += len(level) * sum(math.comb(before, size) for size in range(max_parents + 1))
        before += len(level)
    if n_sets > _MOST_SETS:
        raise ValueError(
            f"max_parents={max_parents} makes {n_sets:.3g} parent sets of {p} variables, more than {_MOST_SETS:.3g}; "
            f"lower it, or select variables first"
        )
