"""A Dask cluster as seen by whoever waits for it: who works there, and waits that end when nobody does."""

import queue
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from treatise._core.errors import TreatiseError

PATIENCE = 15.0
"""Seconds that a cluster may be without workers, or without its scheduler, before it is given up."""
LOOK = 0.5
"""Seconds between two looks at a cluster that works for us."""


class Stuck(Exception):
    """Workers there are, and none of them has anything to do, though our work is not done."""


class Cluster:
    """The workers of a scheduler.

    Parameters
    ----------
    where : str, cluster or distributed.Client
        Address of the scheduler, a cluster, or a client.
    """

    def __init__(self, where: Any) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise TreatiseError("a cluster needs Dask: install treatise[dask]") from None
        self._own = not isinstance(where, Client)
        try:
            self.client = Client(where, timeout="10s", set_as_default=False) if self._own else where
        except (OSError, TimeoutError, ValueError) as error:
            raise TreatiseError(f"no Dask scheduler answers at {where} ({error})") from None
        self._alone_since: float | None = None
        self._still_since: float | None = None
        if not self.workers():
            self.close()
            raise TreatiseError("the Dask cluster has no workers; start some")

    def close(self) -> None:
        """Leave it, if this joined it."""
        if self._own:
            self.client.close()

    def workers(self) -> dict[str, int]:
        """Threads of each worker by its address; none, for a while, while there are none."""
        try:
            found = self.client.sync(self.client.scheduler.ncores, callback_timeout=PATIENCE)
        except (OSError, TimeoutError) as error:
            raise TreatiseError(f"the scheduler of the Dask cluster is gone ({_in_a_line(error)})") from None
        if found:
            self._alone_since = None
            return dict(found)
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() - self._alone_since > PATIENCE:
            raise TreatiseError(
                f"all workers of the Dask cluster are gone, and none came back in {PATIENCE:g} s; start some, and run "
                "it again"
            )
        return {}

    def wait(self, futures: Collection[Any]) -> list[Any]:
        """Those of the futures that are over, as soon as one is or a short while has passed.

        Raises
        ------
        TreatiseError
            Where the cluster is gone.
        Stuck
            Where nobody works on them any more: what they need was lost.
        """
        from distributed import CancelledError, wait

        with suppress(TimeoutError, CancelledError):
            wait(list(futures), timeout=LOOK, return_when="FIRST_COMPLETED")
        over = [future for future in futures if future.status != "pending"]
        if over or self._work_is_going_on():
            self._still_since = None
            return over
        self._still_since = self._still_since or time.monotonic()
        if time.monotonic() - self._still_since > PATIENCE / 2:
            self._still_since = None
            raise Stuck("nobody works on it any more")
        return []

    def some_workers(self) -> dict[str, int]:
        """Those that there are, once there are any."""
        while not (found := self.workers()):
            time.sleep(LOOK)
        return found

    def fetched(self, future: Any) -> Any:
        """The result of a future that is over, or what the cluster raises instead; the worker that has it may die."""
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def fetch() -> None:
            try:
                answers.put((future.result(), None))
            except Exception as error:
                answers.put((None, error))

        # To end the wait for a part of a large result and begin anew would never bring it.
        threading.Thread(target=fetch, daemon=True).start()
        while True:
            try:
                found, error = answers.get(timeout=LOOK)
            except queue.Empty:
                self.workers()
                continue
            if error is not None:
                raise error
            return found

    def _work_is_going_on(self) -> bool:
        if not self.workers():
            return True  # workers may come back
        held = self.client.sync(self.client.scheduler.processing, workers=None, callback_timeout=PATIENCE)
        return any(held.values())


def attempted(function: Callable[..., Any], *args: Any) -> Any:
    """What a function returns; an error of its own is a result as well, so that none is taken for the cluster's."""
    try:
        return function(*args)
    except Exception as error:
        return error


def _in_a_line(error: Exception) -> str:
    """What an error of the network says, in a line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
