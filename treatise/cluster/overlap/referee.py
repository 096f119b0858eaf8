"""A referee for clusterers: the same mixtures of known overlap for all (JMLR 12:69, Stages II and III)."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    fowlkes_mallows_score,
    normalized_mutual_info_score,
    rand_score,
    v_measure_score,
)
from sklearn.model_selection import ParameterGrid
from sklearn.utils import check_random_state

from treatise._core.progress import progress
from treatise.cluster.overlap.mixture import make_overlap_mixture

METRICS = {
    "adjusted_rand": adjusted_rand_score,
    "adjusted_mutual_info": adjusted_mutual_info_score,
    "fowlkes_mallows": fowlkes_mallows_score,
    "normalized_mutual_info": normalized_mutual_info_score,
    "rand": rand_score,
    "v_measure": v_measure_score,
}
GROUP_COUNTS = ("n_clusters", "n_components", "n_communities")
"""Parameters by which clusterers are told the number of groups."""
SAMPLE = ("n_samples", "noise_features", "n_outliers", "box_cox")


@dataclass(frozen=True)
class RefereeTable:
    """What clusterers scored.

    Attributes
    ----------
    settings : list of dict
        Parameters of the mixtures and their samples.
    names : list of str
        Of the clusterers.
    scores : ndarray of shape (n_settings, n_clusterers, n_replications)
        Agreement with the true components.
    """

    settings: list
    names: list
    scores: np.ndarray

    @property
    def median(self):
        """Median score of each setting (rows) and clusterer (columns)."""
        return np.median(self.scores, axis=2)

    @property
    def iqr(self):
        """Distance of the quartiles of the scores, of the shape of the medians."""
        low, high = np.quantile(self.scores, [0.25, 0.75], axis=2)
        return high - low

    @property
    def varying(self):
        """Names of the parameters in which the settings differ."""
        names = list(dict.fromkeys(name for setting in self.settings for name in setting))
        return [name for name in names if len({str(setting.get(name)) for setting in self.settings}) > 1]

    def to_polars(self):
        """One row for each setting, clusterer and replication, as a Polars data frame."""
        import polars

        rows = [
            {**{name: setting.get(name) for name in self.varying}, "clusterer": clusterer, "replication": r, "score": s}
            for setting, of_setting in zip(self.settings, self.scores)
            for clusterer, of_clusterer in zip(self.names, of_setting)
            for r, s in enumerate(of_clusterer.tolist())
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def __str__(self):
        keys = self.varying
        heads = [*keys, *self.names]
        lines = [heads]
        for setting, median, iqr in zip(self.settings, self.median, self.iqr):
            shown = [f"{setting.get(key):g}" if _is_number(setting.get(key)) else str(setting.get(key)) for key in keys]
            lines.append([*shown, *(f"{m:.3f} ({q:.3f})" for m, q in zip(median, iqr))])
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines)


def referee_clusterers(
    clusterers, grid, *, metric="adjusted_rand", n_samples=100, n_replications=25, random_state=None, n_jobs=None
):
    """Run clusterers on mixtures of known overlap, all on the same data, and say how often they find the components.

    Each setting of the grid gives ``n_replications`` mixtures by :func:`make_overlap_mixture` and a sample of each. Use
    it to choose among clusterers for Gaussian groups of about the size and overlap that you expect, or to see where a
    new one breaks down; on groups of odd shapes it has little to say. Costs what the clusterers cost: the mixtures are
    made in milliseconds.

    Parameters
    ----------
    clusterers : dict of str to estimator or callable
        By name: an estimator with ``fit_predict``, which is told the true number of components where it has a parameter
        ``n_clusters`` or ``n_components``; or a function of the rows and that number that returns labels.
    grid : dict of lists, or list of such dicts
        Parameters of :func:`make_overlap_mixture`, and of :meth:`OverlapMixture.sample` (``n_samples``,
        ``noise_features``, ``n_outliers``, ``box_cox``), as of :class:`sklearn.model_selection.ParameterGrid`.
    metric : {"adjusted_rand", "adjusted_mutual_info", "fowlkes_mallows", "normalized_mutual_info", "rand", \
            "v_measure"} or callable, default="adjusted_rand"
        Agreement of the true labels and those found, in this order. Rows of outliers are their own group, -1.
    n_samples : int, default=100
        Rows of each sample, where the grid does not say.
    n_replications : int, default=25
        Mixtures of each setting.
    random_state : int, RandomState or None, default=None
        Source of the mixtures and samples, and of clusterers that have a ``random_state`` of None.
    n_jobs : int or None, default=None
        Processes, as joblib has it.

    Returns
    -------
    RefereeTable
        Scores with their medians and distances of quartiles; ``print`` shows them as a table.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering, KMeans
    >>> from treatise.cluster import referee_clusterers
    >>> found = referee_clusterers(
    ...     {"single": AgglomerativeClustering(linkage="single"), "k-means": KMeans(n_init=5)},
    ...     {"n_components": [3], "n_features": [4], "maximum": [0.1, 0.001]}, n_replications=5, random_state=0)
    >>> bool((found.median[:, 1] >= found.median[:, 0]).all())
    True

    References
    ----------
    .. [1] Paper v12-0069, Section 2, Stages II and III, and Table 2.
    """
    score = _metric(metric)
    _check_clusterers(clusterers)
    settings = list(ParameterGrid(grid))
    for name, count in (("n_samples", n_samples), ("n_replications", n_replications)):
        if not isinstance(count, Integral) or count < 1:
            raise ValueError(f"{name}={count!r} must be a whole number, one or more")
    _check_settings(settings)
    rng = check_random_state(random_state)
    seeds = rng.randint(np.iinfo(np.int32).max, size=(len(settings), n_replications))
    jobs = [
        delayed(_replication)(clusterers, score, {"n_samples": n_samples, **setting}, seed)
        for setting, of_setting in zip(settings, seeds)
        for seed in of_setting
    ]
    with progress("refereeing clusterers", len(jobs)) as advance:
        found = []
        for scores in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
            found.append(scores)
            advance(1)
    scores = np.array(found).reshape(len(settings), n_replications, len(clusterers))
    return RefereeTable(settings, list(clusterers), scores.transpose(0, 2, 1))


def _replication(
    clusterers: Mapping[str, Any], score: Callable[..., float], setting: dict[str, Any], seed: int
) -> list[float]:
    """Scores of all clusterers on one sample."""
    of_sample = {name: setting[name] for name in SAMPLE if name in setting}
    of_mixture = {name: value for name, value in setting.items() if name not in SAMPLE}
    rng = np.random.RandomState(seed)
    mixture = make_overlap_mixture(**of_mixture, random_state=rng)
    X, truth = mixture.sample(**of_sample, random_state=rng)
    scores = []
    for name, clusterer in clusterers.items():
        try:
            labels = _labels(clusterer, X, len(mixture.weights), seed)
        except Exception as error:
            raise ValueError(f"clusterer {name!r} failed on {setting}: {error}") from error
        if np.shape(labels) != truth.shape:
            raise ValueError(f"clusterer {name!r} gave labels of shape {np.shape(labels)} for {len(X)} rows")
        scores.append(float(score(truth, labels)))
    return scores


def _labels(clusterer: Any, X: np.ndarray, n_groups: int, seed: int) -> np.ndarray:
    if not isinstance(clusterer, BaseEstimator) and not hasattr(clusterer, "fit_predict"):
        return np.asarray(clusterer(X, n_groups))
    model = clone(clusterer)
    known = model.get_params(deep=False)
    told = {name: n_groups for name in GROUP_COUNTS if name in known}
    if "random_state" in known and known["random_state"] is None:
        told["random_state"] = seed
    return np.asarray(model.set_params(**told).fit_predict(X))


def _metric(metric: Any) -> Callable[..., float]:
    if callable(metric):
        return metric
    if metric not in METRICS:
        raise ValueError(f"metric={metric!r} is not known; choose one of {', '.join(METRICS)}, or give a function")
    return METRICS[metric]


def _check_clusterers(clusterers: Any) -> None:
    if not isinstance(clusterers, Mapping) or not clusterers:
        raise ValueError("clusterers must be a dict with at least one clusterer by its name")
    for name, clusterer in clusterers.items():
        if inspect.isclass(clusterer) or not (hasattr(clusterer, "fit_predict") or callable(clusterer)):
            raise ValueError(f"clusterer {name!r} must have fit_predict or be a function of rows and a count of groups")


def _check_settings(settings: list[dict[str, Any]]) -> None:
    known = {*inspect.signature(make_overlap_mixture).parameters, *SAMPLE} - {"random_state"}
    for setting in settings:
        unknown = [name for name in setting if name not in known]
        if unknown:
            raise ValueError(f"the grid names {unknown[0]!r}; parameters are {', '.join(sorted(known))}")
        for needed in ("n_components", "n_features"):
            if needed not in setting:
                raise ValueError(f"the grid must say {needed}, such as {needed}=[5]")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
