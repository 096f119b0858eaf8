"""Made classes: mixtures of Gaussians, Gaussians on a hypercube, a logistic model, waveforms, the monk's problems."""

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

_MONK_STATES = (3, 3, 2, 3, 4, 2)
_MONK_TRAINING = {1: 124, 2: 169, 3: 122}


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


def make_graded_features(
    n_samples: int = 50,
    n_features: int = 1000,
    *,
    n_informative: int = 10,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Two classes and features that tell them apart better and better: the i-th is ``y N(-i, 1)``; the rest is noise.

    Parameters
    ----------
    n_samples : int, default=50
        Rows; each is of either class with probability a half, and both are there.
    n_features : int, default=1000
        Columns.
    n_informative : int, default=10
        The first of them, which tell of the class.
    random_state : int, RandomState instance or None, default=None
        Of the draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int, of shape (n_samples,)
        -1 or 1.

    Examples
    --------
    >>> from treatise.datasets import make_graded_features
    >>> X, y = make_graded_features(random_state=0)
    >>> X.shape
    (50, 1000)

    References
    ----------
    .. [1] Bhattacharyya, JMLR 5:1417-1433, 2004, Section 5.
    """
    if n_samples < 2 or not 0 <= n_informative <= n_features:
        raise ValueError(
            f"n_samples={n_samples}, n_informative={n_informative}, n_features={n_features}: there must be two rows at "
            "least, and no more informative columns than columns"
        )
    rng = check_random_state(random_state)
    y = np.where(rng.uniform(size=n_samples) < 0.5, 1, -1)
    y[:2] = 1, -1
    X = rng.normal(size=(n_samples, n_features))
    means = np.arange(1, n_informative + 1)
    X[:, :n_informative] = y[:, np.newaxis] * (X[:, :n_informative] - means)
    return X, y


def make_shared_features(
    n_tasks: int = 10,
    n_samples: int = 20,
    n_features: int = 50,
    *,
    n_informative: int = 5,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Related tasks: each has weights of its own, on the same few features.

    A row is of class 1 where ``w'x`` plus noise of deviation 0.3 is positive; the weights are those of a normal
    distribution moved away from zero by one.

    Parameters
    ----------
    n_tasks, n_samples, n_features : int
        Tasks, rows of each, and columns.
    n_informative : int, default=5
        The first columns, which all tasks rely on.
    random_state : int, RandomState instance or None, default=None
        Of the draws.

    Returns
    -------
    X : ndarray of shape (n_tasks * n_samples, n_features)
        Rows, task after task.
    y : ndarray of int
        0 or 1; both are there in every task.
    tasks : ndarray of int
        Task of each row.

    Examples
    --------
    >>> from treatise.datasets import make_shared_features
    >>> X, y, tasks = make_shared_features(random_state=0)
    >>> X.shape
    (200, 50)
    """
    if n_samples < 2 or not 0 < n_informative <= n_features:
        raise ValueError(
            f"n_samples={n_samples}, n_informative={n_informative}, n_features={n_features}: a task needs two rows at "
            "least, and there must be an informative column and no more of them than columns"
        )
    rng = check_random_state(random_state)
    tables: list[np.ndarray] = []
    labels: list[np.ndarray] = []
    while len(tables) < n_tasks:
        weights = rng.normal(size=n_informative)
        weights += np.sign(weights)
        X = rng.normal(size=(n_samples, n_features))
        y = (X[:, :n_informative] @ weights + 0.3 * rng.normal(size=n_samples) > 0).astype(int)
        if 0 < y.sum() < n_samples:
            tables.append(X)
            labels.append(y)
    return np.vstack(tables), np.concatenate(labels), np.repeat(np.arange(n_tasks), n_samples)


def make_hypercube_gaussians(
    n_classes: int,
    n_per_class: int = 200,
    *,
    spread: float = 0.1,
    n_dimensions: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Classes that are spherical Gaussians around the vertices of a hypercube of side 1.

    The thesis gives neither the spread nor the number of examples; with the spread of 0.1 the classes hardly overlap.

    Parameters
    ----------
    n_classes : int
        Number of classes, from 2 on; the cube has as many dimensions as it takes to give each a vertex.
    n_per_class : int, default=200
        Examples of each class.
    spread : float, default=0.1
        Standard deviation of a coordinate.
    n_dimensions : int or None, default=None
        Of the cube; None is the fewest that give each class a vertex. In a larger one classes are at vertices drawn
        at random, and more ways to cut them in two are linear.
    random_state : int, RandomState instance or None, default=None
        Of the examples.

    Returns
    -------
    X : ndarray of shape (n_classes * n_per_class, n_dimensions)
        The examples, in random order.
    y : ndarray of int
        Their classes; in the smallest cube these are the numbers whose binary digits are the vertices.

    Examples
    --------
    >>> from treatise.datasets import make_hypercube_gaussians
    >>> X, y = make_hypercube_gaussians(64, 10, random_state=0)
    >>> X.shape
    (640, 6)
    """
    if n_classes < 2:
        raise ValueError(f"n_classes={n_classes}; there must be 2 at least")
    rng = check_random_state(random_state)
    fewest = int(np.ceil(np.log2(n_classes)))
    if n_dimensions is not None and n_dimensions < fewest:
        raise ValueError(f"a cube of n_dimensions={n_dimensions} has no {n_classes} vertices; {fewest} are needed")
    y = rng.permutation(np.repeat(np.arange(n_classes), n_per_class))
    if n_dimensions is None:
        vertices = (np.arange(n_classes)[:, None] >> np.arange(fewest)) & 1
    else:
        vertices = _random_vertices(n_classes, n_dimensions, rng)
    return vertices[y] + spread * rng.normal(size=(len(y), vertices.shape[1])), y


def _random_vertices(n_classes: int, n_dimensions: int, rng: np.random.RandomState) -> np.ndarray:
    """Distinct vertices of the cube, in the order of their drawing."""
    vertices = rng.randint(2, size=(n_classes, n_dimensions))
    while len(first := np.unique(vertices, axis=0, return_index=True)[1]) < n_classes:
        more = rng.randint(2, size=(n_classes - len(first), n_dimensions))
        vertices = np.vstack([vertices[np.sort(first)], more])
    return vertices


def make_logistic_sphere(
    n_samples: int,
    coef: tuple[float, ...] = (1.0, -1.0, 0.5, 0.0, 2.0),
    *,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows uniform on the unit sphere, and labels 1 with probability 1 / (1 + exp(-row . coef)), else -1.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    coef : tuple of float, default=(1, -1, 0.5, 0, 2)
        The true weights.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Returns
    -------
    X : ndarray of shape (n_samples, len(coef))
        The rows, of norm one.
    y : ndarray of shape (n_samples,)
        Labels -1 and 1.
    """
    rng = check_random_state(random_state)
    X = rng.standard_normal((n_samples, len(coef)))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.where(rng.uniform(size=n_samples) < expit(X @ np.asarray(coef)), 1, -1)


def make_waveform(
    n_samples: int = 5000, *, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Breiman's waveforms: random mixtures of two of three triangular waves, with unit noise; three classes.

    The Bayes error is about 14 per cent.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 21)
        The wave at 21 times.
    y : ndarray of shape (n_samples,)
        0, 1 or 2, equally likely.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984.

    Examples
    --------
    >>> from treatise.datasets import make_waveform
    >>> X, y = make_waveform(300, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 21), [0, 1, 2])
    """
    rng = check_random_state(random_state)
    times = np.arange(1, 22)
    waves = np.maximum(6.0 - np.abs(times - np.array([[11], [15], [7]])), 0.0)
    # Class by class: waves 1 and 2, 1 and 3, 2 and 3.
    first, second = waves[[0, 0, 1]], waves[[1, 2, 2]]
    y = rng.randint(3, size=n_samples)
    share = rng.random_sample((n_samples, 1))
    return share * first[y] + (1.0 - share) * second[y] + rng.normal(size=(n_samples, 21)), y


def make_twonorm(
    n_samples: int = 7400, *, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Breiman's twonorm data: two normal clouds of 20 columns and variance one, with a plane between them.

    The means are ``-2 / sqrt(20)`` and ``2 / sqrt(20)`` in every column; the Bayes error is ``Phi(-2)``, 2.3 per cent.

    Parameters
    ----------
    n_samples : int, default=7400
        Number of rows.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
        Rows.
    y : ndarray of shape (n_samples,)
        0 or 1, equally likely.

    References
    ----------
    .. [1] Breiman, Bias, Variance and Arcing Classifiers, 1996.

    Examples
    --------
    >>> from treatise.datasets import make_twonorm
    >>> X, y = make_twonorm(5000, random_state=0)
    >>> float(X[y == 1].mean().round(2))
    0.45
    """
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n_samples)
    return rng.normal(size=(n_samples, 20)) + (2 * y[:, np.newaxis] - 1) * 2.0 / np.sqrt(20), y


