"""Files that appear whole, and folders with one writer at a time."""

import errno
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from treatise._core import files
from treatise._core.errors import TreatiseError
from treatise._core.files import HeldError, Part, held, replacing

# What another process does with a file or folder, until it is told to go on.
WRITES = """
import sys
from pathlib import Path
from treatise._core.files import Part
part = Part(Path(sys.argv[1]))
part.stream.write(b"other")
print("begun", flush=True)
sys.stdin.readline()
part.commit()
"""
HOLDS = """
import sys
from treatise._core.files import held
with held(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def other():
    """Start a process and wait for its first word; it is killed at the end."""
    started = []

    def start(program, *arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", program, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        started.append(process)
        assert process.stdout.readline()
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_two_writers_of_one_file_do_not_meet_and_a_killed_one_leaves_nothing(tmp_path, other):
    path = tmp_path / "data[1].cache"
    lively, doomed = other(WRITES, path), other(WRITES, path)
    doomed.kill()
    doomed.wait()
    assert len(list(tmp_path.iterdir())) == 2
    part = Part(path)
    part.stream.write(b"own")
    # The part of the dead went, the one of the living stayed.
    assert len(list(tmp_path.iterdir())) == 2
    part.commit()
    assert path.read_bytes() == b"own"
    lively.communicate(b"\n")
    assert path.read_bytes() == b"other"
    assert list(tmp_path.iterdir()) == [path]


def test_a_part_that_is_given_up_leaves_nothing(tmp_path):
    part = Part(tmp_path / "data")
    part.stream.write(b"half")
    part.abandon()
    part.abandon()
    assert list(tmp_path.iterdir()) == []


def test_a_held_folder_says_who_holds_it_and_is_free_when_the_holder_is_killed(tmp_path, other):
    holder = other(HOLDS, tmp_path)
    with pytest.raises(HeldError, match=f"run .* in use by process {holder.pid} on "), held(tmp_path, what="run"):
        pytest.fail("two hold one folder")
    holder.kill()
    holder.wait()
    with held(tmp_path), pytest.raises(HeldError, match=f"process {os.getpid()}"), held(tmp_path):
        pytest.fail("two hold one folder")
    with held(tmp_path):
        pass


def test_one_who_waits_gets_the_folder_when_it_is_free(tmp_path, other, monkeypatch):
    holder = other(HOLDS, tmp_path)
    monkeypatch.setattr(files.time, "sleep", lambda seconds: holder.communicate(b"\n"))
    with held(tmp_path, wait=True):
        assert holder.returncode == 0


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(TreatiseError, match=r"folder .*nowhere cannot be written"), held(tmp_path / "nowhere"):
        pytest.fail("held what is not there")


def test_a_full_disk_is_told_when_a_folder_is_taken(tmp_path, monkeypatch):
    class Full(io.FileIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.Path, "open", lambda path, mode, buffering: Full(path, mode))
    told = f"the folder {tmp_path} cannot be written (No space left on device)"
    with pytest.raises(TreatiseError, match=re.escape(told)), held(tmp_path):
        pass


def test_the_folder_is_synced_after_the_file_is_in_its_place(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(files, "sync_folder", lambda folder: seen.append(sorted(os.listdir(folder))))
    with replacing(tmp_path / "a") as temporary:
        temporary.write_text("whole")
    part = Part(tmp_path / "b")
    part.commit()
    assert seen == [["a"], ["a", "b"]]


def test_why_a_file_cannot_be_written_is_not_hidden_by_tidying_up(tmp_path, monkeypatch):
    def refuse(self, **_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", refuse)
    target = tmp_path / "nowhere" / "model"
    with pytest.raises(TreatiseError, match=r"model cannot be written .No such file"), replacing(target) as temporary:
        temporary.write_text("x")
    with pytest.raises(TreatiseError, match="the sentence"), replacing(tmp_path / "model"):
        raise TreatiseError("the sentence")
