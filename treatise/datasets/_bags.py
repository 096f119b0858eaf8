"""Bags of instances: made-up ones with known concepts, and the molecules of Musk."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from treatise.datasets._home import locate
from treatise.io.source import read_bytes

APART = 2.5
"""Coordinate of the first of two concepts; the second is opposite."""


def make_concept_bags(
    n_bags: int = 40, *, n_concepts: int = 1, n_instances: int = 5, spread: float = 0.2, random_state: Any = None
) -> tuple[list[np.ndarray], np.ndarray]:
    """Draw bags of points in the plane, half of them positive by one concept, or by two together.

    Most points are noise, uniform on [-5, 5] x [-5, 5]. With one concept, a positive bag has one point near the origin.
    With two, at (2.5, 2.5) and (-2.5, -2.5), a positive bag has a point near each and a negative one near the first or
    the second: no single instance tells them apart, and who looks for one concept alone is right of three bags in four
    at best.

    Parameters
    ----------
    n_bags : int, default=40
        Bags; the first half is negative, and the order is then shuffled.
    n_concepts : {1, 2}, default=1
        Concepts.
    n_instances : int, default=5
        Points of a bag, at least ``n_concepts``.
    spread : float, default=0.2
        Standard deviation of a point about its concept.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    bags : list of ndarray of shape (n_instances, 2)
    y : ndarray of int of shape (n_bags,)
        1 for positive bags, 0 else.

    Examples
    --------
    >>> from treatise.datasets import make_concept_bags
    >>> bags, y = make_concept_bags(6, random_state=0)
    >>> len(bags), bags[0].shape, sorted(y.tolist())
    (6, (5, 2), [0, 0, 0, 1, 1, 1])
    """
    if n_concepts not in (1, 2):
        raise ValueError(f"n_concepts={n_concepts}; bags of one or of two concepts are known")
    if n_instances < n_concepts:
        raise ValueError(f"n_instances={n_instances} points cannot lie near n_concepts={n_concepts} concepts")
    rng = check_random_state(random_state)
    centres = np.zeros((1, 2)) if n_concepts == 1 else np.array([[APART, APART], [-APART, -APART]])
    bags, y = [], rng.permutation(np.arange(n_bags) >= n_bags // 2).astype(int)
    for label in y:
        bag = rng.uniform(-5.0, 5.0, size=(n_instances, 2))
        near = np.arange(n_concepts) if label else np.array([rng.randint(2)] if n_concepts == 2 else [], int)
        for place, concept in enumerate(near):
            bag[place] = centres[concept] + spread * rng.normal(size=2)
        bags.append(bag[rng.permutation(n_instances)])
    return bags, y


def load_musk1() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Musk 1: shapes of 92 molecules, of which 47 smell of musk; a molecule is a bag, a shape an instance.

    Returns
    -------
    X : ndarray of shape (476, 166)
        Distances that describe the surface of each shape.
    molecule : ndarray of int of shape (476,)
        The molecule of each.
    y : ndarray of int of shape (476,)
        1 where the molecule is a musk, else 0.
    """
    lines = read_bytes(locate("multiple_instance/clean1.data.gz")).decode().splitlines()[1:]
    table = np.array([line.split(",") for line in lines if line], np.float64)
    return table[:, 2:-1], table[:, 0].astype(int), table[:, -1].astype(int)
