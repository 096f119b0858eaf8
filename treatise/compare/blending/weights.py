"""How much each method counts in a blend, from its predictions of held-out rows."""

from collections.abc import Callable

import numpy as np

ROUNDS = 20


def greedy_weights(members: np.ndarray, merit: Callable[[np.ndarray], float], rounds: int = ROUNDS) -> np.ndarray:
    """Shares of the methods in a blend that grows one method at a time, always by the one that helps most.

    A method may join again, which raises its share. The best blend on the way is taken, so that the result is never
    worse than the best single method on these rows. Caruana, Niculescu-Mizil, Crew & Ksikes (ICML 2004) show that this
    hardly overfits.

    Parameters
    ----------
    members : ndarray of shape (n_members, n_rows, ...)
        Predictions of each method for the same rows.
    merit : callable
        Of blended predictions, how good they are; larger is better.
    rounds : int, default=20
        Most members, counted with repetition.

    Returns
    -------
    ndarray of shape (n_members,)
        Shares that sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.compare import greedy_weights
    >>> truth = np.array([0.0, 1.0, 2.0])
    >>> members = np.array([truth + [1, 0, 1], truth - [1, 0, 1], truth + 5])
    >>> greedy_weights(members, lambda found: -np.square(found - truth).mean(), rounds=2)
    array([0.5, 0.5, 0. ])
    """
    counts = np.zeros(len(members))
    total = np.zeros(members.shape[1:])
    best, best_counts = -np.inf, counts
    for size in range(1, rounds + 1):
        found = [merit((total + member) / size) for member in members]
        chosen = int(np.argmax(found))
        counts[chosen] += 1.0
        total = total + members[chosen]
        if found[chosen] > best:
            best, best_counts = found[chosen], counts.copy()
    return best_counts / best_counts.sum()


def expert_weights(losses: np.ndarray, seed: int = 0) -> np.ndarray:
    """Shares of the methods by FlipFlop (paper v15-1281), averaged over a game in which every row is a round.

    The average over the rounds is what makes a strategy for a game into a fixed mixture.

    Parameters
    ----------
    losses : ndarray of shape (n_rows, n_members)
        Loss of each method on each row.
    seed : int, default=0
        Of the order of the rows.

    Returns
    -------
    ndarray of shape (n_members,)
        Shares that sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.compare import expert_weights
    >>> expert_weights(np.tile([0.1, 0.9], (200, 1))).round(2)
    array([1., 0.])
    """
    from treatise.online import FlipFlop  # brings compiled loops, which only a blend needs

    order = np.random.default_rng(seed).permutation(len(losses))
    played = FlipFlop().run(np.ascontiguousarray(losses[order]), keep_weights=True)
    weights = np.mean(played.weights, axis=0)
    return weights / weights.sum()
