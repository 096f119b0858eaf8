"""Dissimilarities judged in changing states of perception (Laub & Müller, JMLR 5:801, sections 3.3 and 5.3)."""

import numpy as np
from sklearn.utils import check_random_state

FLOWERPOT_STATES = (
    (8.3, 0.0, 0.0), (0.0, 3.5, 0.0), (4.7, 4.7, 4.7), (6.4, 6.4, 0.0), (0.0, 3.4, 3.4), (3.1, 0.0, 3.1),
)  # fmt: skip
"""Weights of three features in the six states that the paper fits to judgements of flowerpots."""


def make_perceptual_states(
    n_samples: int = 16,
    *,
    states: np.ndarray | tuple[tuple[float, ...], ...] = FLOWERPOT_STATES,
    chosen: np.ndarray | None = None,
    random_state: int | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Squared distances of random points, each pair seen with the weights of one state (equation 2).

    With a single state they are squared Euclidean; when the state depends on the pair they are not.

    Parameters
    ----------
    n_samples : int
        Objects, uniform in the unit cube.
    states : array of shape (n_states, n_features)
        Weights of the features in each state.
    chosen : array of shape (n_samples, n_samples) or None
        The state in which each pair is judged, of which the part above the diagonal is read; None draws it.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    D : ndarray of shape (n_samples, n_samples)
        Dissimilarities, in the place of squared distances.
    points : ndarray of shape (n_samples, n_features)
        The features.
    chosen : ndarray of shape (n_samples, n_samples)
        The states.

    Examples
    --------
    >>> from treatise.papers.metric.v05_0801._states import make_perceptual_states
    >>> D, points, chosen = make_perceptual_states(random_state=0)
    >>> D.shape, points.shape, int(chosen.max())
    ((16, 16), (16, 3), 5)
    """
    random = check_random_state(random_state)
    weights = np.asarray(states, np.float64)
    points = random.uniform(size=(n_samples, weights.shape[1]))
    if chosen is None:
        chosen = random.randint(len(weights), size=(n_samples, n_samples))
    upper = np.triu(np.asarray(chosen, int), 1)
    chosen = upper + upper.T
    differences = (points[:, np.newaxis] - points) * weights[chosen]
    return (differences**2).sum(axis=2), points, chosen
