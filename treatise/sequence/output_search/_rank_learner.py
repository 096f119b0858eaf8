"""The learner of the cost: margin-scaled passive-aggressive ranking (Section 4.4)."""

import numpy as np

from treatise.sequence.output_search._rank_learner_loops import rank_pass


class RankLearner:
    """Weights of features by labels, and of strings of labels, from pairs of outputs.

    Parameters
    ----------
    rows : csr_array of shape (positions, columns)
        Features of the positions of all sequences.
    offsets : ndarray of shape (n + 1,)
        Where the sequences begin.
    n_labels : int
        Number of labels.
    order : int
        Length of the longest strings of labels, less one.
    """

    def __init__(self, rows, offsets, n_labels, order):
        self.rows, self.offsets, self.n_labels, self.order = rows, offsets, n_labels, order
        self._sequences: list[int] = []
        self._outputs: list[np.ndarray] = []
        self._pairs: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.n_pairs = 0

    def add(self, sequence, outputs, better, worse, gaps):
        """Add pairs of outputs of one sequence."""
        if len(better) == 0:
            return
        # Of the outputs keep those in a pair.
        used, places = np.unique(np.concatenate([better, worse]), return_inverse=True)
        self._sequences.append(sequence)
        self._outputs.append(np.ascontiguousarray(outputs[used], np.int16).ravel())
        self._pairs.append(
            (places[: len(better)].astype(np.int32), places[len(better) :].astype(np.int32), np.sqrt(gaps))
        )
        self.n_pairs += len(better)

    def fit(self, epochs, average, rng, advance=lambda steps: None):
        """The weights after ``epochs`` passes from zero, over sequences in random order.

        Returns
        -------
        weights : ndarray of shape (columns, K)
        strings : ndarray
            Weights of strings of 2, 3, ... labels.
        """
        K = self.n_labels
        weights = np.zeros((self.rows.shape[1], K))
        strings = np.zeros(sum(K ** (length + 1) for length in range(1, self.order + 1)))
        sums, string_sums = np.zeros_like(weights), np.zeros_like(strings)
        n = len(self._sequences)
        if n == 0:
            return weights, strings
        better, worse, margins = (np.concatenate(part) for part in zip(*self._pairs))
        outputs = np.concatenate(self._outputs)
        output_start = np.cumsum([0, *(len(each) for each in self._outputs)])
        pair_start = np.cumsum([0, *(len(pair[0]) for pair in self._pairs)])
        visited = 0.0
        for _ in range(epochs):
            visited, n_updates = rank_pass(
                rng.permutation(n), np.array(self._sequences), output_start, pair_start, outputs, better, worse,
                margins, self.offsets, self.rows.indptr, self.rows.indices, self.rows.data, self.order,
                weights, strings, sums, string_sums, visited,
            )  # fmt: skip
            advance(1)
            if n_updates == 0:
                break
        if average:
            weights -= sums / (epochs * n)
            strings -= string_sums / (epochs * n)
        return weights, strings
