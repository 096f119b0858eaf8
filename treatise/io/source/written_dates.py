"""Days and moments as people write them: 31.1.2024, 01/31/24, 31-Jan-2024 10:30, January 31, 2024 5:00 pm.

How the cells of a column are written is one decision, named by the order of its parts: ``day/month/year``,
``month/day/year``, ``year/month/day``, or ``yearmonthday`` for 20240131.
"""

import polars as pl

_CLOCK = r"(?:[T ,]*(?:at )?(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,6})?))? ?([AaPp]\.?[Mm]\.?)?)?"
_BETWEEN = r"(?:[./\- ]|, |\. )"
DATE = rf"^(\d{{1,4}}|\p{{L}}{{3,9}}){_BETWEEN}(\d{{1,2}}|\p{{L}}{{3,9}}){_BETWEEN}(\d{{4}}|\d{{1,2}}){_CLOCK}$"
"""A date of three parts, with or without a time of day."""
_PARTS = ("first", "second", "third", "hour", "minute", "seconds", "half")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
COMPACT = "yearmonthday"
ORDERS = ("day/month/year", "month/day/year", "year/month/day")


def orders_of(column: pl.Series) -> list[str]:
    """The orders of day, month and year that make a date of every cell.

    Where there are two, 01/02/2024 say, a column of which one part never changes holds the first days of months, and
    points between the parts mean that the day comes first.
    """
    present = column.drop_nulls().unique()
    possible = [order for order in ORDERS if dates_of(present, order).null_count() == 0]
    if len(possible) < 2:
        return possible
    if present.str.contains(r"^\d+\.\d+\.").all():
        return [ORDERS[0]]
    parts = present.str.extract_groups(DATE).struct.unnest()
    still = [parts.to_series(at).n_unique() == 1 for at in (0, 1)]
    if set(possible) == set(ORDERS[:2]) and still[0] != still[1]:
        return [ORDERS[0] if still[0] else ORDERS[1]]
    return possible


def dates_of(column: pl.Series, order: str) -> pl.Series:
    """The days, or the moments if any cell has a time of day; null where a cell is no date of this order."""
    if order == COMPACT:
        return column.cast(pl.String).str.to_date("%Y%m%d", strict=False)
    parts = column.str.extract_groups(DATE).struct.unnest()
    parts.columns = list(_PARTS)
    place = {name: _PARTS[at] for at, name in enumerate(order.split("/"))}
    year, month, day = (pl.col(place[name]) for name in ("year", "month", "day"))
    short = pl.col(place["year"]).cast(pl.Int32, strict=False)
    century = pl.when(short < 69).then(2000).otherwise(1900)
    full_year = pl.when(year.str.len_chars() == 4).then(short).when(year.str.len_chars() == 2).then(short + century)
    in_month = pl.when(month.str.contains(r"^\d")).then(month.cast(pl.Int32, strict=False)).otherwise(_month(month))
    late = pl.col("half").str.to_lowercase().str.starts_with("p")
    spoken = pl.col("hour").cast(pl.Int32, strict=False)
    # Twelve o'clock at night is hour 0 of the day, at noon hour 12.
    hour = (
        pl.when(pl.col("half").is_null())
        .then(spoken)
        .when((spoken >= 1) & (spoken <= 12))
        .then(spoken % 12 + 12 * late.cast(pl.Int32))
    )
    written = pl.format(
        "{}-{}-{} {}:{}:{}", full_year, in_month, day, hour.fill_null(pl.when(spoken.is_null()).then(0)),
        pl.col("minute").fill_null("00"), pl.col("seconds").fill_null("00"),
    )  # fmt: skip
    moments = parts.select(written.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False)).to_series()
    found = moments.alias(column.name)
    return found if parts["hour"].null_count() < len(parts) else found.cast(pl.Date)


def is_compact(column: pl.Series) -> bool:
    """Whether whole numbers are days such as 20240131, all of them."""
    low, high = column.min(), column.max()
    if low is None or low < _FIRST_YEAR * 10_000 or high > _LAST_YEAR * 10_000:  # type: ignore[operator]
        return False
    distinct = column.drop_nulls().unique()
    return len(distinct) > 2 and dates_of(distinct, COMPACT).null_count() == 0


def _month(name: pl.Expr) -> pl.Expr:
    small = name.str.to_lowercase()
    known = {month: number for number, month in enumerate(_MONTHS, 1)} | {"sept": 9}
    known |= {month: number for number, month in enumerate(_MONTH_NAMES, 1)}
    return small.replace_strict(known, default=None, return_dtype=pl.Int32)
