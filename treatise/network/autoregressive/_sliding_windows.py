"""Prices and directions from the past itself: what predicted the latest snapshots best."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from sklearn.metrics import roc_auc_score

from treatise._core.progress import progress
from treatise.network.autoregressive._joint_fit import fit_jointly

# Latest snapshots that are predicted from those before.
WINDOWS = 3
# Numbers of directions; the paper's rule, whose cost grows with their square, takes the paper's alone.
DIRECTIONS = (1, 2, 5, 20)
PAPER_DIRECTIONS = 5
# Shares of the prices at which nothing is left: of W, and of A.
SHARES_W = (1.0, 0.1, 0.01, 0.001)
SHARES_A = (1e-1, 1e-2, 1e-3, 1e-4)
# Steps of a trial, which need not be exact.
TRIAL_STEPS = 60


@dataclass(frozen=True)
class Choice:
    """Directions and shares of prices."""

    n_directions: int
    share_W: float = 0.1
    share_A: float = 1e-3


def links_of(snapshot, pairs):
    """Which pairs have a link of the stronger half, of all where weights are equal; None if there is none to rank."""
    weights = (snapshot.toarray() if sparse.issparse(snapshot) else snapshot)[pairs]
    links = weights >= np.median(weights[weights > 0]) if (weights > 0).any() else np.zeros(weights.shape, bool)
    return None if links.all() or not links.any() else links


def best_choice(past, *, n_directions, given, tol, max_iter, pairs):
    """The choice with the highest mean area over windows: directions and W's share first, A's share then.

    Parameters
    ----------
    past : callable
        The past of a list of snapshots.
    n_directions : list of int
        Numbers to try.
    given : tuple of float or None
        Prices, if they are not to be chosen.
    tol, max_iter :
        Of the solver.
    pairs : ndarray of bool
        Entries of a snapshot that count.
    """
    whole = past(None)
    enough = whole.order + 1 + whole.constant
    ends = list(range(len(whole.matrices) - 1, enough - 1, -1)[:WINDOWS])
    trials = [(past(end), links) for end in ends if (links := links_of(whole.matrices[end], pairs)) is not None]
    shares = [1.0] if given else [share for share in SHARES_W if share < 1.0 or whole.constant]
    options = [Choice(count, share) for count in n_directions for share in shares]
    if not trials or len(options) < 2:
        return Choice(n_directions[min(2, len(n_directions) - 1)])
    with progress("prices of the next snapshot", len(options) + (0 if given else len(SHARES_A) - 1)) as advance:

        def area(choice):
            found = [_area(window, choice, links, given, tol, max_iter, pairs) for window, links in trials]
            advance(1)
            return round(float(np.mean(found)), 6)  # what rounding alone tells apart is equal

        areas = {choice: area(choice) for choice in options}
        best = max(areas, key=areas.__getitem__)  # the first of equals: fewest directions, highest price
        if not given:
            areas |= {other: area(other) for share in SHARES_A if (other := replace(best, share_A=share)) != best}
            best = max(areas, key=lambda choice: (areas[choice], choice.share_A))
    return best


def _area(window, choice, links, given, tol, max_iter, pairs):
    prices = given or window.prices(choice.n_directions, choice.share_W, choice.share_A)
    problem = window.problem(choice.n_directions, *prices)
    found = fit_jointly(problem, tol=tol, max_iter=min(TRIAL_STEPS, max_iter))
    return roc_auc_score(links, found.A[pairs])
