"""Passes over shards on a Dask cluster: each shard at its worker, one tree of sums for each pass."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treatise._core.cluster import Cluster, attempted
from treatise._core.errors import TreatiseError
from treatise.linear.hybrid._passes import (
    MomentsOf,
    Omitted,
    OnlineState,
    Report,
    Settings,
    Shard,
    averaged,
    combine_shares,
    curvature_share,
    diagonal_share,
    gradient_share,
    learn_online,
    online_shares,
)

_ATTEMPTS = 5


class DaskPasses:
    """Shards on the workers of a cluster.

    A shard goes to the same worker in every pass, as long as that lives, so that its cache lies there; workers that
    join are given shards at the next pass. The weights go out once for each pass and a sum of their size comes back up
    the tree. When a worker dies, the scheduler gives its shards to others; where the weights themselves were lost with
    it, they are sent again and the pass is done again. The tree is that of :class:`LocalPasses`, and so are the sums,
    to the last bit.

    Parameters
    ----------
    shards : sequence of Shard
        What the workers read: files that they see under the same paths.
    settings : Settings
        The loss and the switches of the online update.
    cluster : str, cluster or distributed.Client
        Address of the scheduler, a cluster, or a client.
    dtype : type
        Precision of online learners.
    """

    def __init__(self, shards: Sequence[Shard], settings: Settings, cluster: Any, dtype: type) -> None:
        self.shards, self.settings, self.dtype = shards, settings, dtype
        self._cluster = Cluster(cluster)
        self.omitted = Omitted()
        self._homes: list[str | None] = [None] * len(shards)

    def close(self) -> None:
        """Leave the cluster, if this joined it."""
        self._cluster.close()

    def online(
        self, state: OnlineState, report: Report | None = None, moments_of: MomentsOf | None = None
    ) -> tuple[OnlineState, np.ndarray]:
        """An online pass of every shard's own learner, averaged; progress is reported once, at the end.

        Within a pass nothing is kept: the cluster does a lost shard again.
        """
        if len(self.shards) == 1:
            learned, counts = self._each(_learn, None, state)
        else:
            learned, counts = averaged(self._each(online_shares, combine_shares, state), self.dtype, state.share)
        if report is not None:
            report(int(counts[0]), float(counts[1]), float(counts[2]))
        return learned, counts

    def gradient(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Summed loss and its gradient."""
        share = self._each(gradient_share, np.add, w)
        return float(share[-1]), share[:-1].copy()

    def diagonal(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the pass counted, and the diagonal of the Hessian."""
        share = self._each(diagonal_share, np.add, w)
        return share[-5:].copy(), share[:-5].copy()

    def curvature(self, w: np.ndarray, direction: np.ndarray) -> float:
        """Second derivative along a direction."""
        return float(self._each(curvature_share, np.add, w, direction)[0])

    def _each(self, work: Callable[..., Any], combine: Callable[[Any, Any], Any] | None, *arguments: Any) -> Any:
        for attempt in range(_ATTEMPTS):
            try:
                found = self._once(work, combine, arguments)
                break
            except TreatiseError:
                raise
            except Exception as error:  # of the cluster: those of the work itself come as results
                if attempt == _ATTEMPTS - 1 or type(error).__name__ == "KilledWorker":
                    raise TreatiseError(f"the Dask cluster lost a pass {attempt + 1} times ({error})") from None
        if isinstance(found, Exception):
            raise found
        result, self.omitted = found
        return result

    def _once(self, work: Callable[..., Any], combine: Any, arguments: tuple[Any, ...]) -> Any:
        client = self._cluster.client
        self._homes = settled(self._homes, sorted(self._cluster.some_workers()))
        # One copy goes out, and workers take it from each other: copies for all would wait for one that has died.
        sent = client.scatter(list(arguments), hash=False)
        level = [
            client.submit(
                attempted,
                _noting,
                work,
                shard,
                *sent,
                self.settings,
                workers=None if home is None else [home],
                allow_other_workers=home is not None,
                pure=False,
            )
            for shard, home in zip(self.shards, self._homes)
        ]
        while len(level) > 1:
            pairs = [client.submit(_both, combine, a, b, pure=False) for a, b in zip(level[::2], level[1::2])]
            level = pairs + level[2 * len(pairs) :]
        while not self._cluster.wait(level):
            pass
        return self._cluster.fetched(level[0])


def settled(homes: Sequence[str | None], workers: Sequence[str]) -> list[str | None]:
    """A worker for every shard, as many for each but for one; a shard stays where it was if it can."""
    if not workers:
        return [None] * len(homes)
    if not any(homes):
        return [workers[i * len(workers) // len(homes)] for i in range(len(homes))]
    least, more = divmod(len(homes), len(workers))
    load = Counter[str]()
    kept: list[str | None] = []
    for home in homes:
        full = sum(count > least for count in load.values()) >= more
        stays = home is not None and home in workers and load[home] < least + (not full)
        if stays:
            load[str(home)] += 1
        kept.append(home if stays else None)
    for number, home in enumerate(kept):
        if home is None:
            kept[number] = min(workers, key=load.__getitem__)
            load[str(kept[number])] += 1
    return kept


def _learn(shard: Shard, state: OnlineState, settings: Settings) -> tuple[OnlineState, np.ndarray]:
    return learn_online(shard, state.copy(), settings)


def _noting(work: Callable[..., Any], shard: Shard, *arguments: Any) -> tuple[Any, Omitted]:
    """The result of a pass over a shard, and the lines that it left out, which only the worker knows."""
    return work(shard, *arguments), Omitted.by(shard)


def _both(combine: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Two results together, or the error of the first that failed."""
    if isinstance(left, Exception) or isinstance(right, Exception):
        return left if isinstance(left, Exception) else right
    return combine(left[0], right[0]), left[1].and_those_of(right[1])
