"""Active learning by smooth relative regret approximations (Ailon, Begleiter & Ezra, JMLR 15:885): its statements.

The paper has no experiments. Its statements are put to the test on drawn answers and on those of film viewers.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from treatise._core.errors import TreatiseError
from treatise.datasets import load_movielens_small
from treatise.papers._evidence import Evidence, Row
from treatise.semisupervised import ActivePairClustering, ActivePreferenceRanker, RelativeRegret
from treatise.semisupervised.active._sampling import (
    drawn_group_pairs,
    drawn_order_pairs,
    group_chances,
    group_sample,
    order_chances,
    shell_pairs,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OTHER = 1000
"""Added to the seeds of the data for those of the learners: the same seed would draw the true order as the first."""
Answers = np.ndarray
"""Whether the item of the row comes before that of the column, or belongs to it."""


def experiment(*, full: bool = False) -> Evidence:
    """Bias, smoothness, questions against error, groups and linear rankings."""
    repeats = 10 if full else 3
    rows = bias_rows(5000 if full else 500) + smoothness_rows(repeats)
    curves: dict[str, list[tuple[float, float]]] = {}
    rows += contest_rows(
        "200 items, wrong with chance 0.5 / distance", lambda seed: noisy_order(200, seed), repeats, curves
    )
    rows += exact_rows(repeats) + group_rows(repeats) + linear_rows(repeats)
    skipped = ["Corollaries 6, 13 and 17, the numbers of questions: the theory leaves their constants open"]
    try:
        rows += contest_rows("200 films by viewers of MovieLens", film_answers, repeats, None)
    except TreatiseError as missing:
        skipped.append(str(missing))
    return Evidence(rows, _figure(curves), skipped)


def noisy_order(n: int, seed: int, noise: float = 0.5) -> Answers:
    """Answers by a hidden order, wrong with a chance that falls with the distance (the example of Section 4.3)."""
    rng = np.random.default_rng(seed)
    place = rng.permutation(n)
    distance = np.abs(place[:, np.newaxis] - place)
    wrong = np.triu(rng.random((n, n)) < noise / np.maximum(distance, 1), 1)
    return (place[:, np.newaxis] < place) ^ (wrong | wrong.T)


def film_answers(seed: int) -> Answers:
    """For each two of the 200 films with most ratings, the judgement of one viewer who rated them differently."""
    rng = np.random.default_rng(seed)
    ratings = load_movielens_small().values.tocsr()
    most = np.argsort(-np.diff(ratings.indptr), kind="stable")[:200]
    table = ratings[most].toarray()
    table[table == 0] = np.nan
    said = np.zeros((200, 200), dtype=bool)
    means = np.nanmean(table, axis=1)
    for u in range(200):
        for v in range(u + 1, 200):
            apart = np.flatnonzero(np.abs(table[u] - table[v]) > 0)
            one = rng.choice(apart) if len(apart) else -1
            said[u, v] = table[u, one] > table[v, one] if one >= 0 else means[u] > means[v]
            said[v, u] = not said[u, v]
    return said


def oracle_of(said: Answers) -> Callable[[np.ndarray], np.ndarray]:
    """The oracle that knows all answers."""
    return lambda pairs: said[pairs[:, 0], pairs[:, 1]]


def order_error(order: np.ndarray, said: Answers) -> float:
    """Share of the pairs that an order puts otherwise than the answers."""
    place = np.argsort(order)
    off = ~np.eye(len(order), dtype=bool)
    return float(np.mean(((place[:, np.newaxis] < place) != said)[off]))


def merge_sorted(said: Answers, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """The order that sorting by merging makes of the answers, and the questions it asks."""
    runs, asked = [[item] for item in rng.permutation(len(said)).tolist()], 0
    while len(runs) > 1:
        merged = []
        for one, other in zip(runs[::2], runs[1::2]):
            left, right, out = list(one), list(other), []
            while left and right:
                asked += 1
                out.append(left.pop(0) if said[left[0], right[0]] else right.pop(0))
            merged.append(out + left + right)
        runs = merged + ([runs[-1]] if len(runs) % 2 else [])
    return np.array(runs[0]), asked


def uniform_order(said: Answers, n_questions: int, seed: int) -> np.ndarray:
    """The order from as many pairs, each as likely as any other."""
    pairs = np.column_stack(np.triu_indices(len(said), 1))
    pairs = np.random.default_rng(seed).permutation(pairs)[:n_questions]
    passive = ActivePreferenceRanker(n_rounds=1, random_state=OTHER + seed).begin(len(said))
    return passive.tell(pairs, oracle_of(said)(pairs)).update().ranking_


def contest_rows(
    words: str, answers: Callable[[int], Answers], repeats: int, curves: dict[str, list[tuple[float, float]]] | None
) -> list[Row]:
    """Remark 10: beside uniform questions of the same number; and beside sorting by merging."""
    found: dict[str, list[list[float]]] = {"active": [], "uniform": [], "merging": [], "questions": [], "all": []}
    for seed in range(repeats):
        said = answers(seed)
        n = len(said)
        ranker = ActivePreferenceRanker(random_state=OTHER + seed).fit(oracle_of(said), n)
        merged, asked = merge_sorted(said, np.random.default_rng(OTHER + seed))
        brief = ActivePreferenceRanker(max_queries=2 * asked, random_state=OTHER + seed).fit(oracle_of(said), n)
        everything = uniform_order(said, n * n, seed)
        found["questions"].append([ranker.n_queries_, brief.n_queries_, asked])
        found["active"].append([order_error(ranker.ranking_, said), order_error(brief.ranking_, said)])
        uniform = [order_error(uniform_order(said, count, seed), said) for count in (ranker.n_queries_, 2 * asked)]
        found["uniform"].append(uniform)
        found["merging"].append([order_error(merged, said)])
        found["all"].append([order_error(everything, said)])
    table = {name: np.array(values) for name, values in found.items()}
    if curves is not None:
        for name in ("active", "uniform"):
            errors = table[name].mean(axis=0)
            curves[name] = sorted(zip(table["questions"].mean(axis=0)[:2], errors))
        curves["merging"] = [(float(table["questions"][:, 2].mean()), float(table["merging"].mean()))]
    rows = [
        _gain(f"{words}: errs less than uniform questions of the same number, %", "Remark 10",
              100 * (table["uniform"][:, 0] - table["active"][:, 0])),
        _gain(f"{words}: the same with twice the questions of merge sort, %", "Remark 10",
              100 * (table["uniform"][:, 1] - table["active"][:, 1])),
        Row.ours(f"{words}: share of the pairs asked at the defaults",
                 round(float(table["questions"][:, 0].mean()) / (len(said) * (len(said) - 1) / 2), 3)),
    ]  # fmt: skip
    means = {
        "error at the defaults": table["active"][:, 0],
        "error with twice the questions of merge sort": table["active"][:, 1],
        "error of uniform questions, same number": table["uniform"][:, 0],
        "error of merge sort": table["merging"],
        "error with all pairs": table["all"],
    }
    return rows + [Row.ours(f"{words}: {what}", round(float(values.mean()), 4)) for what, values in means.items()]


def _gain(statement: str, place: str, gains: np.ndarray) -> Row:
    error = float(gains.std(ddof=1)) / len(gains) ** 0.5
    return Row.claim_positive(statement, place, round(float(gains.mean()), 4), standard_error=error)


# The estimate of the regret.


def bias_rows(draws: int) -> list[Row]:
    """That the estimate has no bias: the footnote's sampling, Algorithms 2 and 3."""
    n, rng = 30, np.random.default_rng(0)
    said = np.triu(rng.random((n, n)) < 0.5, 1)
    order, together = said | (~said.T & np.tril(np.ones((n, n), bool), -1)), said | said.T
    pivot, other = rng.permutation(n), rng.permutation(n)
    groups, others = rng.choice(3, n, p=[0.6, 0.3, 0.1]), rng.integers(0, 3, n)
    cases: dict[str, tuple[Callable[[], tuple[np.ndarray, np.ndarray]], Answers, np.ndarray, np.ndarray, bool]] = {
        "ranking, each pair by its chance": (lambda: _by_chance(pivot, True, rng), order, pivot, other, True),
        "ranking, Algorithm 2": (lambda: shell_pairs(pivot, 3, rng), order, pivot, other, True),
        "groups, each pair by its chance": (lambda: _by_chance(groups, False, rng), together, groups, others, False),
        "groups, Section 5.3": (lambda: group_sample(groups, 3, rng), together, groups, others, False),
    }
    rows = []
    for words, (draw, truth, base, solution, ordered) in cases.items():
        every = np.column_stack(np.triu_indices(n, 1))
        exact = _regret(every, np.ones(len(every)), truth, base, ordered).evaluate(solution)
        found = np.array([_regret(*draw(), truth, base, ordered).evaluate(solution) for _ in range(draws)])
        error = float(found.std(ddof=1)) / draws**0.5
        rows.append(
            Row.check(f"mean estimate of the regret, {words}", exact, float(found.mean()), standard_error=error)
        )
    return rows


