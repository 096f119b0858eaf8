"""Rounds of messages over a pairwise form, for sums or maxima, with any weights of the edges."""

import numpy as np

from treatise.inference.messages import _loops as loops


class Messages:
    """Messages over the edges of a form, kept while scores or weights change.

    Parameters
    ----------
    form : PairwiseForm
    rho : ndarray of shape (n_edges,) or None, default=None
        Weight of each edge; None is ordinary belief propagation.
    maximize : bool, default=False
        Whether messages are maxima, not sums.
    """

    def __init__(self, form, rho=None, *, maximize=False):
        self.form, self.maximize = form, maximize
        self.messages = np.zeros(form.message_offset[-1])
        self.unary = form.unary
        self.weigh(np.ones(len(form.edges)) if rho is None else rho)

    def weigh(self, rho):
        """Give the edges other weights."""
        self.rho = np.ascontiguousarray(rho, np.float64)
        lengths = np.diff(self.form.pair_offset)
        self.scores = self.form.pairs / np.repeat(self.rho, lengths)
        if len(lengths):
            tallest = np.maximum.reduceat(self.scores, self.form.pair_offset[:-1])
            if np.any(tallest == -np.inf):
                raise _impossible()
            self.weights = np.exp(self.scores - np.repeat(tallest, lengths))
        else:
            self.weights = self.scores

    def run(self, *, max_iter, tol, damping=0.0):
        """Rounds, each forth and back over the variables; returns their number and whether changes fell below tol."""
        form = self.form
        back, rounds = form.order[::-1].copy(), 0
        for rounds in range(1, max_iter + 1):
            change = max(self._sweep(back, damping), self._sweep(form.order, damping))
            # In a forest the first round has sent all that there is to send.
            if change <= tol or (form.is_forest and damping == 0.0):
                return rounds, True
        return rounds, False

    def _sweep(self, order, damping):
        form = self.form
        change = loops.sweep(
            order, form.offset, self.unary, form.edges, form.pair_offset, self.scores, self.weights, self.rho,
            *form.incidence, form.message_offset, self.messages, damping, self.maximize,
        )  # fmt: skip
        if np.isnan(change):
            raise _impossible()
        return change

    def beliefs(self):
        """Beliefs of variables and of edges, flat; the estimate of ``log Z`` and the bound on it from above."""
        form = self.form
        nodes, pairs = np.empty(len(form.unary)), np.empty(len(form.pairs))
        estimate, bound = loops.beliefs(
            form.offset, self.unary, form.edges, form.pair_offset, self.scores, self.rho,
            *form.incidence, form.message_offset, self.messages, nodes, pairs, self.maximize,
        )  # fmt: skip
        if np.isnan(estimate):
            raise _impossible()
        return nodes, pairs, estimate + form.constant, bound + form.constant

    def labels(self):
        """A labelling read off the messages, variable after variable."""
        form = self.form
        labels = np.zeros(form.n_nodes, np.int64)
        loops.decode(
            form.order, form.offset, self.unary, form.edges, form.pair_offset, form.pairs, self.rho,
            *form.incidence, form.message_offset, self.messages, labels,
        )  # fmt: skip
        return labels[: form.n_variables]


def _impossible():
    return ValueError("no joint state is possible: the tables' scores of -inf exclude every one")
