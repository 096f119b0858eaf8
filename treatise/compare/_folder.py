"""The run folder: a journal that survives anything, and the files a run leaves."""

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise._core.version import __version__
from treatise.compare._problem import Problem
from treatise.compare._streamed import StreamedProblem

JOURNAL = "journal.jsonl"


def fingerprint(source_digest: str, problem: Problem, metric: str, k: int, seed: int) -> dict[str, Any]:
    """What must be the same for a run to go on where it stopped."""
    identity = {
        "treatise": __version__, "data": source_digest, "target": problem.target, "task": problem.task,
        "metric": metric, "k": k, "seed": seed,
    }  # fmt: skip
    return identity | {"rows read": problem.n_rows} if isinstance(problem, StreamedProblem) else identity


def rows_read_before(path: Path) -> int | None:
    """How many rows of a table in blocks an earlier sitting of the run in a folder read, if there was one."""
    try:
        with (path / JOURNAL).open(encoding="utf-8") as journal:
            return json.loads(journal.readline())["run"].get("rows read")
    except (OSError, ValueError, KeyError, TypeError):
        return None


def digest(problem: Problem) -> str:
    """SHA-256 of what the problem holds, so that a changed table is another run."""
    state = hashlib.sha256()
    if isinstance(problem.X, pl.DataFrame):
        state.update(json.dumps([(c.name, str(c.dtype)) for c in problem.X]).encode())
        state.update(problem.X.hash_rows(seed=1).to_numpy().tobytes())
    else:
        for part in (problem.X.indptr, problem.X.indices, problem.X.data):
            state.update(np.ascontiguousarray(part).tobytes())
    state.update(np.ascontiguousarray(problem.y).tobytes())
    return state.hexdigest()


class RunFolder:
    """A folder with one run in it, new or taken up again."""

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        self.folds: list[dict[str, Any]] = []
        self.failures: list[dict[str, Any]] = []
        self.spent = 0.0
        journal = path / JOURNAL
        if journal.exists():
            self._take_up(journal, identity)
        elif path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise TreatiseError(f"{path} exists and holds no run of a comparison; choose another --output")
        try:
            path.mkdir(parents=True, exist_ok=True)
            (path / "folds").mkdir(exist_ok=True)
            self._journal = journal.open("a", encoding="utf-8")
        except OSError as error:
            raise TreatiseError(f"cannot write to {path}: {error.strerror}; choose another --output") from error
        if not self._journal.tell():
            self._write({"run": identity})
        for stale in path.glob("work-*"):
            shutil.rmtree(stale, ignore_errors=True)
        self.work = Path(tempfile.mkdtemp(prefix="work-", dir=path))

    def _take_up(self, journal: Path, identity: dict[str, Any]) -> None:
        lines = journal.read_text(encoding="utf-8").splitlines()
        entries = []
        for number, line in enumerate(lines, 1):
            try:
                entries.append(json.loads(line))
            except json.JSONDecodeError:
                # The last line may be torn by a kill in mid-write; that fold is simply done again.
                if number < len(lines):
                    raise TreatiseError(f"{journal}, line {number} is damaged; choose another --output") from None
                journal.write_text("".join(f"{whole}\n" for whole in lines[:-1]), encoding="utf-8")
        if not entries:
            return
        if entries[0].get("run") != identity:
            known = entries[0].get("run") or {}
            changed = [key for key in known | identity if known.get(key) != identity.get(key)]
            raise TreatiseError(
                f"{self.path} holds another run (it differs in: {', '.join(changed)}); choose another --output"
            )
        for entry in entries[1:]:
            if "fold" in entry:
                self.folds.append(entry["fold"])
            elif "failure" in entry:
                self.failures.append(entry["failure"])
            self.spent = entry.get("spent", self.spent)

    def add_fold(self, record: dict[str, Any], spent: float) -> dict[str, Any]:
        """Keep a finished fold; the first repeat's predictions go into a file beside the journal."""
        arrays = {key: record.pop(key) for key in ("test", "actual", "predicted", "probabilities")}
        if record["repeat"] == 0:
            arrays = {key: values for key, values in arrays.items() if values is not None}
            with self._fold_file(record["key"], record["fold"]).open("wb") as stream:
                np.savez(stream, **arrays)
        self.folds.append(record)
        self._write({"fold": record, "spent": spent})
        return record

    def add_failure(self, failure: dict[str, Any], spent: float) -> None:
        """Keep a failure that another try would repeat."""
        self.failures.append(failure)
        self._write({"failure": failure, "spent": spent})

    def note_spent(self, spent: float) -> None:
        """Keep the time spent so far."""
        self.spent = spent
        self._write({"spent": spent})

    def out_of_fold(self, key: str) -> list[dict[str, np.ndarray]]:
        """The first repeat's predictions of one method, fold by fold."""
        done = sorted(r["fold"] for r in self.folds if r["key"] == key and r["repeat"] == 0)
        parts = []
        for fold in done:
            path = self._fold_file(key, fold)
            if path.exists():
                with np.load(path, allow_pickle=False) as arrays:
                    parts.append(dict(arrays))
        return parts

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file whole or not at all."""
        with replacing(self.path / name) as temporary:
            temporary.write_text(json.dumps(value, indent=1, allow_nan=False), encoding="utf-8")

    def close(self) -> None:
        """Remove what only workers needed."""
        self._journal.close()
        shutil.rmtree(self.work, ignore_errors=True)

    def _fold_file(self, key: str, fold: int) -> Path:
        return self.path / "folds" / f"{key.replace('/', '-')}-{fold}.npz"

    def _write(self, entry: dict[str, Any]) -> None:
        self._journal.write(json.dumps(entry) + "\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())
