"""Instances ranked by good, random and contrary experts, with labels."""

import numpy as np


def make_expert_rankings(n_instances, *, n_items=20, missing=0.4, seed=0):
    """Rankings by five good, five random and five contrary experts; of the items three are labelled 2, five 1."""
    rng = np.random.default_rng(seed)
    rankings, labels = [], []
    for _ in range(n_instances):
        worth = rng.normal(size=n_items)
        order = np.argsort(-worth)
        levels = np.zeros(n_items)
        levels[order[:3]], levels[order[3:8]] = 2, 1
        noise = rng.normal(size=(n_items, 15))
        true = np.repeat([1.0, 0.0, -1.0], 5)
        seen = true * worth[:, None] + np.where(true == 0.0, 1.0, 0.5) * noise
        ranks = np.zeros((n_items, 15))
        for expert in range(15):
            kept = np.flatnonzero(rng.random(n_items) >= missing)
            ranks[kept[np.argsort(-seen[kept, expert])], expert] = np.arange(1, len(kept) + 1)
        rankings.append(ranks)
        labels.append(levels)
    return rankings, labels
