"""Scores of greatest likelihood from contests and rankings: ours against choix."""

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from benchmarks._contest import Contest, Scaling, Work, left_out
from treatise.datasets import load_movielens_small
from treatise.ranking import MultinomialPreferenceModel, bradley_terry, plackett_luce

USERS, FILMS, SHARE_RATED = 943, 1682, 0.063


def benchmarks() -> Iterator[Contest | Scaling]:
    """Bradley-Terry and Plackett-Luce to their maxima, then the multinomial model on as many ratings as the paper's."""
    wins, ranks = contests(400, 40_000), rankings(100, 500)
    if find_spec("choix") is None:
        left_out("preferences: choix is not installed; its contests are left out (pip install choix)")
    else:
        yield Contest(
            "Bradley-Terry scores of 400 items from 40 000 contests (quality: log-likelihood)",
            "choix",
            lambda: bradley_terry(wins).scores,
            lambda: _choix_duels(wins),
            lambda scores: float(-np.sum(wins * np.logaddexp(0.0, np.subtract.outer(scores, scores).T))),
            warm_up=lambda: bradley_terry(wins[:50, :50]),
        )
        yield Contest(
            "Plackett-Luce scores of 100 items from 500 rankings (quality: log-likelihood)",
            "choix",
            lambda: plackett_luce(ranks).scores,
            lambda: _choix_rankings(ranks),
            lambda scores: _choice_likelihood(scores, ranks),
            warm_up=lambda: plackett_luce(ranks[:, :5]),
        )
    yield Scaling(
        f"multinomial preference scores of {FILMS} films, over users ({USERS} is the paper's)",
        (100, USERS),
        _rated,
        warm_up=_rated(10),
    )
    yield Scaling(
        "the same of all films of the small MovieLens that have ratings, over users", (168, 671), _movielens,
        warm_up=_rated(10),
    )  # fmt: skip


def contests(n: int, n_contests: int) -> np.ndarray:
    """How often each of n items beat each other, every one having lost a part of a contest to the next."""
    rng = np.random.default_rng(0)
    merit, pairs = rng.normal(size=n), rng.integers(0, n, (n_contests, 2))
    first, second = pairs[pairs[:, 0] != pairs[:, 1]].T
    won = rng.random(len(first)) < 1.0 / (1.0 + np.exp(merit[second] - merit[first]))
    wins = 0.1 * np.roll(np.eye(n), 1, axis=1)
    np.add.at(wins, (np.where(won, first, second), np.where(won, second, first)), 1.0)
    return wins


def rankings(n: int, n_experts: int) -> np.ndarray:
    """Ranks of n items by experts who see their merit with noise."""
    rng = np.random.default_rng(1)
    seen = rng.normal(size=(n, 1)) + rng.gumbel(size=(n, n_experts))
    return 1.0 + np.argsort(np.argsort(-seen, axis=0), axis=0)


def _choix_duels(wins: np.ndarray) -> np.ndarray:
    import choix

    return choix.ilsr_pairwise_dense(wins, max_iter=1000, tol=1e-8)


def _choix_rankings(ranks: np.ndarray) -> np.ndarray:
    import choix

    orders = np.argsort(ranks, axis=0).T
    return choix.ilsr_rankings(len(ranks), orders.tolist(), max_iter=1000, tol=1e-8)


def _choice_likelihood(scores: np.ndarray, ranks: np.ndarray) -> float:
    ordered = scores[np.argsort(ranks, axis=0)]
    rest = np.logaddexp.accumulate(ordered[::-1], axis=0)[::-1]
    return float(np.sum(ordered - rest))


def _rated(n_users: int) -> Work:
    rng = np.random.default_rng(2)
    ratings = np.where(
        rng.random((FILMS, n_users)) < SHARE_RATED, rng.integers(1, 6, (FILMS, n_users)).astype(float), np.nan
    )
    return lambda: MultinomialPreferenceModel("ratings").fit(ratings)


def _movielens(n_users: int) -> Work:
    ratings = load_movielens_small().values[:, :n_users]
    return lambda: MultinomialPreferenceModel("ratings").fit(ratings)
