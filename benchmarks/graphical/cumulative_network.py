"""Densities of cumulative distribution networks over rows, and their rating of duels against trueskill."""

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.graphical import CumulativeDistributionNetwork, CumulativeTeamRating, SigmoidCDF

N_PLAYERS, N_GAMES, N_TEST = 50, 3000, 500


def benchmarks() -> Iterator[Contest | Scaling]:
    """Duels of 50 players by both; then a chain of ten variables, which no peer has, so its cost stands alone."""
    games = duels()
    if find_spec("trueskill") is None:
        left_out("cumulative_network: trueskill is not installed; its contest is left out")
    else:
        yield Contest(
            work=f"rate {N_GAMES} duels of {N_PLAYERS} players (quality: share of the last {N_TEST} predicted wrongly)",
            peer="trueskill",
            ours=lambda: our_error(games),
            theirs=lambda: their_error(games),
            quality=float,
        )
    chain = CumulativeDistributionNetwork([SigmoidCDF((i, i + 1), [1.0, 1.5]) for i in range(9)])
    rows = chain.sample(1_000_000, random_state=0)
    yield Scaling(
        work="cumulative distribution network, densities of a chain of 10 variables, over rows",
        sizes=(10_000, 100_000, 1_000_000),
        prepare=lambda n: lambda: chain.logpdf(rows[:n]),
    )


def duels() -> list[tuple[int, int]]:
    """Loser and winner of each game: skills N(25, 8^2), performances with a noise of 4."""
    rng = np.random.default_rng(0)
    skill = rng.normal(25, 8, N_PLAYERS)
    games = []
    for _ in range(N_GAMES):
        pair = rng.choice(N_PLAYERS, 2, replace=False)
        loser, winner = pair[np.argsort(skill[pair] + rng.normal(0, 4, 2))].tolist()
        games.append((loser, winner))
    return games


def our_error(games: list[tuple[int, int]]) -> float:
    rating, wrong = CumulativeTeamRating(25.0, 8.0), 0
    for number, (loser, winner) in enumerate(games):
        if number >= N_GAMES - N_TEST:
            wrong += rating.score(loser) >= rating.score(winner)
        rating.update([[loser], [winner]])
    return wrong / N_TEST


def their_error(games: list[tuple[int, int]]) -> float:
    import trueskill

    environment = trueskill.TrueSkill(draw_probability=0.0)
    rating, wrong = {player: environment.create_rating() for player in range(N_PLAYERS)}, 0
    for number, (loser, winner) in enumerate(games):
        if number >= N_GAMES - N_TEST:
            wrong += rating[loser].mu >= rating[winner].mu
        rating[winner], rating[loser] = trueskill.rate_1vs1(rating[winner], rating[loser], env=environment)
    return wrong / N_TEST
