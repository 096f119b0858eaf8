"""Two classes that are mixtures of Gaussians (Hastie et al., JMLR 5:1391, the running example)."""

import numpy as np
from sklearn.utils import check_random_state


def make_gaussian_mixtures(
    n_per_class: int = 100, *, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Points in the plane: each class has ten centres of its own, drawn around (1, 0) and (0, 1).

    Parameters
    ----------
    n_per_class : int, default=100
        Points of each class.
    random_state : int, RandomState instance or None, default=None
        Source of the centres and of the points; the first class is drawn first.

    Returns
    -------
    X : ndarray of shape (2 * n_per_class, 2)
        Points, each a centre of its class plus noise of variance 1/5.
    y : ndarray of shape (2 * n_per_class,)
        1.0 for the first half, -1.0 for the second.
    """
    generator = check_random_state(random_state)
    centres = [generator.randn(10, 2) + [1.0, 0.0], generator.randn(10, 2) + [0.0, 1.0]]
    classes = []
    for own in centres:
        chosen = own[generator.randint(0, 10, n_per_class)]
        classes.append(chosen + generator.randn(n_per_class, 2) * np.sqrt(0.2))
    return np.vstack(classes), np.repeat([1.0, -1.0], n_per_class)
