"""Volkovs & Zemel: formulas of the multinomial preference model, and aggregators on experts that are known."""

import time

import numpy as np
from scipy.optimize import minimize

from treatise.papers._evidence import Evidence, Row
from treatise.ranking import (
    CRFRankAggregator,
    MultinomialPreferenceModel,
    SVDRankAggregator,
    borda,
    preference_counts,
    reciprocal_rank_fusion,
)
from treatise.statistics import ndcg

ABSENT = (
    "Tables 1, 3 and 4 (LETOR MQ2007-agg and MQ2008-agg) and Table 2 (MovieLens-100k): not at hand; experts drawn from "
    "a law that is known stand in for them"
)
GOOD, NOISE, CONTRARY = 5, 5, 5


def experiment(*, full: bool = False) -> Evidence:
    """Definition 1 by brute force, the order of its scores, adherence, and what labels are worth."""
    rng = np.random.default_rng(0)
    rows = [_normaliser(rng), _one_ranking(), *_orders(rng, 100 if full else 25), *_generated(200 if full else 60)]
    rows += _inference_times(rng)
    return Evidence(rows, skipped=[ABSENT])


def _normaliser(rng: np.random.Generator) -> Row:
    """The sum over ordered pairs of exp(s_k - s_l) as a product of two sums less the number of items."""
    scores = rng.normal(size=40)
    pairs = np.exp(scores[:, None] - scores[None, :])
    product = np.exp(scores).sum() * np.exp(-scores).sum() - len(scores)
    return Row.check("normaliser of 40 items", float(pairs.sum() - len(scores)), product, within=1e-8, why="rounding")


def _one_ranking() -> Row:
    """Scores of one ranking of three items, beside the maximum that a general search finds."""
    ranking = np.array([[1.0], [2.0], [3.0]])
    counts = preference_counts(ranking)[0]

    def loss(scores: np.ndarray) -> float:
        lead = scores[:, None] - scores[None, :]
        others = ~np.eye(3, dtype=bool)
        return float(-(counts * (lead - np.log(np.exp(lead[others]).sum())))[others].sum())

    found = minimize(loss, np.zeros(3), tol=1e-12).x
    ours = MultinomialPreferenceModel().fit(ranking).scores_[0]
    return Row.check("score of the first of three items", float(found[0] - found.mean()), float(ours[0]), within=1e-5,
                     why="the general search ends at 1e-5")  # fmt: skip


def _orders(rng: np.random.Generator, n_draws: int) -> list[Row]:
    """With equal adherence the order of the scores is that of the net preferences."""
    same = 0
    for _ in range(n_draws):
        ranks = np.array([rng.permutation(8) + 1.0 for _ in range(4)]).T
        counts = preference_counts(ranks).sum(axis=0)
        net = counts.sum(axis=1) - counts.sum(axis=0)
        scores = MultinomialPreferenceModel().fit(ranks).scores_[0]
        lead = np.subtract.outer(scores, scores).round(9)
        same += int(np.array_equal(np.sign(np.subtract.outer(net, net)), np.sign(lead)))
    return [Row.check(f"instances of {n_draws} whose scores have the order of the net preferences", n_draws, same)]


def expert_rankings(n_queries: int, rng: np.random.Generator) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Twenty items a query, five experts that see their merit, five that see none, five that see the opposite."""
    rankings, labels = [], []
    for _ in range(n_queries):
        merit = rng.normal(size=20)
        level = np.zeros(20)
        best = np.argsort(-merit)
        level[best[:3]], level[best[3:8]] = 2.0, 1.0
        seen = np.column_stack(
            [merit[:, None] + 0.5 * rng.normal(size=(20, GOOD)), rng.normal(size=(20, NOISE)),
             -merit[:, None] + 0.5 * rng.normal(size=(20, CONTRARY))]
        )  # fmt: skip
        ranks = np.zeros(seen.shape)
        for expert in range(seen.shape[1]):
            kept = np.flatnonzero(rng.random(20) >= 0.4)
            ranks[kept[np.argsort(-seen[kept, expert])], expert] = np.arange(1, len(kept) + 1)
        rankings.append(ranks)
        labels.append(level)
    return rankings, labels


def _generated(n_queries: int) -> list[Row]:
    rng = np.random.default_rng(0)
    rankings, labels = expert_rankings(n_queries, rng)
    half = n_queries // 2
    train, later, levels, truth = rankings[:half], rankings[half:], labels[:half], labels[half:]
    crf = CRFRankAggregator(random_state=0).fit(train, levels)
    svd = SVDRankAggregator(random_state=0).fit(train, levels)
    supervised = MultinomialPreferenceModel(adherence="supervised").fit(train, levels)
    found = {
        "Borda": [borda(ranks) for ranks in later],
        "reciprocal rank fusion": [reciprocal_rank_fusion(ranks) for ranks in later],
        "adherence from labels": supervised.predict(later),
        "singular vectors": svd.predict(later),
        "CRF": crf.predict(later),
    }
    gains = {name: float(np.mean([ndcg(t, s, k=5) for t, s in zip(truth, each)])) for name, each in found.items()}
    rows = [Row.ours(f"generated experts: NDCG@5 of {name}", round(value, 4)) for name, value in gains.items()]
    theta = supervised.theta_
    groups = theta[:GOOD].min(), theta[GOOD : GOOD + NOISE], theta[GOOD + NOISE :].max()
    apart = groups[0] > groups[1].max() and groups[1].min() > groups[2]
    rows.append(Row.check("adherence from labels tells good, noisy and contrary experts apart", True, bool(apart)))
    return rows


def _inference_times(rng: np.random.Generator) -> list[Row]:
    """How much longer inference by singular vectors takes, beside the CRF."""
    rankings, labels = expert_rankings(8, rng)
    crf = CRFRankAggregator(random_state=0).fit(rankings, labels)
    svd = SVDRankAggregator(random_state=0).fit(rankings, labels)
    seconds = []
    for model in (crf, svd):
        start = time.process_time()
        model.predict(rankings)
        seconds.append(time.process_time() - start)
    ratio = round(seconds[1] / max(seconds[0], 1e-6), 1)
    return [Row.ours("time of inference, singular vectors over CRF, 20 items and 15 experts", ratio)]
