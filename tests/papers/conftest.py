"""Quick experiments, each run once in a session, whichever test asks for it first and in whichever process."""

import os
import pickle
import shutil
import time

import pytest

from treatise.papers._reproduce import run

PATIENCE = 850.0  # seconds that a process waits for another's result; a test may take 900


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    """Evidence of the quick experiment of a paper, by its id."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "quick_experiments"
    shared.mkdir(exist_ok=True)
    found = {}

    def evidence(paper):
        if paper not in found:
            found[paper] = _once(shared / paper, paper)
        return found[paper]

    return evidence


def _once(place, paper):
    """The result in a folder: who makes the folder runs the experiment, others wait for it.

    A run that breaks off removes its folder, so that those who wait see the error for themselves.
    """
    result, deadline = place / "evidence.pickle", time.monotonic() + PATIENCE
    while not result.exists():
        try:
            place.mkdir()
        except FileExistsError:
            assert time.monotonic() < deadline, f"another process has not finished {paper} in {PATIENCE:g} s"
            time.sleep(0.1)
            continue
        try:
            part = place / "evidence.part"
            part.write_bytes(pickle.dumps(run(paper, full=False)))
        except BaseException:
            shutil.rmtree(place)
            raise
        part.rename(result)
    return pickle.loads(result.read_bytes())
