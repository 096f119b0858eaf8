"""Feature selection around clustering (Dy & Brodley, JMLR 5:845): hidden clusters, iris, wine and ionosphere."""

import math
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_table, make_hidden_clusters
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.selection import ClusterFeatureSelector, likelihood_prefers_smaller
from treatise.statistics import MergeGaussianMixture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_FOLDS = 10
MOST = 10
"""Largest number of clusters in the synthetic data, which the paper does not give; less in the quick form."""


class Published(NamedTuple):
    """A line of a table: means and deviations over ten folds; None where it is not printed."""

    error: tuple[float, float]
    clusters: tuple[float, float] | None = None
    features: tuple[float, float] | None = None
    precision: tuple[float, float] | None = None
    recall: tuple[float, float] | None = None


SYNTHETIC: dict[tuple[str, str], Published] = {
    ("two", "trace"): Published((4.6, 2.0), (2.0, 0.0), (2.0, 0.63), (0.57, 0.23), (1.0, 0.0)),
    ("four", "trace"): Published((4.0, 2.0), (4.0, 0.0), (3.8, 0.4), (0.53, 0.07), (1.0, 0.0)),
    ("five", "trace"): Published((3.0, 1.8), (5.0, 0.0), (3.1, 0.3), (1.0, 0.0), (0.62, 0.06)),
    ("five-redundant", "trace"): Published((0.0, 0.0), (5.0, 0.0), (5.4, 1.96), (1.0, 0.0), (0.36, 0.13)),
    ("two", "likelihood"): Published((4.8, 1.8), (2.0, 0.0), (3.0, 0.0), (0.33, 0.0), (1.0, 0.0)),
    ("four", "likelihood"): Published((4.0, 2.2), (4.0, 0.0), (4.0, 0.0), (0.5, 0.0), (1.0, 0.0)),
    ("five", "likelihood"): Published((15.2, 7.3), (4.2, 0.4), (3.6, 0.8), (1.0, 0.0), (0.72, 0.16)),
    ("five-redundant", "likelihood"): Published((0.0, 0.0), (5.0, 0.0), (7.7, 2.1), (1.0, 0.0), (0.51, 0.14)),
}
"""Tables 3 to 5: FSSEM-k-TR-STD and FSSEM-k-ML-STD."""
ALL_FEATURES = {"two": (55.6, 3.9, 1.0), "four": (48.6, 9.5, 2.0), "five": (84.0, 4.1, 1.0),
                "five-redundant": (56.2, 6.1, 2.1)}  # fmt: skip
"""Table 3: EM-k-STD, error with its deviation, and clusters."""
REAL: dict[tuple[str, str], Published] = {
    ("iris", "trace"): Published((4.7, 5.2), (3.1, 0.3), (2.7, 0.5)),
    ("iris", "likelihood"): Published((3.3, 4.5), (3.0, 0.0), (2.5, 0.5)),
    ("wine", "trace"): Published((12.4, 13.0), (3.6, 0.8), (3.8, 1.8)),
    ("wine", "likelihood"): Published((23.6, 14.4), (3.9, 0.8), (3.0, 0.8)),
    ("ionosphere", "trace"): Published((23.1, 5.8), (6.6, 1.3), (1.1, 0.3)),
    ("ionosphere", "likelihood"): Published((18.8, 6.9), (7.6, 1.0), (2.9, 1.1)),
}
"""Tables 6 to 8: FSSEM-k-TR-STD and FSSEM-k-ML-STD."""
ALL_FEATURES_REAL = {"iris": 42.0, "wine": 37.1, "ionosphere": 35.3}
"""Tables 6 to 8: error of EM-k-STD."""
TWO_ARE_WORSE = "four clusters, all features: BIC of scikit-learn's best mixture of two less that of ours, least"
BETTER_FIT = Gap(
    "with all features the paper's EM keeps two clusters; here three have the better BIC on every draw, also beside "
    "scikit-learn's best of ten mixtures of two, so that the paper's had ended at worse optima",
    band=10.0,
    shown_by=TWO_ARE_WORSE,
)
MORE_FEATURES = Gap(
    "each of the paper's three ways to begin EM leaves four to seven features on the folds that were tried, at class "
    "errors like the paper's; why its search ends sooner is not known",
    band=1.0,
)
ALL_RELEVANT = Gap(
    "the search takes nearly all of the five relevant features, on every draw, where the paper's took three; its error "
    "and clusters are like the paper's, and why its search ends sooner is not known",
    band=0.1,
)
OTHER_MERGES = Gap(
    "about two clusters are kept, as in the paper, but they cut through the true ones more often (two clean ones would "
    "err on 60 % of the rows) than on the one set that the paper drew; why is not known",
    band=6.0,
)
TABLES = {"iris": "Table 6", "wine": "Table 7", "ionosphere": "Table 8"}


