"""Where a fit stands, on disk after every pass and now and then within: a killed run ends in the same bits."""

import hashlib
import json
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from treatise._core.errors import TreatiseError
from treatise._core.files import held, replacing
from treatise._core.saved_arrays import load_arrays
from treatise.linear.hybrid._passes import MomentsOf, Omitted, OnlineState
from treatise.optimize import LBFGSState

_ABOUT, _ONLINE, _BATCH = "about.json", "online.npz", "batch.npz"
_EVERY = 120.0  # seconds between two moments of a pass
_SHARE = 20.0  # a moment waits at least this many times as long as the last one took to write
clock = time.monotonic


class Checkpoint:
    """A folder with the state of one fit.

    Every file appears whole or not at all, and names the fit that it is of. A pair of L-BFGS is written once, when it
    is new: a pass costs three vectors on disk, not the whole memory. One fit at a time has the folder, from its making
    to its :meth:`close` or the end of its process.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    about : dict
        What the fit is of, and with which settings: a folder of another fit is refused.
    """

    def __init__(self, folder: str | os.PathLike[str], about: dict[str, Any]) -> None:
        self.folder = Path(folder)
        self._pairs: list[tuple[np.ndarray, str]] = []
        self._hold = ExitStack()
        about = json.loads(json.dumps(about))
        self._run = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._hold.enter_context(held(self.folder, what="checkpoint"))
            known = self.folder / _ABOUT
            if not known.exists() or json.loads(known.read_text(encoding="utf-8")) != about:
                # A run that ended before it kept anything left nothing to lose.
                if any(self.folder.glob("*.npz")):
                    raise self._of_another_run()
                with replacing(known) as temporary:
                    temporary.write_text(json.dumps(about), encoding="utf-8")
        except (OSError, ValueError) as error:
            raise TreatiseError(f"the checkpoint {self.folder} cannot be used ({error})") from None
        except TreatiseError:
            self.close()
            raise

    def close(self) -> None:
        """Let others have the folder."""
        self._hold.close()

    def save_online(self, passes: int, state: OnlineState, progressive: float, omitted: Omitted) -> None:
        """After an online pass."""
        self.write(
            _ONLINE, passes=passes, table=state.table, totals=state.totals, share=state.share, progressive=progressive,
            **_as_arrays(omitted),
        )  # fmt: skip
        for moment in self.folder.glob("within-*.npz"):
            moment.unlink(missing_ok=True)

    def load_online(self, like: OnlineState) -> tuple[int, OnlineState, float, Omitted] | None:
        """Passes done, the state after them, the progressive loss of the last, and the lines it left out.

        ``like`` is a state of this fit.
        """
        found = self.read(_ONLINE)
        if found is None:
            return None
        with _Sound(self, found) as sound:
            state = OnlineState(
                sound.array("table", like.table), sound.array("totals", like.totals), float(found["share"])
            )
            return int(found["passes"]), state, float(found["progressive"]), _omitted(found)

    def moments_of(self, passes: int) -> MomentsOf:
        """What keeps the learners of the shards within the online pass of this number."""
        return lambda shard: PassMoments(self, passes, shard)

    def save_batch(self, state: LBFGSState, importance: float, diagonal: np.ndarray, omitted: Omitted) -> None:
        """After an iteration of L-BFGS."""
        if state.iteration == 0:
            self.write("diagonal.npz", diagonal=diagonal)
        names = []
        for step, change in zip(state.steps, state.changes):
            name = next((name for array, name in self._pairs if array is step), None)
            if name is None:
                name = f"pair-{state.iteration}.npz"
                self.write(name, step=step, change=change)
                self._pairs.append((step, name))
            names.append(name)
        self.write(
            _BATCH, w=state.w, gradient=state.gradient, value=state.value, iteration=state.iteration,
            evaluations=state.evaluations, path=np.array(state.path), status=state.status, pairs=names,
            importance=importance, **_as_arrays(omitted),
        )  # fmt: skip
        self._pairs = [(array, name) for array, name in self._pairs if name in names]
        for stale in self.folder.glob("pair-*.npz"):
            if stale.name not in names:
                stale.unlink(missing_ok=True)

    def load_batch(self, size: int) -> tuple[LBFGSState, float, np.ndarray, Omitted] | None:
        """The state of L-BFGS for so many weights, the sum of importances, the diagonal of the Hessian, and the
        lines left out."""
        found = self.read(_BATCH)
        if found is None:
            return None
        with _Sound(self, found) as sound:
            names = [str(name) for name in found["pairs"]]
            parts = [self.read(name) for name in ("diagonal.npz", *names)]
            if any(part is None for part in parts):
                raise ValueError("a file of it is missing")
            diagonal, *pairs = (_Sound(self, part) for part in parts if part is not None)
            weights = np.empty(size)
            steps, changes = ([pair.vector(key, size) for pair in pairs] for key in ("step", "change"))
            self._pairs = list(zip(steps, names))
            state = LBFGSState(
                sound.array("w", weights), sound.array("gradient", weights), float(found["value"]), steps, changes,
                int(found["iteration"]), int(found["evaluations"]), found["path"].tolist(), str(found["status"]),
            )  # fmt: skip
            return state, float(found["importance"]), diagonal.array("diagonal", weights), _omitted(found)

    def write(self, name: str, **arrays: Any) -> None:
        """Put a file into the folder."""
        with replacing(self.folder / name) as temporary, temporary.open("wb") as stream:
            np.savez(stream, run=self._run, **arrays)

    def read(self, name: str) -> dict[str, np.ndarray] | None:
        """The arrays of a file, or None where it is not there."""
        path = self.folder / name
        if not path.exists():
            return None
        try:
            found = load_arrays(path)
        # A damaged archive can fail anywhere.
        except Exception as error:
            raise self.damaged(str(error)) from None
        if str(found.get("run")) != self._run:
            raise self._of_another_run()
        return found

    def damaged(self, why: str) -> TreatiseError:
        """What is said of a checkpoint that cannot be used."""
        return TreatiseError(f"the checkpoint {self.folder} is damaged ({why}); delete it to start anew")

    def _of_another_run(self) -> TreatiseError:
        return TreatiseError(
            f"the checkpoint {self.folder} belongs to another run (other files or settings); delete it, or name another"
        )


