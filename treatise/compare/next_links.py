"""Links of the next period of a network whose links have times."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from treatise.datasets import LinkEvents, Network

MOST_NODES = 100
"""Nodes with the most links among which the next ones are predicted: all pairs are looked at."""
FEWEST_PERIODS, MOST_PERIODS, USUAL_PERIODS = 6, 104, 24
UNITS = {"Y": "year", "M": "month", "W": "week", "D": "day", "h": "hour", "m": "minute"}


@dataclass(frozen=True)
class Periods:
    """Times divided into periods of one length.

    Attributes
    ----------
    numbers : ndarray of int
        Period of each time.
    unit : str
        What a period is.
    code : str
        NumPy's letter of a unit of dates, or "".
    """

    numbers: np.ndarray
    unit: str
    code: str = ""

    def label(self, number: int) -> str:
        """What a period is called."""
        if not self.code:
            return str(number)
        word = str(np.datetime64(number, self.code))  # type: ignore[call-overload]
        return f"from {word}" if self.code == "W" else word


@dataclass(frozen=True)
class NextLinks:
    """Predicted links of the next period, and how well the last one was foretold."""

    table: pl.DataFrame | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def divided(times: np.ndarray, dated: bool) -> Periods:
    """Years to minutes where times are dates, values themselves where they are few whole numbers, else equal parts.

    Of units of dates it takes that with the number of periods nearest to 24.
    """
    if dated:
        moments = times.astype(np.int64).astype("datetime64[us]")
        found = [
            Periods(moments.astype(f"datetime64[{code}]").astype(np.int64), unit, code) for code, unit in UNITS.items()
        ]
        sizes = np.array([np.ptp(periods.numbers) + 1 for periods in found])
        fit = (sizes >= FEWEST_PERIODS) & (sizes <= MOST_PERIODS)
        if fit.any():
            return found[int(np.argmin(np.where(fit, np.abs(np.log(sizes / USUAL_PERIODS)), np.inf)))]
    whole = np.all(times == np.round(times))
    if whole and np.ptp(times) < MOST_PERIODS:
        return Periods(times.astype(np.int64), "time")
    share = (times - times.min()) / max(float(np.ptp(times)), 1e-300)
    return Periods(np.minimum((share * USUAL_PERIODS).astype(np.int64), USUAL_PERIODS - 1) + 1, "part")


def next_links(network: Network, count: int) -> NextLinks:
    """The likeliest links of the next period among the most active nodes.

    The model is fitted twice: without the last period, to see how well that is foretold, and with it.

    Parameters
    ----------
    network : Network
        With events.
    count : int
        Links to tell.

    Returns
    -------
    NextLinks
        Without a table where there are too few periods, which a note says.
    """
    from treatise.network import AutoregressiveLinkPredictor

    events = network.events
    if events is None or not len(events.pairs) or not count:
        return NextLinks()
    periods = divided(events.times, events.dated)
    used = np.unique(periods.numbers)
    if len(used) < FEWEST_PERIODS:
        return NextLinks(
            notes=[f"links have only {len(used)} times; the links of a next one are predicted from {FEWEST_PERIODS} on"]
        )
    chosen = np.sort(np.argsort(-np.bincount(events.pairs.ravel()), kind="stable")[:MOST_NODES])
    snapshots = _snapshots(events, periods.numbers, used, chosen, len(network.nodes))
    facts: dict[str, Any] = {
        "periods": len(used), "next unit": periods.unit, "next period": periods.label(int(used[-1]) + 1),
        **_judged(snapshots),
    }  # fmt: skip
    model = AutoregressiveLinkPredictor().fit(snapshots)
    notes = _words(facts, len(chosen), len(network.nodes))
    return NextLinks(_listed(model.scores_, snapshots, used, periods, network, chosen, count), facts, notes)


def _snapshots(
    events: LinkEvents, numbers: np.ndarray, used: np.ndarray, chosen: np.ndarray, n_nodes: int
) -> list[sparse.csr_array]:
    """Weights of links between the chosen nodes, a symmetric matrix for each period that has a link."""
    place = np.full(n_nodes, -1)
    place[chosen] = np.arange(len(chosen))
    ends = place[events.pairs]
    kept = (ends >= 0).all(axis=1)
    found = []
    for number in used:
        now = kept & (numbers == number)
        half = sparse.csr_array((events.weights[now], ends[now].T), shape=(len(chosen), len(chosen)))
        found.append(sparse.csr_array(half + half.T))
    return found


def _judged(snapshots: list[sparse.csr_array]) -> dict[str, float | None]:
    """The area for links of the last period, of the method and of the sum of all before."""
    from sklearn.metrics import roc_auc_score

    from treatise.network import AutoregressiveLinkPredictor

    *past, last = snapshots
    pairs = np.triu_indices(last.shape[0], 1)
    links = last.toarray()[pairs] > 0
    if links.all() or not links.any() or not any(A.nnz for A in past):
        return {"next AUC": None, "next AUC of sums": None}
    scores = AutoregressiveLinkPredictor().fit(past).scores_
    areas = [float(roc_auc_score(links, A[pairs])) for A in (scores, sum(past).toarray())]
    return dict(zip(("next AUC", "next AUC of sums"), areas, strict=True))


def _words(facts: dict[str, Any], n_chosen: int, n_nodes: int) -> list[str]:
    notes, unit, area = [], facts["next unit"], facts["next AUC"]
    if n_chosen < n_nodes:
        notes.append(f"the next {unit} is predicted for the {n_chosen} nodes with the most links")
    if area is None:
        notes.append(f"the last {unit} has all links or none: predictions of the next one are not judged")
    elif area < 0.6:
        notes.append(f"the last {unit} was hardly foretold: take the links of the next one for guesses")
    elif area < facts["next AUC of sums"] - 0.02:
        notes.append(f"pairs that were linked most often so far foretold the last {unit} better")
    return notes


def _listed(
    scores: np.ndarray, snapshots: list[sparse.csr_array], used: np.ndarray, periods: Periods, network: Network,
    chosen: np.ndarray, count: int,
) -> pl.DataFrame:  # fmt: skip
    """The pairs of the highest scores, with the number of periods in which they were linked and the last of them."""
    i, j = np.triu_indices(len(chosen), 1)
    score = scores[i, j]
    best = np.lexsort((j, i, -score))[:count]
    best = best[score[best] > 0]
    seen = np.array([snapshot[i[best], j[best]] > 0 for snapshot in snapshots], dtype=bool).reshape(len(used), -1)
    latest = [used[np.flatnonzero(column)[-1]] if column.any() else None for column in seen.T]
    names = np.array(network.nodes, dtype=object)[chosen]
    return pl.DataFrame(
        {
            "source": names[i[best]], "target": names[j[best]], "score": score[best], "times linked": seen.sum(axis=0),
            "last": [None if number is None else periods.label(int(number)) for number in latest],
        },
        schema={
            "source": pl.String, "target": pl.String, "score": pl.Float64, "times linked": pl.Int64, "last": pl.String,
        },
    )  # fmt: skip
