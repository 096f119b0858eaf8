"""Contests that catalogue rows declare: ``[paper.estimator.peer]`` names a peer, its parameters and the size."""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import packages_distributions
from typing import Any

from benchmarks._contest import Contest
from benchmarks._tables import Size, make_data
from treatise.catalog import EstimatorEntry, PeerEntry, load_catalogue


def declared() -> dict[str, EstimatorEntry]:
    """Estimators whose rows name a peer, by name."""
    entries = (entry for paper in load_catalogue() for entry in paper.estimators)
    return {entry.name: entry for entry in entries if entry.peer is not None}


def contest_of(entry: EstimatorEntry) -> Contest:
    """The contest that a row declares: both fitted to one made-up table, judged by their scores on it."""
    peer = entry.peer
    if peer is None:
        raise ValueError(f"the row of {entry.name} names no peer")
    task = entry.compare.tasks[0] if entry.compare else "binary"
    size = Size(peer.n, peer.p, peer.k)
    X, y = make_data(task, size)
    ours, theirs = instance(entry.path, peer.ours), instance(peer.path, peer.params)
    few_X, few_y = make_data(task, size._replace(n=min(peer.n, 200)))
    return Contest(
        work=_work(entry, peer, task),
        peer=packages_distributions()[peer.path.partition(".")[0]][0],
        ours=lambda: ours.fit(X, y),
        theirs=lambda: theirs.fit(X, y),
        quality=lambda model: model.score(X, y),
        warm_up=lambda: instance(entry.path, peer.ours).fit(few_X, few_y),
    )


def instance(path: str, params: Mapping[str, Any]) -> Any:
    """An estimator from its import path, with a fixed seed where it draws."""
    module, _, name = path.rpartition(".")
    estimator = getattr(import_module(module), name)(**params)
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=0)
    return estimator


def _work(entry: EstimatorEntry, peer: PeerEntry, task: str) -> str:
    settings = ", ".join(f"{name} = {value}" for name, value in peer.ours.items())
    sizes = [f"n = {peer.n:,}", f"p = {peer.p:,}", *([f"k = {peer.k}"] if peer.k > 2 else [])]
    return f"{entry.name} ({', '.join(filter(None, [settings, *sizes]))}) beside {peer.path.rpartition('.')[2]}, {task}"
