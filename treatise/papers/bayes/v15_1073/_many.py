"""All of 20 Newsgroups: classes (Figures 3 and 4), several labels (Figure 5), and topics (Figure 12, Table 1)."""

from typing import Any

import numpy as np
from scipy.io import loadmat
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from treatise.bayes import GibbsMedLDAClassifier
from treatise.datasets import load_newsgroup_counts, locate
from treatise.papers._evidence import Row
from treatise.papers.bayes.v15_1073._runs import (
    MANY_CLASSES,
    Split,
    Spread,
    accuracy,
    allocation_accuracy,
    allocation_shares,
    fitted,
    timed,
)

EARLY = 11_256
PRINTED = {
    4: "space nasa launch earth orbit moon shuttle gov",
    5: "team game hockey play season nhl games players year",
    12: "gun people guns weapons firearms government fire law",
    13: "msg health medical food disease patients doctor research",
    16: "drive scsi mb card system controller bus hard ide disk",
    23: "image graphics file files software jpeg images version program data",
    26: "window server motif widget sun display application mit file",
    27: "key encryption chip clipper government keys security escrow secure nsa",
    29: "god jesus people church christians christ christian bible faith truth",
    30: "bike dod ride motorcycle",
    32: "israel people turkish armenian jews israeli armenians turkey",
    34: "car cars engine speed oil good",
    36: "year game team baseball games runs",
}
"""Words of topics with a subject in Table 1, without those of all letters (writes, article, don, ca, apr)."""


def split_of(full: bool) -> tuple[Split, list[str], list[str]]:
    """Documents divided by date (a part of them in the quick form), the words and the groups' names."""
    X, y, words = load_newsgroup_counts()
    names = [str(name) for name in loadmat(locate("text/20news_w1000.mat"), simplify_cells=True)["class_names"]]
    rng = np.random.default_rng(0)
    early, late = np.arange(EARLY), np.arange(EARLY, len(y))
    if not full:
        early, late = rng.choice(early, 1500, replace=False), rng.choice(late, 1000, replace=False)
    return Split(X[early], X[late], y[early], y[late]), words, names


def model(n_topics: int, seed: int, **changed: Any) -> GibbsMedLDAClassifier:
    """With the paper's settings."""
    return GibbsMedLDAClassifier(n_topics, random_state=seed, **{**MANY_CLASSES, **changed})


def class_rows(split: Split, n_seeds: int, one_vs_all: bool) -> list[Row]:
    """Accuracy of the machines with common topics, beside plain allocation and machines with topics of their own."""
    seeds = range(n_seeds)
    ours = np.array([accuracy(model(40, seed), split) for seed in seeds])
    theirs = np.array([allocation_accuracy(split, 40, seed) for seed in seeds])
    gain = Spread.of(ours - theirs)
    rows = [
        Row.ours("20 classes: accuracy with 40 common topics", float(ours.mean())),
        Row.ours("20 classes: accuracy of allocation with 40 topics and a machine", float(theirs.mean())),
        Row.claim_positive(
            "20 classes: common topics are more accurate than allocation and a machine", "Section 6.3", gain.mean,
            standard_error=gain.error,
        ),
    ]  # fmt: skip
    if not one_vs_all:
        return rows
    together, apart = model(40, 0), OneVsRestClassifier(model(20, 0, n_burn=20))
    learned, tested, right = zip(*(_times(each, split) for each in (together, apart)))
    return [
        *rows,
        Row.ours("20 classes: accuracy of one-vs-all with 20 topics for each class", right[1]),
        Row.claim(
            "20 classes: common topics, 20 times fewer, are as accurate as one-vs-all within half of the gain",
            "Figure 4(a)", abs(right[0] - right[1]) < 0.5 * gain.mean,
        ),
        Row.time("one-vs-all over common topics: time of training", "Section 6.3.2", 3.0, learned[1] / learned[0],
                 rule="at least"),
        Row.time("one-vs-all over common topics: time of testing", "Section 6.3.2", 20.0, tested[1] / tested[0],
                 rule="at least"),
    ]  # fmt: skip


def _times(each: Any, split: Split) -> tuple[float, float, float]:
    learning, _ = timed(lambda: fitted(each, split))
    testing, right = timed(lambda: float(each.score(split.test, split.test_labels)))
    return learning, testing, right


def label_rows(split: Split, names: list[str], n_seeds: int) -> list[Row]:
    """Several labels for each document: the parts of the groups' names that more than one group has."""
    parts = [set(name.split(".")) for name in names]
    labels = sorted(part for part in set().union(*parts) if sum(part in each for each in parts) > 1)
    member = np.array([[int(part in each) for part in labels] for each in parts])
    several = split._replace(train_labels=member[split.train_labels], test_labels=member[split.test_labels])
    ours, theirs = [], []
    for seed in range(n_seeds):
        found = fitted(model(40, seed, n_burn=40), several).predict(split.test)
        ours.append(_f1(several, found))
        train, test = allocation_shares(split, 40, seed)
        theirs.append(_f1(several, _machines(train, several.train_labels).predict(test)))
    gain = Spread.of(np.array(ours) - theirs)
    raw = _f1(several, _machines(split.train, several.train_labels).predict(split.test))
    return [
        Row.ours(f"{len(labels)} labels ({', '.join(labels)}): F1 with 40 topics", float(np.mean(ours))),
        Row.ours("labels: F1 of allocation with 40 topics and machines", float(np.mean(theirs))),
        Row.ours("labels: F1 of machines on the counts of words", raw),
        Row.claim_positive(
            "labels: a higher F1 than allocation and machines", "Figure 5", gain.mean, standard_error=gain.error
        ),
    ]


def _machines(X: Any, labels: np.ndarray) -> OneVsRestClassifier:
    return OneVsRestClassifier(LinearSVC(dual=False)).fit(X, labels)


def _f1(split: Split, found: np.ndarray) -> float:
    return float(f1_score(split.test_labels, found, average="micro", zero_division=0.0))


def topic_rows(found: GibbsMedLDAClassifier, split: Split, words: list[str]) -> list[Row]:
    """Few salient topics a class (Figure 12), and the subjects of Table 1 among the topics' words."""
    shares = found.transform(split.train)
    means = np.array([shares[split.train_labels == label].mean(axis=0) for label in found.classes_])
    half = [int(np.searchsorted(np.cumsum(np.sort(row)[::-1]), 0.5)) + 1 for row in means]
    first = [set(topic) for topic in found.top_words(20, words)]
    met, known_of = 0, set(words)
    for printed in PRINTED.values():
        known = [word for word in printed.split() if word in known_of]
        met += max(sum(word in topic for word in known) for topic in first) >= 0.5 * len(known)
    return [
        Row.ours("topics that make up half of a class's mean, median over the classes", float(np.median(half))),
        Row.claim(
            "documents of a class have very few salient topics on average: at most four of 40 make up half, in 15 "
            "classes of 20 or more",
            "Section 6.6", sum(each <= 4 for each in half) >= 15,
        ),
        Row.ours(f"of {len(PRINTED)} topics of Table 1 that have a subject, those found again (half of their words "
                 "that are among the 1000 are among the first 20 of a topic)", met),
        Row.claim("topics have the subjects of Table 1: two thirds of its topics are found again", "Table 1",
                  met >= 2 * len(PRINTED) / 3),
    ]  # fmt: skip
