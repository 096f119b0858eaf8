"""Spectral clustering on level sets (Pelletier & Pudlo, JMLR 12:385): what its theorems say, on drawn and real data.

The paper has no experiments. Each theorem is asked of data: two moons among stray rows, at scales below and above the
distance between them; growing samples, whose spectrum must settle; and single groups, which must not be parted.
"""

import warnings

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import StandardScaler

from treatise.cluster import LevelSetSpectralClustering, level_set_components, plot_level_set
from treatise.papers._evidence import Evidence, Row

LEVEL = 0.15
KERNELS = KernelDensity(bandwidth=0.1)
SKIPPED = [
    "The paper has no tables or figures of data; the rates of its proofs have constants that depend on the density"
]


def experiment(*, full: bool = False) -> Evidence:
    """Multiplicity, Theorems 4, 7 and 10, consistency, single groups, and two real tables."""
    rows = [
        *multiplicity_rows(20), *scale_rows(), *settling_rows((500, 2000, 8000) if full else (300, 1200)),
        *consistency_rows((200, 1000, 5000) if full else (200, 1000)), *single_rows(100 if full else 25), *real_rows(),
    ]  # fmt: skip
    return Evidence(rows, _figure(), SKIPPED)


def noisy_moons(n: int = 1000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two moons and a sixth of stray rows, which have the label -1."""
    moons, sides = make_moons(n, noise=0.06, random_state=seed)
    stray = np.random.default_rng(seed).uniform([-2, -1.5], [3, 2], (n // 5, 2))
    return np.vstack([moons, stray]), np.append(sides, np.full(n // 5, -1))


def fitted(X: np.ndarray, scale: float, n_clusters: int | str = 2) -> LevelSetSpectralClustering:
    """With the level and the density of the demonstrations."""
    return LevelSetSpectralClustering(n_clusters, level=LEVEL, scale=scale, density=KERNELS).fit(X)


def multiplicity_rows(n_sets: int) -> list[Row]:
    """The walk has the eigenvalue one as often as the graph has components."""
    agree = 0
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        X, h = rng.random((150, 2)), rng.uniform(0.05, 0.25)
        kernel = np.maximum(1.0 - cdist(X, X) ** 2 / h**2, 0.0) ** 3
        eigenvalues = np.linalg.eigvals(kernel / kernel.sum(axis=1, keepdims=True)).real
        model = LevelSetSpectralClustering(level=0.0, scale=h, min_cluster_size=1).fit(X)
        ones = int(np.sum(eigenvalues > 1 - 1e-9))
        agree += ones == connected_components(kernel > 0)[0] == model.n_connected_components_
    return [Row.check("sets of 20 whose eigenvalue 1 is as often there as there are components", n_sets, agree)]


def scale_rows() -> list[Row]:
    """Theorems 7 and 10: scales below and above the distance between the moons."""
    X, y = noisy_moons()
    rows = []
    for scale, theorem in ((0.15, "Theorem 7"), (0.2, "Theorem 7"), (0.3, "Theorem 10"), (0.4, "Theorem 10")):
        model = fitted(X, scale)
        moons = model.retained_ & (y >= 0)
        right = adjusted_rand_score(y[moons], model.labels_[moons]) == 1.0
        joined = "joined" if model.n_connected_components_ == 1 else "apart"
        rows.append(
            Row.claim(f"the moons are told apart at scale {scale:g}, where the graph has them {joined}", theorem, right)
        )
        rows.append(
            Row.check(f"groups found at scale {scale:g} without being told", 2, fitted(X, scale, "auto").n_clusters_)
        )
    labels, _ = level_set_components(X, level=LEVEL, radius=0.4, density=KERNELS)
    share = adjusted_rand_score(y[moons], labels[moons])
    rows.append(Row.ours("connected components alone at scale 0.4: adjusted Rand index", round(share, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        whole = LevelSetSpectralClustering(2, level=0.0, scale=0.3, min_cluster_size=1).fit(X)
    share = adjusted_rand_score(y[y >= 0], whole.labels_[y >= 0])
    rows.append(Row.ours("all rows kept, scale 0.3: adjusted Rand index of the moons", round(share, 3)))
    return rows


def settling_rows(sizes: tuple[int, ...]) -> list[Row]:
    """Theorem 4: the operators converge, so that eigenvalues of two samples of one size draw together."""
    differences = []
    for n in sizes:
        values = [fitted(noisy_moons(n, seed)[0], 0.4, 4).eigenvalues_[2] for seed in (1, 2, 3)]
        differences.append(float(np.ptp(values)))
    return [
        *(
            Row.ours(f"range of the third eigenvalue over three samples of {n} rows", round(d, 6))
            for n, d in zip(sizes, differences)
        ),
        Row.claim("the third eigenvalue settles as the sample grows", "Theorem 4", differences[-1] < differences[0]),
    ]  # fmt: skip


def consistency_rows(sizes: tuple[int, ...]) -> list[Row]:
    """Two normal groups at distance 6 and a fifth of stray rows: errors among the rows kept."""
    rows, wrong = [], 1.0
    for n in sizes:
        rng = np.random.default_rng(n)
        sides = rng.integers(0, 2, int(0.8 * n))
        X = rng.normal(size=(len(sides), 2)) + np.where(sides, 6.0, 0.0)[:, np.newaxis] * [1.0, 0.0]
        X = np.vstack([X, rng.uniform([-4, -5], [10, 5], (n - len(sides), 2))])
        model = LevelSetSpectralClustering(2, level=0.02, density=KernelDensity(bandwidth=0.4)).fit(X)
        found = model.labels_[: len(sides)]
        wrong = float(np.mean(found[found >= 0] != sides[found >= 0]))
        wrong = min(wrong, 1.0 - wrong)
        rows.append(Row.ours(f"{n} rows, two normal groups: share of kept rows in the wrong group", round(wrong, 4)))
    # A normal row crosses the middle, three deviations away, with probability 0.0013.
    return [*rows, Row.check_at_most(f"{sizes[-1]} rows: share in the wrong group", 0.003, wrong)]


def single_rows(n_sets: int) -> list[Row]:
    """Single normal groups, which have no parts."""
    alarms = {"ours": 0, "HDBSCAN": 0}
    for seed in range(n_sets):
        X = np.random.default_rng(1000 + seed).normal(size=(300, 2 + seed % 3))
        alarms["ours"] += LevelSetSpectralClustering().fit(X).n_clusters_ > 1
        alarms["HDBSCAN"] += HDBSCAN(copy=True).fit(X).labels_.max() >= 1
    return [
        Row.check_at_most(f"share of {n_sets} single normal groups that are parted", 0.05, alarms["ours"] / n_sets),
        Row.ours(
            f"share of {n_sets} single normal groups that HDBSCAN parts at its defaults", alarms["HDBSCAN"] / n_sets
        ),
    ]


def real_rows() -> list[Row]:
    """Iris and wine, scaled: agreement with the kinds, among the rows kept."""
    rows = []
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        labels = {
            "ours, 3 groups": LevelSetSpectralClustering(3).fit(X).labels_,
            "ours, number found": LevelSetSpectralClustering().fit(X).labels_,
            "HDBSCAN": HDBSCAN(copy=True).fit(X).labels_,
        }
        for method, found in labels.items():
            kept = found >= 0
            text = f"{round(adjusted_rand_score(y[kept], found[kept]), 3)} ({kept.sum()} of {len(X)} rows)"
            rows.append(Row.ours(f"{name}, {method}: adjusted Rand index of the rows kept", text))
    return rows


def _figure() -> Figure:
    """The moons at a scale that leaves them apart, and at one that joins them."""
    figure = Figure(figsize=(10, 7.5), layout="constrained")
    X, _ = noisy_moons()
    for panels, scale in zip(figure.subplots(2, 2), (0.2, 0.4)):
        model = fitted(X, scale, "auto")
        plot_level_set(model, X, ax=panels)
        count = model.n_connected_components_
        panels[0].set_title(f"scale {scale:g}: {count} component{'s' if count > 1 else ''} of the graph")
        panels[1].set_title("spectrum of the walk")
    return figure