class PassMoments:
    """A shard's learner within a pass, on disk every few minutes."""

    def __init__(self, checkpoint: Checkpoint, passes: int, shard: int) -> None:
        self._checkpoint, self._name = checkpoint, f"within-{passes}-{shard}.npz"
        self._due = clock() + _EVERY

    def load(self, state: OnlineState) -> np.ndarray | None:
        """The counts of the pass at the last moment that was kept, which the state is brought to; None for none."""
        found = self._checkpoint.read(self._name)
        if found is None:
            return None
        with _Sound(self._checkpoint, found) as sound:
            state.table[:] = sound.array("table", state.table)
            state.totals[:] = sound.array("totals", state.totals)
            return sound.array("counts", np.empty(5))

    def keep(self, state: OnlineState, counts: np.ndarray) -> None:
        """Write it down where it is time to."""
        began = clock()
        if began >= self._due:
            self._checkpoint.write(self._name, table=state.table, totals=state.totals, counts=counts)
            self._due = clock() + max(_EVERY, _SHARE * (clock() - began))


class _Sound:
    """The arrays of a file, which must be what this fit keeps: damage is told as such in its block."""

    def __init__(self, checkpoint: Checkpoint, found: dict[str, np.ndarray]) -> None:
        self._checkpoint, self._found = checkpoint, found

    def array(self, name: str, like: np.ndarray) -> np.ndarray:
        """An array of the same shape and type as another, of finite numbers."""
        array = self._found[name]
        if array.shape != like.shape or array.dtype != like.dtype or not np.isfinite(array).all():
            raise ValueError(f"{name} is not what it should be")
        return array

    def vector(self, name: str, size: int) -> np.ndarray:
        """A vector of finite numbers in either precision."""
        kind = np.float32 if self._found[name].dtype == np.float32 else np.float64
        return self.array(name, np.empty(size, kind))

    def __enter__(self) -> "_Sound":
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, (KeyError, ValueError, TypeError, OverflowError)):
            raise self._checkpoint.damaged(str(error)) from None


def _as_arrays(omitted: Omitted) -> dict[str, Any]:
    return {"skipped": omitted.number, "complaints": np.array(omitted.complaints, np.str_)}


def _omitted(found: dict[str, np.ndarray]) -> Omitted:
    return Omitted(int(found["skipped"]), tuple(map(str, found["complaints"])))
