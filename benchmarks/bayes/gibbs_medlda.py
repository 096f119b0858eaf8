"""Supervised topics: as many sweeps as tomotopy's supervised allocation, on one core; and their cost over documents."""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import DataNotFoundError
from treatise.bayes import GibbsMedLDAClassifier
from treatise.datasets import load_newsgroup_pair

SWEEPS, TOPICS = 50, 50


def benchmarks() -> Iterator[Contest | Scaling]:
    """Two newsgroups with 50 topics and 50 sweeps, then more and more documents."""
    try:
        parts = _divided("PCMAC")
        if find_spec("tomotopy") is None:
            left_out("gibbs_medlda: tomotopy is not installed; its contest is left out")
        else:
            yield Contest(
                work=f"{parts[0].sum():.0f} tokens of two newsgroups, {TOPICS} topics, {SWEEPS} sweeps: accuracy",
                peer="tomotopy",
                ours=partial(_ours, parts),
                theirs=partial(_tomotopy, parts),
                quality=float,
                warm_up=partial(_ours, parts, 2),
            )
        yield Contest(
            work="two newsgroups at our defaults, against variational allocation of 10 topics and a machine: accuracy",
            peer="scikit-learn",
            ours=partial(_defaults, parts),
            theirs=partial(_allocation, parts),
            quality=float,
            warm_up=partial(_ours, parts, 2),
        )
    except DataNotFoundError as missing:
        left_out(f"left out: {missing}")
    yield Scaling(
        work=f"GibbsMedLDAClassifier, documents of 100 tokens, {TOPICS} topics, 10 sweeps, over documents",
        sizes=(1000, 10_000, 100_000),
        prepare=_made_up,
        warm_up=_made_up(50),
    )


def _divided(name: str) -> list[Any]:
    X, y = load_newsgroup_pair(name)
    return train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)


def _ours(parts: list[Any], n_sweeps: int = SWEEPS) -> float:
    train, test, labels, others = parts
    model = GibbsMedLDAClassifier(TOPICS, n_burn=n_sweeps - 1, n_samples=1, random_state=0)
    return float(model.fit(train, labels).score(test, others))


def _tomotopy(parts: list[Any]) -> float:
    """Supervised allocation with a binary response; each token is the number of its word."""
    import tomotopy

    train, test, labels, others = parts
    model = tomotopy.SLDAModel(k=TOPICS, vars="b", alpha=1.0 / TOPICS, eta=0.01, seed=0)
    for words, label in zip(_texts(train), labels):
        model.add_doc(words, y=[float(label)])
    model.train(SWEEPS, workers=1)
    documents = [model.make_doc(words) for words in _texts(test)]
    model.infer(documents, iterations=40, workers=1)
    found = np.array([model.estimate(document)[0] for document in documents])
    return float(np.mean((found > 0.5) == others))


def _texts(X: sparse.csr_array) -> list[list[str]]:
    rows = []
    for start, end in zip(X.indptr[:-1], X.indptr[1:]):
        rows.append([str(word) for word in np.repeat(X.indices[start:end], X.data[start:end].astype(int))])
    return rows


def _defaults(parts: list[Any]) -> float:
    train, test, labels, others = parts
    return float(GibbsMedLDAClassifier(random_state=0).fit(train, labels).score(test, others))


def _allocation(parts: list[Any]) -> float:
    train, test, labels, others = parts
    model = make_pipeline(LatentDirichletAllocation(10, random_state=0), LinearSVC(random_state=0))
    return float(model.fit(train, labels).score(test, others))


def _made_up(n_documents: int) -> Any:
    rng = np.random.default_rng(0)
    words = rng.zipf(1.3, (n_documents, 100)) % 5000
    places = np.repeat(np.arange(n_documents), 100), words.ravel()
    X = sparse.csr_array((np.ones(words.size), places), shape=(n_documents, 5000))
    model = GibbsMedLDAClassifier(TOPICS, n_burn=9, n_samples=1, random_state=0)
    return lambda: model.fit(X, np.arange(n_documents) % 2).coef_
