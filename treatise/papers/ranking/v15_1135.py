"""Volkovs & Zemel: formulas of the multinomial preference model, and aggregators on experts that are known."""

import time
import warnings

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from treatise._core.errors import TreatiseError
from treatise.datasets import load_movielens_small, load_preflib
from treatise.papers._evidence import Evidence, Row
from treatise.ranking import (
    CRFRankAggregator,
    MultinomialPreferenceModel,
    SVDRankAggregator,
    borda,
    bradley_terry,
    plackett_luce,
    preference_counts,
    reciprocal_rank_fusion,
)
from treatise.statistics import ndcg

ABSENT = [
    "Tables 1, 4, 5 and 6 (LETOR MQ2007-agg and MQ2008-agg): not at hand; experts drawn from a law that is known "
    "stand in for them",
    "Table 2 (MovieLens-100k): not at hand; the claims of Section 2.7 are tried on the small MovieLens",
]
GOOD, NOISE, CONTRARY = 5, 5, 5
FILLS = (0.0, 1.5, 3.5)
"""Ratings that stand for those that viewers did not give, of the range in Figure 3."""
FEWEST_RATINGS = 5
EXPANSION = 10
DOTS = tuple(f"00024-0000000{number}.soc" for number in range(1, 5))


def experiment(*, full: bool = False) -> Evidence:
    """Definition 1 by brute force, the order of its scores, adherence, and what labels are worth."""
    rng = np.random.default_rng(0)
    rows = [_normaliser(rng), _one_ranking(), *_orders(rng, 100 if full else 25), *_generated(200 if full else 60)]
    rows += [*_adherence(), *_inference_times(rng)]
    skipped = list(ABSENT)
    for part in (lambda: _films(1200 if full else 400), _dots):
        try:
            rows += part()
        except TreatiseError as missing:
            skipped.append(str(missing))
    return Evidence(rows, skipped=skipped)


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
    gains = {name: np.array([ndcg(t, s, k=5) for t, s in zip(truth, each)]) for name, each in found.items()}
    rows = [Row.ours(f"generated experts: NDCG@5 of {name}", round(value.mean(), 4)) for name, value in gains.items()]
    for name in ("singular vectors", "CRF"):
        rows += [
            _above(f"generated experts: NDCG@5 of {name} less that of {other}", "Table 5", gains[name] - gains[other])
            for other in ("Borda", "reciprocal rank fusion", "adherence from labels")
        ]
    rows.append(Row.check_at_least("generated experts: mean NDCG@5 of the CRF on new queries", 0.9,
                                   float(gains["CRF"].mean())))  # fmt: skip
    theta = supervised.theta_
    groups = theta[:GOOD].min(), theta[GOOD : GOOD + NOISE], theta[GOOD + NOISE :].max()
    apart = groups[0] > groups[1].max() and groups[1].min() > groups[2]
    rows.append(Row.check("adherence from labels tells good, noisy and contrary experts apart", True, bool(apart)))
    return rows


def _above(statement: str, place: str, differences: np.ndarray) -> Row:
    """A claim about the mean of paired differences."""
    error = differences.std(ddof=1) / len(differences) ** 0.5
    return Row.claim_positive(statement, place, float(differences.mean()), standard_error=float(error))


def _adherence() -> list[Row]:
    """Experts of known adherence, 500 preferences each: what learning makes of them."""
    rng = np.random.default_rng(1)
    true = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.5, 0.5])
    scores = rng.normal(scale=0.8, size=10)
    chances = np.exp(true[:, None, None] * np.subtract.outer(scores, scores)) * ~np.eye(10, dtype=bool)
    counts = np.array([rng.multinomial(500, (p / p.sum()).ravel()).reshape(10, 10) for p in chances], float)
    model = MultinomialPreferenceModel(adherence="learn").fit(counts)
    theta = model.theta_ / model.theta_.max()
    agreement = float(np.corrcoef(model.scores_[0], scores)[0, 1])
    return [
        Row.check_at_most("learnt adherence of experts that see nothing, largest", 0.15, float(theta[4:6].max())),
        Row.check_at_least("learnt adherence of experts that see all, least", 0.8, float(theta[:4].min())),
        Row.check_at_least("learnt adherence of experts half as sure, least", 0.3, float(theta[6:].min())),
        Row.check_at_most("learnt adherence of experts half as sure, largest", 0.6, float(theta[6:].max())),
        Row.check_at_least("correlation of the scores with the true ones", 0.99, agreement),
    ]


