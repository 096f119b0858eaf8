"""The opponent that no strategy withstands (V'yugin, JMLR 12:241, Proposition 1)."""

import numpy as np
from sklearn.base import clone

from treatise.online.experts._loss_matrix import LARGEST_LOSS


def growing_adversary(strategy, n_rounds, epsilon=0.1):
    """Losses for two experts that explode, always on the expert whom the strategy favours.

    The loss of round t is 4 / epsilon times the volume so far. The strategy's regret is at least (1 - epsilon) / 2
    of the volume after every round: without limits on the fluctuation of a game nothing helps.

    Parameters
    ----------
    strategy : ExpertStrategy
        Who plays; the object itself is left alone.
    n_rounds : int
        Number of rounds; losses grow by the factor 1 + 4 / epsilon in each.
    epsilon : float, default=0.1
        Between 0 and 1.

    Returns
    -------
    losses : ndarray of shape (n_rounds, 2)
    share : ndarray of shape (n_rounds,)
        The strategy's regret after each round, as a share of the volume, which starts at 1.

    Examples
    --------
    >>> from treatise.online import AdaHedge, growing_adversary
    >>> losses, share = growing_adversary(AdaHedge(), 20)
    >>> bool(share.min() >= 0.45)
    True
    """
    if not 0.0 < epsilon < 1.0:
        raise ValueError(f"epsilon={epsilon!r} must lie between 0 and 1")
    most = int(np.log(LARGEST_LOSS) / np.log1p(4.0 / epsilon))
    if not 0 <= n_rounds <= most:
        raise ValueError(f"n_rounds={n_rounds} must lie between 0 and {most}, beyond which losses overflow")
    player = clone(strategy).start(2)
    losses, share, volume = np.zeros((n_rounds, 2)), np.empty(n_rounds), 1.0
    for t in range(n_rounds):
        favourite = 0 if player.weights_[0] >= 0.5 else 1
        losses[t, favourite] = 4.0 * volume / epsilon
        volume += losses[t, favourite]
        player.update(losses[t])
        share[t] = player.regret_ / volume
    return losses, share
