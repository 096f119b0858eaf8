"""Teaching sets under four assumptions that a learner makes about its teacher.

Concepts are rows of labels, sets of instances are the bits of whole numbers; a sample of a concept is a set of
instances, since its labels are the concept's own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from treatise.optimize import minimal_masks, minimum_hitting_sets

TEACHING_MODELS = ("ts", "bts", "sts", "rts")
"""Teaching sets, Balbach's, subset teaching sets and recursive ones."""
SHARED = -1


@dataclass(frozen=True)
class TeachingResult:
    """What it takes to teach a class under one model.

    Attributes
    ----------
    model : {"ts", "bts", "sts", "rts"}
        What the learner assumes.
    dimension : int
        Examples for the concept that is hardest to teach.
    sizes : ndarray of shape (n_concepts,)
        Examples for each concept.
    families : list of list of tuple of int
        For each concept its smallest teaching sets, as instances; their labels are the concept's. Those of "bts" are
        filled up with the first instances to the size that the learner waits for.
    iterations : int
        How often the assumption was applied to itself until nothing changed; levels of the hierarchy for "rts".
    history : list of list of list of tuple of int
        Families after each iteration, the teaching sets first; empty for "rts".
    hierarchy : list of (list of int, int)
        For "rts": concepts that are taught first and their size, then the next ones among those left, and so on.
    """

    model: str
    dimension: int
    sizes: np.ndarray
    families: list[list[tuple[int, ...]]]
    iterations: int
    history: list[list[list[tuple[int, ...]]]]
    hierarchy: list[tuple[list[int], int]]


Differences = Callable[[int, int], int]
"""Where two concepts differ."""


def teaching_families(differ: Differences, concepts: Sequence[int], limit: int) -> dict[int, list[int]]:
    """All smallest teaching sets of each concept among some."""
    return {
        c: minimum_hitting_sets([differ(c, other) for other in concepts if other != c], every=True, limit=limit) or []
        for c in concepts
    }


def balbach_sizes(differ: Differences, first: np.ndarray) -> list[np.ndarray]:
    """Sizes after each iteration: rivals that fewer examples would teach are out, and that again."""
    sizes, history = first, [first]
    while True:
        smaller = np.array([_balbach_size(differ, c, sizes) for c in range(len(sizes))])
        if np.array_equal(smaller, sizes):
            return history
        sizes = smaller
        history.append(sizes)


def balbach_cores(differ: Differences, concept: int, sizes: np.ndarray, limit: int) -> list[int]:
    """The smallest sets that tell a concept from rivals that take as many examples, before they are filled up."""
    masks = [differ(concept, c) for c in np.flatnonzero(sizes >= sizes[concept]).tolist() if c != concept]
    return minimum_hitting_sets(masks, every=True, limit=limit) or []


def _balbach_size(differ: Differences, concept: int, sizes: np.ndarray) -> int:
    for size in range(1, int(sizes[concept]) + 1):
        rivals = np.flatnonzero(sizes >= size).tolist()
        if minimum_hitting_sets([differ(concept, c) for c in rivals if c != concept], most=size) is not None:
            return size
    return int(sizes[concept])


def subset_families(families: list[list[int]]) -> list[list[list[int]]]:
    """Families after each iteration: the smallest subsets of a concept's sets that no other concept's sets contain.

    Sets are of labelled examples, a bit for each; all sets of one concept are of one size.
    """
    history = [families]
    while True:
        smaller = _reduced(history[-1])
        if smaller == history[-1]:
            return history
        history.append(smaller)


def _reduced(families: list[list[int]]) -> list[list[int]]:
    sizes = [sets[0].bit_count() for sets in families]
    found: list[list[int]] = [[] for _ in families]
    size = 0
    while not all(found):
        owner: dict[int, int] = {}
        for c, sets in enumerate(families):
            if not found[c] and sizes[c] >= size:
                for subset in {part for each in sets for part in _subsets(each, size)}:
                    owner[subset] = c if owner.setdefault(subset, c) == c else SHARED
        for c, sets in enumerate(families):
            if found[c] and sizes[c] >= size:
                _share(owner, sets, size)
        fresh: dict[int, list[int]] = {}
        for subset, c in owner.items():
            if c != SHARED:
                fresh.setdefault(c, []).append(subset)
        for c, subsets in fresh.items():
            found[c] = sorted(subsets)
        size += 1
    return found


def _share(owner: dict[int, int], sets: list[int], size: int) -> None:
    """Mark the subsets that some sets contain, by whichever are fewer: all their subsets or those to mark."""
    if len(sets) * comb(sets[0].bit_count(), size) <= len(owner):
        for subset in (part for each in sets for part in _subsets(each, size)):
            if subset in owner:
                owner[subset] = SHARED
        return
    for subset, c in owner.items():
        if c != SHARED and any(subset & each == subset for each in sets):
            owner[subset] = SHARED


def _subsets(mask: int, size: int) -> list[int]:
    bits, left = [], mask
    while left:
        bits.append(left & -left)
        left &= left - 1
    return [sum(chosen) for chosen in combinations(bits, size)]


def recursive_families(
    differ: Differences, concepts: Sequence[int], limit: int
) -> tuple[dict[int, list[int]], list[tuple[list[int], int]]]:
    """Teaching sets within the class that is left, and the levels in which concepts leave it, the easiest first."""
    left, families, hierarchy = list(concepts), dict[int, list[int]](), list[tuple[list[int], int]]()
    while left:
        easiest, size = easiest_of(differ, left)
        for c in easiest:
            masks = [differ(c, other) for other in left if other != c]
            families[c] = minimum_hitting_sets(masks, every=True, limit=limit) or []
        hierarchy.append((easiest, size))
        left = [c for c in left if c not in set(easiest)]
    return families, hierarchy


def easiest_of(differ: Differences, concepts: Sequence[int]) -> tuple[list[int], int]:
    """The concepts among some that take the fewest examples, and how many."""
    masks = {c: minimal_masks(differ(c, other) for other in concepts if other != c) for c in concepts}
    for size in range(max(map(len, masks.values())) + 1):
        easiest = [c for c in concepts if minimum_hitting_sets(masks[c], most=size) is not None]
        if easiest:
            return easiest, size
    raise AssertionError("every concept has a teaching set")