def _films(n_films: int) -> list[Row]:
    """Section 2.7: one order of films for all viewers, judged by each viewer's ratings with the others filled in."""
    rng = np.random.default_rng(0)
    table = load_movielens_small().values.tocsr()
    rated = np.diff(table.indptr)
    films = np.sort(rng.choice(np.flatnonzero(rated >= FEWEST_RATINGS), n_films, replace=False))
    ratings = table[films].toarray()
    ratings = ratings[:, np.count_nonzero(ratings, axis=0) > 1]
    wins, ranks = np.zeros((n_films, n_films)), np.zeros(ratings.shape)
    for viewer, told in enumerate(ratings.T):
        seen = np.flatnonzero(told)
        wins[np.ix_(seen, seen)] += np.maximum(np.subtract.outer(told[seen], told[seen]), 0.0)
        order = seen[np.lexsort((rng.random(len(seen)), -told[seen]))]  # ties are broken at random, as in the paper
        ranks[order, viewer] = np.arange(1, len(order) + 1)
    found = {
        "MPM": MultinomialPreferenceModel("ratings").fit(np.where(ratings > 0, ratings, np.nan)).scores_[0],
        "Plackett-Luce": plackett_luce(ranks).scores,
        "Bradley-Terry": bradley_terry(wins).scores,
    }
    rows = []
    for fill in FILLS:
        filled = np.where(ratings > 0, ratings, fill).T
        gains = {name: np.array([ndcg(told, scores, k=5) for told in filled]) for name, scores in found.items()}
        where = f"{n_films} films of MovieLens, missing ratings {fill:g}"
        rows += [Row.ours(f"{where}: NDCG@5 of {name}", round(float(value.mean()), 4)) for name, value in gains.items()]
        rows += [
            _above(f"{where}: NDCG@5 of MPM less that of {name}", "Figure 3", gains["MPM"] - gains[name])
            for name in ("Plackett-Luce", "Bradley-Terry")
        ]
    support = {name: rated[films][np.argsort(-scores)[:5]].mean() for name, scores in found.items()}
    rows += [Row.ours(f"{n_films} films: ratings of the five first by {name}", float(n)) for name, n in support.items()]
    rows += [
        Row.claim(f"{n_films} films: the five first by MPM have more ratings than those by {name}", "Table 3",
                  support["MPM"] > support[name])
        for name in ("Plackett-Luce", "Bradley-Terry")
    ]  # fmt: skip
    return rows


def _dots() -> list[Row]:
    """PrefLib's pictures of dots, whose true order is known: fewest first."""
    right = 0
    for name in DOTS:
        rankings = load_preflib(name)
        scores = MultinomialPreferenceModel().fit(rankings.values).scores_[0]
        dots = [int(item) for item in rankings.items]
        right += int(np.array_equal(np.argsort(-scores), np.argsort(dots)))
    return [Row.check(f"sets of {len(DOTS)} of dots (PrefLib) that are put in their true order", len(DOTS), right)]


def _inference_times(rng: np.random.Generator) -> list[Row]:
    """How much longer inference by singular vectors takes than by the CRF, with ten times the experts or the items."""
    rankings, labels = expert_rankings(8, rng)
    wide = [np.tile(ranks, (1, EXPANSION)) for ranks in rankings]
    rows = []
    for what, published, trained, given, levels in (
        ("experts", 80.0, wide, wide, labels),
        ("items", 3.5, rankings, [np.tile(ranks, (EXPANSION, 1)) for ranks in rankings], labels),
    ):
        seconds = []
        for model in (CRFRankAggregator(random_state=0, n_subsets=1), SVDRankAggregator(random_state=0, n_iter=2)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the weights do not matter for the time
                model.fit(trained, levels)
            model.predict(given[:1])
            start = time.process_time()
            model.predict(given)
            seconds.append(time.process_time() - start)
        ratio = round(seconds[1] / max(seconds[0], 1e-6), 1)
        rows.append(Row.time(f"time of inference, singular vectors over CRF, ten times the {what}", "Section 3.7.3",
                             published, ratio, rule="at least"))  # fmt: skip
    return rows
