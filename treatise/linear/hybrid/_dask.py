"""Passes over shards on a Dask cluster: each shard at its worker, one tree of sums for each pass."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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

_ATTEMPTS = 3


class DaskPasses:
    """Shards on the workers of a cluster.

    A shard goes to the same worker in every pass, as long as that lives, so that its cache lies there. The weights
    go out once for each pass and a sum of their size comes back up the tree. When a worker dies, the scheduler gives
    its shards to others; where the weights themselves were lost with it, the pass is done again. The tree is that of
    :class:`LocalPasses`, and so are the sums, to the last bit.

    Parameters
    ----------
    shards : sequence of Shard
        What the workers read: files that they see under the same paths.
    settings : Settings
        The loss and the switches of the online update.
    cluster : str or distributed.Client
        Address of the scheduler, or a client.
    dtype : type
        Precision of online learners.
    """

    def __init__(self, shards: Sequence[Shard], settings: Settings, cluster: Any, dtype: type) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise TreatiseError("a cluster needs Dask: install treatise[dask]") from None
        self.shards, self.settings, self.dtype = shards, settings, dtype
        self._own = not isinstance(cluster, Client)
        try:
            self._client = Client(cluster, timeout="10s", set_as_default=False) if self._own else cluster
        except (OSError, TimeoutError, ValueError) as error:
            raise TreatiseError(f"no Dask scheduler answers at {cluster} ({error})") from None
        workers = sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise TreatiseError("the Dask cluster has no workers; start some")
        self.omitted = Omitted()
        self._homes = [workers[i * len(workers) // len(shards)] for i in range(len(shards))]

    def close(self) -> None:
        """Leave the cluster, if this joined it."""
        if self._own:
            self._client.close()

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
        from distributed import CancelledError, KilledWorker
        from distributed.client import FutureCancelledError

        for attempt in range(_ATTEMPTS):
            try:
                result, self.omitted = self._once(work, combine, arguments)
                return result
            except (CancelledError, FutureCancelledError, KilledWorker, TimeoutError) as error:
                if attempt == _ATTEMPTS - 1:
                    raise TreatiseError(f"the cluster lost a pass {_ATTEMPTS} times ({error})") from None
        raise AssertionError("unreachable")

    def _once(self, work: Callable[..., Any], combine: Any, arguments: tuple[Any, ...]) -> Any:
        sent = self._client.scatter(list(arguments), broadcast=True, hash=False)
        level = [
            self._client.submit(
                _noting,
                work,
                shard,
                *sent,
                self.settings,
                workers=[home],
                allow_other_workers=True,
                pure=False,
                retries=2,
            )
            for shard, home in zip(self.shards, self._homes)
        ]
        while len(level) > 1:
            pairs = [
                self._client.submit(_both, combine, a, b, pure=False, retries=2)
                for a, b in zip(level[::2], level[1::2])
            ]
            level = pairs + level[2 * len(pairs) :]
        return level[0].result()


def _learn(shard: Shard, state: OnlineState, settings: Settings) -> tuple[OnlineState, np.ndarray]:
    return learn_online(shard, state.copy(), settings)


def _noting(work: Callable[..., Any], shard: Shard, *arguments: Any) -> tuple[Any, Omitted]:
    """The result of a pass over a shard, and the lines that it left out, which only the worker knows."""
    return work(shard, *arguments), Omitted.by(shard)


def _both(combine: Callable[[Any, Any], Any], left: tuple[Any, Omitted], right: tuple[Any, Omitted]) -> Any:
    return combine(left[0], right[0]), left[1].and_those_of(right[1])
