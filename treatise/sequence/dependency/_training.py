"""How a grammar is learnt from sentences without trees: three E- and M-steps in one loop (Table 1)."""

from typing import NamedTuple

import numpy as np

from treatise._core.progress import progress
from treatise.optimize import posterior_projection


class Training(NamedTuple):
    """A grammar that was learnt, and how it went."""

    grammar: object
    history: np.ndarray
    """Objective before every step and after the last."""
    gaps: np.ndarray
    """How far below the best posterior's each may lie."""
    converged: bool


class LikelihoodSteps:
    """Expectation-maximisation of the likelihood (equation 2)."""

    def begun(self, corpus, grammar):
        """The grammar to start from."""
        return grammar

    def expect(self, corpus, grammar):
        """Expected counts, the objective, and how far the objective may lie below its best."""
        found = corpus.expectations(grammar)
        return found, found.log_likelihood, 0.0

    def maximise(self, grammar, counts):
        """The grammar of these counts."""
        return grammar.maximised(counts)


class DirichletSteps(LikelihoodSteps):
    """Mean-field updates under Dirichlet laws of all choices (section 5.1.1); the objective is their bound."""

    def __init__(self, alpha):
        self.alpha = alpha
        self.divergence = 0.0

    def begun(self, corpus, grammar):
        """The weights of the counts that the starting grammar expects."""
        return self.maximise(grammar, corpus.expectations(grammar).counts)

    def expect(self, corpus, grammar):
        """As with the likelihood, less the divergence of the parameters' law from the prior."""
        found = corpus.expectations(grammar)
        return found, found.log_likelihood - self.divergence, 0.0

    def maximise(self, grammar, counts):
        """The weights exp(E log) of these counts."""
        weights, self.divergence = grammar.variational(counts, self.alpha)
        return weights


class RegularisedSteps(LikelihoodSteps):
    """Posterior regularisation (equation 8): counts are expected under the posterior drawn towards few types."""

    def __init__(self, features, sigma, max_iter, tol):
        self.features, self.sigma, self.max_iter, self.tol = features, sigma, max_iter, tol
        self.multipliers = None

    def expect(self, corpus, grammar):
        """Counts under the projected posterior, and what that posterior reaches of the objective (equation 6)."""
        latest = {}

        def costed(multipliers):
            found = corpus.expectations(grammar, self.features.costs(multipliers))
            latest["found"], latest["at"] = found, multipliers
            return found.log_likelihood, self.features.expectations(found.edges)

        # The multipliers of the last step are near those of this one.
        projection = posterior_projection(
            costed, self.features.starts, self.sigma, start=self.multipliers, max_iter=self.max_iter, tol=self.tol
        )
        self.multipliers = projection.multipliers
        if latest["at"] is not projection.multipliers:
            costed(projection.multipliers)
        return latest["found"], projection.log_partition - projection.gap, projection.gap


def learn(steps, corpus, grammar, max_iter, tol, gap_tol):
    """Alternate both steps until the objective rises by at most ``tol``, with a gap of at most ``gap_tol``."""
    grammar = steps.begun(corpus, grammar)
    history: list[float] = []
    gaps: list[float] = []
    with progress("learning a grammar", max_iter) as advance:
        while True:
            found, objective, gap = steps.expect(corpus, grammar)
            history.append(objective)
            gaps.append(gap)
            converged = len(history) > 1 and history[-1] - history[-2] <= tol and gap <= gap_tol
            if converged or len(history) > max_iter:
                return Training(grammar, np.array(history), np.array(gaps), converged)
            grammar = steps.maximise(grammar, found.counts)
            advance(1)
