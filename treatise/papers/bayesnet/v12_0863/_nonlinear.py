"""Non-linear networks on which directions are told (JMLR 12:863, Section 6.5)."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from treatise.datasets._linear_networks import heavy_tailed


class NonlinearNetworkData(NamedTuple):
    """Rows of a network of functions, and its edges: row child, column parent."""

    X: np.ndarray
    edges: np.ndarray


def make_nonlinear_network(
    n_samples: int = 100, *, random_state: int | np.random.RandomState | None = None
) -> NonlinearNetworkData:
    """Four variables, the first the cause of the second and third, and these of the fourth.

    ``x2 = x1^2``, ``x3 = 4 |x1|^(1/2)`` and ``x4 = 2 sin x2 + 2 sin x3``, each with a heavy-tailed disturbance of unit
    variance, and x1 is one itself: the network of Hoyer and others (2009) with the disturbances of the paper.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    random_state : int, RandomState instance or None, default=None
        Source of randomness.

    Returns
    -------
    data : NonlinearNetworkData
        Only the orders (0, 1, 2, 3) and (0, 2, 1, 3) have causes first.
    """
    one, *noise = heavy_tailed(n_samples, 4, check_random_state(random_state)).T
    two = one**2 + noise[0]
    three = 4 * np.sqrt(np.abs(one)) + noise[1]
    four = 2 * np.sin(two) + 2 * np.sin(three) + noise[2]
    edges = np.zeros((4, 4), dtype=bool)
    edges[[1, 2, 3, 3], [0, 0, 1, 2]] = True
    return NonlinearNetworkData(np.column_stack([one, two, three, four]), edges)
