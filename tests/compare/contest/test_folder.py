"""The folder of a run belongs to one process at a time, and is given back however that ends."""

import errno
import random
import re
import subprocess
import sys

import numpy as np
import pytest
from mutants import mutant

from treatise._core.errors import TreatiseError
from treatise.compare.contest import folder as folders
from treatise.compare.contest.folder import RunFolder
from treatise.compare.inputs import FoldPredictions
from treatise.report.record import Failure, FoldRecord

HOLD = (
    "import pathlib, sys; from treatise.compare.contest.folder import RunFolder\n"
    "folder = RunFolder(pathlib.Path(sys.argv[1]), {'data': 'x'}); print(folder.work, flush=True); sys.stdin.read()"
)


def test_a_second_run_is_told_who_holds_the_folder_and_leaves_its_work_alone(tmp_path):
    place = tmp_path / "run"
    command = [sys.executable, "-c", HOLD, str(place)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        work = first.stdout.readline().strip()
        with pytest.raises(TreatiseError, match=f"in use by process {first.pid}"):
            RunFolder(place, {"data": "x"})
        assert work in map(str, place.iterdir())
        first.kill()
    folder = RunFolder(place, {"data": "x"})  # what a killed one held is free
    assert work not in map(str, place.iterdir())
    folder.close()
    RunFolder(place, {"data": "x"}).close()


def test_a_damaged_journal_is_mended_or_refused(tmp_path):
    folder = RunFolder(tmp_path / "run", {"table": 1})
    folder.add_failure(Failure("key", "A method", None, "error", "it raised", 0), 1.0)
    folder.note_spent(2.0)
    folder.close()
    journal = tmp_path / "run" / "journal.jsonl"
    whole, rng, outcomes = journal.read_bytes(), random.Random(0), set()
    for _ in range(200):
        journal.write_bytes(mutant(whole, rng))
        try:
            RunFolder(tmp_path / "run", {"table": 1}).close()
            outcomes.add("taken up")
        except TreatiseError as error:
            outcomes.add("refused")
            assert "choose another --output" in str(error)
    assert outcomes == {"taken up", "refused"}
    # A last line that lacks its end alone is whole.
    journal.write_bytes(whole[:-1])
    folder = RunFolder(tmp_path / "run", {"table": 1})
    folder.note_spent(3.0)
    folder.close()
    assert RunFolder(tmp_path / "run", {"table": 1}).spent == 3.0


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_told_and_what_was_written_before_is_taken_up(tmp_path, monkeypatch):
    place, told = tmp_path / "run", "run cannot be written (No space left on device)"
    record = FoldRecord("key", "fold", 0, 0, 0, 4, 2, 0.5, {}, 0.1, 0.1, {}, 0.2, 0.0)
    said = FoldPredictions(np.arange(2), np.zeros(2), np.zeros(2), None)
    with monkeypatch.context() as patch:
        patch.setattr(folders.os, "fsync", full)
        with pytest.raises(TreatiseError, match=re.escape(told)):
            RunFolder(place, {"data": "x"})
    folder = RunFolder(place, {"data": "x"})
    with monkeypatch.context() as patch:
        patch.setattr(folders.np, "savez", full)
        with pytest.raises(TreatiseError, match=re.escape(told)):
            folder.add_fold(record, said, 1.0)
    with monkeypatch.context() as patch:
        patch.setattr(folders.os, "fsync", full)
        with pytest.raises(TreatiseError, match=re.escape(told)):
            folder.note_spent(1.0)
    folder.close()
    RunFolder(place, {"data": "x"}).close()


def test_a_folder_that_is_refused_is_not_held(tmp_path):
    place = tmp_path / "run"
    RunFolder(place, {"data": "x"}).close()
    with pytest.raises(TreatiseError, match="another run"):
        RunFolder(place, {"data": "y"})
    RunFolder(place, {"data": "x"}).close()


def test_a_folder_with_other_things_in_it_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(TreatiseError, match="holds no run"):
        RunFolder(tmp_path, {"data": "x"})
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
