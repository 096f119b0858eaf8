"""Training of chains from growing mini-batches, in the scale of a quadratic bound (Choromanska, 2014, Chapter 3)."""

import numpy as np
from scipy import sparse

from treatise.sequence.crf._likelihood import batch_of
from treatise.sequence.crf._majorized import Descent, bound_step, majorized_descent

FIRST_BATCH = 5
GROWTH = 1.2  # of the mini-batch from step to step: the thesis needs growth in proportion for a linear rate
CURVATURE_BATCH = 200
INNER = 5


def semistochastic_descent(likelihood, *, max_iter, tol, advance, rng):
    """Steps from mini-batches until these hold all sequences, then majorised descent.

    Equation 3.3, with two changes for attributes that are rare, as words are. The sequences of the curvature are among
    those of the gradient and not others: a word that only the gradient's sequences hold would have no curvature, and
    its noise be amplified by 1 / eta. And a word that the batch does not hold has the curvature that it would have
    there: with none, every step would shrink its weight by the step's whole length.

    Parameters
    ----------
    likelihood : ChainLikelihood
        What to minimise.
    max_iter, tol, advance
        As in :func:`majorized_descent`; a step from a mini-batch is an iteration.
    rng : RandomState
        Draws the mini-batches.

    Returns
    -------
    Descent
        Objectives are noted about once a pass, and after each iteration on all sequences.
    """
    n, w = len(likelihood.lengths), np.zeros(likelihood.n_weights)
    path, passes, absent = [likelihood.objective(w)[0]], [1.0], _Absent(likelihood)
    spent, steps, size, ease = 0, 0, float(FIRST_BATCH), 1.0
    while size < n and steps < max_iter:
        drawn = rng.choice(n, int(size), replace=False)
        step = _step(likelihood, w, drawn, absent, ease)
        w, ease = step.w, step.ease
        spent, steps, size = spent + (1 + step.evaluations) * len(drawn), steps + 1, GROWTH * size
        advance(1)
        if spent >= n * len(path):
            path.append(likelihood.objective(w)[0])
            passes.append(len(path) + spent / n)
    rest = majorized_descent(likelihood, w, max_iter=max_iter - steps, tol=tol, advance=advance, ease=ease)
    begun = len(path) + spent / n
    passes += [begun + passed for passed in rest.passes]
    return Descent(rest.w, path + rest.path, passes, steps + rest.n_iter, rest.converged)


class _Absent:
    """Curvature of weights whose attributes a mini-batch does not hold, in units of what a position's labels have.

    Parameters
    ----------
    likelihood : ChainLikelihood
        All sequences.
    """

    def __init__(self, likelihood):
        rows = likelihood.emissions.rows
        self.on_average = likelihood.squares() / len(likelihood.lengths)
        # An attribute shares its positions with others that pull as it does, so that it yields less than by itself.
        self.once = float(np.sum((rows.data if sparse.issparse(rows) else rows) ** 2)) / len(likelihood.codes)

    def least(self, batch):
        """What each weight of an attribute should have at least, for a mean over the batch."""
        n = len(batch.lengths)
        held = batch.squares() / n
        return np.maximum(self.on_average, np.where(held > 0.0, held, self.once / n))


def _step(likelihood, w, drawn, absent, ease):
    """(Sigma_S + eta)^-1 (mu_T + eta theta), inexactly, from the gradient of T and the curvature of S within T."""
    batch, few = batch_of(likelihood, drawn), drawn[:CURVATURE_BATCH]
    part = batch if len(few) == len(drawn) else batch_of(likelihood, few)
    curvature = part.curvature(w, scale=len(drawn) / len(few))
    least = likelihood.of_labels(curvature.springs.mean(axis=0)) * absent.least(batch) * len(drawn)
    ridge = np.full(len(w), batch.l2)
    ridge[: len(least)] += np.maximum(0.0, least - curvature.diagonal[: len(least)])
    return bound_step(batch.objective, curvature, ridge, (w, *batch.objective(w)), ease=ease, n_inner=INNER)