def _by_chance(base: np.ndarray, ordered: bool, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    if ordered:
        pairs = drawn_order_pairs(base, 3, rng)
        return pairs, 1.0 / order_chances(np.argsort(base), pairs, 3)
    pairs = drawn_group_pairs(base, 3, rng)
    return pairs, 1.0 / group_chances(base, pairs, 3)


def _regret(pairs: np.ndarray, weights: np.ndarray, said: Answers, base: np.ndarray, ordered: bool) -> RelativeRegret:
    answers = np.where(said[pairs[:, 0], pairs[:, 1]], 1.0, -1.0)
    return RelativeRegret(pairs, weights, answers, base, ordered)


def smoothness_rows(repeats: int) -> list[Row]:
    """Theorem 11: the error of the estimate is a small share of the distance from the pivot, at every distance.

    The share falls with more samples; orders at distances of many sizes are drawn by shaking the pivot.
    """
    n = 150
    worst = dict.fromkeys((4, 16, 64), 0.0)
    for seed in range(repeats):
        said, rng = noisy_order(n, seed), np.random.default_rng(seed)
        pivot = rng.permutation(n)
        every = np.column_stack(np.triu_indices(n, 1))
        exact = _regret(every, np.ones(len(every)), said, pivot, True)
        shaken = [pivot[np.argsort(np.arange(n) + rng.normal(0, width, n))] for width in np.geomspace(2, n, 30)]
        for samples in worst:
            pairs = drawn_order_pairs(pivot, samples, rng)
            sampled = _regret(pairs, 1.0 / order_chances(np.argsort(pivot), pairs, samples), said, pivot, True)
            for order in shaken:
                off = abs(sampled.evaluate(order) - exact.evaluate(order))
                distance = np.mean(exact.answers * 0 + (_before(every, order) != _before(every, pivot)))
                worst[samples] = max(worst[samples], off / distance)
    rows = [
        Row.ours(
            f"150 items: largest error of the estimate, as a share of the distance, p = {samples}", round(share, 3)
        )
        for samples, share in worst.items()
    ]
    fallen = worst[64] < worst[16] < worst[4]
    return [*rows, Row.claim("150 items: that share falls as p grows from 4 to 64", "Theorem 11", fallen)]


def _before(pairs: np.ndarray, order: np.ndarray) -> np.ndarray:
    place = np.argsort(order)
    return place[pairs[:, 0]] < place[pairs[:, 1]]


# Special cases.


def exact_rows(repeats: int) -> list[Row]:
    """Without noise the error falls to nothing (Corollary 4), with fewer questions than pairs."""
    errors, shares = [], []
    for seed in range(repeats):
        said = noisy_order(200, seed, noise=0.0)
        ranker = ActivePreferenceRanker(6, n_rounds=8, random_state=OTHER + seed).fit(oracle_of(said), 200)
        errors.append(order_error(ranker.ranking_, said))
        shares.append(ranker.n_queries_ / 19_900)
    return [
        Row.claim("200 items without noise: the order is found", "Corollary 4", max(errors) == 0.0),
        Row.check_at_most("200 items without noise: share of the pairs asked", 0.75, round(float(np.mean(shares)), 3)),
    ]


def group_rows(repeats: int) -> list[Row]:
    """Planted groups of like and unlike sizes, and the digits, one answer in ten wrong."""
    digits = load_digits().target
    cases = {
        "300 items in 3 groups": np.repeat([0, 1, 2], 100),
        "300 items in groups of 200, 80 and 20": np.repeat([0, 1, 2], [200, 80, 20]),
        "300 handwritten digits 0 to 4": digits[digits < 5][:300],
    }
    rows = []
    for words, true in cases.items():
        agreement, shares = [], []
        for seed in range(repeats):
            rng = np.random.default_rng(seed)
            wrong = np.triu(rng.random((300, 300)) < 0.1, 1)
            said = (true[:, np.newaxis] == true) ^ (wrong | wrong.T)
            learner = ActivePairClustering(len(np.unique(true)), random_state=OTHER + seed).fit(oracle_of(said), 300)
            agreement.append(adjusted_rand_score(true, learner.labels_))
            shares.append(learner.n_queries_ / 44_850)
        rows += [
            Row.check_at_least(f"{words}, 10 % of answers wrong: adjusted Rand index", 0.95, float(np.mean(agreement))),
            Row.ours(f"{words}: share of the pairs asked", round(float(np.mean(shares)), 3)),
        ]
    return rows


def linear_rows(repeats: int) -> list[Row]:
    """Section 6.1: a ranking by few features needs fewer questions than a free one."""
    gains = []
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        features, w = rng.normal(size=(150, 4)), rng.normal(size=4)
        scores = features @ w
        said = scores[:, np.newaxis] > scores
        linear = ActivePreferenceRanker(max_queries=600, random_state=OTHER + seed).fit(
            oracle_of(said), features=features
        )
        free = ActivePreferenceRanker(max_queries=600, random_state=OTHER + seed).fit(oracle_of(said), 150)
        gains.append(order_error(free.ranking_, said) - order_error(linear.ranking_, said))
    words = "150 items with 4 features, 600 questions: a linear ranking errs less than a free one, %"
    return [_gain(words, "Section 6.1", 100 * np.array(gains))]


def _figure(curves: dict[str, list[tuple[float, float]]]) -> "Figure":
    """Error against questions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4.2), layout="constrained")
    axes = figure.subplots()
    names = {"active": "near the ranking so far", "uniform": "any pair", "merging": "merge sort"}
    for (name, points), colour in zip(curves.items(), ("#1b6ca8", "#c44e52", "#808080")):
        axes.plot(*zip(*points), color=colour, marker="o", label=names[name])
    axes.set_xlabel("questions")
    axes.set_ylabel("share of pairs in the wrong order")
    axes.set_title("200 items, answers wrong with chance 0.5 / distance")
    axes.legend()
    return figure
