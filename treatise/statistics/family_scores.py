"""Scores of a variable's parents in a discrete Bayesian network."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treatise.statistics._family_loops import tabulated_sums
from treatise.statistics.family_counts import FamilyCounts

SCORES = ("bdeu", "bic", "aic", "k2")

_TABLE_BYTES = 1 << 26
"""Memory for the tabulated functions of a count."""


class FamilyScores:
    r"""Decomposable scores of a discrete Bayesian network: one term for each variable and its parents.

    With :math:`n_{jk}` the rows where the parents are in configuration j and the child in state k, r states
    of the child and q configurations of the parents (declared states, seen or not), natural logarithms:

    - "bic" and "aic": :math:`\sum_{jk} n_{jk} \log(n_{jk} / n_j) - w q (r - 1)`, with w half the logarithm of
      the number of rows for "bic" and 1 for "aic";
    - "bdeu": the log marginal likelihood with Dirichlet parameters ``equivalent_sample_size / (q r)``;
    - "k2": the same with all Dirichlet parameters 1.

    Every one of them is a sum over the cells of the child's and its parents' joint table less a sum over
    the cells of the parents' table. These sums are kept for each set of variables, so that a set is counted
    once for all of its families, in fixed point, so that relabelled or permuted data give the same bits.

    Parameters
    ----------
    codes : array-like of int of shape (n_samples, n_columns)
        States of the variables, from zero.
    n_states : array-like of int of shape (n_columns,)
        Number of states of each column.
    score : {"bdeu", "bic", "aic", "k2"}, default="bdeu"
        Which score.
    equivalent_sample_size : float, default=1.0
        Weight of the prior of "bdeu", in rows.
    prior : callable or None, default=None
        ``prior(child, parents) -> float``, the log prior of the parents (a sorted tuple), added to the score;
        None for no preference.

    Attributes
    ----------
    counts : FamilyCounts
        Where the counts come from.
    evaluations : int
        Families whose score was computed; asking again costs nothing.
    unit : float
        Of the fixed point that sums over cells are kept in.

    Examples
    --------
    >>> from treatise.statistics.family_scores import FamilyScores
    >>> scores = FamilyScores([[0, 0], [0, 0], [1, 1], [1, 1]], [2, 2], score="bic")
    >>> round(scores.score(1, ()), 4), round(scores.score(1, (0,)), 4)
    (-3.4657, -1.3863)
    >>> scores.evaluations
    2
    """

    def __init__(
        self,
        codes: Any,
        n_states: Any,
        score: str = "bdeu",
        equivalent_sample_size: float = 1.0,
        prior: Callable[[int, tuple[int, ...]], float] | None = None,
    ) -> None:
        if score not in SCORES:
            raise ValueError(f"score={score!r} is not known; choose one of {', '.join(SCORES)}")
        if not 0 < equivalent_sample_size < math.inf:
            raise ValueError(f"equivalent_sample_size={equivalent_sample_size!r} must be a positive number")
        self.counts = FamilyCounts(codes, n_states)
        self.score_name = score
        self.equivalent_sample_size = float(equivalent_sample_size)
        self.prior = prior
        self._states = [int(states) for states in self.counts.n_states]
        self._by_likelihood = score in ("bic", "aic")
        self._scores: dict[tuple[int, tuple[int, ...]], float] = {}
        self._sums: dict[tuple[tuple[int, ...], float], int] = {}
        self._tables: dict[float, np.ndarray] = {}
        self.unit = self._fixed_point_unit()

    @property
    def n_states(self) -> np.ndarray:
        """Declared states of each column."""
        return self.counts.n_states

    @property
    def evaluations(self) -> int:
        return len(self._scores)

    @property
    def penalty(self) -> float:
        """Cost of one free parameter: w of "bic" and "aic", zero for the others."""
        return {"bic": 0.5 * math.log(self.counts.n_samples), "aic": 1.0}.get(self.score_name, 0.0)

    def score(self, child: int, parents: Sequence[int]) -> float:
        """Log score of the child with these parents, in any order; higher is better."""
        family = (int(child), tuple(sorted(map(int, parents))))
        known = self._scores.get(family)
        return self._evaluate([family])[0] if known is None else known

    def scores(self, child: int, parent_sets: Sequence[Sequence[int]]) -> np.ndarray:
        """Log scores of many parent sets of one child: the same numbers as :meth:`score`, sooner."""
        families = [(int(child), tuple(sorted(map(int, parents)))) for parents in parent_sets]
        self._evaluate([family for family in dict.fromkeys(families) if family not in self._scores])
        return np.array([self._scores[family] for family in families], dtype=np.float64)

    def _evaluate(self, families: list[tuple[int, tuple[int, ...]]]) -> list[float]:
        for child, parents in families:
            self._check_family(child, parents)
        joint = [(tuple(sorted((child, *parents))), child) for child, parents in families]
        own = [(columns, self._prior_count(columns, child, with_child=True)) for columns, child in joint]
        given = [(parents, self._prior_count(parents, child, with_child=False)) for child, parents in families]
        self._sum_cells([term for term in dict.fromkeys(own + given) if term not in self._sums])
        found = []
        for (child, parents), inside, outside in zip(families, own, given):
            value = (self._sums[inside] - self._sums[outside]) * self.unit
            if self._by_likelihood:
                value -= self.penalty * (self._states[child] - 1) * self._configurations(parents)
            if self.prior is not None:
                value += self.prior(child, parents)
            self._scores[child, parents] = value
            found.append(value)
        return found

    def _check_family(self, child: int, parents: tuple[int, ...]) -> None:
        last = self.counts.n_columns - 1
        for column in (child, *parents):
            if not 0 <= column <= last:
                raise ValueError(f"column {column} does not exist; columns run from 0 to {last}")
        if child in parents or len(set(parents)) < len(parents):
            raise ValueError(f"parents={parents} of column {child} must be distinct columns other than {child}")

    def _prior_count(self, columns: tuple[int, ...], child: int, *, with_child: bool) -> float:
        """Logarithm of the Dirichlet parameter of a cell of the columns' joint table; zero for likelihoods."""
        if self.score_name == "bdeu":
            return math.log(self.equivalent_sample_size) - math.log(self._configurations(columns))
        if self.score_name == "k2" and not with_child:
            return math.log(self._states[child])
        return 0.0

    def _configurations(self, columns: tuple[int, ...]) -> int:
        return math.prod([self._states[column] for column in columns])

    def _sum_cells(self, terms: list[tuple[tuple[int, ...], float]]) -> None:
        """Keep the sum over the occurring cells of each set of columns of its function of a count."""
        by_size: dict[int, list[tuple[tuple[int, ...], float]]] = {}
        for term in sorted(terms):
            by_size.setdefault(len(term[0]), []).append(term)
        for size, some in by_size.items():
            sets = np.array([columns for columns, _ in some], dtype=np.int64).reshape(len(some), size)
            totals, _ = self.cell_sums(sets, [log_count for _, log_count in some])
            self._sums.update(zip(some, totals.tolist()))

    def cell_sums(self, sets: np.ndarray, log_prior_counts: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        """What the score of a family is made of, for many sets of columns at once; nothing is kept.

        A family scores ``(sum of child and parents - sum of the parents) * unit``, less the penalty.

        Parameters
        ----------
        sets : ndarray of int64 of shape (n_sets, size)
            Distinct columns of each set; lexicographic order is the fastest.
        log_prior_counts : sequence of float of length n_sets
            Logarithm of the Dirichlet parameter of each set's cells; without effect on "bic" and "aic".

        Returns
        -------
        sums : ndarray of int64 of shape (n_sets,)
            Sum over the occurring cells of each set, in multiples of ``unit``.
        n_cells : ndarray of int64 of shape (n_sets,)
            How many cells occur.
        """
        sums, n_cells = np.empty(len(sets), dtype=np.int64), np.empty(len(sets), dtype=np.int64)
        for which, counts, starts in self.counts.joint_counts(sets):
            totals = np.empty(len(which), dtype=np.int64)
            tables, table_of = self._tables_for([log_prior_counts[at] for at in which.tolist()])
            tabulated_sums(counts, starts, tables, table_of, totals)
            sums[which], n_cells[which] = totals, np.diff(starts)
        return sums, n_cells

    def _tables_for(self, log_prior_counts: list[float]) -> tuple[np.ndarray, np.ndarray]:
        distinct = list(dict.fromkeys(log_prior_counts))
        if (len(self._tables) + len(distinct)) * 8 * self.counts.n_samples > _TABLE_BYTES:
            self._tables.clear()
        for log_count in distinct:
            if log_count not in self._tables:
                self._tables[log_count] = np.rint(self._of_count(log_count) / self.unit).astype(np.int64)
        place = {log_count: at for at, log_count in enumerate(distinct)}
        tables = np.array([self._tables[log_count] for log_count in distinct])
        return tables, np.array([place[log_count] for log_count in log_prior_counts])

    def _of_count(self, log_prior_count: float) -> np.ndarray:
        """What a cell adds, at the counts 0, ..., n.

        c log c for a likelihood; log gamma(a + c) - log gamma(a) = log a + log(a + 1) + ... + log(a + c - 1) for
        a Dirichlet parameter a, in logarithms because a may be too small for a float.
        """
        n = self.counts.n_samples
        if self._by_likelihood:
            counts = np.arange(n + 1, dtype=np.float64)
            return counts * np.log(np.maximum(counts, 1.0))
        factors = np.log(math.exp(log_prior_count) + np.arange(1, n, dtype=np.float64))
        return np.concatenate(([0.0, log_prior_count], log_prior_count + np.cumsum(factors)))

    def _fixed_point_unit(self) -> float:
        """A power of two fine enough that any sum over cells fits 62 bits."""
        n = self.counts.n_samples
        largest_count = n + max(self.equivalent_sample_size, float(self.n_states.max()))
        smallest = abs(math.log(self.equivalent_sample_size)) + float(np.log(self.n_states).sum())
        bound = n * (math.log(largest_count) + (smallest if self.score_name == "bdeu" else 0.0)) + 1.0
        return 2.0 ** (math.ceil(math.log2(bound)) - 62)
