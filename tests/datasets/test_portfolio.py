"""Stock prices for portfolio strategies."""

import numpy as np
import pytest

from treatise._core.errors import TreatiseError
from treatise.datasets import load_portfolio


@pytest.mark.parametrize(("name", "shape"), [("djia", (508, 30)), ("sp500", (1277, 25)), ("nyse_o", (5652, 36))])
def test_prices_start_at_one_and_stay_positive(real_data, name, shape):
    real_data(f"portfolio/{name}.csv.gz")
    prices, stocks = load_portfolio(name)
    assert prices.shape == shape and len(stocks) == shape[1]
    np.testing.assert_array_equal(prices[0], 1.0)
    assert prices.min() > 0.0
    # A day's ratio is a return: none gains half, and only one loses it, a stock of the Dow Jones on a single day.
    ratios = prices[1:] / prices[:-1]
    assert 1.0 < ratios.max() < 1.5
    assert np.count_nonzero(ratios < 0.6) == (1 if name == "djia" else 0)


def test_an_unknown_portfolio_is_refused():
    with pytest.raises(TreatiseError, match="no portfolio 'msci'"):
        load_portfolio("msci")
