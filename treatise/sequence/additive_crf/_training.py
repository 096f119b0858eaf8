"""Training of additive conditional random fields: dynamic backfitting and boosting, with transitions in turn."""

from dataclasses import dataclass, replace

import numpy as np

from treatise.inference import Chains
from treatise.optimize import minimize_lbfgs
from treatise.sequence.additive_crf import _loops as loops

_CYCLES = 50
_SETTLED = 1e-3
_TRANSITION_STEPS = 10
_SHORTEST_STEP = 2.0**-10
# A position whose label is all but certain has no curvature left; without a floor a single wrong label among certain
# ones would ask for a step without limit.
_LEAST_CURVATURE = 1e-3


class Columns:
    """The numbers of all positions as places among the distinct ones of each column.

    ``knots`` holds the distinct numbers of column j at ``first[j]:first[j + 1]``, ``counts`` how often each occurs, and
    ``codes[j, t]`` says which of them position t has.
    """

    def __init__(self, rows, bandwidths):
        found = [np.unique(column, return_inverse=True, return_counts=True) for column in rows.T]
        self.codes = np.array([codes for _, codes, _ in found], np.int32).reshape(rows.shape[::-1])
        self.first = np.concatenate([[0], np.cumsum([len(knots) for knots, _, _ in found])]).astype(np.int64)
        self.knots = np.concatenate([knots for knots, _, _ in found])
        self.counts = np.concatenate([counts for _, _, counts in found]).astype(np.float64)
        self.bandwidths = bandwidths

    def __len__(self):
        return len(self.codes)

    def of_each(self, flat):
        """Values at all knots, the last axis, divided among the columns."""
        return np.split(flat, self.first[1:-1], axis=-1)

    def at_positions(self, curves):
        """Sums of curves of shape (F, knots) over the columns, of shape (T, F)."""
        total = np.zeros((self.codes.shape[1], len(curves)))
        for first, codes in zip(self.first, self.codes):
            for f, curve in enumerate(curves):
                total[:, f] += curve[first + codes]
        return total

    def smoothed(self, j, values):
        """Kernel sums of values of shape (T, F) along column j, at its knots, of shape (F, knots of j)."""
        sums = np.empty((values.shape[1], self.first[j + 1] - self.first[j]))
        for f, own in enumerate(values.T):
            loops.smoothed(np.ascontiguousarray(own), self.codes, self.first, self.knots, self.bandwidths, j, sums[f])
        return sums


@dataclass(frozen=True)
class Model:
    """Curves, intercepts and transitions, with what they say of the training sequences."""

    curves: np.ndarray
    intercept: np.ndarray
    transitions: np.ndarray
    objective: float = np.inf
    probabilities: np.ndarray | None = None


def label_scores(functions, K):
    """Scores of all labels from those that are learned: with two labels only the second's is."""
    return np.column_stack([np.zeros(len(functions)), functions]) if K == 2 else functions


