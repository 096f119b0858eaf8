"""Groups of documents by anchor words: Tables 3 and 4.

The weights are those of the whole corpus, of which classes are then drawn: with frequencies within the drawn classes
alone the printed numbers are not reached.
"""

import time
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.preprocessing import normalize

from treatise.datasets import load_newsgroup_counts, load_newsgroups, load_reuters_topics
from treatise.decomposition import AnchorTopics
from treatise.papers._evidence import Row

MEASURES = ("AC", "NMI")
METHODS = (("er-spa", False), ("spa", False), ("er-spa", True), ("spa", True))
NAMES = {"er-spa": "ER-SPA", "spa": "SPA"}
REUTERS = {
    6: ((0.605, 0.586, 0.658, 0.636), (0.407, 0.397, 0.532, 0.466)),
    8: ((0.534, 0.539, 0.583, 0.581), (0.388, 0.387, 0.491, 0.456)),
    10: ((0.515, 0.508, 0.572, 0.560), (0.406, 0.393, 0.511, 0.475)),
    12: ((0.482, 0.467, 0.532, 0.522), (0.399, 0.388, 0.492, 0.469)),
}
"""Table 3 by number of classes: AC and NMI of ER-SPA and SPA on the original, then on the low-rank matrix."""


def reuters_rows(full: bool) -> list[Row]:
    """Table 3; a draw of classes is worth little, as their sizes go from 5 to 3 713."""
    n_draws, sizes = (50, tuple(REUTERS)) if full else (20, (6, 10))
    X, y, _ = load_reuters_topics()
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= 5])
    rows = [
        Row.printed("Reuters-21578: documents in classes of five or more", "Section 6.2", 8258, int(kept.sum())),
        Row.printed("Reuters-21578: such classes", "Section 6.2", 48, int((counts >= 5).sum())),
    ]
    A, y = weighted(X[kept]), y[kept]
    for size in sizes:
        found = scores_of_draws(A, y, size, n_draws)
        # The paper's 50 draws are as uncertain as ours.
        error = found.std(axis=0, ddof=1) * np.sqrt(1 / n_draws + 1 / 50)
        for column, (method, low_rank) in enumerate(METHODS):
            for measure, name in enumerate(MEASURES):
                data = "low-rank" if low_rank else "original"
                rows.append(
                    Row.printed(
                        f"Reuters-21578, {size} classes, {data} matrix: {name} of {NAMES[method]}, {n_draws} draws",
                        "Table 3", REUTERS[size][measure][column], round(float(found[:, column, measure].mean()), 4),
                        standard_error=round(float(error[column, measure]), 4),
                    )
                )  # fmt: skip
        rows += _order_rows("Reuters-21578", "Table 3", found, size, MEASURES[1:])
    return rows


def newsgroup_rows(full: bool) -> list[Row]:
    """The order of Table 4 on a vocabulary of 1 000 words, and Remark 14 on one of 62 061."""
    n_draws, sizes = (50, tuple(REUTERS)) if full else (6, (10,))
    X, y, _ = load_newsgroup_counts()
    A, rows = weighted(X), []
    for size in sizes:
        found = scores_of_draws(A, y, size, n_draws)
        rows += _order_rows("20 Newsgroups", "Table 4", found, size, MEASURES)
        rows += [
            Row.ours(
                f"20 Newsgroups, 1000 words, {size} classes, low-rank matrix: AC of {NAMES[method]}",
                round(float(found[:, column, 0].mean()), 4),
            )
            for column, (method, low_rank) in enumerate(METHODS)
            if low_rank
        ]
    if full:
        whole, _ = load_newsgroups()
        start = time.process_time()
        AnchorTopics(20).fit(whole)
        rows.append(Row.ours("20 Newsgroups, 15935 x 62061, 20 topics: seconds", time.process_time() - start))
    return rows


def weighted(X: sparse.csr_array) -> sparse.csr_array:
    """Counts times log(n / df), and rows with sum one (section 6.2)."""
    documents = np.bincount(X.nonzero()[1], minlength=X.shape[1])
    return normalize(sparse.csr_array(X.multiply(np.log(X.shape[0] / np.maximum(documents, 1)))), norm="l1")


def scores_of_draws(A: sparse.csr_array, y: np.ndarray, size: int, n_draws: int) -> np.ndarray:
    """AC and NMI (last axis) of each method (second) for each draw of classes (first)."""
    return np.array([list(_scores(A, y, size, seed)) for seed in range(n_draws)])


def _scores(A: sparse.csr_array, y: np.ndarray, size: int, seed: int) -> Iterator[tuple[float, float]]:
    drawn = np.isin(y, np.random.default_rng(seed).choice(np.unique(y), size, replace=False))
    for method, low_rank in METHODS:
        labels = AnchorTopics(size, weighting=None, low_rank=low_rank, method=method).fit_predict(A[drawn])
        yield accuracy(y[drawn], labels), float(normalized_mutual_info_score(y[drawn], labels))


def accuracy(classes: np.ndarray, groups: np.ndarray) -> float:
    """Share of documents in the group matched to their class, for the best matching."""
    table = contingency_matrix(classes, groups)
    return float(table[linear_sum_assignment(-table)].sum() / len(classes))


def _order_rows(corpus: str, place: str, found: np.ndarray, size: int, measures: tuple[str, ...]) -> list[Row]:
    """That ER-SPA is above SPA on the low-rank matrix, over the same draws."""
    rows = []
    for name in measures:
        measure = MEASURES.index(name)
        gains = found[:, 2, measure] - found[:, 3, measure]
        error = float(gains.std(ddof=1) / np.sqrt(len(gains)))
        statement = f"{corpus}, {size} classes, low-rank matrix: {name} of ER-SPA above that of SPA"
        rows.append(Row.claim_positive(statement, place, round(float(gains.mean()), 4), standard_error=error))
    return rows
