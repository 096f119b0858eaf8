"""Averages over Bayesian networks: naive ones against scikit-learn's, the greedy search against pgmpy's, and sizes."""

import logging
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.metrics import log_loss
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import TreatiseError
from treatise.bayesnet import AveragedNaiveBayes, ModelAveragedClassifier, greedy_thick_thin
from treatise.datasets import load_table, make_network_table
from treatise.statistics.family_scores import FamilyScores


def benchmarks() -> Iterator[Contest | Scaling]:
    """Fitting and predicting categories, spam with continuous columns, a search for a network, and cost over sizes."""
    X, y = categories(250_000, 100)
    held_out, truth = X[-20_000:], y[-20_000:]
    model, peer = AveragedNaiveBayes(discretizer=None), CategoricalNB(min_categories=4)
    yield Contest(
        work="fit naive Bayes to 230 000 rows of 100 categories, three classes (quality: held-out log loss)",
        peer="scikit-learn",
        ours=lambda: AveragedNaiveBayes(discretizer=None).fit(X[:-20_000], y[:-20_000]),
        theirs=lambda: CategoricalNB(min_categories=4).fit(X[:-20_000], y[:-20_000]),
        quality=lambda fitted: log_loss(truth, fitted.predict_proba(held_out)),
        warm_up=lambda: AveragedNaiveBayes(discretizer=None).fit(X[:50], y[:50]),
        repeats=1,
    )
    model.fit(X[:1000], y[:1000])
    peer.fit(X[:1000], y[:1000])
    yield Contest(
        work="probabilities of 20 000 rows of 100 categories by naive Bayes fitted to 1000 (quality: log loss)",
        peer="scikit-learn",
        ours=lambda: model.predict_proba(held_out),
        theirs=lambda: peer.predict_proba(held_out),
        quality=lambda probabilities: log_loss(truth, probabilities),
        warm_up=lambda: model.predict_proba(held_out[:10]),
    )
    yield from _spam()
    yield from _search()
    yield Scaling(
        work="average over networks of at most two parents, 1000 rows, over binary columns",
        sizes=(10, 20, 40, 80),
        prepare=partial(_average, 2),
        warm_up=_average(2, 5),
    )
    yield Scaling(
        work="average over networks of at most three parents, 1000 rows, over binary columns",
        sizes=(10, 20, 40),
        prepare=partial(_average, 3),
        warm_up=_average(3, 5),
    )


def categories(n_samples: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Features of four values, one in ten of them related to the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n_samples)
    X = rng.integers(0, 4, (n_samples, n_features), dtype=np.int8)
    for i in range(0, n_features, 10):
        X[:, i] = np.where(rng.random(n_samples) < 0.9, X[:, i], y)
    return X, y


def _spam() -> Iterator[Contest]:
    try:
        X, y = load_table("keel/spambase.dat").arrays()
    except TreatiseError as missing:
        left_out(f"model_averaging: {missing}; its contest is left out")
        return
    train = np.random.default_rng(0).random(len(y)) < 0.5
    yield Contest(
        work="naive Bayes on 57 continuous columns of spam, cut by class entropy or Gaussian (quality: log loss)",
        peer="scikit-learn",
        ours=lambda: AveragedNaiveBayes().fit(X[train], y[train]),
        theirs=lambda: GaussianNB().fit(X[train], y[train]),
        quality=lambda fitted: log_loss(y[~train], fitted.predict_proba(X[~train])),
        warm_up=lambda: AveragedNaiveBayes().fit(X[:50], y[:50]),
    )


def _search() -> Iterator[Contest]:
    if find_spec("pgmpy") is None:
        left_out("model_averaging: pgmpy is not installed; its contest is left out")
        return
    table, _ = make_network_table(1000, n_nodes=12, max_parents=3, random_state=0)
    yield Contest(
        work="a network of 12 binary variables from 1000 rows by greedy search under the K2 score (quality: log score)",
        peer="pgmpy",
        ours=lambda: greedy_thick_thin(table).parents,
        theirs=lambda: _hill_climb(table),
        quality=partial(_k2_score, table),
        warm_up=lambda: greedy_thick_thin(table[:50]),
        repeats=1,
    )


def _hill_climb(table: np.ndarray) -> dict[int, tuple[int, ...]]:
    import pandas
    from pgmpy.causal_discovery import HillClimbSearch

    logging.disable(logging.WARNING)
    frame = pandas.DataFrame(table, columns=[str(i) for i in range(table.shape[1])]).astype(str).astype("category")
    found = HillClimbSearch("k2", return_type="dag", show_progress=False).fit(frame).causal_graph_
    return {int(node): tuple(int(parent) for parent in found.predecessors(node)) for node in found.nodes()}


def _k2_score(table: np.ndarray, parents: dict[int, tuple[int, ...]]) -> float:
    scores = FamilyScores(table.astype(int), np.full(table.shape[1], 2), "k2")
    return sum(scores.score(child, own) for child, own in parents.items())


def _average(max_parents: int, n_columns: int) -> Any:
    table, _ = make_network_table(1000, n_nodes=n_columns + 1, max_parents=3, random_state=1)
    return lambda: ModelAveragedClassifier(max_parents).fit(table[:, 1:], table[:, 0])
