"""However a command ends, it ends in order: a request to end, a full disk, a folder that another one holds."""

import errno
import signal
import subprocess
import sys
from contextlib import ExitStack

import numpy as np
import polars as pl
import pytest

from treatise._core import files
from treatise._core.files import held
from treatise.cli import INTERRUPTED


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A small file for each command."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    a = rng.standard_normal(60)
    table = pl.DataFrame({"a": a, "b": a + rng.standard_normal(60), "label": np.where(a > 0, "yes", "no")})
    table.write_csv(folder / "table.csv")
    table.select("a", "b").write_csv(folder / "numbers.csv")
    games = rng.permuted(np.tile(list("abcd"), (40, 1)), axis=1)
    pl.DataFrame({"winner": games[:, 0], "loser": games[:, 1]}).write_csv(folder / "games.csv")
    pl.DataFrame({f"item{k}": column for k, column in enumerate(rng.permuted(np.tile([1, 2, 3], (20, 1)), axis=1).T)}
                 ).write_csv(folder / "ballots.csv")  # fmt: skip
    links = [(f"n{i}", f"n{j}") for i in range(8) for j in range(i) if (i + j) % 3]
    pl.DataFrame(links, schema=["source", "target"], orient="row").write_csv(folder / "links.csv")
    log = {
        "who": [f"e{k % 6}" for k in range(60)],
        "when": np.arange(60) * 100,
        "page": [f"p{k % 4}" for k in range(60)],
    }
    pl.DataFrame(log).write_csv(folder / "log.csv")
    steps = {"episode": np.repeat(np.arange(10), 3), "state": rng.random(30), "reward": rng.random(30)}
    pl.DataFrame({**steps, "behaviour": np.full(30, 0.5), "target": np.full(30, 0.5)}).write_csv(folder / "policy.csv")
    (folder / "train.vw").write_text("1 | a\n-1 | b\n" * 10)
    return folder


FOLDERS = {
    "graph": ["graph", "numbers.csv", "--subsamples", "0"],
    "depend": ["depend", "numbers.csv", "--permutations", "19"],
    "network": ["network", "links.csv"],
    "events": ["events", "log.csv", "--entity", "who", "--time", "when"],
    "rate": ["rate", "games.csv"],
    "aggregate": ["aggregate", "ballots.csv", "--resamples", "0"],
    "evaluate": ["evaluate", "policy.csv", "--discount", "0.9", "--resamples", "20"],
    "minimize": ["minimize", f"{sys.executable} -c print({{x}})", "--bounds", "x=0:1", "--evaluations", "2"],
}
FILES = {
    "fit": ["fit", "LogisticRegression", "table.csv", "--target", "label"],
    "stream": ["stream", "train.vw", "--bits", "4", "--no-cache"],
}


@pytest.fixture
def command(invoke, data, tmp_path):
    """Run one of the commands above with its output in a place of the test's."""

    def run(name, output=tmp_path / "out"):
        words = {**FOLDERS, **FILES}[name]
        return invoke(*(str(data / word) if (data / word).is_file() else word for word in words), "-o", str(output))

    return run


def _left(folder):
    return {path.name for path in folder.rglob("*") if path.name.startswith(".")} - {files.LOCK}


@pytest.mark.parametrize("name", [*FOLDERS, *FILES])
def test_a_request_to_end_while_a_file_is_put_in_its_place_leaves_no_half_of_it(command, name, tmp_path, monkeypatch):
    def interrupted(source, target):
        assert source.exists()
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(files, "move", interrupted)
    ended = command(name)
    assert (ended.exit_code, "Traceback" in ended.stderr) == (INTERRUPTED, False)
    assert _left(tmp_path) == set()


@pytest.mark.parametrize("name", [*FOLDERS, *FILES])
def test_a_full_disk_is_told_in_a_sentence(command, name, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    ended = command(name)
    assert ended.exit_code == 1
    told = ended.stderr.splitlines()[-1]
    assert told.startswith("treatise: ") and "No space left on device" in told and "--debug" not in told
    assert _left(tmp_path) == set()


@pytest.mark.parametrize("name", [*FOLDERS, *FILES])
def test_an_output_that_cannot_be_written_is_told_in_a_sentence(command, name, tmp_path):
    (tmp_path / "file").write_text("")
    ended = command(name, tmp_path / "file" / "out")
    assert ended.exit_code == 1
    told = ended.stderr.splitlines()[-1]
    assert told.startswith("treatise: ") and str(tmp_path / "file") in told and "--debug" not in told


@pytest.mark.parametrize("name", [name for name in FOLDERS if name != "minimize"])
def test_two_runs_write_a_folder_one_after_the_other(command, name, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    with ExitStack() as other:
        other.enter_context(held(tmp_path / "out"))
        waited = []
        # The other run ends while this one waits.
        monkeypatch.setattr(files.time, "sleep", lambda seconds: (waited.append(seconds), other.close()))
        ended = command(name)
    assert ended.exit_code == 0, ended.stderr
    assert waited and len(list((tmp_path / "out").iterdir())) > 2


def test_a_search_that_another_process_makes_is_left_to_it(command, tmp_path):
    (tmp_path / "out").mkdir()
    with held(tmp_path / "out"):
        ended = command("minimize")
    assert ended.exit_code == 1 and "is in use by process" in ended.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {files.LOCK}


LOST = """
import signal, sys, time
import treatise.catalog
from treatise.__main__ import main

class Deaf:
    def __del__(self):
        signal.raise_signal(signal.{blow})

def slow():
    Deaf()
    for _ in range(6000):
        time.sleep(0.01)

treatise.catalog.load_catalogue = slow
sys.argv = ["treatise", "list"]
main()
"""
EARLY = """
import builtins, signal, sys
from treatise.__main__ import main
whole = builtins.__import__

def struck(name, *rest, **more):
    if name == {moment!r}:
        signal.raise_signal(signal.{blow})
    return whole(name, *rest, **more)

builtins.__import__ = struck
sys.argv = ["treatise", "list"]
main()
"""
LATE = """
import atexit, signal, sys
import treatise.catalog
from treatise.__main__ import main
treatise.catalog.load_catalogue = lambda: signal.raise_signal(signal.{blow})
atexit.register(signal.raise_signal, signal.{blow})
sys.argv = ["treatise", "list"]
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("blow", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("script", [EARLY.format(moment="typer", blow="{blow}"), LATE], ids=["import", "shutdown"])
def test_a_request_to_end_ends_imports_and_farewells_at_once(plain_environment, script, blow):
    """The process dies of the signal, which a shell shows as 130 or 143; there is no word."""
    ended = subprocess.run([sys.executable, "-c", script.format(blow=blow)], capture_output=True, env=plain_environment)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-getattr(signal, blow), b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("blow", ["SIGINT", "SIGTERM"])
def test_a_request_to_end_that_a_finalizer_swallows_is_heard_all_the_same(plain_environment, blow):
    script = LOST.format(blow=blow)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, env=plain_environment)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_does_not_reach_what_was_started_to_ignore_it(plain_environment):
    script = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)" + EARLY.format(moment="typer", blow="SIGINT")
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, env=plain_environment)
    assert ended.returncode == 0 and ended.stdout