def make_ringnorm(
    n_samples: int = 7400, *, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Breiman's ringnorm data: a normal cloud of 20 columns inside a wider one.

    Class 1 has mean zero and variance 4, class 0 the mean ``2 / sqrt(20)`` in every column and variance 1; the Bayes
    error is about 1.2 per cent.

    Parameters
    ----------
    n_samples : int, default=7400
        Number of rows.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
        Rows.
    y : ndarray of shape (n_samples,)
        0 or 1, equally likely.

    References
    ----------
    .. [1] Breiman, Bias, Variance and Arcing Classifiers, 1996.

    Examples
    --------
    >>> from treatise.datasets import make_ringnorm
    >>> X, y = make_ringnorm(5000, random_state=0)
    >>> [float(X[y == label].std().round(1)) for label in (0, 1)]
    [1.0, 2.0]
    """
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n_samples)
    X = rng.normal(size=(n_samples, 20))
    return np.where(y[:, np.newaxis] == 1, 2.0 * X, X + 2.0 / np.sqrt(20)), y


def make_monks(
    problem: int = 1, *, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The monk's problems: robots of six features, one of three rules to learn, and a random training part.

    The rules: 1, the first two features are equal or the fifth is 1; 2, exactly two features are 1; 3, the fifth is 3
    and the fourth 1, or the fifth is not 4 and the second not 3. The training parts of the collection (124, 169 and
    122 of the 432 robots; one label in twenty of the third is wrong) are drawn anew here.

    Parameters
    ----------
    problem : {1, 2, 3}, default=1
        The rule.
    random_state : int, RandomState instance or None, default=None
        Draws the training part and its noise.

    Returns
    -------
    X : ndarray of int of shape (432, 6)
        All robots, the features numbered from 1.
    y : ndarray of int of shape (432,)
        1 where the rule holds, else 0; without noise.
    training : ndarray of int of shape (n_training, 2)
        Rows of the training part, and their labels.
    """
    if problem not in _MONK_TRAINING:
        raise ValueError(f"problem={problem!r} is none of the monk's problems 1, 2 and 3")
    X = np.stack(np.unravel_index(np.arange(432), _MONK_STATES), axis=1) + 1
    first, second, _, fourth, fifth, _ = X.T
    holds = {
        1: (first == second) | (fifth == 1),
        2: (X == 1).sum(axis=1) == 2,
        3: ((fifth == 3) & (fourth == 1)) | ((fifth != 4) & (second != 3)),
    }[problem]
    random = check_random_state(random_state)
    rows = random.choice(432, _MONK_TRAINING[problem], replace=False)
    labels = holds[rows].astype(int)
    if problem == 3:
        wrong = random.choice(len(rows), round(len(rows) / 20), replace=False)
        labels[wrong] = 1 - labels[wrong]
    return X, holds.astype(int), np.column_stack([rows, labels])
