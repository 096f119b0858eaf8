"""Dichotomies of threshold neurons (Schmitt, JMLR 5:891): the algorithms against all neurons, and the reductions."""

import time
from itertools import combinations, product

import numpy as np
from matplotlib.figure import Figure
from scipy import sparse

from treatise.papers._evidence import Evidence, Row
from treatise.theory import (
    fit_threshold_neuron,
    neuron_complexity,
    sample_measures,
    sample_of_one_in_three,
    sample_of_vertex_cover,
)


def experiment(*, full: bool = False) -> Evidence:
    """Every solver beside brute force, the two reductions, and time over the number of examples.

    Parameters
    ----------
    full : bool, default=False
        4500 and 6000 random samples instead of 400 each, 60 random graphs instead of 10, a million examples instead
        of a hundred thousand.
    """
    figure = Figure(figsize=(5.2, 3.6), layout="constrained")
    rows = [
        *sparse_rows(4500 if full else 400),
        *apart_rows(6000 if full else 400),
        *cover_rows(60 if full else 10),
        *one_in_three_rows(),
        *time_rows(figure, (10_000, 100_000, 1_000_000) if full else (10_000, 100_000)),
    ]
    skipped = [
        "Lemma 6: making triples almost disjoint by new variables, which only the proof needs",
        "The paper has theorems and no experiment: nothing in it is a number of a run",
    ]
    return Evidence(rows, figure, skipped)


def least_error(X: np.ndarray, y: np.ndarray) -> int:
    """The fewest errors of any neuron with weights 0 and 1."""
    sums = X @ np.array(list(product((0, 1), repeat=X.shape[1]))).T
    return min(int(np.min(np.sum((sums >= t) != y[:, np.newaxis], axis=0))) for t in range(X.shape[1] + 2))


def sparse_rows(n_samples: int) -> list[Row]:
    """Theorem 14: at most three ones a vector, five columns, contradictions among the samples."""
    rng, wrong, consistent, contradictory = np.random.default_rng(0), 0, 0, 0
    for _ in range(n_samples):
        X = np.zeros((rng.integers(1, 9), 5), dtype=int)
        for row in X:
            row[rng.choice(5, rng.integers(0, 4), replace=False)] = 1
        y = rng.integers(0, 2, len(X))
        neuron = fit_threshold_neuron(X, y, solver="linear")
        exists = least_error(X, y) == 0
        wrong += (neuron is not None) != exists or (neuron is not None and bool(np.any(neuron.predict(X) != y)))
        consistent += exists
        contradictory += sample_measures(X, y).n_contradictions > 0
    return [
        Row.check(f"Theorem 14: wrong answers of {n_samples} samples of sparseness 3", 0, wrong),
        Row.ours("share of them that some neuron is consistent with", consistent / n_samples),
        Row.ours("share of them with a contradiction", contradictory / n_samples),
    ]


def apart_rows(n_samples: int) -> list[Row]:
    """Theorems 16 and 19: vectors that share no one, each labelled either way or both."""
    rng, wrong, wrong_any, always = np.random.default_rng(1), 0, 0, 0
    for _ in range(n_samples):
        cuts = np.sort(rng.choice(np.arange(1, 6), rng.integers(1, 4), replace=False))
        vectors = [np.isin(np.arange(6), part).astype(int) for part in np.split(np.arange(6), cuts)]
        drawn = [*vectors, np.zeros(6, dtype=int)]
        pairs = {(int(k), int(rng.integers(0, 2))) for k in rng.integers(0, len(drawn), rng.integers(1, 9))}
        X, y = np.array([drawn[k] for k, _ in pairs]), np.array([label for _, label in pairs])
        neuron = fit_threshold_neuron(X, y, task="max")
        wrong += neuron.error != least_error(X, y)
        always += neuron.threshold == 0 and bool(np.any(y == 0))
        found = fit_threshold_neuron(X, y, model="real", task="max")
        wrong_any += found.error != sample_measures(X, y).n_contradictions
    return [
        Row.check(f"Theorem 16: wrong optima of {n_samples} samples of coincidence 0", 0, wrong),
        Row.check(f"Theorem 19: samples of {n_samples} that lose other than one example a contradiction", 0, wrong_any),
        Row.ours("share of them that the neuron that always fires fits best, beside a negative", always / n_samples),
    ]


