"""Networks at several times: a generator whose features follow an autoregression, and tennis players by month."""

import numpy as np
from scipy import sparse

from treatise.datasets._games import load_atp


def make_changing_network(
    n_nodes: int = 50, rank: int = 5, n_snapshots: int = 11, *, noise: float = 0.5, random_state: int | None = None
) -> list[np.ndarray]:
    """Snapshots ``U_t V'`` of low rank whose sparse factors U take turns from one time to the next.

    ``U_t = 0.95 U_{t-1} K + N_t``: K moves every column of U to the next place, and N_t is the part of Gaussian noise
    above one. A link comes back after as many snapshots as the rank: sums over time blur what an autoregression sees.

    Parameters
    ----------
    n_nodes, rank : int, default=50 and 5
        Size and rank of a snapshot.
    n_snapshots : int, default=11
        How many.
    noise : float, default=0.5
        Standard deviation before the threshold.
    random_state : int or None, default=None
        Draws all.

    Returns
    -------
    list of ndarray of shape (n_nodes, n_nodes)
        Weights, not negative.

    Examples
    --------
    >>> from treatise.datasets import make_changing_network
    >>> len(make_changing_network(20, 3, 6, random_state=0))
    6
    """
    rng = np.random.default_rng(random_state)
    if not 1 <= rank <= n_nodes:
        raise ValueError(f"rank={rank} must be from 1 to n_nodes={n_nodes}")
    V = np.abs(rng.standard_normal((n_nodes, rank))) * (rng.random((n_nodes, rank)) < 0.2)
    V[np.arange(rank), np.arange(rank)] += 1.0
    U = 3.0 * np.abs(rng.standard_normal((n_nodes, rank))) * (rng.random((n_nodes, rank)) < 0.2)
    turn = 0.95 * np.roll(np.eye(rank), 1, axis=1)
    snapshots = []
    for _ in range(n_snapshots):
        snapshots.append(U @ V.T)
        U = U @ turn + np.maximum(rng.normal(0.0, noise, U.shape) - 1.0, 0.0)
    return snapshots


def load_atp_months(n_players: int = 100) -> tuple[list[sparse.csr_array], list[str], list[str]]:
    """Tennis matches of men on the ATP tour, 2016 to 2019, by month: who beat whom how often.

    Parameters
    ----------
    n_players : int, default=100
        The players with the most matches in all years.

    Returns
    -------
    snapshots : list of CSR arrays of shape (n_players, n_players)
        Entry (i, j) counts the matches that player i won against player j; months without a match are left out.
    players : list of str
        Names, the most active first.
    months : list of str
        As "2016-01".
    """
    games = load_atp()
    winners, losers = games.players[0::2], games.players[1::2]  # the winner is the first of every match
    counts = np.bincount(np.concatenate([winners, losers]), minlength=len(games.names))
    chosen = np.argsort(-counts, kind="stable")[:n_players]
    place = np.full(len(games.names), -1)
    place[chosen] = np.arange(len(chosen))
    when = np.array([str(day)[:7] for day in np.asarray(games.times, dtype="datetime64[D]")])
    kept = (place[winners] >= 0) & (place[losers] >= 0)
    months = sorted(set(when[kept]))
    snapshots = []
    for month in months:
        rows = kept & (when == month)
        ones = np.ones(int(rows.sum()))
        shape = (len(chosen), len(chosen))
        snapshots.append(sparse.csr_array((ones, (place[winners[rows]], place[losers[rows]])), shape=shape))
    return snapshots, [str(games.names[player]) for player in chosen], months