class Training:
    """The penalised negative log-likelihood of labelled sequences, and steps that lower it."""

    def __init__(self, codes, lengths, K, columns, l2):
        self.codes, self.lengths, self.K, self.columns, self.l2 = codes, lengths, K, columns, l2
        self.indicators = np.eye(K)[codes]
        inner = np.ones(len(codes), bool)
        inner[np.concatenate([[0], np.cumsum(lengths)[:-1]])] = False
        moves = np.flatnonzero(inner)
        self.seen_moves = np.zeros((K, K))
        np.add.at(self.seen_moves, (codes[moves - 1], codes[moves]), 1.0)
        # A single label needs no function.
        self.n_functions = {1: 0, 2: 1}.get(K, K)

    def start(self):
        """No curves, and the transitions that suit the labels alone."""
        K = self.K
        nothing = np.zeros((self.n_functions, len(self.columns.knots)))
        return self.with_transitions(Model(nothing, np.zeros(K), np.zeros((K, K))))

    def _chains(self, model, of_curves):
        return Chains(of_curves + model.intercept, model.transitions, lengths=self.lengths)

    def _of_curves(self, model):
        if self.K == 1:
            return np.zeros((len(self.codes), 1))
        return label_scores(self.columns.at_positions(model.curves), self.K)

    def evaluated(self, model):
        """The model with its objective and its probabilities of labels."""
        chains = self._chains(model, self._of_curves(model))
        found = chains.marginals(pairs=False)
        loss = found.log_partition.sum() - chains.path_scores(self.codes).sum()
        return replace(model, objective=loss + 0.5 * self.l2 * np.sum(model.transitions**2), probabilities=found.nodes)

    def with_transitions(self, model):
        """The model after some steps of L-BFGS on transitions and intercepts, its curves held fixed.

        The steps are taken in the score of a move, transition and the next label's intercept together. A label's
        intercept is the average of the moves to it: what a sequence begins with is too rare an event to set it.
        """
        K, of_curves = self.K, self._of_curves(model)
        first = self.indicators.sum(axis=0) - self.seen_moves.sum(axis=0)
        constant = float(of_curves[np.arange(len(self.codes)), self.codes].sum())

        def unpacked(w):
            moves = w.reshape(K, K)
            return replace(model, transitions=moves - moves.mean(axis=0), intercept=moves.mean(axis=0))

        def objective(w):
            moved = unpacked(w)
            found = self._chains(moved, of_curves).marginals()
            penalty = self.l2 * moved.transitions
            value = found.log_partition.sum() - constant + 0.5 * np.sum(penalty * moved.transitions)
            value -= np.sum(self.seen_moves.ravel() * w) + first @ moved.intercept
            expected_first = found.nodes.sum(axis=0) - found.pairs.sum(axis=0)
            gradient = found.pairs - self.seen_moves + (expected_first - first) / K + penalty
            return value, gradient.ravel()

        p = self.indicators.mean(axis=0) if model.probabilities is None else model.probabilities
        spread = np.broadcast_to(p * (1 - p), self.indicators.shape).sum(axis=0)
        # A guess of the Hessian's diagonal: labels that are certain bend nothing.
        curvature = np.sqrt(np.outer(spread, spread)).ravel() / K + self.l2 + 1e-3
        start = (model.transitions + model.intercept).ravel()
        end = minimize_lbfgs(objective, start, diagonal=curvature, max_iter=_TRANSITION_STEPS, decrease_tolerance=1e-9)
        return self.evaluated(unpacked(end.w))

    def _learned(self, values):
        """Of an array with a column for each label, the columns of the labels that have functions."""
        return values[:, self.K - self.n_functions :]

    def damped(self, model, curves, intercept, step=1.0):
        """The model moved by the changes, which are halved until the objective does not rise; or not moved at all."""
        while step >= _SHORTEST_STEP:
            moved = self.evaluated(
                replace(model, curves=model.curves + step * curves, intercept=model.intercept + step * intercept)
            )
            if moved.objective <= model.objective:
                return moved
            step /= 2
        return model

    def backfitted(self, model):
        """One Newton step of dynamic backfitting (Figure 11.3), all curves together.

        The densities and conditional means of every time step that the figure smooths in two stages merge, for the
        kernel smoother, into one weighted average over all positions.
        """
        gradient = self._learned(self.indicators - model.probabilities)
        weight = np.maximum(self._learned(model.probabilities * (1 - model.probabilities)), _LEAST_CURVATURE)
        columns, curves, intercept = self.columns, model.curves.copy(), np.zeros(self.K)
        for f in range(self.n_functions):
            intercept[self.K - self.n_functions + f] = loops.backfit(
                columns.codes, columns.first, columns.counts, columns.knots, columns.bandwidths,
                np.ascontiguousarray(gradient[:, f]), np.ascontiguousarray(weight[:, f]), curves[f], 0.0,
                _CYCLES, _SETTLED,
            )  # fmt: skip
        changes = curves - model.curves
        if self.K > 2:
            # What all labels share has no effect.
            changes -= changes.mean(axis=0)
            intercept -= intercept.mean()
        return self.damped(model, changes, intercept)

    def boosted(self, model, share):
        """One round of aDyBoost (Figure 11.2): every column's curve moves along its own smoothed gradient."""
        columns, T = self.columns, len(self.codes)
        for j in range(len(columns)):
            gradient = self._learned(self.indicators - model.probabilities)
            direction = columns.smoothed(j, gradient)
            own = slice(columns.first[j], columns.first[j + 1])
            direction -= (direction @ columns.counts[own] / T)[:, np.newaxis]
            if self.K > 2:
                direction -= direction.mean(axis=0)
            along = direction[:, columns.codes[j]].T
            curvature = np.sum(self._learned(model.probabilities * (1 - model.probabilities)) * along**2)
            slope = np.sum(gradient * along)
            # Nothing to gain along this column, or the kernel's waves lead downhill.
            if not slope > 0 or not curvature > 0:
                continue
            changes = np.zeros_like(model.curves)
            changes[:, own] = direction
            model = self.damped(model, share * slope / curvature * changes, np.zeros(self.K))
        return model
