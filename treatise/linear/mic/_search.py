"""Forward search of MIC-Multi: which feature to add to which responses (Dhillon et al., JMLR 12:525, Algorithm 1)."""

import numpy as np

from treatise.linear.mic._base import ONE_ROW, SLACK
from treatise.optimize import ForwardSelection
from treatise.statistics import subset_code_length

SHORTLIST = 64


def feature_prices(coding, n_features, n_responses, coef_bits):
    """Bits to name a feature, k = 1..h of h responses, and the coefficients (Section 4.1.1), by k."""
    k = np.arange(1, n_responses + 1)
    if coding == "partial":
        return np.log2(n_features) + subset_code_length(k, n_responses) + coef_bits * k
    if coding == "full":
        return np.where(k == n_responses, np.log2(n_features) + coef_bits * k, np.inf)
    return k * (np.log2(n_features) + coef_bits)


def best_entry(savings, prices):
    """Net bits of the best feature with its best responses, the feature, and those responses.

    Exact, by the bound of Section 4.3.2: no feature saves more than it does in all responses, at the least price. A
    few of the largest bounds give a value that rules out nearly all others.
    """
    bound = savings.sum(axis=0) - prices.min()
    shortlist = np.argpartition(-bound, SHORTLIST)[:SHORTLIST] if len(bound) > SHORTLIST else np.arange(len(bound))
    at_least = _best_net(savings[:, shortlist], prices).max()
    in_question = np.flatnonzero(bound >= at_least - SLACK)
    net = _best_net(savings[:, in_question], prices)
    feature = in_question[np.argmax(net)]
    order = np.argsort(-savings[:, feature], kind="stable")
    k = 1 + np.argmax(np.cumsum(savings[order, feature]) - prices)
    return float(net.max()), int(feature), order[:k]


def _best_net(savings, prices):
    """Most bits that each feature saves over k: with a diagonal covariance the best k responses save most alone."""
    falling = -np.sort(-savings, axis=0)
    return (np.cumsum(falling, axis=0) - prices[:, np.newaxis]).max(axis=0)


def select(X, Y, coding, coef_bits, savings_of):
    """Algorithm 1: the search at its end, and after each step the squared errors and the bits of the model."""
    (n, p), h = X.shape, Y.shape[1]
    prices = feature_prices(coding, p, h, coef_bits)
    search, unused = ForwardSelection(X, Y, most_in_one_row=ONE_ROW), np.ones(p, dtype=bool)
    path, spent = [(search.rss.copy(), 0.0)], 0.0
    while True:
        savings = savings_of(search.drops(), search.rss[:, np.newaxis], n) * unused
        # One row must remain to tell the noise.
        savings[[len(columns) >= n - 2 for columns in search.sets]] = 0.0
        net, feature, responses = best_entry(savings, prices)
        if not net > 0:
            return search, path
        # A response that the feature does not help may be named too, where that is shorter to say; it stays as it is.
        search.add(feature, responses[savings[responses, feature] > 0])
        # Coded one by one, a feature may enter another response later; a shared code names it once.
        unused[feature] = coding == "independent"
        spent += float(prices[len(responses) - 1])
        path.append((search.rss.copy(), spent))
