"""The cluster form: the same sums to the last bit, and a killed worker costs a pass at most."""

import os
import signal
import time

import numpy as np
import pytest
from fatal_shard import FatalShard

from treatise._core import cluster as watched
from treatise._core.errors import TreatiseError
from treatise.io import Stream
from treatise.linear import HybridLinearClassifier, plan_cluster
from treatise.linear.hybrid._dask import DaskPasses, settled
from treatise.linear.hybrid._passes import LocalPasses, OnlineState, Settings
from treatise.optimize import LogisticLoss

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    """Three worker processes on this machine."""
    with (
        distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as local,
        distributed.Client(local) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    rng = np.random.default_rng(0)
    truth = rng.normal(size=50)
    for number in range(5):
        active = rng.integers(0, 50, (150, 6))
        labels = np.where(truth[active].sum(axis=1) + rng.logistic(size=150) > 0, 1, -1)
        rows = (f"{y} | {' '.join(map(str, row))}\n" for y, row in zip(labels, active))
        (folder / f"{number}.vw").write_text("".join(rows))
    return str(folder / "*.vw")


SETTINGS = {"bits": 6, "n_shards": 5, "max_iter": 4}


def test_cluster_gives_the_bits_of_one_machine(cluster, pattern):
    alone = HybridLinearClassifier(**SETTINGS).fit_files(pattern)
    spread = HybridLinearClassifier(**SETTINGS).fit_files(pattern, dask=cluster)
    np.testing.assert_array_equal(spread.coef_, alone.coef_)
    assert spread.objective_path_ == alone.objective_path_


def test_traffic_of_a_fit_is_what_was_planned(cluster, pattern, monkeypatch):
    sent, once = [], DaskPasses._once

    def weighing(self, work, combine, arguments):
        found = once(self, work, combine, arguments)
        result = found[0] if isinstance(found[0], list) else [found[0]]
        down = sum(a.table.nbytes if isinstance(a, OnlineState) else a.nbytes for a in arguments)
        sent.append((work.__name__, down + sum(part.nbytes for part in result)))
        return found

    monkeypatch.setattr(DaskPasses, "_once", weighing)
    HybridLinearClassifier(bits=12, n_shards=5, max_iter=4).fit_files(pattern, dask=cluster)
    names = [name for name, _ in sent]
    assert names.count("online_shares") == 1
    # Of a vector along which the curvature is asked, one number comes back: two vectors down, as in other passes.
    batch = len(names) - 1
    plans = plan_cluster(n=750, nnz=6, d=1 << 12, workers=3, passes=batch + 2.5, bytes_per_value=8)
    planned = next(plan for plan in plans if plan.algorithm == "hybrid").bytes_per_node
    # The intercept, the loss and the counts are a few numbers beside 4096.
    assert sum(size for _, size in sent) == pytest.approx(planned, rel=0.002)


def test_lines_that_workers_leave_out_are_counted(cluster, tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.vw").write_text(f"1 | a\n{'oops' * (number != 1)}\n-1 | b\n")
    model = HybridLinearClassifier(bits=6, n_shards=3, max_iter=1)
    alone = model.fit_files(tmp_path / "*.vw", on_error="skip", cache=False)
    told = alone.skipped_, alone.complaints_
    assert alone.skipped_ == 2
    spread = model.fit_files(tmp_path / "*.vw", on_error="skip", cache=False, dask=cluster)
    assert (spread.skipped_, spread.complaints_) == told


def test_worker_killed_in_mid_pass_changes_nothing(cluster, pattern, tmp_path):
    settings = Settings(LogisticLoss(), 64, True)
    shards = Stream(pattern, bits=6, cache=True).split(5)
    w = np.random.default_rng(0).normal(size=65)
    expected = LocalPasses(shards, settings).gradient(w)
    marker = tmp_path / "killed"
    shards[2] = FatalShard(shards[2], marker)
    loss, gradient = DaskPasses(shards, settings, cluster, np.float32).gradient(w)
    assert marker.exists()
    assert loss == expected[0]
    np.testing.assert_array_equal(gradient, expected[1])


@pytest.mark.filterwarnings("ignore")
def test_workers_killed_as_passes_are_handed_out_change_nothing(cluster, pattern, monkeypatch):
    alone = HybridLinearClassifier(**SETTINGS).fit_files(pattern)
    calls, submit = [], cluster.submit

    def killing(*args, **kwargs):
        # In the midst of handing out a pass, with the weights sent.
        calls.append(1)
        if len(calls) in (13, 43):
            pids = sorted(cluster.run(os.getpid, on_error="ignore").values(), key=str)
            os.kill(int(pids[len(calls) % len(pids)]), signal.SIGKILL)
        return submit(*args, **kwargs)

    monkeypatch.setattr(cluster, "submit", killing)
    spread = HybridLinearClassifier(**SETTINGS).fit_files(pattern, dask=cluster)
    assert len(calls) > 43
    np.testing.assert_array_equal(spread.coef_, alone.coef_)
    assert spread.objective_path_ == alone.objective_path_


@pytest.fixture
def small_cluster():
    """A worker in this process, which ends and begins as it is told."""
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as local,
        distributed.Client(local) as client,
    ):
        yield client


def scale(client, number):
    client.cluster.scale(number)
    while len(client.nthreads()) != number:
        time.sleep(0.01)


def test_when_all_workers_are_gone_it_says_so_and_one_that_joins_is_used(small_cluster, pattern, monkeypatch):
    settings = Settings(LogisticLoss(), 64, True)
    shards = Stream(pattern, bits=6, cache=True).split(5)
    w = np.zeros(65)
    expected = LocalPasses(shards, settings).gradient(w)
    passes = DaskPasses(shards, settings, small_cluster, np.float32)
    assert passes.gradient(w)[0] == expected[0]
    scale(small_cluster, 0)
    with monkeypatch.context() as patch:
        patch.setattr(watched, "PATIENCE", 0.5)
        with pytest.raises(TreatiseError, match="all workers of the Dask cluster are gone"):
            passes.gradient(w)
    scale(small_cluster, 2)
    assert passes.gradient(w)[0] == expected[0]
    assert set(passes._homes) == set(small_cluster.nthreads())


def test_an_error_of_the_work_is_told_at_once_as_it_was_raised(small_cluster, tmp_path):
    (tmp_path / "mixed.vw").write_text("0 | a\n-1 | b\n1 | c\n")
    with pytest.raises(TreatiseError, match="both 0 and -1 occur"):
        HybridLinearClassifier(bits=4).fit_files(tmp_path / "mixed.vw", dask=small_cluster)


def test_shards_stay_where_they_are_as_far_as_all_workers_have_as_many():
    assert settled([None] * 5, ["a", "b", "c"]) == ["a", "a", "b", "b", "c"]
    assert settled(["a", "a", "b", "b", "c"], ["a", "b", "c"]) == ["a", "a", "b", "b", "c"]
    assert settled(["a", "a", "b", "b", "c"], ["a", "c"]) == ["a", "a", "c", "a", "c"]
    assert settled(["a", "a", "b", "b", "c"], ["a", "b", "c", "d"]) == ["a", "a", "b", "d", "c"]
    assert settled(["a", "b"], ["a", "b", "c"]) == ["a", "b"]
    assert settled(["a", "b"], []) == [None, None]


def test_scheduler_that_does_not_answer_is_told(pattern):
    with pytest.raises(TreatiseError, match="no Dask scheduler answers at"):
        HybridLinearClassifier(**SETTINGS).fit_files(pattern, dask="not an address")
