"""Parent sets as bits, cut into parts of the problem that do not concern one another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components


@dataclass(frozen=True)
class SetLists:
    """Parent sets of some variables, among these, best first.

    Attributes
    ----------
    variables : ndarray of int
        The variables; parents are numbered by their place here.
    starts : ndarray of int64
        The sets of variable v are rows ``starts[v] : starts[v + 1]``.
    masks : ndarray of uint64 of shape (n_sets, n_words)
        Bits of the parents.
    scores : ndarray
        Decreasing within each variable.
    origins : ndarray of int64
        Which of the variable's parent sets each is, in the list it came from.
    """

    variables: np.ndarray
    starts: np.ndarray
    masks: np.ndarray
    scores: np.ndarray
    origins: np.ndarray

    def __len__(self) -> int:
        return len(self.variables)

    @property
    def owners(self) -> np.ndarray:
        """Variable of each set."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def separate(sets: Sequence[Sequence[tuple[int, ...]]], scores: Sequence[np.ndarray]) -> Iterator[SetLists]:
    """Parts of the problem that can be solved one by one: cycles stay inside a part.

    Parts are the strong components of the graph with an arc from every possible parent. A parent outside the part of
    its child can never close a cycle: what counts of a set is its members inside, with the best score of all sets
    that have the same, and none that a subset matches.
    """
    n = len(sets)
    arcs = {(parent, child) for child, own in enumerate(sets) for parents in own for parent in parents}
    heads, tails = ([child for _, child in arcs], [parent for parent, _ in arcs]) if arcs else ([], [])
    graph = sparse.csr_matrix((np.ones(len(arcs)), (tails, heads)), shape=(n, n))
    n_parts, part_of = connected_components(graph, connection="strong")
    for part in range(n_parts):
        variables = np.flatnonzero(part_of == part)
        yield _project(variables, sets, scores)


def _project(variables, sets, scores) -> SetLists:
    place = {int(variable): at for at, variable in enumerate(variables)}
    rows, values, origins, counts = [], [], [], []
    for variable in place:
        kept: list[frozenset[int]] = []
        # Sets that lose no parent beat their subsets as they are.
        whole = all(parent in place for parents in sets[variable] for parent in parents)
        for number, parents in enumerate(sets[variable]):
            inside = frozenset(place[parent] for parent in parents if parent in place)
            if whole or not any(known <= inside for known in kept):
                kept.append(inside)
                rows.append(_bits(inside, len(variables)))
                values.append(scores[variable][number])
                origins.append(number)
        counts.append(len(kept))
    starts = np.concatenate([[0], np.cumsum(counts)])
    masks = np.array(rows, dtype=np.uint64).reshape(len(rows), -(-len(variables) // 64))
    return SetLists(variables, starts, masks, np.array(values), np.array(origins, dtype=np.int64))


def _bits(members: frozenset[int], n: int) -> list[int]:
    words = [0] * -(-n // 64)
    for member in members:
        words[member >> 6] |= 1 << (member & 63)
    return words
