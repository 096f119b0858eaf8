"""Ranking examples from a search: what a cost must prefer for the search to act as one led by the loss."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RankingExamples:
    """States that a search came upon, and pairs of them of which the first must cost less.

    Parameters
    ----------
    states : ndarray of shape (M, width)
        The states, in the order in which they were found.
    better, worse : ndarray of shape (n_pairs,)
        Rows of ``states``.
    gaps : ndarray of shape (n_pairs,)
        By how much the loss of the worse exceeds that of the better; always positive.
    """

    states: np.ndarray
    better: np.ndarray
    worse: np.ndarray
    gaps: np.ndarray


class SearchImitation:
    """A rank-based search led by the loss, or by a cost, with the loss saying what it should have done.

    A state is a row of integers. Step by step the best open state is expanded, and of it, the other open states and
    its successors the ``beam_width`` best stay open (Section 4.3): one is greedy search. Of equals, those found first
    are the better ones. A wider beam never opens a state again that it has expanded.

    Parameters
    ----------
    successors : callable
        From a state to its successors, an array of one state a row.
    loss : callable
        From an array of states to their losses.
    beam_width : int
        Number of states that stay open.
    max_steps : int
        Number of states to expand.
    cost : callable or None, default=None
        From an array of states to the costs that lead the search; None is the loss.
    """

    def __init__(self, successors, loss, *, beam_width, max_steps, cost=None):
        self.successors, self.loss, self.cost = successors, loss, cost
        self.beam_width, self.max_steps = beam_width, max_steps

    def examples(self, start):
        """Ranking examples of the search that begins at a state (Algorithm 2, lines 3 to 13).

        Parameters
        ----------
        start : ndarray of shape (width,)
            The state.

        Returns
        -------
        RankingExamples
        """
        self._chunks, self._losses, self._costs = [], np.empty(0), np.empty(0)
        self._pairs: list[tuple[np.ndarray, np.ndarray]] = []
        seen = {start.tobytes()}
        beam, best = self._found(start[np.newaxis]), 0
        for _ in range(self.max_steps):
            if len(beam) == 0:
                break
            if len(beam) > 1:
                preferred = self._by_loss(beam)
                self._prefer(preferred[:1], preferred[1:])
            expanded, rest = beam[0], beam[1:]
            new = self.successors(self._state(expanded))
            if self.beam_width > 1:
                new = self._unseen(new, seen)
            candidates = np.concatenate([rest, self._found(new)])
            ranked = self._by_loss(candidates)
            kept = ranked[: self.beam_width]
            self._prefer(kept, ranked[self.beam_width :])
            if len(kept):
                # The paper's examples compare the best so far with the first of these alone. Those of equal loss are
                # not ranked among themselves, so that the best must be ranked against each to stay the best.
                first = ranked[self._losses[ranked] == self._losses[kept[0]]]
                self._prefer(np.array([best]), first)
                self._prefer(kept[:1], np.array([best]))
                if self._losses[kept[0]] < self._losses[best]:
                    best = kept[0]
            if self.cost is None:
                beam = kept
            else:
                beam = candidates[np.argsort(self._costs[candidates], kind="stable")][: self.beam_width]
            if self.beam_width > 1:
                # What fell out of the beam may be found again.
                dropped = np.setdiff1d(candidates, beam)
                seen.difference_update(self._state(index).tobytes() for index in dropped)
        none = np.empty(0, np.int64)
        better = np.concatenate([none, *(pair[0] for pair in self._pairs)])
        worse = np.concatenate([none, *(pair[1] for pair in self._pairs)])
        return RankingExamples(np.concatenate(self._chunks), better, worse, self._losses[worse] - self._losses[better])

    def _found(self, states):
        """Take states into the record; returns their numbers."""
        first = len(self._losses)
        self._chunks.append(states)
        self._losses = np.concatenate([self._losses, self.loss(states)])
        if self.cost is not None:
            self._costs = np.concatenate([self._costs, self.cost(states)])
        return np.arange(first, len(self._losses))

    def _state(self, number):
        for chunk in self._chunks:
            if number < len(chunk):
                return chunk[number]
            number -= len(chunk)
        raise IndexError(number)

    def _by_loss(self, numbers):
        return numbers[np.argsort(self._losses[numbers], kind="stable")]

    def _prefer(self, better, worse):
        """Ask that each of ``better`` cost less than each of ``worse`` of greater loss; equal losses ask nothing."""
        left, right = np.repeat(better, len(worse)), np.tile(worse, len(better))
        strict = self._losses[left] < self._losses[right]
        self._pairs.append((left[strict], right[strict]))

    @staticmethod
    def _unseen(states, seen):
        fresh = []
        for r, state in enumerate(states):
            key = state.tobytes()
            if key not in seen:
                seen.add(key)
                fresh.append(r)
        return states[fresh]
