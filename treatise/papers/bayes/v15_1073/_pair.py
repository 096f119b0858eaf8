"""Two newsgroups, atheism and religion: accuracy over topics (Figure 1) and what it depends on (Figures 6, 9 to 11)."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from treatise.bayes import GibbsMedLDAClassifier
from treatise.datasets import load_newsgroup_counts, load_newsgroup_pair
from treatise.papers._evidence import Row
from treatise.papers.bayes.v15_1073._runs import TWO_CLASSES, Split, Spread, accuracy, allocation_accuracy, fitted

ATHEISM, RELIGION = 799, 628
"""Documents of alt.atheism and talk.religion.misc in 20 Newsgroups."""
TRAINING = 856
"""Section 6.1."""


def documents() -> tuple[sparse.csr_array, np.ndarray, list[Row]]:
    """The pair, with its labels put right, and rows that show that they had to be."""
    X, y = load_newsgroup_pair("RELATHE")
    right = (np.arange(len(y)) >= ATHEISM).astype(int)
    doubtful = np.flatnonzero(right != y)
    others = np.setdiff1d(np.arange(len(y)), doubtful)
    judge = make_pipeline(TfidfTransformer(), LinearSVC(random_state=0)).fit(X[others], y[others])
    rows = [
        Row.check("documents of the file, and of alt.atheism and talk.religion.misc", ATHEISM + RELIGION, len(y)),
        Row.ours("documents whose label the file has against the groups' sizes, put right here", len(doubtful)),
        Row.check_at_least(
            "share of them that a linear machine, trained without them, gives the label put right",
            0.5,
            float(np.mean(judge.predict(X[doubtful]) == right[doubtful])),
        ),
    ]
    return X, right, rows


def random_split(X: Any, y: np.ndarray, seed: int) -> Split:
    """As many documents to learn from as in the paper, whose division by date the file does not tell."""
    train, test, labels, others = train_test_split(X, y, train_size=TRAINING, random_state=seed, stratify=y)
    return Split(train, test, labels, others)


def split_by_date() -> Split:
    """The same groups divided by date as in the paper, with 1000 words."""
    X, y, _ = load_newsgroup_counts()
    chosen = np.flatnonzero(np.isin(y, (0, 19)))
    early, late = chosen[chosen < 11_256], chosen[chosen >= 11_256]
    return Split(X[early], X[late], y[early] // 19, y[late] // 19)


def model(n_topics: int, seed: int, **changed: Any) -> GibbsMedLDAClassifier:
    """With the paper's settings."""
    return GibbsMedLDAClassifier(n_topics, random_state=seed, **{**TWO_CLASSES, **changed})


def over_topics(splits: list[Split], sizes: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Accuracies of each split and number of topics."""
    ours = [[accuracy(model(k, seed), split) for k in sizes] for seed, split in enumerate(splits)]
    theirs = [[allocation_accuracy(split, k, seed) for k in sizes] for seed, split in enumerate(splits)]
    return {"Gibbs MedLDA": np.array(ours), "allocation, then a machine": np.array(theirs)}


def accuracy_rows(found: dict[str, np.ndarray], sizes: tuple[int, ...], where: str) -> list[Row]:
    """Figure 1 (a): the gain over plain allocation, over all numbers of topics."""
    ours, theirs = found.values()
    gain = Spread.of((ours - theirs).mean(axis=1))
    rows = [
        Row.ours(f"{where}: accuracy with {k} topics, and of allocation and a machine",
                 f"{ours[:, at].mean():.3f} and {theirs[:, at].mean():.3f}")
        for at, k in enumerate(sizes)
    ]  # fmt: skip
    statement = f"{where}: more accurate than allocation and a machine, mean over topics"
    return [*rows, Row.claim_positive(statement, "Figure 1(a)", gain.mean, standard_error=gain.error)]


def dependence(splits: list[Split], gain: float, full: bool) -> tuple[list[Row], dict[str, Any]]:
    """Figures 6, 9, 10 and 11: accuracy over sweeps, alpha, margin and samples in testing, at 20 topics."""
    settings = {
        "sweeps M": ("n_burn", (0, 5, 10, 40) if full else (0, 10, 20), 5, "Figure 6"),
        "alpha": ("alpha", (0.1, 1.0, 10.0) if full else (0.1, 10.0), 0.0, "Figure 9"),
        "margin l": ("margin", (25.0, 164.0, 625.0) if full else (25.0, 625.0), 0.0, "Figure 10"),
    }
    rows, curves = [], {}
    for name, (parameter, values, stable_from, place) in settings.items():
        found = np.array(
            [
                [accuracy(model(20, seed, **{parameter: value}), split) for value in values]
                for seed, split in enumerate(splits)
            ]
        )
        curves[name] = values, found
        rows += _stable(name, values, found.mean(axis=0), stable_from, gain, place)
    models = [fitted(model(20, seed), split) for seed, split in enumerate(splits)]
    samples = (1, 10, 19) if full else (1, 19)
    found = np.array(
        [[each.set_params(n_infer_samples=n).score(split.test, split.test_labels) for n in samples]
         for each, split in zip(models, splits)]
    )  # fmt: skip
    rows += _stable("samples in testing", samples, found.mean(axis=0), 0, gain, "Figure 11")
    return rows, curves


def _stable(
    name: str, values: tuple, means: np.ndarray, stable_from: float, gain: float, place: str
) -> list[Row]:  # fmt: skip
    """Whether accuracies differ by less than half of what the labels gain over plain allocation."""
    inside = np.array([value >= stable_from for value in values])
    spread = float(np.ptp(means[inside]))
    shown = ", ".join(f"{mean:.3f} at {value:g}" for value, mean in zip(values, means))
    low, high = np.array(values)[inside][[0, -1]]
    statement = (
        f"stable over {name} from {low:g} to {high:g}: accuracies differ by less than half of the gain by labels"
    )
    return [Row.ours(f"accuracy over {name}", shown), Row.claim(statement, place, spread < 0.5 * gain)]
