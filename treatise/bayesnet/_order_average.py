"""Averages over all networks that respect an order of the variables (JMLR 5:1177, Sections 2.3 and 3)."""

import math
from itertools import chain, combinations

import numpy as np
from scipy.special import softmax

from treatise.bayesnet._summary_network import SummaryNetwork

_MOST_SETS = 5_000_000


def dirichlet_cell(scores):
    """Function of (child, parents): the Dirichlet parameter of a cell of the family, as in the scores."""
    if scores.score_name == "k2":
        return lambda child, parents: 1.0
    states = scores.n_states.tolist()
    size = scores.equivalent_sample_size
    return lambda child, parents: size / math.prod(states[u] for u in (child, *parents))


def average_over_order(scores, levels, max_parents, max_union):
    """The summary network of all networks that respect an order, and the posterior probability of each arc.

    Parameters
    ----------
    scores : FamilyScores
        Log marginal likelihoods of families; parent sets are equally probable a priori.
    levels : list of list of int
        The order: variables of earlier levels may be parents of those of later ones.
    max_parents : int
        Most parents in a network that is averaged over.
    max_union : int or None
        Most parents in the summary network; None for all that occur, which is the exact average.

    Returns
    -------
    summary : SummaryNetwork
    arc_posterior : ndarray of shape (p, p)
        Probability of the arc from row to column, averaged exactly over all networks whatever ``max_union`` is.
    """
    p = scores.counts.n_columns
    _refuse_too_many(levels, max_parents, p)
    families, arc_posterior, earlier = [None] * p, np.zeros((p, p)), []
    for level in levels:
        candidates = sorted(earlier)
        sets = [own for size in range(max_parents + 1) for own in combinations(candidates, size)]
        members, sizes = np.fromiter(chain.from_iterable(sets), dtype=np.int64), list(map(len, sets))
        for child in level:
            log_scores = scores.scores(child, sets)
            # Normalised for each variable by itself: the constant that the paper writes c^(1/N) differs between them.
            weights = softmax(log_scores)
            arc_posterior[:, child] = np.bincount(members, np.repeat(weights, sizes), p)
            if max_union is not None and max_union < len(candidates):
                chosen = within_union(sets, log_scores, max_union)
                families[child] = [sets[at] for at in chosen], softmax(log_scores[chosen])
            else:
                families[child] = sets, weights
        earlier += level
    return SummaryNetwork().fit(scores.counts, families, dirichlet_cell(scores)), arc_posterior


def within_union(sets, log_scores, max_union):
    """Numbers of the sets inside the union of the best that stays small enough (Procedure 1)."""
    union = set()
    for at in np.argsort(-log_scores, kind="stable"):
        if len(union) == max_union:
            break
        if len(union.union(sets[at])) <= max_union:
            union.update(sets[at])
    return [at for at, own in enumerate(sets) if union.issuperset(own)]


def _refuse_too_many(levels, max_parents, p):
    n_sets, before = 0, 0
    for level in levels:
        n_sets += len(level) * sum(math.comb(before, size) for size in range(max_parents + 1))
        before += len(level)
    if n_sets > _MOST_SETS:
        raise ValueError(
            f"max_parents={max_parents} makes {n_sets:.3g} parent sets of {p} variables, more than {_MOST_SETS:.3g}; "
            f"lower it, or select variables first"
        )
