"""The sampler against the exact posterior of a small case, at c = 2, where factors that the paper drops matter."""

import itertools

import numpy as np

from treatise.bayes.gibbs_medlda._chain import Chain
from treatise.bayes.gibbs_medlda._losses import HingeLoss
from treatise.papers._evidence import Row
from treatise.statistics import effective_sample_size
from treatise.statistics.topics import CollapsedTopics, tokens_of, whole_counts

COUNTS, SIGNS = np.array([[2, 1, 0], [0, 1, 2]]), np.array([[1.0], [-1.0]])
COST, MARGIN, PRIOR = 2.0, 1.0, 0.5


def posterior_rows(n_sweeps: int) -> list[Row]:
    """Mean score of the first document: by enumeration, by the sampler, and by the equations as printed."""
    exact = _enumerated()
    mean, error = _sampled(n_sweeps)
    printed, other = _sampled(n_sweeps, as_printed=True)
    return [
        Row.check("mean score of a document in the exact posterior, c = 2", exact, mean, standard_error=error),
        Row.check_at_least(
            "standard errors by which the factor missing in equations 11 and 23 would move it", 5.0,
            abs(printed - exact) / other,
        ),
    ]  # fmt: skip


def _enumerated() -> float:
    tokens = tokens_of(whole_counts(COUNTS))
    state = CollapsedTopics(tokens, 2, PRIOR, PRIOR, np.random.default_rng(0))
    axis = np.linspace(-7, 7, 241)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    total = score = 0.0
    for topics in itertools.product(range(2), repeat=len(tokens.words)):
        state.set_topics(np.array(topics))
        s = grid @ state.shares().T
        loss = np.maximum(0.0, MARGIN - SIGNS[:, 0] * s).sum(axis=1)
        mass = np.exp(state.log_joint() - 0.5 * np.sum(grid**2, axis=1) - 2.0 * COST * loss)
        total += mass.sum()
        score += float(mass @ s[:, 0])
    return score / total


def _sampled(n_sweeps: int, as_printed: bool = False) -> tuple[float, float]:
    tokens, loss = tokens_of(whole_counts(COUNTS)), HingeLoss(SIGNS, COST, MARGIN)
    chain = Chain(tokens, loss, 2, PRIOR, PRIOR, 1.0, np.random.default_rng(0))
    if as_printed:  # the token loop without the factor c, and the draw of the weights with it (equation 10)
        right = chain.topics.sweep
        chain.topics.sweep = lambda factor: right(factor._replace(pull=factor.pull / COST))
    chain.sweep(200)
    drawn = np.empty(n_sweeps)
    for at in range(n_sweeps):
        chain.sweep(1)
        drawn[at] = chain.scores()[0, 0]
    return float(drawn.mean()), float(drawn.std() / np.sqrt(effective_sample_size(drawn[np.newaxis])))
