"""Daily prices of the stocks of an index."""

from typing import NamedTuple

import numpy as np

from treatise.datasets._home import locate
from treatise.io.r_data import read_r_data


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
