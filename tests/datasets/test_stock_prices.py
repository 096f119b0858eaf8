"""Data for graphs: groups of Gaussian columns, and prices of stocks."""

from treatise.datasets import load_stock_prices


def test_stocks_come_with_tickers_and_sectors(real_data):
    real_data("graphical/stockdata.rda")
    stocks = load_stock_prices()
    assert stocks.prices.shape == (1258, 452)
    assert len(stocks.tickers) == len(set(stocks.tickers)) == 452
    assert len(set(stocks.sectors)) == 10 and stocks.sectors[stocks.tickers.index("AAPL")] == "Information Technology"
