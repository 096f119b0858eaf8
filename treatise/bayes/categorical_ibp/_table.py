"""A table of categories as both ways of inference hold it."""

from typing import NamedTuple

import numpy as np

from treatise.bayes.categorical_ibp._laplace_loops import WIDEST_FACTOR, Groups, fit_columns


class CodedTable(NamedTuple):
    """Answers as codes from 0, -1 where missing."""

    codes: np.ndarray  # (n_rows, n_columns) int64
    starts: np.ndarray  # (n_columns + 1,) int64: where the answers of a column begin among those of all

    @property
    def n_answers(self) -> np.ndarray:
        """Answers of each column."""
        return np.diff(self.starts)

    @property
    def missing(self) -> np.ndarray:
        """Row and column of every missing cell, (n_cells, 2)."""
        return np.argwhere(self.codes < 0)

    def counts(self, group_of: np.ndarray, n_groups: int) -> np.ndarray:
        """How often each group of rows gave each answer, (n_groups, answers of all columns)."""
        counts = np.zeros((n_groups, self.starts[-1]))
        for d, column in enumerate(self.codes.T):
            known = column >= 0
            np.add.at(counts, (group_of[known], self.starts[d] + column[known]), 1.0)
        return counts


def table_of(codes: np.ndarray, n_answers: np.ndarray) -> CodedTable:
    """A table of codes whose columns have so many answers."""
    starts = np.concatenate([[0], np.cumsum(n_answers)]).astype(np.int64)
    return CodedTable(np.ascontiguousarray(codes, dtype=np.int64), starts)


def new_groups(table: CodedTable, patterns: np.ndarray, counts: np.ndarray, most_features: int) -> Groups:
    """Groups with weights of zero and room for so many features."""
    q = int(table.n_answers.max()) - 1
    n_columns, n_weights = len(table.n_answers), (most_features + 2) * q
    kept = min(n_weights, WIDEST_FACTOR)
    return Groups(
        patterns, counts, table.starts,
        weights=np.zeros((n_columns, most_features + 2, q)),
        trial=np.zeros(n_weights), origin=np.zeros(n_weights), step=np.zeros(n_weights), gradient=np.zeros(n_weights),
        curvature=np.zeros((n_weights, n_weights)),
        chances=np.zeros(q + 1),
        active=np.zeros(most_features + 2, np.int64),
        factors=np.zeros((n_columns, kept, kept)),
        factored=np.full(n_columns, -1),
    )  # fmt: skip


def grouped_rows(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Patterns of rows of zeros and ones, bit k being column k: the distinct ones, and the place of each row's."""
    patterns = np.asarray(Z, dtype=np.int64) @ (1 << np.arange(Z.shape[1], dtype=np.int64))
    return np.unique(patterns, return_inverse=True)


def bits_of(patterns: np.ndarray, n_features: int) -> np.ndarray:
    """Zeros and ones of patterns, (n_patterns, n_features)."""
    return np.asarray(patterns)[:, np.newaxis] >> np.arange(n_features, dtype=np.int64) & 1


def modal_weights(table: CodedTable, Z: np.ndarray, sigma2: float) -> tuple[list[np.ndarray], np.ndarray]:
    """Weights at their posterior mode given the features of all rows, and the log evidence of every column.

    Returns
    -------
    weights : list of ndarray of shape (1 + n_features, n_answers)
        For each column, of the constant and of each feature; each row sums to zero.
    evidence : ndarray of shape (n_columns,)
    """
    patterns, group_of = grouped_rows(Z)
    groups = new_groups(table, patterns, table.counts(group_of, len(patterns)), Z.shape[1])
    evidence = np.empty(len(table.n_answers))
    fit_columns(groups, len(patterns), Z.shape[1], sigma2, evidence)
    return centred_weights(groups, table, Z.shape[1]), evidence


def centred_weights(groups: Groups, table: CodedTable, n_features: int) -> list[np.ndarray]:
    """Weights of every answer, each feature's summing to zero over the answers of a column."""
    found = []
    for own, n_answers in zip(groups.weights, table.n_answers):
        full = np.zeros((n_features + 1, n_answers))
        full[:, :-1] = own[: n_features + 1, : n_answers - 1]
        found.append(full - full.mean(axis=1, keepdims=True))
    return found
