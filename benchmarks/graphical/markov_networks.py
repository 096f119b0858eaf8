"""Markov networks of binary columns: trees and pseudo-likelihoods against what scikit-learn and NumPy offer."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks._contest import Contest, Scaling
from treatise.graphical import ConjunctiveMarkovNetwork, ProbabilityTree, grow_probability_trees
from treatise.graphical.decision_tree.conjunctive import PseudoLikelihood


def benchmarks() -> Iterator[Contest | Scaling]:
    """One tree for every column to the same likelihood of new rows, and the cost of the weights."""
    rows = _table(18000, 100)
    train, test = rows[:15000], rows[15000:]
    yield Contest(
        work="a decision tree of each of 100 binary columns on the others, 15 000 rows, at least 10 in a leaf",
        peer="scikit-learn",
        ours=partial(grow_probability_trees, train),
        theirs=partial(_their_trees, train),
        quality=partial(_mean_likelihood, test),
        warm_up=partial(grow_probability_trees, train[:200, :5]),
        repeats=1,
    )
    yield Scaling(
        work="a decision tree of each of 50 binary columns, over rows",
        sizes=(2000, 8000, 32000),
        prepare=lambda n: partial(grow_probability_trees, _table(n, 50)),
        warm_up=partial(grow_probability_trees, train[:200, :5]),
    )
    yield Scaling(
        work="pseudo-likelihood and gradient of the features of 50 trees (PRUNE, kappa 0.001), over rows",
        sizes=(1000, 2000, 4000, 8000),
        prepare=_pseudo_likelihood,
        warm_up=lambda: _pseudo_likelihood(200)(),
    )


def _table(n: int, p: int) -> np.ndarray:
    """Columns that follow a few hidden causes."""
    rng = np.random.default_rng(0)
    loadings = rng.normal(size=(6, p))
    return (rng.normal(size=(n, 6)) @ loadings + rng.normal(size=(n, p)) > 0).astype(np.uint8)


def _their_trees(X: np.ndarray) -> list[DecisionTreeClassifier]:
    found = []
    for i in range(X.shape[1]):
        tree = DecisionTreeClassifier(criterion="log_loss", min_samples_leaf=10, random_state=0)
        found.append(tree.fit(np.delete(X, i, axis=1), X[:, i]))
    return found


def _mean_likelihood(X: np.ndarray, trees: list[ProbabilityTree] | list[DecisionTreeClassifier]) -> float:
    """Mean log-probability of an entry, leaves smoothed by a uniform prior on both sides."""
    total = 0.0
    for i, tree in enumerate(trees):
        if isinstance(tree, ProbabilityTree):
            total += tree.log_likelihood(X)
            continue
        leaves = tree.apply(np.delete(X, i, axis=1))
        size = tree.tree_.weighted_n_node_samples[leaves]
        share = tree.tree_.value[leaves, 0, X[:, i].astype(int)]
        total += float(np.log((share * size + 1) / (size + 2)).sum())
    return total / X.size


def _pseudo_likelihood(n: int) -> partial[object]:
    X = _table(n, 50)
    features = {f for tree in grow_probability_trees(_table(8000, 50), kappa=1e-3) for f in tree.features("prune")}
    network = ConjunctiveMarkovNetwork(sorted(features), 50)
    return partial(PseudoLikelihood(network, X, 1.0), np.full(len(features), 0.01))
