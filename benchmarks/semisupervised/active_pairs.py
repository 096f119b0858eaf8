"""Rankings from answers about pairs: the solution from the same answers as a peer, and a whole round over its size."""

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from benchmarks._contest import Contest, Scaling, Work, left_out
from treatise.semisupervised import ActivePreferenceRanker

N_ITEMS = 200


def benchmarks() -> Iterator[Contest | Scaling]:
    """Answers wrong with a chance of 0.5 / distance."""
    said = answers_of(N_ITEMS)
    pairs = ActivePreferenceRanker(3, n_rounds=1, random_state=1).begin(N_ITEMS).ask()
    won = said[pairs[:, 0], pairs[:, 1]]
    if find_spec("choix") is None:
        left_out("active_pairs: choix is not installed; its contest is left out")
    else:
        yield Contest(
            work=f"order of {N_ITEMS} items from {len(pairs)} answers; quality: share of pairs in the right order",
            peer="choix",
            ours=lambda: _ours(pairs, won),
            theirs=lambda: _theirs(pairs, won),
            quality=lambda order: _agreement(order, said),
            warm_up=lambda: _ours(pairs, won),
        )
    yield Scaling(
        work="one round of 2 000 items, sampling and local search with 3 restarts, over samples (10^6 pairs at 200)",
        sizes=(20, 60, 200),
        prepare=_round,
        warm_up=lambda: _ours(pairs, won),
    )


def answers_of(n: int) -> np.ndarray:
    """Whether one item is said to come before another."""
    rng = np.random.default_rng(0)
    place = rng.permutation(n)
    wrong = np.triu(rng.random((n, n)) < 0.5 / np.maximum(np.abs(place[:, np.newaxis] - place), 1), 1)
    return (place[:, np.newaxis] < place) ^ (wrong | wrong.T)


def _ours(pairs: np.ndarray, won: np.ndarray) -> np.ndarray:
    ranker = ActivePreferenceRanker(3, n_rounds=1, random_state=1).begin(N_ITEMS)
    ranker.ask()  # the same pairs, with the chances that weight them
    return ranker.tell(pairs, won).ranking_


def _theirs(pairs: np.ndarray, won: np.ndarray) -> np.ndarray:
    import choix

    ordered = np.where(won[:, np.newaxis], pairs, pairs[:, ::-1])
    return np.argsort(-choix.ilsr_pairwise(N_ITEMS, ordered.tolist(), alpha=0.01))


def _agreement(order: np.ndarray, said: np.ndarray) -> float:
    place = np.argsort(order)
    off = ~np.eye(len(order), dtype=bool)
    return float(np.mean(((place[:, np.newaxis] < place) == said)[off]))


def _round(samples: int) -> Work:
    said = answers_of(2000)

    def work() -> np.ndarray:
        ranker = ActivePreferenceRanker(samples, n_rounds=1, random_state=3).begin(2000)
        pairs = ranker.ask()
        return ranker.tell(pairs, said[pairs[:, 0], pairs[:, 1]]).ranking_

    return work
