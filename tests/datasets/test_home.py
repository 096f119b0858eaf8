"""The data home: where it is, and that no wrong file passes."""

import hashlib
import os
from pathlib import Path

import pytest

from treatise._core.errors import DataNotFoundError, TreatiseError
from treatise.datasets import _home, data_home, locate


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    return tmp_path


def test_the_folder_is_the_one_that_the_environment_names(home, monkeypatch):
    assert data_home() == home
    monkeypatch.setenv("TREATISE_DATA", "~/data")
    assert data_home() == Path.home() / "data"
    monkeypatch.delenv("TREATISE_DATA")
    assert data_home().name == "treatise"


def test_an_unknown_name_is_answered_with_the_known_ones(home):
    with pytest.raises(TreatiseError, match=r"'keel/absent.dat' is no known data file; the known ones: .*keel/letter"):
        locate("keel/absent.dat")


def test_no_name_leads_out_of_the_folder(home):
    (home.parent / "secret").write_text("x")
    with pytest.raises(TreatiseError, match="no known data file"):
        locate("../secret")


def test_an_absent_file_is_told_with_where_to_get_and_put_it(home):
    with pytest.raises(DataNotFoundError) as error:
        locate("keel/letter.dat")
    assert _home.known_files()["keel/letter.dat"]["source"] in str(error.value)
    assert str(home / "keel" / "letter.dat") in str(error.value)
    assert "TREATISE_DATA" in str(error.value)


def test_a_file_passes_only_with_its_check_sum(home, monkeypatch):
    right = b"1,2,a\n"
    known = {"tiny.dat": {"sha256": hashlib.sha256(right).hexdigest(), "source": "the attic"}}
    monkeypatch.setattr(_home, "known_files", lambda: known)
    path = home / "tiny.dat"
    path.write_bytes(b"1,2,b\n")
    with pytest.raises(DataNotFoundError, match=r"is not the expected file .*; get it from the attic"):
        locate("tiny.dat")
    path.write_bytes(right)
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    assert locate("tiny.dat") == path
    # A file that passed once is looked at again after a change.
    path.write_bytes(b"changed")
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 2))
    with pytest.raises(DataNotFoundError):
        locate("tiny.dat")


def test_every_known_file_tells_its_check_sum_source_and_licence():
    for name, known in _home.known_files().items():
        assert len(bytes.fromhex(known["sha256"])) == 32, name
        assert known["source"], name
        assert known["licence"], name
