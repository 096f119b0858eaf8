"""Which pairs to ask about, near the current solution (Ailon, Begleiter & Ezra, JMLR 15:885, Sections 4.3 and 5.3).

Samples are unordered pairs with weights such that the weighted sum over the sample of any function of pairs has the sum
over all pairs for its mean.
"""

import numpy as np


def order_chances(place: np.ndarray, pairs: np.ndarray, samples: float) -> np.ndarray:
    """Chance of each pair to be asked, falling with its distance in the current order (footnote 9)."""
    return np.minimum(1.0, samples / np.abs(place[pairs[:, 0]] - place[pairs[:, 1]]))


def drawn_order_pairs(order: np.ndarray, samples: float, rng: np.random.Generator) -> np.ndarray:
    """Each pair of an order by its own chance min(1, samples / distance)."""
    n, found = len(order), []
    for distance in range(1, n):
        first = np.arange(n - distance)
        if samples < distance:
            first = first[rng.random(n - distance) < samples / distance]
        found.append(np.column_stack([order[first], order[first + distance]]))
    return np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)


def ranking_shells(n_items: int, at: int, samples: int) -> list[np.ndarray]:
    """Places around the one at ``at`` by distance: below 2 p, then from 2^i p to 2^(i + 1) p.

    The printed shells overlap, which would count pairs twice; these part all other places.

    Parameters
    ----------
    n_items : int
        Items in the order.
    at : int
        A place, from 0.
    samples : int
        The paper's p.

    Returns
    -------
    list of ndarray of int
        Shells that are not empty.

    Examples
    --------
    >>> from treatise.semisupervised import ranking_shells
    >>> [shell.tolist() for shell in ranking_shells(8, 2, 1)]
    [[1, 3], [0, 4, 5], [6, 7]]
    """
    others = np.delete(np.arange(n_items), at)
    distance = np.abs(others - at)
    shell = np.maximum(np.floor(np.log2(distance / samples)), 0).astype(np.int64)
    return [others[shell == number] for number in np.unique(shell)]


def shell_pairs(order: np.ndarray, samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 2: for each item ``samples`` others of each shell with replacement, or the whole of a small shell."""
    pairs, weights = [], []
    for at in range(len(order)):
        for shell in ranking_shells(len(order), at, samples):
            drawn = shell if len(shell) <= samples else rng.choice(shell, samples)
            pairs.append(np.column_stack([np.full(len(drawn), order[at]), order[drawn]]))
            # A pair can be drawn from either end, hence the half.
            weights.append(np.full(len(drawn), 0.5 * len(shell) / len(drawn)))
    return np.concatenate(pairs), np.concatenate(weights)


def group_chances(groups: np.ndarray, pairs: np.ndarray, samples: float) -> np.ndarray:
    """Chance of each pair: ``samples`` partners in the smaller of its two groups, from either end within one."""
    sizes = np.bincount(groups)
    one, other = groups[pairs[:, 0]], groups[pairs[:, 1]]
    smaller = np.minimum(sizes[one], sizes[other])
    return np.minimum(1.0, np.where(one == other, 2.0, 1.0) * samples / smaller)


def drawn_group_pairs(groups: np.ndarray, samples: float, rng: np.random.Generator) -> np.ndarray:
    """Each pair by its own chance."""
    found = [np.empty((0, 2), dtype=np.int64)]
    for item in range(len(groups) - 1):
        others = np.arange(item + 1, len(groups))
        pairs = np.column_stack([np.full(len(others), item), others])
        found.append(pairs[rng.random(len(others)) < group_chances(groups, pairs, samples)])
    return np.concatenate(found)


def group_sample(groups: np.ndarray, samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 3: for each item of a group ``samples`` items of that and of every smaller group, with replacement."""
    sizes = np.bincount(groups)
    by_size = [part for part in np.argsort(-sizes, kind="stable") if sizes[part]]
    members = {part: np.flatnonzero(groups == part) for part in by_size}
    pairs, weights = [], []
    for number, part in enumerate(by_size):
        for item in members[part]:
            for other in by_size[number:]:
                pool = members[other]
                drawn = pool if len(pool) <= samples else rng.choice(pool, samples)
                share = (0.5 if other == part else 1.0) * len(pool) / len(drawn)
                drawn = drawn[drawn != item]
                pairs.append(np.column_stack([np.full(len(drawn), item), drawn]))
                weights.append(np.full(len(drawn), share))
    return np.concatenate(pairs), np.concatenate(weights)
