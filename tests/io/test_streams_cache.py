"""The binary cache: written on the first pass, mapped later, refused when stale or damaged."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from treatise._core.errors import TreatiseError
from treatise.io import Stream
from treatise.io.source import lines
from treatise.io.streams import cache
from treatise.io.streams import stream as streams


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A file of several blocks, one of them with weights and values."""
    monkeypatch.setattr(lines, "BLOCK", 1 << 11)
    rng = np.random.default_rng(0)
    rows = [f"{i % 2} |f " + " ".join(f"w{j}" for j in rng.integers(0, 99, 9)) for i in range(400)]
    rows[300] = "1 2.5 |f a:0.25 b:3"
    path = tmp_path / "data.vw"
    path.write_text("\n".join(rows) + "\n")
    return path


def copied(stream):
    fields = ("indptr", "indices", "values", "labels", "weights")
    return [tuple(getattr(chunk, name).copy() for name in fields) for chunk in stream]


def assert_same(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other):
        for x, y in zip(a, b):
            np.testing.assert_array_equal(x, y)


def cache_of(path):
    (found,) = path.parent.glob(f".{path.name}.*.cache")
    return found


def test_second_pass_gives_the_same_bits_and_parses_nothing(source, monkeypatch):
    parsed = copied(Stream(source))
    assert_same(copied(Stream(source, cache=True)), parsed)
    monkeypatch.setattr(streams, "text_chunks", lambda *a, **k: pytest.fail("the text was parsed again"))
    assert len(parsed) > 3
    assert_same(copied(Stream(source, cache=True)), parsed)


def test_changed_source_or_settings_make_a_new_cache(source):
    copied(Stream(source, cache=True))
    copied(Stream(source, cache=True, bits=10))
    assert len(list(source.parent.glob("*.cache"))) == 2
    text = source.read_text().replace("2.5", "3.5")
    source.write_text(text)
    os.utime(source, ns=(1, 1))
    assert max(chunk[4].max() for chunk in copied(Stream(source, cache=True))) == 3.5
    assert max(chunk[4].max() for chunk in copied(Stream(source, cache=True))) == 3.5


def test_source_that_changed_behind_its_old_size_and_time_makes_a_new_cache(source):
    copied(Stream(source, cache=True))
    before = source.stat()
    source.write_text(source.read_text().replace("2.5", "3.5"))
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = source.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert max(chunk[4].max() for chunk in copied(Stream(source, cache=True))) == 3.5


def test_a_checksum_of_samples_sees_both_ends_and_all_of_a_short_file(tmp_path):
    path = tmp_path / "data"
    for size in (1, 100_000, (64 << 16) + 1, 10_000_000):
        whole = bytearray(size)
        path.write_bytes(whole)
        plain = streams.sampled_checksum(path, size)
        for at in {0, size // 2 if size <= 64 << 16 else 0, size - 1}:
            whole[at] = 1
            path.write_bytes(whole)
            assert streams.sampled_checksum(path, size) != plain
            whole[at] = 0


def test_run_is_taken_up_though_the_files_were_moved(source, tmp_path):
    known = Stream(source).fingerprint()["files"]
    (tmp_path / "elsewhere").mkdir()
    source.rename(tmp_path / "elsewhere" / source.name)
    assert Stream(tmp_path / "elsewhere" / source.name).fingerprint()["files"] == known


def test_two_streams_that_parse_one_file_do_not_meet(source):
    first, second = iter(Stream(source, cache=True)), iter(Stream(source, cache=True))
    next(first)
    next(second)
    second.close()
    for _ in first:
        pass
    assert_same(copied(Stream(source, cache=True)), copied(Stream(source)))
    assert len(list(source.parent.glob(".*"))) == 1


def test_a_disk_that_cannot_be_written_is_told_in_a_sentence(source, monkeypatch):
    def refuse(path):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(cache, "Part", refuse)
    with pytest.raises(TreatiseError, match=r"cache .* cannot be written .Read-only file system.; go without a cache"):
        copied(Stream(source, cache=True))


def test_cache_folder_can_be_named(source, tmp_path):
    (tmp_path / "caches").mkdir()
    copied(Stream(source, cache=tmp_path / "caches"))
    assert len(list((tmp_path / "caches").iterdir())) == 1
    with pytest.raises(TreatiseError, match="does not exist"):
        copied(Stream(source, cache=tmp_path / "nowhere"))


def test_pass_that_is_broken_off_leaves_no_cache(source):
    iterator = iter(Stream(source, cache=True))
    next(iterator)
    iterator.close()
    assert list(source.parent.glob(".*")) == []
    bad = source.with_name("bad.vw")
    bad.write_text(source.read_text() + "oops\n")
    with pytest.raises(TreatiseError, match="line 401"):
        copied(Stream(bad, cache=True))
    assert list(source.parent.glob(".*")) == []


def test_skipped_lines_are_counted_from_the_cache_too(source):
    source.write_text(source.read_text() + "oops\n")
    for _ in range(2):
        stream = Stream(source, cache=True, on_error="skip")
        copied(stream)
        assert stream.skipped == 1
        assert "line 401" in stream.complaints[0]


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
@settings(deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_changed_byte_is_noticed(source, place, change):
    expected = copied(Stream(source, cache=True))
    path = cache_of(source)
    whole = bytearray(path.read_bytes())
    damaged = whole.copy()
    damaged[int(place * len(damaged))] ^= change
    path.write_bytes(damaged)
    try:
        # Bytes between arrays mean nothing; every other must be missed.
        assert_same(copied(Stream(source, cache=True)), expected)
    except TreatiseError as error:
        assert "damaged" in str(error)
    finally:
        path.write_bytes(whole)


@pytest.mark.parametrize("kept", [0, 10, 100, 0.5, 0.99])
def test_truncated_cache_is_refused(source, kept):
    copied(Stream(source, cache=True))
    path = cache_of(source)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole)) if isinstance(kept, float) else kept])
    with pytest.raises(TreatiseError, match=r"is damaged .* delete it and it is made again"):
        copied(Stream(source, cache=True))


