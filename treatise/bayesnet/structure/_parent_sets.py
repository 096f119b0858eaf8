"""The parent sets that can occur in an optimal network, by the pruning rules of JMLR 12:663, Section 4."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln

from treatise.bayesnet.structure._parent_set_loops import find_rows, index_rows, join_sets
from treatise.bayesnet.structure.rules import ParentLimits
from treatise.statistics.family_scores import FamilyScores

_SETS_AT_ONCE = 20_000
"""Sets scored between two looks at the clock."""


@dataclass
class ParentSets:
    """Parent sets of every variable that are worth a search, best first.

    Attributes
    ----------
    sets : list of list of tuple of int
        For each variable, its parent sets by decreasing score; of equal scores the smaller set first.
    scores : list of ndarray
        Their scores.
    n_evaluated : int
        Parent sets that were counted and scored.
    n_possible : int
        Parent sets within the limits on arcs and numbers: what would be scored without the pruning rules.
    open_bounds : ndarray
        For each variable, no parent set that was not looked at scores more than this; -inf where all were.
    interrupted : bool
        Whether the user did not want to wait.
    """

    sets: list[list[tuple[int, ...]]]
    scores: list[np.ndarray]
    n_evaluated: int
    n_possible: int
    open_bounds: np.ndarray
    interrupted: bool = False

    @property
    def size(self) -> int:
        """Number of parent sets of all variables."""
        return sum(map(len, self.sets))


class _RowIndex:
    """Finds rows of numbers among given ones."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = np.ascontiguousarray(rows, dtype=np.int64)
        self.slots = np.full(1 << max(3, (2 * len(rows)).bit_length()), -1, dtype=np.int64)
        index_rows(self.rows, self.slots)

    def find(self, wanted: np.ndarray) -> np.ndarray:
        """Number of each wanted row, -1 where it is not there."""
        out = np.empty(len(wanted), dtype=np.int64)
        find_rows(self.rows, self.slots, np.ascontiguousarray(wanted, dtype=np.int64), out)
        return out


@dataclass
class _Candidates:
    """Parent sets of one variable and one size, all of whose subsets are open.

    ``free`` are the parents beside the required ones, a sorted row for each set, in lexicographic order; ``best`` is
    the highest score among the set and its subsets, ``cells`` no more than the occurring cells of its table.
    """

    free: np.ndarray
    best: np.ndarray
    cells: np.ndarray

    @classmethod
    def root(cls) -> "_Candidates":
        return cls(np.empty((1, 0), np.int64), np.array([-math.inf]), np.zeros(1, np.int64))

    def __len__(self) -> int:
        return len(self.free)

    def __getitem__(self, which: np.ndarray | slice) -> "_Candidates":
        return _Candidates(self.free[which], self.best[which], self.cells[which])

    def larger(self, allowed: np.ndarray) -> "_Candidates":
        """Candidates with one parent more."""
        if self.free.shape[1] == 0:
            repeated = np.zeros(len(allowed) if len(self) else 0, np.int64)
            return _Candidates(allowed[: len(repeated), np.newaxis], self.best[repeated], self.cells[repeated])
        index, size = _RowIndex(self.free), self.free.shape[1] + 1
        given = (index.rows, index.slots, self.best, self.cells)
        made = join_sets(*given, np.empty((0, size), np.int64), np.empty(0), np.empty(0, np.int64))
        joined = np.empty((made, size), np.int64), np.empty(made), np.empty(made, np.int64)
        if made:
            join_sets(*given, *joined)
        return _Candidates(*joined)


