"""What estimators that average over the networks of an order share: parameters, orders, and the fitted average."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from treatise.bayesnet._order_average import average_over_order
from treatise.bayesnet.greedy_thick_thin import thick_thin_parents
from treatise.bayesnet.network_structure import topological_order
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
