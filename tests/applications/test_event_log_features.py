"""Features of an event log: the paper's worked tables, brute force in pandas, and logs in pieces."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treatise.applications import EventLog, EventLogFeatures, gap_histogram, series_statistics
from treatise.datasets import make_click_log

TABLE_21 = """08:53:21 a|09:02:01 a|09:02:30 a|09:59:33 a|10:18:31 a|10:23:32 b|10:23:57 b|10:25:42 a|11:23:23 c|
11:23:42 b|11:24:50 b|11:25:05 b|11:25:51 b|11:28:31 b|11:35:50 d|11:50:32 d/10:18:52 e|10:33:56 f|10:39:47 g|
10:40:17 e|10:52:51 e/10:34:38 g|13:01:12 g|13:02:09 e|13:02:38 e"""


@pytest.fixture(scope="module")
def clicks():
    """A small log with ties, missing cells and entities with one event."""
    rng = np.random.default_rng(0)
    n = 3000
    many = pd.DataFrame(
        {
            "who": rng.choice([f"e{k}" for k in range(40)], n, p=np.arange(1, 41) / 820),
            "at": pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 3 * 86400, n) // 40 * 40, unit="s"),
            "ip": rng.integers(0, 90, n) ** 2,
            "device": rng.choice(["p", "q", "r", None], n, p=[0.5, 0.3, 0.1, 0.1]),
        }
    )
    one = pd.DataFrame({"who": ["single"], "at": [pd.Timestamp("2024-03-02 03:00:00")], "ip": [5], "device": [None]})
    return pd.concat([many, one], ignore_index=True)


@pytest.fixture(scope="module")
def fitted(clicks):
    return EventLogFeatures(
        "who", "at", visitor="ip", page="device", divided={"ip": [1000]}, together=[("ip", "device")]
    ).fit(clicks)


@pytest.fixture(scope="module")
def table(fitted, clicks):
    return fitted.transform(clicks)


def _pieces(frame, cuts):
    return [frame.iloc[a:b] for a, b in zip([0, *cuts], [*cuts, len(frame)])]


def _column(table, name):
    return dict(zip(table[table.columns[0]], table[name]))


def test_the_five_clicks_of_table_13():
    log = {
        "id": ["8kxij"] * 5,
        "time": ["2012-02-09 07:23:13.0"] * 3 + ["2012-02-09 07:23:19.0"] * 2,
        "ip": [2919155822] * 5,
    }
    row = EventLogFeatures("id", "time").fit_transform(log).to_dicts()[0]
    assert (row["burst_mean_ip_1min"], row["burst_std_ip_1min"], row["burst_events_ip_1min"]) == (5.0, 0.0, 5.0)
    assert (row["burst_mean_ip_1s"], row["burst_std_ip_1s"], row["burst_events_ip_1s"]) == (2.5, 0.5, 3.0)


def test_the_runs_of_devices_of_table_16():
    devices = ["MSIE"] * 4 + ["Nokia"] + ["MSIE"] * 6
    log = {"id": ["8jk0d"] * 11, "time": np.arange(11) * 1000, "device": devices}
    row = EventLogFeatures("id", "time").fit_transform(log).to_dicts()[0]
    assert row["run_device"] == 8 / 11
    assert row["again_device"] == 9 / 11


def test_the_gaps_of_table_21():
    rows = [
        (f"2012-02-{9 + day:02d} {cell.split()[0]}", cell.split()[1])
        for day, cells in enumerate(TABLE_21.replace("\n", "").split("/"))
        for cell in cells.split("|")
    ]
    log = {"id": ["8ih09"] * 25, "t": [r[0] for r in rows], "ip": [1] * 25, "url": [r[1] for r in rows]}
    row = EventLogFeatures("id", "t", ["ip", "url"], visitor="ip", page="url").fit_transform(log).to_dicts()[0]
    expected = {
        "10s-20s": 2, "20s-30s": 4, "40s-50s": 1, "50s-60s": 1, "60s-70s": 1, "100s-110s": 1, "150s-160s": 1,
        "over_300s": 11,
    }  # fmt: skip
    for kind in ("long", "short"):
        found = {name.removeprefix(f"gaps_{kind}_"): value for name, value in row.items() if f"gaps_{kind}" in name}
        assert {name: value for name, value in found.items() if value} == expected
    quick = [row["gaps_page_0s-5s"], row["gaps_page_5s-10s"], row["gaps_page_10s-20s"]]
    assert quick == [0, 0, 1]
    assert sum(value for name, value in row.items() if name.startswith("gaps_page")) == 13  # "same URL" says 1 so often
    # The same numbers from the function for one sequence.
    seconds = (pd.to_datetime(pd.Series([r[0] for r in rows])) - pd.Timestamp("1970-01-01")).dt.total_seconds()
    whole = [value for name, value in row.items() if name.startswith("gaps_long")]
    assert gap_histogram(seconds).tolist() == whole


def test_five_quick_gaps_on_one_page_raise_a_flag():
    times = [0, 10, 20, 30, 40, 50] + [1000, 1010, 1020, 1030, 1040]
    log = {"id": ["x"] * 11, "t": times, "ip": [1] * 11, "url": ["a"] * 6 + ["b"] * 5}
    row = EventLogFeatures("id", "t", ["ip", "url"], visitor="ip", page="url").fit_transform(log).to_dicts()[0]
    assert (row["flags"], row["quick_gaps"]) == (1, 9)  # the second page has four gaps


def test_the_statistics_of_a_series():
    found = series_statistics([0, 2, 0, 0, 3, 1])
    assert found["value"] == {
        "count": 3, "mean": 2, "max": 3, "sum": 6, "squares": 14, "std": pytest.approx(np.std([2, 3, 1]))
    }  # fmt: skip
    assert found["rise"] == {"count": 2, "mean": 2.5, "max": 3, "sum": 5, "squares": 13, "std": 0.5}
    assert found["fall"] == {"count": 2, "mean": 2, "max": 2, "sum": 4, "squares": 8, "std": 0}


def test_counts_and_bursts_equal_group_bys(table, clicks):
    for name, group in clicks.groupby("who"):
        row = table.filter(pl.col("who") == name).to_dicts()[0]
        assert row["events"] == len(group)
        for field in ("ip", "device"):
            distinct = group[field].nunique()
            assert row[f"distinct_{field}"] == distinct
            assert row[f"events_per_{field}"] == (len(group) / distinct if distinct else 0)
            assert row[f"missing_{field}"] == pytest.approx(group[field].isna().mean())
        coded = group.assign(thousands=group.ip // 1000)
        keys = {"ip": ["ip"], "device": ["device"], "ip//1000": ["thousands"], "all": ["ip", "device"]}
        for key, columns in keys.items():
            for scale, freq in {"1s": "s", "1min": "min", "1h": "h", "1d": "D"}.items():
                cells = coded.groupby([*columns, coded["at"].dt.floor(freq)], dropna=False).size()
                assert row[f"burst_mean_{key}_{scale}"] == pytest.approx(cells.mean(), rel=1e-12)
                assert row[f"burst_std_{key}_{scale}"] == pytest.approx(cells.std(ddof=0), rel=1e-9, abs=1e-9)
                assert row[f"burst_events_{key}_{scale}"] == cells[cells > 2].sum()


def test_diversity_and_volume_equal_scipy(table, clicks):
    from scipy.stats import entropy, skew

    from treatise.statistics import chao_shen_entropy

    def skewness(counts):
        return skew(counts) if counts.var(ddof=0) > 0 else 0.0

    for name, group in clicks.groupby("who"):
        row = table.filter(pl.col("who") == name).to_dicts()[0]
        counts = group["ip"].value_counts()
        assert row["max_ip"] == counts.max()
        assert row["variance_ip"] == pytest.approx(counts.var(ddof=0), abs=1e-12)
        assert row["skewness_ip"] == pytest.approx(skewness(counts), abs=1e-9)
        assert row["entropy_ip"] == pytest.approx(entropy(counts), abs=1e-12)
        assert row["chao_shen_ip"] == pytest.approx(chao_shen_entropy(counts), abs=1e-12)
        volume = group.groupby(group["at"].dt.floor("3h")).size()
        found = [row[f"volume_3h_{statistic}"] for statistic in ("max", "mean", "variance", "skewness")]
        np.testing.assert_allclose(
            found, [volume.max(), volume.mean(), volume.var(ddof=0), skewness(volume)], atol=1e-9
        )


def test_parts_of_the_day_equal_selections(table, clicks):
    for name, group in clicks.groupby("who"):
        row = table.filter(pl.col("who") == name).to_dicts()[0]
        night = group[group["at"].dt.hour < 6]
        assert row["share_0h-6h"] == pytest.approx(len(night) / len(group))
        assert row["share_quarter_2"] == pytest.approx(((group["at"].dt.minute // 15) == 1).mean())
        cells = night.groupby(["device", night["at"].dt.floor("min")], dropna=False).size()
        assert row["burst_mean_device_0h-6h"] == pytest.approx(cells.mean() if len(cells) else 0.0)
        distinct = group["device"].nunique()
        assert row["values_device_0h-6h"] == pytest.approx(night["device"].nunique() / distinct if distinct else 0.0)


def test_series_equal_those_laid_out_in_full(table, clicks):
    minutes = pd.date_range(clicks["at"].min().floor("min"), clicks["at"].max().floor("min"), freq="min")
    for name in ("e39", "e3", "single"):
        group = clicks[clicks["who"] == name].sort_values("at")
        row = table.filter(pl.col("who") == name).to_dicts()[0]
        by_minute = group.groupby(group["at"].dt.floor("min"))
        events = by_minute.size().reindex(minutes, fill_value=0).to_numpy(float)
        devices = by_minute["device"].nunique().reindex(minutes, fill_value=0).to_numpy(float)
        ratio = np.divide(events, devices, out=np.zeros_like(events), where=devices > 0)
        gaps = group["at"].diff().dt.total_seconds().to_numpy()[1:]
        for series, values in {
            "events_1min": events, "device_1min": devices, "per_device_1min": ratio, "gap": gaps
        }.items():  # fmt: skip
            changes = np.diff(values)
            for kind, part in {"": values, "_rise": changes[changes > 0], "_fall": -changes[changes < 0]}.items():
                part = part[part != 0]
                expected = [0.0] * 6
                if len(part):
                    expected = [len(part), part.mean(), part.max(), part.sum(), (part**2).sum(), part.std()]
                found = [row[f"series_{series}{kind}_{s}"] for s in ("count", "mean", "max", "sum", "squares", "std")]
                np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-9)


def test_runs_and_shares_equal_sorted_rows(table, clicks):
    for name, group in clicks.groupby("who"):
        row = table.filter(pl.col("who") == name).to_dicts()[0]
        ordered = group.sort_values(["at", "ip"])["ip"].to_numpy()
        assert row["run_ip"] == pytest.approx((ordered[1:] == ordered[:-1]).sum() / len(group))
        assert row["share_device=p"] == pytest.approx((group["device"] == "p").mean())


def test_chunks_parts_and_orders_give_the_same_bits(fitted, clicks, table):
    order = np.random.default_rng(1).permutation(len(clicks))
    cuts = np.sort(np.random.default_rng(2).choice(len(clicks), 6, replace=False))
    in_time = clicks.sort_values("at", kind="stable")
    assert fitted.transform(_pieces(in_time, cuts)).equals(table)  # seven chunks by time
    assert fitted.transform(clicks.iloc[order]).equals(table)
    parts = [EventLog("who", "at", ["ip", "device"]).add(part) for part in _pieces(clicks.iloc[order], cuts)]
    whole = parts[3]
    for part in (*parts[:3], *parts[4:]):
        whole.merge(pickle.loads(pickle.dumps(part)))
    assert fitted.transform(whole).equals(table)
    assert fitted.transform(pl.from_pandas(clicks).lazy()).equals(table)
    assert fitted.transform({name: clicks[name].to_numpy() for name in clicks}).equals(table)


def test_dask_partitions_give_the_same_bits(fitted, clicks, table):
    frames = pytest.importorskip("dask.dataframe")
    parts = frames.from_pandas(clicks, npartitions=5)
    assert fitted.transform(parts).equals(table)
    learned = EventLogFeatures(**fitted.get_params()).fit(parts)
    assert learned.shares_ == fitted.shares_ and learned.fields_ == fitted.fields_


def test_what_is_frequent_is_learned_alike_from_chunks(clicks):
    whole = EventLogFeatures("who", "at", top_k=2).fit(clicks)
    chunked = EventLogFeatures("who", "at", top_k=2)
    for part in _pieces(clicks, [600, 1200, 1300]):
        chunked.partial_fit(part)
    assert chunked.shares_ == whole.shares_ and whole.shares_["device"] == ("p", "q")
    assert chunked.n_events_ == whole.n_events_ == len(clicks)
    assert EventLogFeatures("who", "at", top_k=2).fit_transform(iter([clicks])).equals(whole.transform(clicks))


def test_other_entities_and_shifted_times_change_nothing_of_ones_own(fitted, clicks, table):
    """But for the ends of the series, which the whole log sets."""
    own = clicks[clicks["who"].isin(["e39", "single"])]
    alone = fitted.transform(own).filter(pl.col("who") == "single")
    among = table.filter(pl.col("who") == "single")
    for name in table.columns:
        if not name.startswith("series_"):
            assert alone[name][0] == among[name][0], name
    moved = fitted.transform(clicks.assign(at=clicks["at"] + pd.Timedelta("7D")))
    assert moved.equals(table)
    named = fitted.transform(clicks.assign(ip=clicks["ip"] + 1_000_000))
    assert (
        named.drop("who")
        .select(pl.exclude("^share_ip.*$"))
        .equals(table.drop("who").select(pl.exclude("^share_ip.*$")))
    )


def test_one_event_gives_zeros_and_never_nan(table):
    row = table.filter(pl.col("who") == "single").to_dicts()[0]
    assert row["events"] == 1 and row["distinct_device"] == 0 and row["missing_device"] == 1
    assert all(row[name] == 0 for name in row if name.startswith(("gaps", "series_gap", "flags", "run", "again")))
    assert not table.select(pl.exclude("who").is_nan().any()).to_numpy().any()


def test_an_unknown_value_is_one_of_the_others(fitted, clicks):
    log = clicks.head(4).assign(device=["new", "p", "new", None])
    assert set(_column(fitted.transform(log.assign(who="x")), "share_device_other").values()) == {0.5}


def test_times_in_every_form_are_read_alike():
    frame = pl.DataFrame({"who": ["a", "a", "b"], "ip": [1, 1, 2]})
    forms = {
        "text": ["2024-01-01 10:00:00", "2024-01-01 10:00:07", "2024-01-02 00:00:00"],
        "iso": ["2024-01-01T10:00:00", "2024-01-01T10:00:07", "2024-01-02T00:00:00"],
        "seconds": [1704103200, 1704103207, 1704153600],
        "float": [1704103200.0, 1704103207.0, 1704153600.0],
    }
    tables = [
        EventLogFeatures("who", "t").fit_transform(frame.with_columns(pl.Series("t", form))) for form in forms.values()
    ]
    dates = pl.Series("t", forms["text"]).str.to_datetime()
    tables.append(EventLogFeatures("who", "t").fit_transform(frame.with_columns(dates)))
    zone = dates.dt.replace_time_zone("Asia/Singapore")  # the clock on the wall counts
    tables.append(EventLogFeatures("who", "t").fit_transform(frame.with_columns(zone)))
    assert all(table.equals(tables[0]) for table in tables[1:])


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ({"who": ["a", None], "t": [1, 2], "x": ["p", "p"]}, "1 of 2 events have no entity .* row 1"),
        ({"who": ["a", "b"], "t": [1, None], "x": ["p", "p"]}, "1 of 2 events have no time .* row 1"),
        ({"who": ["a", "b"], "t": [1.0, np.inf], "x": ["p", "p"]}, "must be finite"),
        ({"who": ["a", "b"], "t": ["2024-01-01 10:00:00", "yesterday"], "x": ["p", "p"]}, "'yesterday' in row 1"),
        ({"who": ["a", "b"], "t": [True, False], "x": ["p", "p"]}, "no time"),
        ({"who": ["a", "b"], "x": ["p", "p"]}, "no column 't'; it has who, x"),
        ({"who": ["a"], "t": [1, 2], "x": ["p", "p"]}, "same length"),
        ({"who": [], "t": [], "x": []}, "no events"),
        ([], "no events"),
        ("clicks.csv", "got str"),
    ],
)
def test_bad_logs_are_refused_in_words(log, words):
    with pytest.raises(ValueError, match=words):
        EventLogFeatures("who", "t", ["x"]).fit_transform(log)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"visitor": "y"}, "visitor names 'y', which is no field"),
        ({"page": "x"}, "needs a visitor"),
        ({"scales": ["soon"]}, "'soon' is no width of time"),
        ({"scales": ["0min"]}, "'0min' is no width"),
        ({"blocks": ["colour"]}, "blocks are some of"),
        ({"day_parts": [0, 24]}, "hours from 0 to 23"),
        ({"divided": {"x": [10]}}, "no whole number"),
        ({"fields": ["t"]}, "different columns"),
        ({"top_k": 0}, "top_k"),
    ],
)
def test_bad_parameters_are_refused_in_words(options, words):
    log = {"who": ["a", "b"], "t": [1, 2], "x": ["p", "p"]}
    with pytest.raises(ValueError, match=words):
        EventLogFeatures("who", "t", **options).fit_transform(log)


def test_parts_with_other_clocks_or_columns_do_not_merge():
    log = EventLog("who", "t", ["x"]).add({"who": ["a"], "t": [1], "x": ["p"]})
    with pytest.raises(ValueError, match="number for time in one part and a date"):
        log.add({"who": ["a"], "t": ["2024-01-01 00:00:00"], "x": ["p"]})
    with pytest.raises(ValueError, match="cannot be merged"):
        log.merge(EventLog("who", "t", ["y"]))


def test_numbers_read_as_whole_fractions_or_text_are_the_same_values():
    fields = ["x"]
    whole = EventLog("who", "t", fields).add({"who": ["a"] * 4, "t": range(4), "x": pl.Series([1.0, 2.0, 1.5, None])})
    parts = EventLog("who", "t", fields).add({"who": ["a"] * 2, "t": [0, 1], "x": pl.Series([1, 2])})
    parts.add({"who": ["a"] * 2, "t": [2, 3], "x": pl.Series(["1.5", ""])})
    assert whole.value_counts("x") == parts.value_counts("x") == {"1": 1, "2": 1, "1.5": 1}


def test_fields_are_found_and_names_that_would_stand_twice_are_refused(clicks):
    log = clicks.assign(amount=np.linspace(0.1, 7.7, len(clicks)), id=range(len(clicks)))
    assert EventLogFeatures("who", "at").fit(log).fields_ == ("ip", "device")
    with pytest.raises(ValueError, match="'events' would be the name of two columns"):
        EventLogFeatures("events", "at").fit_transform(clicks.rename(columns={"who": "events"}))


def test_every_feature_has_words_and_a_column(fitted, table):
    assert list(fitted.feature_words_) == table.columns[1:] == fitted.get_feature_names_out().tolist()
    assert fitted.feature_words_["gaps_page_5s-10s"] == (
        "gaps of 5 to 10 s of one ip with five events or more, on the same device"
    )
    few = EventLogFeatures("who", "at", ["ip"], blocks=["counts", "volume"]).fit_transform(
        pl.DataFrame({"who": ["a"], "at": [0], "ip": [1]})
    )
    assert few.width == 1 + 4 + 20


def test_the_made_log_is_as_described():
    log, labels = make_click_log(200, 20_000, random_state=0)
    again, _ = make_click_log(200, 20_000, random_state=0)
    assert log.equals(again) and log["publisherid"].n_unique() == 200 == labels.height
    assert (labels["status"] == "Fraud").sum() == 8 and log["clicktime"].is_sorted()
    assert 15_000 < log.height < 25_000
    assert log["clicktime"].dt.date().n_unique() == 3
    joined = log.join(labels, on="publisherid").group_by("status").agg(pl.col("referredurl").is_null().mean())
    shares = dict(joined.iter_rows())
    assert shares["Fraud"] > 0.4 and shares["OK"] < 0.2
    with pytest.raises(ValueError, match="a click each"):
        make_click_log(10, 5)
