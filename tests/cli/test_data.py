"""``treatise data``: what is listed, what is asked, what is downloaded."""

import hashlib
import json

import pytest
from file_server import FileServer
from typer.testing import CliRunner

from treatise.cli import _data, app
from treatise.cli._data import in_bytes
from treatise.datasets import _collection, _home, data_files

pytest.importorskip("pooch")
CONTENT = b"1,2\n3,4\n"


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Two files of a paper, of which one can be downloaded, and a third that only tests read."""
    running = FileServer()
    running.contents["here.csv"] = CONTENT
    rest = {"source": "the attic", "licence": "CC0", "size": len(CONTENT)}
    checksum = {"sha256": hashlib.sha256(CONTENT).hexdigest()}
    known = {
        "a/here.csv": {**rest, **checksum, "papers": ["v98-0001", "v98-0002"], "address": running.address("here.csv")},
        "a/nowhere.csv": {**rest, **checksum, "papers": ["v98-0001"]},
        "b/spare.csv": {**rest, **checksum},
    }
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    for module in (_home, _collection):
        monkeypatch.setattr(module, "known_files", lambda: known)
    yield running
    running.close()


def test_files_are_listed_by_paper_and_nothing_is_downloaded(invoke, server, tmp_path):
    result = invoke("data")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert [line[:2] for line in lines[1:]] == [
        ["v98-0001", "a/here.csv"], ["v98-0001", "a/nowhere.csv"], ["v98-0002", "a/here.csv"], ["-", "b/spare.csv"],
    ]  # fmt: skip
    assert "no public address known" in result.stdout and "0 of 3 files here" in result.stderr
    lines = invoke("data", "v98-0001").stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["v98-0001", "a/here.csv"], ["v98-0001", "a/nowhere.csv"]]
    assert server.asked == [] and list(tmp_path.iterdir()) == []


def test_json_tells_everything(invoke, server, tmp_path):
    (row, other) = json.loads(invoke("data", "v98-0001", "--json").stdout)
    assert row == {
        "file": "a/here.csv", "papers": ["v98-0001", "v98-0002"], "size": len(CONTENT), "licence": "CC0",
        "source": "the attic", "address": server.address("here.csv"), "here": False,
        "path": str(tmp_path / "a/here.csv"),
    }  # fmt: skip
    assert other["address"] is None


def test_without_a_yes_nothing_is_downloaded(invoke, server, tmp_path):
    result = invoke("data", "get", "v98-0002")
    assert result.exit_code == 2
    assert "1 file of about 8 B would be downloaded; add --yes to do so" in result.stderr
    assert "licence: CC0" in result.stderr
    assert server.asked == [] and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("answer", "status"), [("n", 1), ("y", 0)])
def test_a_person_is_asked(answer, status, server, tmp_path, monkeypatch):
    monkeypatch.setattr(_data, "_can_ask", lambda: True)
    result = CliRunner().invoke(app, ["data", "get", "v98-0002"], input=f"{answer}\n")
    assert "Download 1 file, about 8 B?" in result.stderr
    assert (result.exit_code, (tmp_path / "a/here.csv").is_file()) == (status, answer == "y")
    assert len(server.asked) == (answer == "y")


def test_with_a_yes_what_is_missing_is_downloaded_once(invoke, server, tmp_path):
    result = invoke("data", "get", "v98-0002", "--yes")
    assert result.exit_code == 0
    assert result.stdout == f"a/here.csv: verified, in {tmp_path / 'a/here.csv'}\n"
    assert (tmp_path / "a/here.csv").read_bytes() == CONTENT
    assert invoke("data", "get", "v98-0002").stdout == "1 file asked for, all here.\n"
    assert len(server.asked) == 1


def test_a_file_that_is_not_the_right_one_is_replaced(invoke, server, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/here.csv").write_bytes(b"another")
    assert invoke("data", "get", "v98-0002", "--yes").exit_code == 0
    assert (tmp_path / "a/here.csv").read_bytes() == CONTENT


def test_a_file_without_an_address_is_told_and_the_status_is_one(invoke, server, tmp_path):
    result = invoke("data", "get", "v98-0001", "--yes")
    assert result.exit_code == 1
    assert "a/nowhere.csv: no public address known; get it from the attic and put it at" in result.stderr
    assert (tmp_path / "a/here.csv").is_file()


def test_a_download_that_fails_is_one_sentence(invoke, server, tmp_path):
    server.contents["here.csv"] = b"another"
    result = invoke("data", "get", "a/here.csv", "--yes")
    assert result.exit_code == 1
    assert result.stderr.startswith("treatise: a/here.csv: what lies at") and "Traceback" not in result.stderr


def test_wrong_words_are_told(invoke, server):
    assert invoke("data", "get").exit_code == 2
    result = invoke("data", "v98-0003")
    assert result.exit_code == 1 and "did you mean 'v98-0002' or" in result.stderr


def test_sizes_are_said_as_people_say_them():
    assert [in_bytes(size) for size in (312, 1_440, 2_500_000, 3_000_000_000)] == [
        "312 B",
        "1.4 kB",
        "2.5 MB",
        "3.0 GB",
    ]


def test_the_real_files_can_be_listed(invoke):
    rows = json.loads(invoke("data", "--json").stdout)
    assert [row["file"] for row in rows] == [file.name for file in data_files()]
    assert sum(row["address"] is not None for row in rows) > 60
