"""Forward search past its end and back, with features named by their groups (JMLR 12:525, Algorithm 2)."""

import numpy as np

from treatise.linear.mic._base import ONE_ROW, SLACK, savings
from treatise.optimize import ForwardSelection
from treatise.optimize.forward_selection import rises


def switch_select(X, y, code, extra):
    """Features chosen, in order; the search, and after each forward step the squared error and the bits of the model.

    The paper's listing stops when a net gain is below that of the step before, which would end nearly every search at
    once; the text's rule is meant, to stop when nothing is gained.
    """
    n = len(X)
    search = ForwardSelection(X, y[:, np.newaxis], most_in_one_row=ONE_ROW)
    path, spent = [(search.rss.copy(), 0.0)], 0.0
    net = _step(search, code, n, above=0.0)
    while net is not None:
        spent = code.total(search.sets[0])
        path.append((search.rss.copy(), spent))
        net = _step(search, code, n, above=0.0)
    chosen = list(search.sets[0])
    further = _beyond(search, code, n, extra, X, y)
    return (chosen if further is None else further), search, path


def _step(search, code, n, above=-np.inf):
    """Add the feature of most net bits, if above a bound; returns these bits, or None where none is added."""
    entered = search.sets[0]
    if len(entered) >= n - 2:
        return None
    saved = savings(search.drops(), search.rss[:, np.newaxis], n)[0]
    net = np.where(saved > 0, saved - code.prices(entered), -np.inf)
    feature = int(np.argmax(net))
    if not net[feature] > above:
        return None
    search.add(feature, [0])
    return float(net[feature])


def _beyond(search, code, n, extra, X, y):
    """Go on for some steps, then take out what does not pay; the features left, or None where nothing is gained.

    One feature of a group may not pay for naming the group where two together do.
    """
    gained = 0.0
    for _ in range(extra):
        net = _step(search, code, n)
        if net is None:
            break
        gained += net
    features, rss = list(search.sets[0]), float(search.rss[0]) * float(search.unit[0]) ** 2
    while features:
        rise = rises(X[:, features], y)
        price = code.total(features)
        freed = np.array([price - code.total(features[:i] + features[i + 1 :]) for i in range(len(features))])
        saved = freed - savings(rise, rss + rise, n)
        worst = int(np.argmax(saved))
        if not saved[worst] > SLACK:
            break
        gained += float(saved[worst])
        rss += float(rise[worst])
        del features[worst]
    return features if gained > SLACK else None
