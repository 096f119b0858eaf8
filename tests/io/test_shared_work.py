"""Work of two threads: results in the order of their sources, whoever makes them."""

import threading
import time

import numpy as np
import pytest

from treatise._core.errors import TreatiseError
from treatise.io import Stream
from treatise.io.source import lines
from treatise.io.streams import rows
from treatise.io.streams.shared_work import SharedWork
from treatise.linear import HybridLinearClassifier


def halves(numbers):
    """Work on a range of numbers that is done by halves, as long as there are two; each notes who did it."""

    def work(source, buffers):
        first, past = source
        middle = past if past - first < 2 else (first + past) // 2
        time.sleep(0.001 if first % 3 else 0.0)
        numbers.append(threading.current_thread().name)
        return (list(range(first, middle)), id(buffers)), (None if middle == past else (middle, past))

    return work


@pytest.mark.parametrize("n_buffers", [2, 3, 5])
def test_results_and_rests_come_in_order_and_both_threads_work(n_buffers):
    names, buffers = [], [object() for _ in range(n_buffers)]
    found, in_use = [], []
    for result, own in SharedWork(((8 * i, 8 * i + 8) for i in range(30)), halves(names), buffers):
        found += result
        in_use.append(own)
    assert found == list(range(240))
    assert len(set(names)) == 2
    assert set(in_use) <= {id(each) for each in buffers}


def test_an_error_comes_after_the_results_before_it():
    def sources():
        yield from ((i, i + 1) for i in range(5))
        raise OSError("the disk is gone")

    found = []
    with pytest.raises(OSError, match="gone"):
        for result, _ in SharedWork(sources(), halves([]), [object() for _ in range(4)]):
            found += result
    assert found == list(range(5))


def test_who_stops_early_leaves_no_thread():
    before = threading.active_count()
    for result, _ in SharedWork(((i, i + 1) for i in range(1000)), halves([]), [object() for _ in range(4)]):
        if result == [3]:
            break
    del result
    assert threading.active_count() == before


@pytest.fixture
def crossed(tmp_path):
    """Lines of 1 to 40 names in two namespaces, some of them wrong."""
    rng = np.random.default_rng(0)
    text = [
        f"{i % 2} |a " + " ".join(f"w{j}" for j in rng.integers(0, 99, rng.integers(1, 20))) + f" |b x{i}:0.5 y z"
        for i in range(600)
    ]
    text[100] = text[457] = "nonsense |a b"
    path = tmp_path / "data.vw"
    path.write_text("\n".join(text) + "\n")
    return path


def test_blocks_and_buffers_change_neither_rows_nor_lines_that_are_wrong(crossed, monkeypatch):
    def read():
        stream = Stream(crossed, bits=12, quadratic=("ab",), on_error="skip")
        parts = [(c.indices.copy(), c.values.copy(), c.labels.copy(), np.diff(c.indptr)) for c in stream]
        return [np.concatenate(each) for each in zip(*parts)], stream.skipped, stream.complaints, len(parts)

    whole, skipped, complaints, _ = read()
    monkeypatch.setattr(lines, "BLOCK", 1 << 11)
    monkeypatch.setattr(rows, "_VALUES", 300)
    parts, skipped_in_parts, complaints_in_parts, n_parts = read()
    assert n_parts > 60
    for one, other in zip(whole, parts):
        np.testing.assert_array_equal(one, other)
    assert skipped == skipped_in_parts == 2
    assert complaints == complaints_in_parts
    assert "line 101" in complaints[0] and "line 458" in complaints[1]
    with pytest.raises(TreatiseError, match="line 101"):
        list(Stream(crossed, bits=12))


def test_one_thread_that_parses_all_gives_the_bits_that_two_give(crossed, monkeypatch):
    def fit():
        model = HybridLinearClassifier(max_iter=0, bits=12, quadratic=("ab",), normalized=True)
        return model.fit_files(crossed, cache=False, on_error="skip")

    monkeypatch.setattr(lines, "BLOCK", 1 << 11)
    two = fit()
    monkeypatch.setattr(SharedWork, "_help", lambda self: None)
    one = fit()
    for name in ("coef_", "intercept_", "gradient_squares_", "feature_scales_", "progressive_loss_", "complaints_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)


@pytest.mark.parametrize("end", [" ", "\n", "\t", "\r\n", ":0.5 ", "\x01 ", " |b "])
@pytest.mark.parametrize("scale", ["", ":2", ":0"])
def test_a_short_name_has_the_index_and_value_of_a_long_line_whatever_ends_it(tmp_path, end, scale):
    names = ["w", "w1", "w12", "w123", "w12345", "w123456", "w1234567", "w12345678", "7", "7a", "\xe9t\xe9"]
    for name in names:
        path = tmp_path / "data.vw"
        # The same name where eight bytes more follow, and where it is the last of the file.
        path.write_bytes(f"1 |a{scale} {name}{end}".encode("latin-1") + b"\n1 |z a_name_that_is_long\n")
        followed = next(iter(Stream(path, bits=20)))
        path.write_bytes(f"1 |a{scale} {name}{end}".encode("latin-1").rstrip())
        last = next(iter(Stream(path, bits=20)))
        filled = last.indptr[1]
        np.testing.assert_array_equal(followed.indices[:filled], last.indices[:filled])
        np.testing.assert_array_equal(followed.values[:filled], last.values[:filled])