class Fold(NamedTuple):
    """One fold: class error in per cent, clusters, features, and how many of them are relevant."""

    error: float
    clusters: int
    features: int
    relevant: int


def experiment(*, full: bool = False) -> Evidence:
    """Ten-fold class errors as in the paper's tables, the bias of the likelihood, and the paths of two tables.

    Parameters
    ----------
    full : bool, default=False
        All synthetic sets, wine and the ionosphere: some five minutes on one core.
    """
    rows = []
    n_draws, most = (6, MOST) if full else (4, 6)
    for (kind, criterion), published in SYNTHETIC.items():
        if full or kind == "four":
            rows += synthetic_rows(kind, criterion, published, n_draws, most)
    rows += baseline_rows(list(ALL_FEATURES) if full else ["four"], n_draws, most)
    rows += bias_rows()
    skipped = [
        "Tables 1 to 5, the 3-class set: the paper gives neither its covariances nor its third mean",
        "Tables 2 to 5, FSSEM and EM with a fixed number of clusters: shown for no set",
        "Figure 9: its values are read off a chart",
        "Tables 6 to 8, EM on all features, and a fixed number of clusters: shown for no real set",
        "Tables 6 to 8, k-means: ClusterFeatureSelector('kmeans') runs them; the paper's BIC for k-means is only cited",
        "Table 9: the lung images are not public",
    ]
    iris, wine = load_iris(), load_wine()
    rows += real_rows("iris", iris.data, iris.target, 6, "kmeans")
    if full:
        rows += real_rows("wine", wine.data, wine.target, 6, "kmeans")
        try:
            X, y = load_table("keel/ionosphere.dat").arrays()
            # The first column, of two values, is left out as in the paper; the constant second one is not in the file.
            rows += real_rows("ionosphere", np.asarray(X, dtype=float)[:, 1:], y, 10, "random")
        except DataNotFoundError as missing:
            skipped.append(str(missing))
    else:
        skipped.append("Tables 7 and 8, wine and ionosphere, and the sets of two and five clusters, in the quick form")
    return Evidence(rows, _figure(), skipped)


def fold_of(
    X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, relevant: Any = (), **options: Any
) -> Fold:
    """Class error on left-out rows: each cluster stands for the class that most of its training rows have."""
    with warnings.catch_warnings():
        # That a clustering found nothing, or did not converge, is part of what is counted.
        warnings.simplefilter("ignore")
        model: Any = ClusterFeatureSelector(random_state=0, **options).fit(X[train])
    kept = model.selected_
    error = _class_error(model.labels_, model.predict(X[test]), y[train], y[test])
    return Fold(error, model.n_clusters_, len(kept), int(np.isin(kept, relevant).sum()))


def draws_of(kind: str, n_draws: int, **options: Any) -> list[Fold]:
    """The first of ten folds, of several sets drawn anew: the paper has one, whose draw decides more than its folds."""
    found = []
    for seed in range(n_draws):
        X, y, relevant = make_hidden_clusters(kind, random_state=seed)
        found.append(fold_of(X, y, *first_fold(X, seed), relevant, **options))
    return found


