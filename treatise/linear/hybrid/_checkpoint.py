"""Where a fit stands, on disk after every pass: a killed run is taken up again and ends in the same bits."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise.linear.hybrid._passes import Omitted, OnlineState
from treatise.optimize import LBFGSState

_ABOUT, _ONLINE, _BATCH = "about.json", "online.npz", "batch.npz"


class Checkpoint:
    """A folder with the state of one fit.

    Every file appears whole or not at all. A pair of L-BFGS is written once, when it is new: a pass costs three
    vectors on disk, not the whole memory.

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
        about = json.loads(json.dumps(about))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            known = self.folder / _ABOUT
            if not known.exists() or json.loads(known.read_text(encoding="utf-8")) != about:
                # A run that ended before its first pass left nothing to lose.
                if (self.folder / _ONLINE).exists() or (self.folder / _BATCH).exists():
                    raise TreatiseError(
                        f"the checkpoint {self.folder} belongs to another run (other files or settings); "
                        f"delete it, or name another"
                    )
                with replacing(known) as temporary:
                    temporary.write_text(json.dumps(about), encoding="utf-8")
        except (OSError, ValueError) as error:
            raise TreatiseError(f"the checkpoint {self.folder} cannot be used ({error})") from None

    def save_online(self, passes: int, state: OnlineState, progressive: float, omitted: Omitted) -> None:
        """After an online pass."""
        self._write(
            _ONLINE, passes=passes, table=state.table, totals=state.totals, share=state.share, progressive=progressive,
            **_as_arrays(omitted),
        )  # fmt: skip

    def load_online(self) -> tuple[int, OnlineState, float, Omitted] | None:
        """Passes done, the state after them, the progressive loss of the last, and the lines it left out."""
        found = self._read(_ONLINE)
        if found is None:
            return None
        state = OnlineState(found["table"], found["totals"], float(found["share"]))
        return int(found["passes"]), state, float(found["progressive"]), _omitted(found)

    def save_batch(self, state: LBFGSState, importance: float, diagonal: np.ndarray, omitted: Omitted) -> None:
        """After an iteration of L-BFGS."""
        if state.iteration == 0:
            self._write("diagonal.npz", diagonal=diagonal)
        names = []
        for step, change in zip(state.steps, state.changes):
            name = next((name for array, name in self._pairs if array is step), None)
            if name is None:
                name = f"pair-{state.iteration}.npz"
                self._write(name, step=step, change=change)
                self._pairs.append((step, name))
            names.append(name)
        self._write(
            _BATCH, w=state.w, gradient=state.gradient, value=state.value, iteration=state.iteration,
            evaluations=state.evaluations, path=np.array(state.path), status=state.status, pairs=names,
            importance=importance, **_as_arrays(omitted),
        )  # fmt: skip
        self._pairs = [(array, name) for array, name in self._pairs if name in names]
        for stale in self.folder.glob("pair-*.npz"):
            if stale.name not in names:
                stale.unlink(missing_ok=True)

    def load_batch(self) -> tuple[LBFGSState, float, np.ndarray, Omitted] | None:
        """The state of L-BFGS, the sum of importances, the diagonal of the Hessian and the lines left out."""
        found = self._read(_BATCH)
        if found is None:
            return None
        diagonal = self._read("diagonal.npz")
        names = [str(name) for name in found["pairs"]]
        pairs = [self._read(name) for name in names]
        if diagonal is None or any(pair is None for pair in pairs):
            raise self._damaged("a file of it is missing")
        steps, changes = ([pair[key] for pair in pairs if pair is not None] for key in ("step", "change"))
        self._pairs = list(zip(steps, names))
        state = LBFGSState(
            found["w"], found["gradient"], float(found["value"]), steps, changes, int(found["iteration"]),
            int(found["evaluations"]), found["path"].tolist(), str(found["status"]),
        )  # fmt: skip
        return state, float(found["importance"]), diagonal["diagonal"], _omitted(found)

    def _write(self, name: str, **arrays: Any) -> None:
        with replacing(self.folder / name) as temporary, temporary.open("wb") as stream:
            np.savez(stream, **arrays)

    def _read(self, name: str) -> dict[str, np.ndarray] | None:
        path = self.folder / name
        if not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as archive:
                return dict(archive)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise self._damaged(str(error)) from None

    def _damaged(self, why: str) -> TreatiseError:
        return TreatiseError(f"the checkpoint {self.folder} is damaged ({why}); delete it to start anew")


def _as_arrays(omitted: Omitted) -> dict[str, Any]:
    return {"skipped": omitted.number, "complaints": np.array(omitted.complaints, np.str_)}


def _omitted(found: dict[str, np.ndarray]) -> Omitted:
    return Omitted(int(found["skipped"]), tuple(map(str, found["complaints"])))
