"""How far dissimilarities are from a metric, and whether their negative spectrum is more than noise."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_array, check_random_state

from treatise.metric.pseudo_euclidean.embedding import PseudoEuclideanEmbedding


@dataclass(frozen=True)
class Metricity:
    """What keeps dissimilarities from being squared Euclidean distances, as :func:`metricity` finds it.

    Attributes
    ----------
    asymmetry : float
        Largest difference between both orders of a pair, over the largest dissimilarity.
    negative_pairs : float
        Share of pairs of negative dissimilarity.
    detours : float
        Share of pairs for which the way over some third object is shorter: violations of the triangle inequality.
    lowest_eigenvalue, highest_eigenvalue : float
        Ends of the spectrum of the centred matrix; squared Euclidean if the lowest is not below zero.
    negative_fraction : float
        Share of negative eigenvalues in the sum of absolute ones.
    """

    asymmetry: float
    negative_pairs: float
    detours: float
    lowest_eigenvalue: float
    highest_eigenvalue: float
    negative_fraction: float


def metricity(D):
    """Measure how a matrix of squared dissimilarities fails to be metric and Euclidean.

    The triangle inequality is checked on square roots, since D plays the part of squared distances. Time n^3.

    Parameters
    ----------
    D : array of shape (n, n)
        Dissimilarities, in the place of squared distances.

    Returns
    -------
    report : Metricity

    Examples
    --------
    >>> from treatise.metric import metricity
    >>> report = metricity([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])
    >>> round(report.detours, 3), report.lowest_eigenvalue < 0
    (0.333, True)
    """
    D = _square(D)
    largest = np.abs(D).max()
    asymmetry = float(np.abs(D - D.T).max() / largest) if largest > 0 else 0.0
    D = (D + D.T) / 2
    pairs = np.triu_indices(len(D), 1)
    distances = np.sqrt(np.maximum(D, 0.0))
    shortest = np.full(D.shape, np.inf)
    for k in range(len(D)):
        over = distances[:, k, np.newaxis] + distances[k]
        over[k, :] = over[:, k] = np.inf
        np.minimum(shortest, over, out=shortest)
    longer = distances[pairs] > shortest[pairs] * (1 + 1e-12)
    model = PseudoEuclideanEmbedding(eigen_solver="dense").fit(D)
    values = model.eigenvalues_
    return Metricity(
        asymmetry, float((D[pairs] < 0).mean()), float(longer.mean()), float(values[-1]), float(values[0]),
        model.negative_fraction_,
    )  # fmt: skip


@dataclass(frozen=True)
class NegativeSpectrum:
    """Whether the lowest directions are structure, as :func:`negative_spectrum` finds it.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n_directions,)
        The lowest ones, the lowest last.
    stability : ndarray of shape (n_directions,)
        Mean absolute correlation between each direction and the nearest of those found on half of the objects; near 1
        for structure, about a half for noise, of which a half of the objects keeps a part.
    shuffled : ndarray of shape (n_draws,)
        Lowest eigenvalues when what the clear positive directions leave unexplained is shuffled among the pairs.
    p_value : float
        Share of shuffles (the data counted in) with an eigenvalue at least as low as the data's.
    """

    eigenvalues: np.ndarray
    stability: np.ndarray
    shuffled: np.ndarray
    p_value: float


def negative_spectrum(D, n_directions=2, *, n_draws=50, random_state=None):
    """Tell structure from noise in the negative directions of dissimilarities.

    Noise alone makes a negative tail too. Two checks, which the paper names as open work and are ours: directions of
    structure come back on random halves of the objects, and the lowest eigenvalue is far below those of shuffled
    residuals, the differences between D and what its clear positive directions explain. Time ``n_draws`` times n^3.

    Parameters
    ----------
    D : array of shape (n, n)
        Dissimilarities, in the place of squared distances.
    n_directions : int, default=2
        How many of the lowest directions.
    n_draws : int, default=50
        Halves and shuffles.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    report : NegativeSpectrum

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.metric import negative_spectrum
    >>> half, parity = np.arange(40) // 20, np.arange(40) % 2
    >>> D = 4.0 * (half[:, None] != half) - 3.0 * (parity[:, None] != parity)
    >>> report = negative_spectrum(D, 1, n_draws=19, random_state=0)
    >>> report.p_value, report.stability.round(2)
    (0.05, array([0.99]))
    """
    D = _square(D)
    if not 1 <= n_directions <= len(D) // 2:
        raise ValueError(f"n_directions={n_directions} must lie between 1 and half of the {len(D)} objects")
    if n_draws < 1:
        raise ValueError(f"n_draws={n_draws} must be at least 1")
    random = check_random_state(random_state)
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0.0)
    whole = PseudoEuclideanEmbedding(0, n_directions, eigen_solver="dense").fit(D)
    lowest, values = whole.embedding_, whole.eigenvalues_
    # Noise spreads evenly to both sides of the middle: only what reaches further up than the lowest reaches down is
    # surely no noise. Taking out more would take noise with it and make what is left look small.
    middle = float(np.median(values))
    n_clear = int((values - middle > middle - values[-1]).sum())
    pairs = np.triu_indices(len(D), 1)
    residuals = D[pairs]
    if n_clear > 0:
        residuals = residuals - PseudoEuclideanEmbedding(n_clear, 0, eigen_solver="dense").fit(D).reconstruct()[pairs]
    stability, shuffled = np.zeros(n_directions), np.empty(n_draws)
    for draw in range(n_draws):
        half = random.permutation(len(D))[: len(D) // 2]
        found = PseudoEuclideanEmbedding(0, n_directions).fit_transform(D[np.ix_(half, half)])
        stability += _absolute_correlations(lowest[half], found).max(axis=1)
        noise = np.zeros_like(D)
        noise[pairs] = random.permutation(residuals)
        shuffled[draw] = PseudoEuclideanEmbedding(0, 1).fit(noise + noise.T).eigenvalues_[-1]
    eigenvalues = values[-n_directions:]
    beyond = int((shuffled <= eigenvalues[-1]).sum())
    return NegativeSpectrum(eigenvalues, stability / n_draws, shuffled, (1 + beyond) / (1 + n_draws))


def _absolute_correlations(first, second):
    first, second = (each - each.mean(axis=0) for each in (first, second))
    lengths = np.linalg.norm(first, axis=0)[:, np.newaxis] * np.linalg.norm(second, axis=0)
    return np.abs(np.divide(first.T @ second, lengths, out=np.zeros_like(lengths), where=lengths > 0))


def _square(D):
    D = check_array(D, dtype=np.float64, ensure_min_samples=3)
    if D.shape[0] != D.shape[1]:
        raise ValueError(f"dissimilarities of all pairs make a square matrix, got shape {D.shape}")
    return D
