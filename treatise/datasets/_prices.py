"""Prices of stocks by day, and paths that behave like them."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from treatise._core.errors import TreatiseError
from treatise.datasets._home import locate
from treatise.io import read_r_data, read_table

PORTFOLIOS = ("djia", "nyse_o", "sp500")


def load_portfolio(name: str) -> tuple[np.ndarray, list[str]]:
    """Daily prices of stocks, each relative to its price on the first day.

    Parameters
    ----------
    name : {"djia", "nyse_o", "sp500"}
        30 stocks of the Dow Jones from 2001 to 2003, 36 of the New York exchange from 1962 to 1984, or 25 of the
        Standard and Poor's index from 1998 to 2003. Column P of the first falls by 60 per cent on a single day, as
        an unadjusted split would.

    Returns
    -------
    prices : ndarray of shape (n_days, n_stocks)
        Prices; the first row is 1.
    stocks : list of str
        Names of the columns, as in the file.
    """
    if name not in PORTFOLIOS:
        raise TreatiseError(f"no portfolio {name!r}; there are {', '.join(PORTFOLIOS)}")
    prices = read_table(locate(f"portfolio/{name}.csv.gz"), header=True).frame
    return np.vstack([np.ones(prices.width), prices.to_numpy()]), prices.columns


def make_fractional_brownian_motion(
    n_steps: int, hurst: float, *, random_state: int | np.random.RandomState | None = None
) -> np.ndarray:
    """A path of fractional Brownian motion at the times 0, 1/n_steps, ..., 1, exact in distribution.

    The increments are made by the circulant embedding of Davies and Harte: O(n log n).

    Parameters
    ----------
    n_steps : int
        Number of increments.
    hurst : float
        Hurst index between 0 and 1: above a half steps tend to go on, below they tend to turn back.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Returns
    -------
    path : ndarray of shape (n_steps + 1,)
        Values, from zero; the last has variance one.
    """
    if not 0.0 < hurst < 1.0:
        raise ValueError(f"hurst={hurst!r} must lie between 0 and 1")
    lag = np.arange(n_steps + 1, dtype=float)
    power = 2.0 * hurst
    covariance = 0.5 * ((lag + 1.0) ** power - 2.0 * lag**power + np.abs(lag - 1.0) ** power)
    circle = np.concatenate([covariance, covariance[-2:0:-1]])
    # The eigenvalues are never negative for these covariances; rounding may make them so.
    spectrum = np.maximum(np.fft.fft(circle).real, 0.0)
    rng = check_random_state(random_state)
    noise = rng.standard_normal(len(circle)) + 1j * rng.standard_normal(len(circle))
    increments = np.fft.fft(np.sqrt(spectrum / len(circle)) * noise).real[:n_steps]
    return np.concatenate([[0.0], np.cumsum(increments)]) * float(n_steps) ** -hurst


class StockPrices(NamedTuple):
    """Closing prices by day and stock, with each stock's ticker and sector."""

    prices: np.ndarray
    tickers: list[str]
    sectors: list[str]


def load_stock_prices() -> StockPrices:
    """Closing prices of the 452 stocks that were in the S&P 500 throughout 2003 to 2008.

    The logarithms of the ratios of consecutive rows are the daily returns: dependent within a sector and over the
    whole market, with tails far heavier than Gaussian.

    Returns
    -------
    stocks : StockPrices
        ``prices`` of shape (1258, 452), ``tickers`` and ``sectors``.
    """
    stored = read_r_data(locate("graphical/stockdata.rda"))["stockdata"]
    tickers, sectors = stored["info"][:, 0], stored["info"][:, 1]
    return StockPrices(stored["data"], tickers.tolist(), sectors.tolist())
