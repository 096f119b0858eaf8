"""Features of 3.2 million clicks of 3 000 publishers, beside the same features by group-bys of pandas and Polars."""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl

from benchmarks._contest import Contest, Scaling, left_out
from treatise.applications import EventLogFeatures
from treatise.datasets import make_click_log

FIELDS = ["numericip", "deviceua", "campaignid", "usercountry", "referredurl"]
SCALES = {"1s": "1s", "1min": "1m", "1h": "1h", "1d": "1d"}
KEYS = [["numericip"], ["deviceua"], ["campaignid"], ["usercountry"], ["referredurl"], ["numericip", "deviceua"]]
CLICKS, ENTITIES = 3_200_000, 3_000


def benchmarks() -> Iterator[Contest | Scaling]:
    """Counts, bursts at four scales by six keys, and eleven series of minutes with rises and falls."""
    words = f"{CLICKS:,} clicks of {ENTITIES:,} entities: counts, bursts by six keys and four scales, series"
    peers = {"polars": (clicks, by_polars), "pandas": (clicks_of_pandas, by_pandas)}
    if find_spec("pandas") is None or find_spec("pyarrow") is None:
        left_out("pandas or pyarrow is absent: no contest with pandas")
        del peers["pandas"]
    for peer, (log, theirs) in peers.items():
        yield Contest(
            work=words,
            peer=peer,
            ours=lambda: ours(clicks()),
            theirs=lambda log=log, theirs=theirs: theirs(log()),
            quality=checksum,
            prepare=log,
            warm_up=lambda: ours(few_clicks()),
            repeats=1,
        )
    yield Scaling(
        work="all features of six fields, over clicks",
        sizes=(200_000, 800_000, 3_200_000),
        prepare=lambda clicks: _everything(make_click_log(clicks // 1000, clicks, random_state=0)[0]),
        warm_up=lambda: _everything(few_clicks())(),
    )


@cache
def clicks() -> pl.DataFrame:
    """The log of both sides."""
    log, _ = make_click_log(ENTITIES, CLICKS, random_state=0)
    return log.select("publisherid", "clicktime", *FIELDS)


@cache
def clicks_of_pandas() -> Any:
    """The same as pandas has it."""
    return clicks().to_pandas()


def few_clicks() -> pl.DataFrame:
    """Enough to compile everything."""
    return make_click_log(20, 200, random_state=0)[0]


def features() -> EventLogFeatures:
    """The blocks that the peers have too."""
    return EventLogFeatures(
        "publisherid", "clicktime", FIELDS, together=[("numericip", "deviceua")], windows=("1min",),
        blocks=("counts", "bursts", "series"),
    )  # fmt: skip


def ours(log: pl.DataFrame) -> dict[str, np.ndarray]:
    """Columns by name, publishers in order."""
    table = features().fit_transform(log)
    return {name: table[name].to_numpy() for name in table.columns[1:] if not name.startswith("series_gap")}


def _everything(log: pl.DataFrame) -> Any:
    return lambda: EventLogFeatures("publisherid", "clicktime", visitor="numericip").fit_transform(log)


def checksum(columns: dict[str, np.ndarray]) -> float:
    """Sum of the logarithms of all numbers: level where the features are the same."""
    return float(sum(np.log1p(np.abs(columns[name])).sum() for name in sorted(columns)))


def by_polars(log: pl.DataFrame) -> dict[str, np.ndarray]:
    """The same, with expressions of Polars, all columns of one key and scale in one group-by."""
    found: dict[str, np.ndarray] = {}
    who = pl.col("publisherid")
    counts = log.group_by("publisherid").agg(
        pl.len().alias("events"),
        *[pl.col(f).drop_nulls().n_unique().alias(f"distinct_{f}") for f in FIELDS],
        *[pl.col(f).is_null().mean().alias(f"missing_{f}") for f in FIELDS],
    ).sort("publisherid")  # fmt: skip
    found["events"] = counts["events"].to_numpy().astype(float)
    for f in FIELDS:
        distinct = counts[f"distinct_{f}"].to_numpy().astype(float)
        found[f"distinct_{f}"], found[f"missing_{f}"] = distinct, counts[f"missing_{f}"].to_numpy()
        found[f"events_per_{f}"] = _ratio(found["events"], distinct)
    for key in KEYS:
        for scale, every in SCALES.items():
            cells = log.group_by(who, *key, pl.col("clicktime").dt.truncate(every)).len()
            out = cells.group_by("publisherid").agg(
                pl.col("len").mean().alias("mean"), pl.col("len").std(ddof=0).alias("std"),
                pl.col("len").filter(pl.col("len") > 2).sum().alias("events"),
            ).sort("publisherid")  # fmt: skip
            for name in ("mean", "std", "events"):
                found[f"burst_{name}_{'+'.join(key)}_{scale}"] = out[name].to_numpy().astype(float)
    minute = pl.col("clicktime").dt.truncate("1m").alias("minute")
    series = log.group_by(who, minute).agg(
        pl.len().cast(pl.Float64).alias("events"),
        *[pl.col(f).drop_nulls().n_unique().cast(pl.Float64).alias(f) for f in FIELDS],
    ).sort("publisherid", "minute")  # fmt: skip
    series = series.with_columns(
        pl.when(pl.col(f) > 0).then(pl.col("events") / pl.col(f)).otherwise(0.0).alias(f"per_{f}") for f in FIELDS
    )
    first, last = log["clicktime"].min(), log["clicktime"].max()
    joined = (pl.col("minute").shift(1) + pl.duration(minutes=1) == pl.col("minute")).over("publisherid")
    series = series.with_columns(
        joined.fill_null(False).alias("joined"),
        (pl.col("minute") == pl.lit(first).dt.truncate("1m")).alias("starts"),
        (pl.col("minute") == pl.lit(last).dt.truncate("1m")).alias("stops"),
    )
    names = ["events", *FIELDS, *[f"per_{f}" for f in FIELDS]]
    for name in names:
        v = pl.col(name)
        before = pl.when("joined").then(v.shift(1).over("publisherid")).otherwise(0.0)
        up = pl.when("starts").then(0.0).otherwise(v - before)
        next_joined = pl.col("joined").shift(-1).over("publisherid").fill_null(False)
        to_zero = pl.when(~next_joined & ~pl.col("stops")).then(v).otherwise(0.0)
        part = series.select("publisherid", v, up.alias("up"), to_zero.alias("zero"))
        whole = part.group_by("publisherid").agg(
            *_statistics(v.filter(v != 0), ""), *_statistics(pl.col("up").filter(pl.col("up") > 0), "_rise"),
            *_statistics(
                (-pl.col("up")).filter(pl.col("up") < 0).append(pl.col("zero").filter(pl.col("zero") > 0)), "_fall"
            ),
        ).sort("publisherid")  # fmt: skip
        for column in whole.columns[1:]:
            kind, statistic = column.rsplit("|")
            found[f"series_{name}_1min{kind}_{statistic}"] = whole[column].fill_null(0.0).to_numpy().astype(float)
    return found


def _statistics(values: pl.Expr, kind: str) -> list[pl.Expr]:
    return [
        values.len().alias(f"{kind}|count"), values.mean().alias(f"{kind}|mean"), values.max().alias(f"{kind}|max"),
        values.sum().alias(f"{kind}|sum"), (values**2).sum().alias(f"{kind}|squares"),
        values.std(ddof=0).alias(f"{kind}|std"),
    ]  # fmt: skip


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def by_pandas(log: Any) -> dict[str, np.ndarray]:
    """The same, with group-bys of pandas, words made categories first."""
    import pandas as pd

    log = log.copy()
    for f in ("publisherid", *FIELDS):
        log[f] = pd.factorize(log[f], sort=True)[0]  # -1 where it is missing
    found: dict[str, np.ndarray] = {}
    groups = log.groupby("publisherid")
    found["events"] = groups.size().to_numpy(float)
    for f in FIELDS:
        seen = log.loc[log[f] >= 0, ["publisherid", f]].drop_duplicates()
        distinct = np.bincount(seen["publisherid"], minlength=len(found["events"])).astype(float)
        found[f"distinct_{f}"], found[f"events_per_{f}"] = distinct, _ratio(found["events"], distinct)
        found[f"missing_{f}"] = (log[f] < 0).groupby(log["publisherid"]).mean().to_numpy()
    for key in KEYS:
        for scale, every in {"1s": "s", "1min": "min", "1h": "h", "1d": "D"}.items():
            cells = (
                log.groupby(["publisherid", *key, log["clicktime"].dt.floor(every)]).size().rename("c").reset_index()
            )
            by = cells.groupby("publisherid")["c"]
            name = f"{'+'.join(key)}_{scale}"
            found[f"burst_mean_{name}"] = by.mean().to_numpy(float)
            found[f"burst_std_{name}"] = by.std(ddof=0).to_numpy(float)
            large = cells[cells["c"] > 2]
            found[f"burst_events_{name}"] = np.bincount(
                large["publisherid"], large["c"], minlength=len(found["events"])
            ).astype(float)
    minute = log["clicktime"].dt.floor("min")
    first, last = minute.min(), minute.max()
    keys = [log["publisherid"], minute.rename("minute")]
    series = log.groupby(keys).size().astype(float).rename("events").to_frame()
    for f in FIELDS:
        series[f] = log[f].where(log[f] >= 0).groupby(keys).nunique().astype(float)
        series[f"per_{f}"] = _ratio(series["events"].to_numpy(), series[f].to_numpy())
    series = series.reset_index()
    who = series["publisherid"]
    joined = (who == who.shift(1)) & (series["minute"] - series["minute"].shift(1) == pd.Timedelta("1min"))
    next_joined = joined.shift(-1, fill_value=False)
    for name in ["events", *FIELDS, *[f"per_{f}" for f in FIELDS]]:
        v = series[name]
        up = (v - v.shift(1).where(joined, 0.0)).where(series["minute"] != first, 0.0)
        to_zero = v.where(~next_joined & (series["minute"] != last), 0.0)
        falls = pd.concat([-up.where(up < 0, 0.0), to_zero])
        parts = {"": (v, who), "_rise": (up.where(up > 0, 0.0), who), "_fall": (falls, pd.concat([who, who]))}
        for kind, (values, owner) in parts.items():
            kept = values != 0
            by = values[kept].groupby(owner[kept])
            squares = (values[kept] ** 2).groupby(owner[kept]).sum()
            table = {
                "count": by.size(), "mean": by.mean(), "max": by.max(), "sum": by.sum(), "squares": squares,
                "std": by.std(ddof=0),
            }  # fmt: skip
            for statistic, column in table.items():
                out = column.reindex(range(len(found["events"])), fill_value=0.0).to_numpy(float)
                found[f"series_{name}_1min{kind}_{statistic}"] = out
    return found
