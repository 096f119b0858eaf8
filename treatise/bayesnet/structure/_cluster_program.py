"""The best acyclic choice of parent sets as an integer program, with the cycles it must avoid added as they turn up."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse.csgraph import connected_components

from treatise.bayesnet.structure._cluster_loops import entering_sets, greedy_order, light_clusters, raise_by_clusters
from treatise.bayesnet.structure._part_search import PartSearch
from treatise.bayesnet.structure._set_lists import SetLists

_VIOLATION = 1e-4
_FIRST_NODES = 64


class ClusterProgram(PartSearch):
    """Weights between 0 and 1 of the parent sets, of which each variable has one in all.

    In an acyclic graph every cluster of variables has a member whose parents all lie outside. Clusters that the weights
    leave without such a member become constraints, until none is left; then the weights must be whole (Jaakkola,
    Sontag, Globerson and Meila, 2010, whose relaxation JMLR 12:663 names beside its own, and Cussens, 2011). The
    relaxed programs give the upper bound, and orders made from their weights good networks. HiGHS solves all of them;
    its tolerances make the proof good to one part in a million of the score.

    Parameters
    ----------
    lists, random_state
        As in :class:`PartSearch`.
    """

    relative_slack = 1e-6

    def __init__(self, lists: SetLists, random_state: np.random.RandomState) -> None:
        super().__init__(lists, random_state)
        best = lists.scores[lists.starts[:-1]]
        self._highest = self.upper_bound
        # What a set costs beside the best of its variable; no network that has it scores more than its potential.
        self._regrets = best[lists.owners] - lists.scores
        self._potentials = self._highest - self._regrets
        self._clusters = np.empty((0, lists.masks.shape[1]), np.uint64)
        self._whole, self._nodes = False, _FIRST_NODES

    def advance(self, seconds: float | None) -> None:
        left = np.flatnonzero(self._potentials > self.score + self.slack)
        if len(np.unique(self.lists.owners[left])) < len(self.lists):
            self.upper_bound = self.score
            return
        self.n_steps += 1
        (self._solve_whole if self._whole else self._solve_relaxed)(left, seconds)

    def _solve_relaxed(self, left: np.ndarray, seconds: float | None) -> None:
        """Lower the bound by multipliers of the clusters, and add clusters that the weights violate."""
        one_each, enters = self._constraints(left)
        solved = _interruptible(lambda: linprog(
            self._regrets[left], A_eq=one_each, b_eq=np.ones(one_each.shape[0]), A_ub=-enters,
            b_ub=-np.ones(enters.shape[0]), method="highs",
            options={} if seconds is None else {"time_limit": max(seconds, 0.01)},
        ))  # fmt: skip
        if solved.status == 2:
            self.upper_bound = self.score
        if solved.status != 0:
            return
        self._lower_bound_by(left, np.maximum(-solved.ineqlin.marginals, 0.0))
        added = self._add_violated(left, solved.x)
        self._whole = not added
        self.try_order(self._order_of(left, solved.x))

    def _lower_bound_by(self, left: np.ndarray, multipliers: np.ndarray) -> None:
        """Any multipliers give a bound: add them to the sets that enter their cluster, and take them off once.

        No acyclic graph loses by that; the sum of the best sets, which ignores cycles, does.
        """
        raised = -self._regrets
        raise_by_clusters(self.lists.owners, self.lists.masks, self._clusters, multipliers, raised)
        best = np.full(len(self.lists), -np.inf)
        np.maximum.at(best, self.lists.owners[left], raised[left])
        bound = self._highest + best.sum() - multipliers.sum()
        self._potentials = np.minimum(self._potentials, bound - best[self.lists.owners] + raised)
        self.upper_bound = max(self.score, min(self.upper_bound, float(bound)))

    def _solve_whole(self, left: np.ndarray, seconds: float | None) -> None:
        """Ask for whole weights, within a number of branchings that grows from one call to the next."""
        one_each, enters = self._constraints(left)
        rules = [LinearConstraint(one_each, 1.0, 1.0), LinearConstraint(enters, 1.0, np.inf)]
        options = {"node_limit": self._nodes, "mip_rel_gap": 1e-9}
        if seconds is not None:
            options["time_limit"] = max(seconds, 0.01)
        solved = _interruptible(lambda: milp(
            self._regrets[left], constraints=rules, integrality=np.ones(len(left)), bounds=Bounds(0.0, 1.0),
            options=options,
        ))  # fmt: skip
        if solved.status == 2:
            self.upper_bound = self.score
            return
        if solved.x is not None:
            chosen = left[solved.x > 0.5]
            cycles = self._knots(chosen)
            if len(cycles):
                self._add_violated(left, solved.x)
                self._clusters = np.unique(np.concatenate([self._clusters, cycles]), axis=0)
                self.try_order(self._order_of(left, solved.x))
            else:
                self.take(float(self.lists.scores[chosen].sum()), chosen)
        if solved.mip_dual_bound is not None and np.isfinite(solved.mip_dual_bound):
            self.upper_bound = min(self.upper_bound, self._highest - solved.mip_dual_bound)
        self.upper_bound = max(self.score, self.upper_bound)
        if solved.status != 0:
            self._nodes *= 4

    def _constraints(self, left: np.ndarray) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        owners = self.lists.owners[left]
        one_each = sparse.csr_matrix((np.ones(len(left)), (owners, np.arange(len(left)))))
        enters = np.zeros((len(self._clusters), len(left)), dtype=bool)
        entering_sets(owners, self.lists.masks[left], self._clusters, enters)
        return one_each, sparse.csr_matrix(enters.astype(np.float64))

    def _support(self, left: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        positive = weights > 1e-9
        return self.lists.owners[left[positive]], self.lists.masks[left[positive]], weights[positive]

    def _add_violated(self, left: np.ndarray, weights: np.ndarray) -> int:
        """Add the clusters that the weights enter least, no more than there are variables; returns how many."""
        n = len(self.lists)
        room = n * (n - 1) // 2 + 1
        clusters, entering = np.empty((room, self.lists.masks.shape[1]), np.uint64), np.empty(room)
        found = light_clusters(n, *self._support(left, weights), 1.0 - _VIOLATION, clusters, entering)
        distinct, first = np.unique(clusters[:found], axis=0, return_index=True)
        lightest = distinct[np.argsort(entering[first], kind="stable")[:n]]
        self._clusters = np.unique(np.concatenate([self._clusters, lightest]), axis=0)
        return found

    def _knots(self, chosen: np.ndarray) -> np.ndarray:
        """Strong components of more than one variable in a graph: clusters that it does not enter; none if acyclic."""
        n, bits = len(self.lists), np.arange(64 * self.lists.masks.shape[1])
        parents = (self.lists.masks[chosen][:, bits >> 6] >> (bits & 63).astype(np.uint64)) & np.uint64(1)
        _, component = connected_components(sparse.csr_matrix(parents[:, :n]), connection="strong")
        members = np.zeros((component.max() + 1, len(bits)), dtype=np.uint8)
        members[component, np.arange(n)] = 1
        knots = members[members.sum(axis=1) > 1]
        return np.packbits(knots, axis=1, bitorder="little").view(np.uint64)

    def _order_of(self, left: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Variables one after the other, each time the one whose weight lies most on sets of those before."""
        order = np.empty(len(self.lists), np.int64)
        greedy_order(*self._support(left, weights), order)
        return order


def _interruptible(work: Callable[[], Any]) -> Any:
    """What the work returns; it runs in a thread, so that an interrupt does not wait for its end."""
    answer: list[Any] = []

    def run() -> None:
        answer.append(work())

    thread = Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    return answer[0]
