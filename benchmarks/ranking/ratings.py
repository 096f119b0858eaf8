"""Rating a log of games: ours against openskill, which rates one game at a call."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.datasets import Games
from treatise.ranking import OnlineRater

N_PLAYERS = 1000


def match_log(n_games: int, n_teams: int) -> tuple[np.ndarray, np.ndarray]:
    """Players and ranks of games between single players whose skill decides half of the outcome."""
    rng = np.random.default_rng(0)
    skill = rng.normal(size=N_PLAYERS)
    # Distinct players: a random first one, and the rest at distinct random steps around the circle.
    steps = np.cumsum(rng.integers(1, N_PLAYERS // n_teams, (n_games, n_teams)), axis=1)
    players = (rng.integers(0, N_PLAYERS, (n_games, 1)) + steps) % N_PLAYERS
    performance = skill[players] + rng.normal(size=players.shape)
    ranks = 1 + np.argsort(np.argsort(-performance, axis=1), axis=1)
    return players, ranks


def ours(players: np.ndarray, ranks: np.ndarray, model: str) -> Callable[[], np.ndarray]:
    """From arrays of players and ranks to the mean and sigma of every player."""

    def work() -> np.ndarray:
        seats = np.arange(players.size + 1)
        games = Games(players.ravel(), seats, seats[:: players.shape[1]], ranks.ravel())
        rater = OnlineRater(model).fit(games)
        return np.stack([rater.mu_, rater.sigma_])

    return work


def theirs(players: np.ndarray, ranks: np.ndarray, model: str) -> Callable[[], np.ndarray]:
    """The same with openskill, from lists, which it reads faster than arrays."""
    from openskill.models import BradleyTerryFull, PlackettLuce

    rater = {"bt_full": BradleyTerryFull, "pl": PlackettLuce}[model](tau=0.0)
    log = list(zip(players.tolist(), ranks.astype(float).tolist()))

    def work() -> np.ndarray:
        ratings = [rater.rating() for _ in range(players.max() + 1)]
        for seated, order in log:
            rated = rater.rate([[ratings[player]] for player in seated], ranks=order)
            for player, (rating,) in zip(seated, rated):
                ratings[player] = rating
        return np.array([[rating.mu for rating in ratings], [rating.sigma for rating in ratings]])

    return work


def checksum(ratings: np.ndarray) -> float:
    """One number that two sides share only if all their ratings do."""
    return float(np.sum(ratings * np.cos(np.arange(ratings.size)).reshape(ratings.shape)))


def benchmarks() -> Iterator[Contest | Scaling]:
    """Duels and eight-player games against openskill, then our own cost up to a million games."""
    for model, n_games, n_teams in (("bt_full", 20_000, 2), ("bt_full", 5_000, 8), ("pl", 5_000, 8)):
        players, ranks = match_log(n_games, n_teams)
        yield Contest(
            f"{model}: rate {n_games} games of {n_teams} players (quality: checksum of all ratings)",
            "openskill",
            ours(players, ranks, model),
            theirs(players, ranks, model),
            checksum,
            warm_up=ours(players[:10], ranks[:10], model),
        )
    for model, n_teams, sizes in (("bt_full", 2, (10_000, 100_000, 1_000_000)), ("pl", 8, (10_000, 100_000))):
        yield Scaling(
            f"{model}: rate games of {n_teams} players",
            sizes,
            lambda size, model=model, n_teams=n_teams: ours(*match_log(size, n_teams), model),
            warm_up=ours(*match_log(10, n_teams), model),
        )
