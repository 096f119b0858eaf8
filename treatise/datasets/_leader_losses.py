"""Losses of two experts on which following the leader and hedging part ways (de Rooij et al., JMLR 15:1281)."""

import numpy as np

_TARGETS = {
    1: lambda t: 0.0 * t,
    2: lambda t: 1.5 + 0.0 * t,
    3: lambda t: t**0.4,
    4: lambda t: t**0.6,
}


def make_leader_losses(experiment: int, n_rounds: int = 1000) -> np.ndarray:
    """Losses of two experts whose difference keeps as close as it can to a target.

    After a first round of (1/2, 0) or (1, 0) each round is (1, 0) or (0, 1), whichever brings the difference of the
    cumulative losses nearer to 0 (experiment 1, the worst case of following the leader), 3/2 (2, its best case), the
    0.4th power of the round (3, where AdaHedge does not find the leader) or the 0.6th (4, where it does).

    Parameters
    ----------
    experiment : {1, 2, 3, 4}
        Which of the experiments of Section 5.
    n_rounds : int, default=1000
        Number of rounds.

    Returns
    -------
    losses : ndarray of shape (n_rounds, 2)
    """
    if experiment not in _TARGETS:
        raise ValueError(f"experiment={experiment!r} must be one of 1, 2, 3, 4")
    target = _TARGETS[experiment](np.arange(1.0, n_rounds + 1.0))
    losses = np.zeros((n_rounds, 2))
    losses[0, 0] = difference = 0.5 if experiment == 1 else 1.0
    for t in range(1, n_rounds):
        up = abs(difference + 1.0 - target[t]) < abs(difference - 1.0 - target[t])
        losses[t, 0 if up else 1] = 1.0
        difference += 1.0 if up else -1.0
    return losses