class ParentSetBuilder:
    """Scores parent sets by increasing size, and leaves out those that no optimal network has.

    A set is dropped if a subset scores at least as well (Lemma 1). Its supersets are not even looked at if a bound
    on all of their scores is below a subset's: the penalty alone for "bic" and "aic" (Theorems 2 and 4; the paper
    prints the latter without the weight of a parameter), the number of occurring cells for "bdeu" (Theorem 9). Lemma 7
    has no work left: it needs the counts, and with these the score itself is there for Lemma 1. Only subsets that
    obey the limits count.

    Parameters
    ----------
    scores : FamilyScores
        Without a prior of its own.
    limits : list of ParentLimits
        For each variable.
    prune : bool, default=True
        Whether Theorems 2, 4 and 9 are used; the result is the same without, later.
    """

    def __init__(self, scores: FamilyScores, limits: Sequence[ParentLimits], *, prune: bool = True) -> None:
        self.scores, self.limits, self.prune = scores, limits, prune
        n = len(limits)
        self._states = scores.n_states.astype(np.float64)
        self._base = [np.array(sorted(own.required), dtype=np.int64) for own in limits]
        self._allowed = [
            np.array([j for j in range(n) if j not in own.required | own.forbidden], dtype=np.int64) for own in limits
        ]
        self._dirichlet = scores.score_name == "bdeu"
        self._small_enough = [_largest_prior_count(int(states)) for states in scores.n_states]
        self._kept: list[list[tuple[float, tuple[int, ...]]]] = [[] for _ in limits]
        self._sums: dict[int, tuple[_RowIndex, np.ndarray]] = {}
        self._n_evaluated = 0

    def build(self, stop: Callable[[int], bool] = lambda n_evaluated: False) -> ParentSets:
        """All sizes, unless ``stop(n_evaluated)`` says that time is up or the user interrupts."""
        open_bounds = np.full(len(self.limits), -math.inf)
        level, interrupted = [_Candidates.root() for _ in self.limits], False
        try:
            while any(map(len, level)):
                open_bounds = np.array([self._bounds(i, own).max(initial=-math.inf) for i, own in enumerate(level)])
                if self._score(level, stop):
                    break
                level = [self._next(i, own) for i, own in enumerate(level)]
            else:
                open_bounds = np.full(len(self.limits), -math.inf)
        except KeyboardInterrupt:
            interrupted = True
        order = [sorted(own, key=lambda item: (-item[0], len(item[1]), item[1])) for own in self._kept]
        return ParentSets(
            sets=[[parents for _, parents in own] for own in order],
            scores=[np.array([score for score, _ in own]) for own in order],
            n_evaluated=self._n_evaluated,
            n_possible=self.n_possible,
            open_bounds=open_bounds,
            interrupted=interrupted,
        )

    @property
    def n_possible(self) -> int:
        """Parent sets within the limits on arcs and numbers."""
        most = [own.most - len(base) for own, base in zip(self.limits, self._base)]
        return sum(
            math.comb(len(own), size) for own, largest in zip(self._allowed, most) for size in range(largest + 1)
        )

    def _next(self, child: int, level: _Candidates) -> _Candidates:
        """Candidates with one parent more, less those that a bound rules out with all their supersets."""
        if level.free.shape[1] + len(self._base[child]) >= self.limits[child].most:
            return level[:0]
        larger = level.larger(self._allowed[child])
        return larger[larger.best <= self._bounds(child, larger)] if self.prune else larger

    def _bounds(self, child: int, sets: _Candidates) -> np.ndarray:
        """No score of these sets or their supersets exceeds this (Theorems 4 and 9)."""
        configurations, states = self._configurations(child, sets.free), self._states[child]
        if not self._dirichlet:
            return -self.scores.penalty * configurations * (states - 1.0)
        small = self.scores.equivalent_sample_size / configurations <= self._small_enough[child]
        return np.where(small, -sets.cells * math.log(states), 0.0)

    def _configurations(self, child: int, free: np.ndarray) -> np.ndarray:
        """Number of configurations of the required and the free parents, seen or not."""
        return np.prod(self._states[self._base[child]]) * np.prod(self._states[free], axis=1)

    def _score(self, level: list[_Candidates], stop: Callable[[int], bool]) -> bool:
        """Score a level of all variables; returns whether time ran out before its end."""
        obeying = [self._obeying(i, own) for i, own in enumerate(level)]
        found = [np.full(len(own), -math.inf) for own in level]
        for size, group in groupby(_by_size(self._base, level), key=lambda item: item[0]):
            children = [child for _, child in group]
            who = np.concatenate([np.full(len(obeying[child]), child) for child in children])
            parents = np.concatenate([self._parents(child, level[child].free[obeying[child]]) for child in children])
            values, cells = np.empty(len(who)), np.empty(len(who), np.int64)
            for begin in range(0, len(who), _SETS_AT_ONCE):
                if (self._n_evaluated or size) and stop(self._n_evaluated):
                    return True
                part = slice(begin, begin + _SETS_AT_ONCE)
                values[part], cells[part] = self._family_scores(who[part], parents[part])
                self._n_evaluated += len(who[part])
            for child in children:
                mine, which = who == child, obeying[child]
                found[child][which], level[child].cells[which] = values[mine], cells[mine]
            self._sums.pop(size - 1, None)
        for child, own in enumerate(level):
            self._keep(child, own, found[child])
        return False

    def _obeying(self, child: int, sets: _Candidates) -> np.ndarray:
        """Numbers of the sets that obey the rules."""
        if not self.limits[child].others:
            return np.arange(len(sets))
        parents = self._parents(child, sets.free).tolist()
        return np.flatnonzero([self.limits[child].allow(own) for own in parents])

    def _parents(self, child: int, free: np.ndarray) -> np.ndarray:
        """Required and free parents together, sorted."""
        base = np.broadcast_to(self._base[child], (len(free), len(self._base[child])))
        return np.sort(np.concatenate([base, free], axis=1), axis=1)

    def _keep(self, child: int, sets: _Candidates, values: np.ndarray) -> None:
        """Lemma 1: keep sets that beat all their subsets; Theorem 2: close those too large to be extended."""
        better = np.flatnonzero(values > sets.best)
        parents = self._parents(child, sets.free[better]).tolist()
        self._kept[child] += [(value, tuple(own)) for value, own in zip(values[better].tolist(), parents)]
        sets.best[better] = values[better]
        if not self.prune:
            return
        still_open = sets.best <= self._bounds(child, sets)
        if not self._dirichlet and self.scores.penalty > 0:
            states = self._states[child]
            most = self.scores.counts.n_samples / self.scores.penalty * math.log(states) / (states - 1.0)
            still_open &= (self._configurations(child, sets.free) <= most) | np.isneginf(values)
        kept = sets[still_open]
        sets.free, sets.best, sets.cells = kept.free, kept.best, kept.cells

    # Sums over the cells of sets of columns: those with the child serve as parents' at the next size.

    def _family_scores(self, who: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Score and number of occurring cells of each family."""
        size = parents.shape[1]
        joint = np.sort(np.column_stack([parents, who]), axis=1)
        inside, cells = self._cell_sums(size + 1, joint)
        outside, _ = self._cell_sums(size, parents)
        values = (inside - outside) * self.scores.unit
        if not self._dirichlet:
            values -= self.scores.penalty * (self._states[who] - 1.0) * np.prod(self._states[parents], axis=1)
        return values, cells

    def _cell_sums(self, size: int, sets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        index, known = self._sums.get(size, (_RowIndex(np.empty((0, size), np.int64)), np.empty((0, 2), np.int64)))
        new = np.unique(sets[index.find(sets) < 0], axis=0)
        if len(new):
            log_prior = math.log(self.scores.equivalent_sample_size) - np.log(np.prod(self._states[new], axis=1))
            sums = np.column_stack(self.scores.cell_sums(new, log_prior.tolist()))
            index, known = _RowIndex(np.concatenate([index.rows, new])), np.concatenate([known, sums])
            self._sums[size] = index, known
        found = known[index.find(sets)]
        return found[:, 0], found[:, 1]


def _by_size(base: list[np.ndarray], level: list[_Candidates]) -> Iterator[tuple[int, int]]:
    """Variables that have candidates, by the size of these."""
    return iter(sorted((len(base[child]) + own.free.shape[1], child) for child, own in enumerate(level) if len(own)))


def _largest_prior_count(states: int) -> float:
    """Dirichlet parameter of a configuration up to which Lemma 8 holds for a variable of so many states.

    The root of gamma(a)^(1/2) a = gamma(a / r + 1); 0.8349 for two states, which the paper uses for all.
    """
    return brentq(lambda a: 0.5 * gammaln(a) + math.log(a) - gammaln(a / states + 1.0), 0.5, 1.0 + 1e-12)
