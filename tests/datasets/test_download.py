"""Downloads against a server on this machine: asked for, resumed, verified; and nothing else."""

import errno
import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

import pytest
from file_server import FileServer

import treatise
from treatise._core.errors import DataNotFoundError, TreatiseError
from treatise.datasets import _collection, _home, data_files, download, locate

pytest.importorskip("pooch")
CONTENT = b"".join(b"%d,%d\n" % (number, number * number) for number in range(20_000))


def sha256(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def server():
    running = FileServer()
    yield running
    running.close()


@pytest.fixture
def declare(tmp_path, monkeypatch, server):
    """Declare files that lie on the server, in a data home of their own."""
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    known = {}
    for module in (_home, _collection):
        monkeypatch.setattr(module, "known_files", lambda: known)

    def add(name, served=CONTENT, at=None, **told):
        if at is not None:
            server.contents[at] = served
            told["address"] = server.address(at)
        known[name] = {"source": "the attic", "licence": "none", "size": len(served), **told}
        return data_files(name)[0]

    return add


def test_a_file_arrives_verified_and_can_be_located(declare, server):
    file = declare("small/squares.csv", at="squares.csv", sha256=sha256(CONTENT), papers=["v98-0001"])
    assert not file.is_here and server.asked == []
    assert download(file).read_bytes() == CONTENT
    assert locate("small/squares.csv") == file.path
    assert [path.name for path in file.path.parent.iterdir()] == ["squares.csv"]


def test_a_damaged_list_of_checksums_is_told(declare, server):
    file = declare("squares.csv", at="squares.csv")
    download(file)
    (_home.data_home() / _home.LOCK).write_text('{"squares.csv": ')
    with pytest.raises(TreatiseError, match=r"checksums\.json is damaged; delete it"):
        locate("squares.csv")


def test_a_download_that_breaks_off_asks_only_for_the_rest(declare, server):
    file = declare("squares.csv", at="squares.csv", sha256=sha256(CONTENT))
    server.break_after["squares.csv"] = [1000, 70_000]
    received = []
    assert download(file, received.append).read_bytes() == CONTENT
    assert server.asked == [("squares.csv", None), ("squares.csv", "bytes=1000-"), ("squares.csv", "bytes=71000-")]
    assert received == sorted(received) and received[-1] == len(CONTENT)


def test_what_came_before_giving_up_is_kept_for_the_next_command(declare, server):
    file = declare("squares.csv", at="squares.csv", sha256=sha256(CONTENT))
    server.break_after["squares.csv"] = [500] * 4
    with pytest.raises(TreatiseError, match="2,000 bytes are kept, the same command goes on from there"):
        download(file)
    assert not file.is_here
    server.asked.clear()
    assert download(file).read_bytes() == CONTENT
    assert server.asked == [("squares.csv", "bytes=2000-")]


def test_a_full_disk_is_told_at_once_and_not_the_address(declare, server):
    """The callback stands for the write, of which the disk takes no more."""
    file = declare("squares.csv", at="squares.csv", sha256=sha256(CONTENT))

    def full(received):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(TreatiseError, match=r"squares\.csv\.part cannot be written \(No space left on device\)"):
        download(file, full)
    assert len(server.asked) == 1 and not file.is_here
    assert download(file).read_bytes() == CONTENT


def test_a_server_without_ranges_sends_the_whole_again(declare, server):
    file = declare("squares.csv", at="squares.csv", sha256=sha256(CONTENT))
    server.knows_ranges = False
    server.break_after["squares.csv"] = [1000]
    assert download(file).read_bytes() == CONTENT


def test_a_beginning_longer_than_the_file_is_thrown_away(declare, server):
    file = declare("squares.csv", at="squares.csv", sha256=sha256(CONTENT))
    file.path.with_name("squares.csv.part").write_bytes(bytes(len(CONTENT) + 5))
    assert download(file).read_bytes() == CONTENT


def test_another_file_than_the_stated_one_is_not_kept(declare, server, tmp_path):
    file = declare("squares.csv", at="squares.csv", sha256=sha256(b"another"))
    with pytest.raises(TreatiseError, match=r"is not the file that squares.csv was \(its SHA-256 differs\)"):
        download(file)
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_file_that_is_packed_here_alone_is_known_by_its_content(declare, server):
    file = declare("squares.csv.gz", at="squares.csv", sha256="0" * 64, content=sha256(CONTENT))
    assert gzip.decompress(download(file).read_bytes()) == CONTENT
    assert locate("squares.csv.gz") == file.path
    file.path.write_bytes(gzip.compress(b"another"))
    with pytest.raises(DataNotFoundError, match="is not the expected file"):
        locate("squares.csv.gz")


def test_a_file_that_is_packed_there_alone_is_unpacked(declare, server):
    file = declare("squares.csv", gzip.compress(CONTENT), at="squares.csv.gz", sha256=sha256(CONTENT))
    assert download(file).read_bytes() == CONTENT
    damaged = declare("damaged.csv", gzip.compress(CONTENT)[:-9], at="damaged.csv.gz", sha256=sha256(CONTENT))
    with pytest.raises(TreatiseError, match="its SHA-256 differs"):
        download(damaged)
    assert not damaged.is_here


def test_without_a_stated_checksum_the_first_download_is_binding(declare, server, tmp_path):
    file = declare("squares.csv", at="squares.csv")
    download(file)
    assert json.loads((tmp_path / _home.LOCK).read_text()) == {"squares.csv": sha256(CONTENT)}
    assert locate("squares.csv") == file.path
    file.path.write_bytes(b"changed since")
    with pytest.raises(DataNotFoundError, match="is not the expected file"):
        locate("squares.csv")


def test_what_cannot_be_downloaded_says_why(declare, server, monkeypatch):
    with pytest.raises(TreatiseError, match=r"no public address of nowhere.csv is known; get it from the attic"):
        download(declare("nowhere.csv"))
    gone = declare("gone.csv", at="gone.csv", sha256="0" * 64)
    del server.contents["gone.csv"]
    with pytest.raises(TreatiseError, match=r"gone.csv answers 404"):
        download(gone)
    assert len(server.asked) == 1
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(TreatiseError, match=r"need the package pooch, which is absent: pip install 'treatise\[data\]'"):
        download(gone)


def test_an_absent_file_with_an_address_is_told_with_the_command(declare):
    declare("squares.csv", at="squares.csv")
    declare("nowhere.csv")
    with pytest.raises(DataNotFoundError, match=r"`treatise data get squares.csv` downloads it, or get it from"):
        locate("squares.csv")
    with pytest.raises(DataNotFoundError, match=r"nowhere.csv is absent: get it from"):
        locate("nowhere.csv")


def test_words_choose_by_paper_file_or_folder():
    expected = ["genes/Prostate-GE.mat", "genes/colon.mat", "images/ORL.mat"]
    assert [file.name for file in data_files("v05-1457", "genes/")] == expected
    assert data_files("all") == data_files()
    with pytest.raises(TreatiseError, match=r"called 'v05-1458'; did you mean 'v05-1457'"):
        data_files("v05-1458")


def test_every_declared_file_is_whole():
    for file in data_files():
        assert file.size > 0 and file.sha256, file.name
        packs = bool(file.address) and file.name.endswith(".gz") and not file.address.endswith(".gz")
        assert bool(file.content) == packs, file.name
        assert file.address is None or file.address.startswith("https://"), file.name


def test_a_file_that_an_experiment_names_is_declared_for_its_paper():
    folder = Path(treatise.__file__).parent / "papers"
    names = {file.name: file.papers for file in data_files()}
    for path in folder.glob("*/*"):
        paper = path.stem.replace("_", "-")
        modules = path.rglob("*.py") if path.is_dir() else [path]
        text = "\n".join(module.read_text(encoding="utf-8") for module in modules if module.suffix == ".py")
        for name in re.findall(r'"([a-z]+/[\w.-]+)"', text):
            assert name not in names or paper in names[name], f"{paper} reads {name}, which files.toml does not say"
