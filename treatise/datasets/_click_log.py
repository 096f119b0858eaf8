"""Logs of clicks on advertisements, some of them made up by the publishers who are paid for them."""

from datetime import datetime

import numpy as np
import polars as pl
from sklearn.utils import check_random_state

DAY = 86_400
COUNTRIES = (
    "in", "id", "us", "ng", "za", "bd", "ke", "gh", "th", "vn", "my", "ru", "uk", "br", "mx", "tr", "sa", "pk", "ir",
    "et", "eg", "fr", "de", "sg", "ph", "lk", "np", "tz", "ug", "zm",
)  # fmt: skip
CHANNELS = ("ad", "co", "es", "gd", "in", "mc", "pp", "se", "mg", "ow")
SESSION = 2.5
"""Clicks of a visitor who stays, on average."""
APPS = 0.15
"""Share of honest publishers whose clicks lack a referrer as often as those of the others."""
HONEST_GAP = 45.0
"""Seconds between them, on average."""


def make_click_log(
    n_entities: int = 600,
    n_clicks: int = 60_000,
    *,
    n_days: int = 3,
    fraud_share: float = 0.04,
    diluted: float = 0.5,
    gateways: float = 0.2,
    start: datetime = datetime(2012, 2, 9),
    random_state: object = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Make a log of clicks on the pages of publishers, of whom a few are fraudulent.

    Publishers have audiences of their own: visitors with an address, a device and a country come by day rather than
    by night and click a few times. Fraudulent publishers have bursts besides, 20 to 60 clicks of one address and device
    within a minute, twice as often by night as visitors come then, and about 60 % of their clicks lack a referrer. Some
    dilute a few bursts with much honest traffic. Honest publishers have such things as well, though seldom together:
    bursts where many people share the address and device of a gateway, and in 15 % of them clicks without a referrer.

    It stands in for the logs of the contest of 2012, which are not public any more: sizes, fields and rarity are alike,
    the numbers that a method reaches are not comparable.

    Parameters
    ----------
    n_entities : int, default=600
        Publishers.
    n_clicks : int, default=60000
        Clicks, about: of each publisher they are drawn from a distribution with a long tail, one at least.
    n_days : int, default=3
        Days.
    fraud_share : float, default=0.04
        Share of fraudulent publishers; one at least, if it is above zero.
    diluted : float, default=0.5
        Share of these that dilute their bursts: a tenth of their clicks are made up, not four fifths.
    gateways : float, default=0.2
        Share of honest publishers some of whose visitors, up to four in ten, come through a gateway.
    start : datetime, default=datetime(2012, 2, 9)
        When the log begins.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    log : polars.DataFrame
        "publisherid", "clicktime", "numericip", "deviceua", "campaignid", "usercountry", "referredurl" (may be missing)
        and "channel", by time.
    labels : polars.DataFrame
        "publisherid" and "status", "Fraud" or "OK".

    Examples
    --------
    >>> from treatise.datasets import make_click_log
    >>> log, labels = make_click_log(50, 2000, random_state=0)
    >>> log.columns[:3], labels["status"].value_counts(sort=True).rows()
    (['publisherid', 'clicktime', 'numericip'], [('OK', 48), ('Fraud', 2)])

    References
    ----------
    .. [1] Paper v15-0099, Tables 3 and 6 for fields and sizes.
    """
    if n_entities < 2 or n_clicks < n_entities or n_days < 1:
        raise ValueError(
            f"n_entities={n_entities}, n_clicks={n_clicks} and n_days={n_days}: two publishers or more need a click "
            "each, on one day or more"
        )
    if not (0.0 <= fraud_share < 1.0 and 0.0 <= diluted <= 1.0 and 0.0 <= gateways <= 1.0):
        raise ValueError(f"fraud_share={fraud_share}, diluted={diluted}, gateways={gateways} are shares, from 0 to 1")
    rng = check_random_state(random_state)
    fraud = np.zeros(n_entities, dtype=bool)
    fraud[rng.permutation(n_entities)[: max(round(fraud_share * n_entities), int(fraud_share > 0))]] = True
    sizes = rng.lognormal(0.0, 1.3, n_entities)
    sizes = np.maximum(1, rng.poisson(sizes / sizes.sum() * n_clicks))
    made_up = np.where(rng.random(n_entities) < diluted, 0.1, 0.8) * fraud
    shared = np.where(rng.random(n_entities) < gateways, 0.4 * rng.random(n_entities), 0.0) * ~fraud
    bursts = np.ceil(sizes * made_up / 40).astype(np.int64)
    crowds = np.ceil(sizes * shared / 40).astype(np.int64)
    honest = np.maximum(np.round(sizes * (1.0 - made_up - shared)).astype(np.int64), ~fraud)
    parts = [
        _visits(rng, honest, n_days),
        _bursts(rng, bursts, n_days, (20, 60), night=0.12),
        _bursts(rng, crowds, n_days, (15, 60), night=0.0),
    ]
    who, seconds, visitor = (np.concatenate([part[i] for part in parts]) for i in range(3))
    inside = seconds < n_days * DAY
    who, seconds, visitor = who[inside], seconds[inside], visitor[inside]
    absent = np.setdiff1d(np.arange(n_entities), who)  # every click of theirs fell after the end
    who = np.concatenate([who, absent])
    seconds = np.concatenate([seconds, rng.randint(0, n_days * DAY, len(absent))])
    visitor = np.concatenate([visitor, rng.randint(0, 1000, len(absent))])
    order = np.argsort(seconds, kind="stable")
    who, seconds, visitor = who[order], seconds[order], visitor[order]
    names = np.array([f"p{number:05d}" for number in range(n_entities)])
    log = pl.DataFrame(
        {
            "publisherid": names[who],
            "clicktime": pl.Series(np.datetime64(start, "us") + seconds.astype("timedelta64[s]")),
            **_fields(rng, who, visitor, fraud),
        }
    )
    return log, pl.DataFrame({"publisherid": names, "status": np.where(fraud, "Fraud", "OK")})


def _hours(rng: np.random.RandomState, n: int, night: float) -> np.ndarray:
    """Seconds of the day: a wave with its trough at night, or, with a chance, in the night itself."""
    grid = np.linspace(0.0, DAY, 1441)
    wave = 1.0 - 0.7 * np.cos(2 * np.pi * (grid / DAY - 4 / 24))
    total = np.concatenate([[0.0], np.cumsum((wave[1:] + wave[:-1]) / 2)])
    by_day = np.interp(rng.random(n) * total[-1], total, grid)
    return np.where(rng.random(n) < night, rng.random(n) * DAY / 4, by_day)


def _visits(rng: np.random.RandomState, clicks: np.ndarray, n_days: int) -> tuple[np.ndarray, ...]:
    """Clicks of visitors who come, click a few times and go; a frequent visitor comes again."""
    sessions = np.where(clicks > 0, np.maximum(1, np.round(clicks / SESSION).astype(np.int64)), 0)
    owner = np.repeat(np.arange(len(clicks)), sessions)
    length = rng.geometric(1.0 / SESSION, len(owner))
    begin = rng.randint(0, n_days, len(owner)) * DAY + _hours(rng, len(owner), 0.0)
    # Zipf-like: the pool of visitors is as large as the sessions, and a few of them come often.
    visitor = (rng.random(len(owner)) ** 2 * sessions[owner]).astype(np.int64)
    who, first = np.repeat(owner, length), np.cumsum(length) - length
    gaps = rng.exponential(HONEST_GAP, len(who))
    gaps[first] = 0.0
    passed = np.cumsum(gaps)
    seconds = np.repeat(begin - passed[first], length) + passed
    return who, seconds.astype(np.int64), np.repeat(visitor, length)


def _bursts(
    rng: np.random.RandomState, bursts: np.ndarray, n_days: int, sizes: tuple[int, int], *, night: float
) -> tuple[np.ndarray, ...]:
    """Clicks of one address and device within a minute."""
    owner = np.repeat(np.arange(len(bursts)), bursts)
    length = rng.randint(sizes[0], sizes[1] + 1, len(owner))
    begin = rng.randint(0, n_days, len(owner)) * DAY + _hours(rng, len(owner), night)
    machine = -1 - rng.randint(0, 3, len(owner))  # a publisher has three such machines
    who = np.repeat(owner, length)
    seconds = np.repeat(begin, length) + rng.randint(0, 60, len(who))
    return who, seconds.astype(np.int64), np.repeat(machine, length)


def _fields(
    rng: np.random.RandomState, who: np.ndarray, visitor: np.ndarray, fraud: np.ndarray
) -> dict[str, np.ndarray | pl.Series]:
    """Fields that follow from publisher and visitor, and those drawn for each click."""
    n, publishers = len(who), len(fraud)
    # Whatever is constant for a visitor of a publisher is drawn by a mix of the two numbers.
    mixed = (who.astype(np.uint64) * np.uint64(1_000_003) + (visitor + 8).astype(np.uint64)) * np.uint64(
        0x9E3779B97F4A7C15
    )
    first, second = (mixed >> np.uint64(40)) / 2**24, ((mixed >> np.uint64(16)) & np.uint64(0xFFFFFF)) / 2**24
    home = rng.randint(0, len(COUNTRIES), publishers)
    country = np.where(first < 0.5, home[who], (second**2 * len(COUNTRIES)).astype(np.int64))
    subnet = rng.randint(1_000, 4_000, (publishers, 4))[who, (first * 4).astype(np.int64)]
    address = subnet.astype(np.int64) * 1_000_000 + (second * 1_000_000).astype(np.int64)
    device = (((first + second) % 1.0) ** 3 * 300).astype(np.int64)
    devices = np.array([f"device_{number:03d}" for number in range(300)])
    campaigns = np.array([f"8g{number:03d}" for number in range(400)])
    offered = rng.randint(0, 400, (publishers, 12))[who, (rng.random(n) ** 2 * 12).astype(np.int64)]
    pages = (who * 20 + (rng.random(n) ** 2 * 20).astype(np.int64)).astype(np.int64)
    rate = np.where(fraud | (rng.random(publishers) < APPS), rng.beta(3, 2, publishers), rng.beta(0.5, 9.5, publishers))
    missing = rng.random(n) < rate[who]
    page = pl.Series(np.arange(publishers * 20)).cast(pl.String)
    return {
        "numericip": address,
        "deviceua": devices[device],
        "campaignid": campaigns[offered],
        "usercountry": np.array(COUNTRIES)[country],
        "referredurl": pl.select(pl.when(pl.Series(~missing)).then(("u" + page).gather(pages)))[:, 0],
        "channel": np.array(CHANNELS)[rng.randint(0, len(CHANNELS), publishers)[who]],
    }  # fmt: skip
