"""Learning a dependency grammar: steps over 5 000 sentences, and the chart of one step beside plain Python."""

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks._contest import Contest, Scaling
from treatise.datasets import make_grammar_sentences
from treatise.inference import ProjectiveTrees
from treatise.sequence import DependencyModelWithValence

STEPS = 5


def benchmarks() -> Iterator[Contest | Scaling]:
    """Seconds of five steps over the sentences, by EM and with the penalty; inside sums beside a plain chart."""
    for method in ("em", "pr-s", "pr-as"):
        yield Scaling(
            work=f"{STEPS} steps of {method} over sentences of at most ten words, over the sentences",
            sizes=(1250, 2500, 5000),
            prepare=lambda n, method=method: _fitting(n, method),
            warm_up=_fitting(20, method),
        )
    weights = [np.random.default_rng(s).normal(size=(30, 30)) for s in range(100)]
    yield Contest(
        work="sums over all trees of 100 sentences of 30 words, ours with the shares of all arcs; quality: their mean",
        peer="numpy",
        ours=lambda: [ProjectiveTrees(table).marginals().log_partition for table in weights],
        theirs=lambda: [_plain_sum(table) for table in weights],
        quality=lambda sums: float(np.mean(sums)),
        warm_up=lambda: ProjectiveTrees(weights[0]).marginals(),
    )


def _fitting(n_sentences: int, method: str) -> Callable[[], DependencyModelWithValence]:
    sentences, _ = make_grammar_sentences(n_sentences, max_length=10, random_state=0)

    def fit() -> DependencyModelWithValence:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return DependencyModelWithValence(method=method, max_iter=STEPS, tol=0.0, projection_tol=0.0).fit(sentences)

    return fit


def _plain_sum(log_arcs: np.ndarray) -> float:
    """Eisner's chart of half spans in plain Python, without valence."""
    n, arcs = len(log_arcs), np.exp(log_arcs).tolist()
    right = [[float(i == j) for j in range(n)] for i in range(n)]
    left = [[float(i == j) for j in range(n)] for i in range(n)]
    right_arc, left_arc = [[0.0] * n for _ in range(n)], [[0.0] * n for _ in range(n)]
    for width in range(1, n):
        for i in range(n - width):
            k = i + width
            joined = sum(right[i][m] * left[k][m + 1] for m in range(i, k))
            right_arc[i][k], left_arc[k][i] = arcs[i][k] * joined, arcs[k][i] * joined
            right[i][k] = sum(right_arc[i][x] * right[x][k] for x in range(i + 1, k + 1))
            left[k][i] = sum(left_arc[k][x] * left[x][i] for x in range(i, k))
    return float(np.log(sum(left[r][0] * right[r][n - 1] for r in range(n))))