def first_fold(X: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and left-out rows of a random partition, as the paper's: where one cluster holds all rows, the class
    that is most frequent in training is a rare one among those left out."""
    return next(KFold(N_FOLDS, shuffle=True, random_state=seed).split(X))


def _class_error(labels: np.ndarray, new_labels: np.ndarray, y: np.ndarray, y_new: np.ndarray) -> float:
    majority = {label: np.bincount(y[labels == label]).argmax() for label in np.unique(labels)}
    return 100.0 * float(np.mean([majority.get(label, -1) != truth for label, truth in zip(new_labels, y_new)]))


def _row(
    quantity: str, place: str, published: tuple[float, float], values: list[float], least: float,
    effect: float | None = None, *, same_data: bool = False, gap: Gap | None = None,
) -> Row:  # fmt: skip
    """A mean beside the paper's, which is of ten folds of one set; ``least`` is the smallest deviation taken.

    Where the set is another, the paper's number is one draw of ours. ``effect`` is what an error tells apart: half of
    the distance to the paper's error without selection.
    """
    spread = max(published[1] if same_data else 0.0, float(np.std(values, ddof=1)), least)
    error = spread * float(np.sqrt(1 / len(values) + (1 / N_FOLDS if same_data else 1.0)))
    return Row.printed(
        quantity, place, published[0], round(float(np.mean(values)), 3), standard_error=error, effect=effect, gap=gap
    )


def synthetic_rows(kind: str, criterion: str, published: Published, n_draws: int, most: int) -> list[Row]:
    """Tables 3 to 5, one set and one criterion."""
    n_relevant = len(make_hidden_clusters(kind, random_state=0)[2])
    found = draws_of(kind, n_draws, criterion=criterion, max_clusters=most)
    name = f"{kind} clusters, {criterion}"
    rows = [
        _row(f"{name}: class error %", "Table 3", published.error, [fold.error for fold in found], 1.0,
             0.5 * abs(ALL_FEATURES[kind][0] - published.error[0])),
        _row(f"{name}: clusters", "Table 3", published.clusters or (0.0, 0.0), [fold.clusters for fold in found], 0.1),
        _row(f"{name}: features", "Table 5", published.features or (0.0, 0.0), [fold.features for fold in found], 0.4),
    ]  # fmt: skip
    if kind.startswith("five"):
        # Of two features of the smaller sets the paper counts one that tells nothing apart as relevant.
        precision = [fold.relevant / fold.features for fold in found]
        recall = [fold.relevant / n_relevant for fold in found]
        rows.append(_row(f"{name}: precision of the features", "Table 4", published.precision or (1.0, 0.0), precision,
                         0.05))  # fmt: skip
        rows.append(_row(f"{name}: recall of the features", "Table 4", published.recall or (1.0, 0.0), recall, 0.1,
                         gap=ALL_RELEVANT if (kind, criterion) == ("five", "trace") else None))  # fmt: skip
    return rows


def baseline_rows(kinds: list[str], n_draws: int, most: int) -> list[Row]:
    """EM-k on all features, and two ablations of the likelihood: without normalising, and without standardising."""
    rows, excess = [], []
    for kind in kinds:
        errors, clusters = [], []
        for seed in range(n_draws):
            X, y, _ = make_hidden_clusters(kind, random_state=seed)
            X = X / X.std(axis=0)
            train, test = first_fold(X, seed)
            model = MergeGaussianMixture(most, covariance="full", random_state=0).fit(X[train])
            if kind == "four":
                two = GaussianMixture(2, n_init=10, random_state=0).fit(X[train])
                excess.append(two.bic(X[train]) - model.bic(X[train]))
            errors.append(_class_error(model.labels_, model.predict(X[test]), y[train], y[test]))
            clusters.append(float(model.n_components_))
        error, deviation, number = ALL_FEATURES[kind]
        selected = SYNTHETIC[kind, "trace"].error[0]
        gap = BETTER_FIT if kind == "four" else None
        merges = OTHER_MERGES if kind == "five-redundant" else gap
        rows.append(_row(f"{kind} clusters, EM on all features: class error %", "Table 3", (error, deviation), errors,
                         1.0, 0.5 * (error - selected), gap=merges))  # fmt: skip
        rows.append(_row(f"{kind} clusters, EM on all features: clusters", "Table 3", (number, 0.3), clusters, 0.1,
                         gap=gap))  # fmt: skip
    rows.append(Row.check_at_least(TWO_ARE_WORSE, 0.0, round(min(excess), 2)))
    raw = draws_of("four", n_draws, criterion="likelihood", max_clusters=most, normalize=False)
    rows.append(Row.claim("four clusters: the likelihood without normalising takes one feature", "Table 5",
                          all(fold.features == 1 for fold in raw)))  # fmt: skip
    plain = draws_of("four", n_draws, criterion="likelihood", max_clusters=most, standardize=False)
    rows.append(_row("four clusters, likelihood, not standardised: class error %", "Table 2", (79.4, 6.1),
                     [fold.error for fold in plain], 4.0, 0.5 * 75.4))  # fmt: skip
    return rows


def bias_rows() -> list[Row]:
    """Theorem 4.1: how little room a new feature may have for the likelihood to rise."""
    one = np.ones((1, 1, 1))
    edge = 1.0 / (2.0 * np.pi * math.e)
    prefers = [
        likelihood_prefers_smaller(one, np.diag([1.0, v])[np.newaxis], [1.0]) for v in (edge * 1.001, edge / 1.001)
    ]
    return [
        Row.claim("a new feature raises the likelihood only below a conditional variance of 1 / (2 pi e)",
                  "Theorem 4.1", prefers == [True, False]),
    ]  # fmt: skip


def real_rows(name: str, X: np.ndarray, y: np.ndarray, most: int, init: str) -> list[Row]:
    """Tables 6 to 8: one set, both criteria."""
    rows = []
    for criterion in ("trace", "likelihood"):
        published = REAL[name, criterion]
        codes = np.unique(y, return_inverse=True)[1]
        splits = KFold(N_FOLDS, shuffle=True, random_state=0).split(X)
        found = [fold_of(X, codes, *split, criterion=criterion, max_clusters=most, init=init) for split in splits]
        quantity, place = f"{name}, {criterion}", TABLES[name]
        rows += [
            _row(f"{quantity}: class error %", place, published.error, [fold.error for fold in found], 1.0,
                 0.5 * abs(ALL_FEATURES_REAL[name] - published.error[0]), same_data=True),
            _row(f"{quantity}: clusters", place, published.clusters or (0.0, 0.0), [fold.clusters for fold in found],
                 0.3, same_data=True),
            _row(f"{quantity}: features", place, published.features or (0.0, 0.0), [fold.features for fold in found],
                 0.5, same_data=True,
                 gap=MORE_FEATURES if (name, criterion) == ("ionosphere", "likelihood") else None),
        ]  # fmt: skip
    return rows


def _figure() -> "Figure":
    """Iris in the first two features of each criterion, coloured by cluster (the paper's Figure 10)."""
    from matplotlib.figure import Figure

    data = load_iris()
    figure = Figure(figsize=(9.5, 4.2), layout="constrained")
    for axes, criterion in zip(figure.subplots(1, 2), ("trace", "likelihood")):
        model = ClusterFeatureSelector(criterion=criterion, max_clusters=6, random_state=0).fit(data.data)
        first, second = model.selected_[:2]
        for target, marker in enumerate("osv"):
            of = data.target == target
            axes.scatter(data.data[of, first], data.data[of, second], c=model.labels_[of], marker=marker, s=22,
                         cmap="viridis", vmin=0, vmax=model.n_clusters_ - 1, alpha=0.8)  # fmt: skip
        axes.set(xlabel=data.feature_names[first], ylabel=data.feature_names[second], title=f"by {criterion}")
    figure.suptitle("Iris: clusters by colour, species by shape", fontsize="medium")
    return figure