def cover_rows(n_graphs: int) -> list[Row]:
    """Theorem 9: the best neuron of a graph's sample misses as many examples as the smallest cover has vertices."""
    rng, wrong, hard = np.random.default_rng(2), 0, True
    for _ in range(n_graphs):
        n = int(rng.integers(4, 8))
        edges = [pair for pair in combinations(range(n), 2) if rng.random() < 0.4] or [(0, 1)]
        cover = next(
            k
            for k in range(n + 1)
            if any(all(set(edge) & set(chosen) for edge in edges) for chosen in combinations(range(n), k))
        )
        X, y = sample_of_vertex_cover(edges, n)
        wrong += fit_threshold_neuron(X, y, task="max").error != cover
        measures = sample_measures(X, y)
        hard = hard and measures.sparseness == 2 and measures.coincidence <= 1
        hard = hard and neuron_complexity(X, y, task="max").verdict == "np-complete"
    return [
        Row.check(f"Theorem 9: graphs of {n_graphs} whose smallest cover the best neuron does not tell", 0, wrong),
        Row.check(
            "Theorem 9: samples of graphs have coincidence 1 at most and sparseness 2, the hard case", True, hard
        ),
    ]


def one_in_three_rows() -> list[Row]:
    """Theorem 7: instances with and without an assignment."""
    rows = []
    solvable = [(0, 1, 2), (0, 3, 4), (1, 3, 5), (2, 4, 5)]
    # The seven lines of the Fano plane: each pair of points is on one line, so no choice of points meets each once.
    plane = [(0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5)]
    for name, triples, n in (("four triples", solvable, 6), ("the Fano plane", plane, 7)):
        exists = any(
            all(sum(values[i] for i in triple) == 1 for triple in triples) for values in product((0, 1), repeat=n)
        )
        X, y = sample_of_one_in_three(triples, n)
        measures = sample_measures(X, y)
        rows += [
            Row.check(f"Theorem 7, {name}: a neuron is consistent", exists, fit_threshold_neuron(X, y) is not None),
            Row.check(f"Theorem 7, {name}: coincidence", 1, measures.coincidence),
            Row.check(f"Theorem 7, {name}: sparseness", 4, measures.sparseness),
        ]
    return rows


def hidden_neuron(n: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Examples with three ones among a tenth as many columns, labelled by two of three of a hidden half of them."""
    rng, d = np.random.default_rng(n), n // 10
    places = rng.integers(0, d, (n, 3))
    ordered = np.sort(places, axis=1)
    places = places[np.all(ordered[:, 1:] != ordered[:, :-1], axis=1)]
    weights = rng.random(d) < 0.5
    X = sparse.csr_array((np.ones(places.size), places.reshape(-1), 3 * np.arange(len(places) + 1)), (len(places), d))
    return X, (X @ weights >= 2).astype(int)


def time_rows(figure: Figure, sizes: tuple[int, ...]) -> list[Row]:
    """Theorem 14: linear time, by the 2-satisfiability of up to a million examples."""
    fit_threshold_neuron(*hidden_neuron(1000))  # compiles
    rows, seconds = [], []
    for n in sizes:
        X, y = hidden_neuron(n)
        start = time.process_time()
        neuron = fit_threshold_neuron(X, y)
        seconds.append(time.process_time() - start)
        agrees = neuron is not None and bool(np.all(neuron.predict(X) == y))
        rows.append(Row.check(f"{n} examples of three ones by a hidden neuron: the fitted one agrees", True, agrees))
    rows.append(
        Row.ours(
            "exponent of the number of examples in the processor time",
            float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0]),
        )
    )
    ax = figure.subplots()
    ax.loglog(sizes, seconds, "o-", color="#1b6ca8", label="here")
    ax.loglog(sizes, seconds[0] * np.array(sizes) / sizes[0], "--", color="0.5", label="linear")
    ax.set(xlabel="examples of three ones", ylabel="seconds of the processor", title="2-satisfiability by components")
    ax.legend(frameon=False)
    return rows
