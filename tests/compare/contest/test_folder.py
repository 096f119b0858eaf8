"""The folder of a run belongs to one process at a time, and is given back however that ends."""

import subprocess
import sys

import pytest

from treatise._core.errors import TreatiseError
from treatise.compare.contest.folder import RunFolder

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