def test_index_beyond_the_table_is_refused_even_with_a_right_checksum(source, monkeypatch):
    from treatise.io.streams import cache as _cache

    writer_add = _cache.CacheWriter.add

    def forge(self, chunk):
        chunk.indices[0] = 2**30
        writer_add(self, chunk)

    monkeypatch.setattr(_cache.CacheWriter, "add", forge)
    Stream(source, cache=True).prepare()
    with pytest.raises(TreatiseError, match="damaged"):
        copied(Stream(source, cache=True))


BLOCK = [64, 4, 8, 1, 1, 0]
FORGED = [
    {"blocks": None}, {"blocks": [[1]]}, {"counts": []}, {"counts": {}}, {"counts": {"skipped": 0, "complaints": [1]}},
    *({"blocks": [[*BLOCK[:k], wrong, *BLOCK[k + 1 :]]]} for k in range(6) for wrong in (-1, 2**62, "x", None)),
]  # fmt: skip


def test_a_forged_table_of_blocks_is_refused_even_with_a_right_checksum(source, monkeypatch):
    commit = cache.CacheWriter.commit
    for forged in FORGED:

        def forge(self, counts, forged=forged):
            self._blocks = forged.get("blocks", self._blocks)
            commit(self, forged.get("counts", counts))

        monkeypatch.setattr(cache.CacheWriter, "commit", forge)
        Stream(source, cache=True).prepare()
        with pytest.raises(TreatiseError, match="is damaged"):
            copied(Stream(source, cache=True))
        cache_of(source).unlink()


@pytest.mark.parametrize("shards", [1, 2, 3, 5])
def test_shards_share_the_examples_in_order(source, shards):
    labels = [np.concatenate([chunk[3] for chunk in copied(part)]) for part in Stream(source, cache=True).split(shards)]
    assert len(labels) == shards
    assert all(len(part) for part in labels)
    np.testing.assert_array_equal(np.concatenate(labels), np.arange(400) % 2 + (np.arange(400) == 300))


def test_files_are_whole_in_shards_where_there_are_enough(tmp_path):
    for i in range(5):
        (tmp_path / f"{i}.vw").write_text(f"{i} |f a\n")
    parts = Stream(str(tmp_path / "*.vw")).split(2)
    assert [[float(c[3][0]) for c in copied(part)] for part in parts] == [[0.0, 1.0], [2.0, 3.0, 4.0]]


def test_one_file_without_cache_cannot_be_split(source):
    with pytest.raises(TreatiseError, match="without a cache"):
        Stream(source).split(2)
    with pytest.raises(TreatiseError, match="too few for 1000 shards"):
        Stream(source, cache=True).split(1000)


def test_examples_without_features_are_kept(tmp_path):
    path = tmp_path / "d.vw"
    path.write_text("1 |\n-1 2 |\n")
    for _ in range(2):
        ((indptr, indices, _, labels, weights),) = copied(Stream(path, cache=True))
        assert (indptr.tolist(), indices.tolist()) == ([0, 0, 0], [])
        assert (labels.tolist(), weights.tolist()) == ([1.0, -1.0], [1.0, 2.0])
