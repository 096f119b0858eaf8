"""The automaton that watches a sequence of labels for patterns, with as few states as the patterns need."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np


class Arcs(NamedTuple):
    """The automaton as compiled loops take it.

    An arc is a string of the trie of patterns; it is taken from every state whose longest suffix with that label in
    the trie it is. States are numbered so that those with a common suffix are neighbours, a suffix before them.
    """

    fail_state: np.ndarray  # longest proper suffix of a state among the states; -1 for the empty one
    state_end: np.ndarray  # states from p to state_end[p] (exclusive) are those that p is a suffix of
    parent: np.ndarray  # the arc's string without its last label, a state
    label: np.ndarray  # its last label
    target: np.ndarray  # its longest suffix among the states
    fail: np.ndarray  # longest proper suffix of an arc among the arcs; -1 if none; always an earlier arc
    closer_start: np.ndarray  # where an arc's part of ``closer`` begins
    closer: np.ndarray  # states whose own arc with the label is taken instead, in ascending order
    child_start: np.ndarray  # where a state's part of ``child`` begins
    child: np.ndarray  # arcs whose parent a state is


class PatternAutomaton:
    """Remembers of a sequence of labels what is needed to notice every occurrence of given patterns.

    A state is a string: a proper prefix of a pattern, a label, or nothing (the empty string, where every sequence
    begins). After any labels the automaton is in the longest state that they end with (the paper's forward states).
    With M patterns of length at most k it has at most ``1 + n_labels + M (k - 1)`` states, whatever ``n_labels ** k``
    is. Building it costs O(M k^2).

    Parameters
    ----------
    patterns : iterable of sequences of int
        Distinct strings of labels.
    n_labels : int
        Labels are 0 to n_labels - 1.

    Attributes
    ----------
    patterns : tuple of tuples
        The patterns, in the order given.
    states : tuple of tuples
        Strings of the states; the first is empty.
    arcs : Arcs
        Transitions as arrays. There are as many as strings in the trie of patterns, not ``n_states * n_labels``: a
        state without an arc of its own for a label takes that of its longest suffix.
    arc_strings : tuple of tuples
        Strings of the arcs, the shorter first.
    pattern_arc : ndarray of shape (M,)
        The arc whose string each pattern is.

    Examples
    --------
    >>> from treatise.inference import PatternAutomaton
    >>> automaton = PatternAutomaton([(2, 1, 2)], n_labels=3)
    >>> automaton.states
    ((), (0,), (1,), (2, 1), (2,))
    >>> automaton.next_state((2, 1), 2), automaton.matched((2, 1), 2)
    ((2,), ((2, 1, 2),))

    References
    ----------
    .. [1] Paper v15-0981, Section 2.2.
    """

    def __init__(self, patterns: Iterable[Sequence[int]], n_labels: int) -> None:
        self.n_labels = int(n_labels)
        if self.n_labels < 1:
            raise ValueError(f"n_labels={n_labels} must be at least 1")
        self.patterns = tuple(tuple(int(y) for y in pattern) for pattern in patterns)
        self._check()
        alphabet = [(y,) for y in range(self.n_labels)]
        prefixes = {pattern[:k] for pattern in self.patterns for k in range(len(pattern))}
        known = prefixes | set(alphabet) | {()}
        suffix = {p: _longest_suffix(p[1:], known) for p in known if p}
        self.states = _suffix_tree_order(suffix)
        self._number = {p: i for i, p in enumerate(self.states)}
        strings = (known | set(self.patterns)) - {()}
        self.arc_strings = tuple(sorted(strings, key=lambda q: (len(q), q)))
        self._arc_number = {q: i for i, q in enumerate(self.arc_strings)}
        self.pattern_arc = np.array([self._arc_number[pattern] for pattern in self.patterns], np.int64)
        self.arcs = self._arcs(suffix)

    def _check(self) -> None:
        for pattern in self.patterns:
            if not pattern:
                raise ValueError("a pattern is empty; each needs at least one label")
            if min(pattern) < 0 or max(pattern) >= self.n_labels:
                raise ValueError(f"pattern {pattern} has a label outside 0 to {self.n_labels - 1}")
        if len(set(self.patterns)) < len(self.patterns):
            twice = next(p for i, p in enumerate(self.patterns) if p in self.patterns[:i])
            raise ValueError(f"pattern {twice} is given more than once")

    def _arcs(self, suffix: dict[tuple, tuple]) -> Arcs:
        number, arc_number = self._number, self._arc_number
        fail_state = np.array([number[suffix[p]] if p else -1 for p in self.states], np.int32)
        state_end = np.arange(1, len(self.states) + 1, dtype=np.int32)
        for i in range(len(self.states) - 1, 0, -1):
            state_end[fail_state[i]] = max(state_end[fail_state[i]], state_end[i])
        parent = np.array([number[q[:-1]] for q in self.arc_strings], np.int32)
        label = np.array([q[-1] for q in self.arc_strings], np.int32)
        target = np.array([number[_longest_suffix(q, number)] for q in self.arc_strings], np.int32)
        shorter = (_longest_suffix(q[1:], arc_number) for q in self.arc_strings)
        fail = np.array([arc_number.get(q, -1) for q in shorter], np.int32)
        closer_start, closer_arcs = _grouped(fail, np.lexsort([parent]), len(fail))
        child_start, child = _grouped(parent, np.arange(len(parent)), len(self.states))
        closer = parent[closer_arcs]
        return Arcs(fail_state, state_end, parent, label, target, fail, closer_start, closer, child_start, child)

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.states)

    def arc(self, state: Sequence[int], label: int) -> int:
        """Number of the arc that ``label`` takes from ``state``."""
        return self._arc_number[_longest_suffix((*state, label), self._arc_number)]

    def next_state(self, state: Sequence[int], label: int) -> tuple[int, ...]:
        """The state after ``label``."""
        return self.states[self.arcs.target[self.arc(state, label)]]

    def matched(self, state: Sequence[int], label: int) -> tuple[tuple[int, ...], ...]:
        """Patterns that end with ``label`` when it follows ``state``, the longest first."""
        found, arc, patterns = [], self.arc(state, label), set(self.patterns)
        while arc >= 0:
            if self.arc_strings[arc] in patterns:
                found.append(self.arc_strings[arc])
            arc = int(self.arcs.fail[arc])
        return tuple(found)

    def run(self, labels: Sequence[int]) -> np.ndarray:
        """Arcs that a sequence of labels takes, from the empty state."""
        states, arcs = (), np.empty(len(labels), np.int64)
        for t, label in enumerate(labels):
            arcs[t] = self.arc(states, int(label))
            states = self.states[self.arcs.target[arcs[t]]]
        return arcs


def observed_patterns(
    paths: Iterable[Sequence[int]], *, max_length: int, min_length: int = 1, min_count: int = 1
) -> dict[tuple[int, ...], int]:
    """Strings of labels that occur in sequences, and how often.

    Parameters
    ----------
    paths : iterable of sequences of int
        Sequences of labels.
    max_length, min_length : int
        Lengths of the strings.
    min_count : int, default=1
        Strings that occur less often are left out.

    Returns
    -------
    counts : dict
        From strings to counts, the shorter strings first.

    Examples
    --------
    >>> from treatise.inference import observed_patterns
    >>> observed_patterns([[0, 1, 0, 1]], min_length=2, max_length=3)
    {(0, 1): 2, (1, 0): 1, (0, 1, 0): 1, (1, 0, 1): 1}
    """
    counts: dict[tuple[int, ...], int] = {}
    for path in paths:
        labels = tuple(int(y) for y in path)
        for length in range(min_length, max_length + 1):
            for end in range(length, len(labels) + 1):
                string = labels[end - length : end]
                counts[string] = counts.get(string, 0) + 1
    kept = (string for string, count in counts.items() if count >= min_count)
    return {string: counts[string] for string in sorted(kept, key=lambda s: (len(s), s))}


def _longest_suffix(string: tuple, known) -> tuple:
    while string and string not in known:
        string = string[1:]
    return string


def _suffix_tree_order(suffix: dict[tuple, tuple]) -> tuple[tuple[int, ...], ...]:
    """All strings, each right after those it extends to the left: a walk through the tree of suffixes."""
    longer: dict[tuple, list[tuple]] = {}
    for string, shorter in suffix.items():
        longer.setdefault(shorter, []).append(string)
    order, stack = [], [()]
    while stack:
        string = stack.pop()
        order.append(string)
        stack.extend(sorted(longer.get(string, ()), reverse=True))
    return tuple(order)


def _grouped(group: np.ndarray, order: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Members of every group, in the given order; those of group -1 are left out."""
    members = order[group[order] >= 0]
    members = members[np.argsort(group[members], kind="stable")]
    start = np.zeros(n_groups + 1, np.int32)
    np.cumsum(np.bincount(group[members], minlength=n_groups), out=start[1:])
    return start, members.astype(np.int32)
