"""Zhu, Chen, Perkins & Zhang: topics that separate labels, on 20 Newsgroups and reviews of films.

All results of the paper are plots. Its claims are tested here: more accurate than topics learned without labels, on two
classes, on 20 and on several labels at once; hardly dependent on sweeps, alpha, margin and samples; common topics
faster than topics for each class; and topics that one can read.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from treatise.bayes import plot_class_topics
from treatise.papers._evidence import Evidence
from treatise.papers.bayes.v15_1073 import _many, _pair
from treatise.papers.bayes.v15_1073._exact import posterior_rows
from treatise.papers.bayes.v15_1073._reviews import review_rows
from treatise.papers.bayes.v15_1073._runs import fitted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SKIPPED = [
    "Figure 1 (b, c): training and testing times beside variational and collapsed MedLDA, which are not here",
    "Figure 2: ratings of 5000 hotels (not at hand; reviews of films take their place), vMedLDA and sLDA",
    "Figures 3 and 4: vMedLDA and gMedLDA; 20 processor cores",
    "Figure 5: 1.1 million pages of Wikipedia (not at hand; labels of newsgroups take their place)",
    "Figure 7: burn-in steps of one-vs-all",
]


def experiment(*, full: bool = False) -> Evidence:
    """Both forms ask the same of less: fewer documents, divisions and values of a parameter."""
    X, y, rows = _pair.documents()
    n_seeds, sizes = (5, (5, 10, 20, 30)) if full else (3, (5, 20))
    splits = [_pair.random_split(X, y, seed) for seed in range(n_seeds)]
    accuracies = _pair.over_topics(splits, sizes)
    rows += _pair.accuracy_rows(accuracies, sizes, "atheism and religion")
    gain = float(np.mean(accuracies["Gibbs MedLDA"] - accuracies["allocation, then a machine"]))
    more, curves = _pair.dependence(splits if full else splits[:2], gain, full)
    rows += more
    if full:
        by_date = _pair.over_topics([_pair.split_by_date()] * n_seeds, sizes)
        rows += _pair.accuracy_rows(by_date, sizes, "the same by date, 1000 words")
    split, words, names = _many.split_of(full)
    rows += _many.class_rows(split, 3, one_vs_all=full)
    rows += _many.label_rows(split, names, 3) if full else []
    shown = fitted(_many.model(40, 0, n_samples=20), split)
    rows += _many.topic_rows(shown, split, words)
    rows += review_rows(3) if full else []
    rows += posterior_rows(15_000 if full else 3000)
    return Evidence(rows, _figure(accuracies, sizes, curves, shown, split, words, names), SKIPPED)


def _figure(accuracies: Any, sizes: Any, curves: Any, shown: Any, split: Any, words: Any, names: Any) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 10), layout="constrained")
    panels: dict[str, Any] = figure.subplot_mosaic([["topics", "sweeps M", "margin l"], ["classes"] * 3, ["words"] * 3],
                                   height_ratios=[2.6, 4.2, 2.6])  # fmt: skip
    for name, found in accuracies.items():
        panels["topics"].errorbar(sizes, found.mean(axis=0), found.std(axis=0), marker="o", label=name)
    panels["topics"].set(xlabel="topics", ylabel="accuracy", title="atheism or religion (Figure 1)")
    panels["topics"].legend(fontsize=8)
    for name, place in (("sweeps M", "Figure 6"), ("margin l", "Figure 10")):
        values, found = curves[name]
        panels[name].errorbar(values, found.mean(axis=0), found.std(axis=0), marker="o")
        panels[name].set(xlabel=name, ylabel="accuracy", title=f"20 topics ({place})")
        panels[name].sharey(panels["topics"])
    margins = curves["margin l"][0]
    panels["margin l"].set_xscale("log")
    panels["margin l"].set_xticks(margins, [f"{margin:g}" for margin in margins])
    panels["margin l"].minorticks_off()
    plot_class_topics(shown, split.train, split.train_labels, class_names=names, ax=panels["classes"])
    panels["classes"].set_title("mean topics of the classes (Figure 12)")
    _write_words(panels["words"], shown, words, names)
    return figure


def _write_words(panel: Any, shown: Any, words: Any, names: Any) -> None:
    """For ten classes the words of the topic that speaks most for each (Table 1)."""
    panel.axis("off")
    panel.set_title("first words of the topic that speaks most for a class (Table 1)")
    first = shown.top_words(10, words)
    for at, label in enumerate((0, 1, 6, 7, 8, 10, 11, 14, 16, 17)):
        topic = int(np.argmax(shown.coef_[label] * shown.topic_shares_))
        heading = names[label].replace(".", ".\n", 1)
        panel.text(0.1 * at, 0.98, f"{heading}\ntopic {topic}", fontsize=7, weight="bold", va="top")
        panel.text(0.1 * at, 0.74, "\n".join(first[topic]), fontsize=7, va="top")
