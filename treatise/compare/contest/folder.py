"""The run folder: a journal that survives anything, and the files a run leaves."""

import json
import os
import shutil
import tempfile
import zipfile
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np

from treatise._core.errors import TreatiseError
from treatise._core.files import LOCK, held, replacing, telling
from treatise._core.saved_arrays import load_arrays
from treatise._core.version import __version__
from treatise.compare.inputs import FoldPredictions, Input
from treatise.report.record import VERSION, Failure, FoldRecord, Metric, from_plain, to_plain

JOURNAL = "journal.jsonl"


def identity_of(data: Input, metric: Metric, k: int, seed: int) -> dict[str, Any]:
    """What must be the same for a run to go on where it stopped."""
    own = {"treatise": __version__, "record": VERSION, "metric": metric.name, "k": k, "seed": seed}
    return own | data.identity()


def identity_before(path: Path) -> dict[str, Any]:
    """The identity of the run in a folder; empty if there is none."""
    try:
        with (path / JOURNAL).open(encoding="utf-8") as journal:
            return dict(json.loads(journal.readline())["run"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}


class RunFolder:
    """A folder with one run in it, new or taken up again."""

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        self.folds: list[FoldRecord] = []
        self.failures: list[Failure] = []
        self.spent = 0.0
        journal = path / JOURNAL
        if path.exists() and not journal.exists() and not _is_empty(path):
            raise TreatiseError(f"{path} exists and holds no run of a comparison; choose another --output")
        with self._telling(), ExitStack() as begun:
            (path / "folds").mkdir(parents=True, exist_ok=True)
            # Two runs in one folder would delete each other's work.
            begun.enter_context(held(path))
            if journal.exists():
                self._take_up(journal, identity)
            self._journal = begun.enter_context(journal.open("a", encoding="utf-8"))
            if not self._journal.tell():
                self._write({"run": identity})
            for stale in path.glob("work-*"):
                shutil.rmtree(stale, ignore_errors=True)
            self.work = Path(tempfile.mkdtemp(prefix="work-", dir=path)).resolve()
            self._open = begun.pop_all()

    def _take_up(self, journal: Path, identity: dict[str, Any]) -> None:
        entries = _entries(journal)
        if not entries:
            return
        if entries[0].get("run") != identity:
            known = entries[0].get("run") or {}
            changed = [key for key in known | identity if known.get(key) != identity.get(key)]
            raise TreatiseError(
                f"{self.path} holds another run (it differs in: {', '.join(changed)}); choose another --output"
            )
        for number, entry in enumerate(entries[1:], 2):
            try:
                if "fold" in entry:
                    self.folds.append(from_plain(FoldRecord, entry["fold"]))
                elif "failure" in entry:
                    self.failures.append(from_plain(Failure, entry["failure"]))
                self.spent = float(entry.get("spent", self.spent))
            except (TypeError, ValueError, AttributeError, TreatiseError):
                raise _damaged(journal, number) from None

    def add_fold(self, record: FoldRecord, predictions: FoldPredictions, spent: float) -> None:
        """Keep a finished fold; its predictions go into a file beside the journal."""
        arrays = {name: values for name, values in vars(predictions).items() if values is not None}
        with self._telling(), self._fold_file(record).open("wb") as stream:
            np.savez(stream, **arrays)
        self.folds.append(record)
        self._write({"fold": to_plain(record), "spent": spent})

    def add_failure(self, failure: Failure, spent: float) -> None:
        """Keep a failure that another try would repeat."""
        self.failures.append(failure)
        self._write({"failure": to_plain(failure), "spent": spent})

    def note_spent(self, spent: float) -> None:
        """Keep the time spent so far."""
        self.spent = spent
        self._write({"spent": spent})

    def out_of_fold(self, key: str) -> list[FoldPredictions]:
        """The first repeat's predictions of one method, fold by fold; those of its looks where it had no folds."""
        own = [record for record in self.folds if record.key == key and record.repeat == 0]
        done = [r for r in own if r.stage == "fold"] or [r for r in own if r.sample == max(o.sample for o in own)]
        parts = (self.predictions(record) for record in sorted(done, key=lambda record: record.fold))
        return [part for part in parts if part is not None]

    def predictions(self, record: FoldRecord) -> FoldPredictions | None:
        """What a method said of a fold; None where the file is gone."""
        try:
            arrays: dict[str, Any] = {"probabilities": None, "scores": None, **load_arrays(self._fold_file(record))}
            return FoldPredictions(**arrays)
        except (OSError, ValueError, TypeError, zipfile.BadZipFile):
            return None

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file whole or not at all."""
        with replacing(self.path / name) as temporary:
            temporary.write_text(json.dumps(value, indent=1, allow_nan=False), encoding="utf-8")

    def close(self) -> None:
        """Remove what only workers needed, and let others have the folder."""
        shutil.rmtree(self.work, ignore_errors=True)
        with suppress(OSError):  # what a full disk did not take was told when it was written
            self._open.close()

    def _fold_file(self, record: FoldRecord) -> Path:
        place = f"{record.stage}{record.sample or ''}-{record.repeat}-{record.fold}"
        return self.path / "folds" / f"{record.key.replace('/', '-')}-{place}.npz"

    def _write(self, entry: dict[str, Any]) -> None:
        with self._telling():
            self._journal.write(json.dumps(entry) + "\n")
            self._journal.flush()
            os.fsync(self._journal.fileno())

    def _telling(self) -> AbstractContextManager[None]:
        return telling(f"{self.path} cannot be written")


def _entries(journal: Path) -> list[dict[str, Any]]:
    """What a journal holds.

    Its last line may be torn by a kill in mid-write: it goes, and its fold is simply done again.
    """
    text = journal.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    entries: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            if number < len(lines):
                raise _damaged(journal, number) from None
            continue
        if not isinstance(entry, dict) or (number == 1 and not isinstance(entry.get("run"), dict)):
            raise _damaged(journal, number)
        entries.append(entry)
    if len(entries) < len(lines) or not text.endswith("\n"):
        with replacing(journal) as temporary:
            temporary.write_text("".join(f"{whole}\n" for whole in lines[: len(entries)]), encoding="utf-8")
    return entries


def _damaged(journal: Path, number: int) -> TreatiseError:
    return TreatiseError(f"{journal}, line {number} is damaged; choose another --output")


def _is_empty(path: Path) -> bool:
    """Whether a folder holds nothing but the lock and the place of a run that never began."""
    return path.is_dir() and all(each.name in (LOCK, "folds") for each in path.iterdir())
