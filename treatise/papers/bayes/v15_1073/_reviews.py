"""Regression: reviews of films, praise and blame as numbers, in place of the ratings of hotels (Figure 2)."""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split

from treatise.bayes import GibbsMedLDARegressor
from treatise.datasets import load_movie_reviews
from treatise.papers._evidence import Row
from treatise.papers.bayes.v15_1073._runs import Split, Spread, allocation_shares, fitted

COSTS = (1.0, 4.0, 16.0)


def review_rows(n_seeds: int, n_topics: int = 20) -> list[Row]:
    """R^2 with the paper's settings, beside plain allocation and a ridge regression on its shares."""
    texts, praise = load_movie_reviews()
    X = CountVectorizer(stop_words="english", min_df=10).fit_transform(texts).astype(np.float64)
    ours, theirs = [], []
    for seed in range(n_seeds):
        split = Split(*train_test_split(X, 2.0 * praise - 1.0, train_size=0.5, random_state=seed, stratify=praise))
        ours.append(
            fitted(_model(n_topics, _cost(split, n_topics, seed), seed), split).score(split.test, split.test_labels)
        )
        train, test = allocation_shares(split, n_topics, seed)
        theirs.append(Ridge(1e-3).fit(train, split.train_labels).score(test, split.test_labels))
    gain = Spread.of(np.array(ours) - theirs)
    return [
        Row.ours(f"reviews of films, praise 1 and blame -1: R^2 with {n_topics} topics, and of allocation and ridge",
                 f"{np.mean(ours):.3f} and {np.mean(theirs):.3f}"),
        Row.claim_positive(
            "reviews: learning topics and regression together has a higher R^2 than one after the other",
            "Section 6.2", gain.mean, standard_error=gain.error,
        ),
    ]  # fmt: skip


def _model(n_topics: int, cost: float, seed: int) -> GibbsMedLDARegressor:
    """Section 6.2: epsilon = 1e-3, alpha = 1, M = 10."""
    return GibbsMedLDARegressor(n_topics, C=cost, n_burn=10, n_samples=1, n_infer_samples=10, random_state=seed)


def _cost(split: Split, n_topics: int, seed: int) -> float:
    """The cost c that does best on a third of the training part that is held back (five folds in the paper)."""
    inner = Split(*train_test_split(split.train, split.train_labels, train_size=2 / 3, random_state=seed))
    right = [fitted(_model(n_topics, cost, seed), inner).score(inner.test, inner.test_labels) for cost in COSTS]
    return COSTS[int(np.argmax(right))]
