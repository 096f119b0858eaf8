"""Structure of Bayesian networks: the best network by us, and what a peer's searches find in their time."""

import logging
import warnings
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import TreatiseError
from treatise.bayesnet import BayesianNetwork, ConstrainedStructureLearner
from treatise.datasets import locate, make_network_table
from treatise.statistics.family_scores import FamilyScores


def benchmarks() -> Iterator[Contest | Scaling]:
    """Against pgmpy's hill climbing on known networks and its exhaustive search; cost of the scores over sizes."""
    if find_spec("pgmpy") is None:
        left_out("structure_learning: pgmpy is not installed; its contests are left out")
    else:
        yield from _contests()
    yield Scaling(
        work="parent sets of up to 3 of 20 variables scored, over rows",
        sizes=(1_000, 10_000, 100_000),
        prepare=_rows,
        warm_up=_rows(100),
    )
    yield Scaling(
        work="parent sets of up to 3 parents scored, 1000 rows, over variables",
        sizes=(15, 30, 60),
        prepare=_columns,
        warm_up=_columns(5),
    )


def _contests() -> Iterator[Contest]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import_module("pgmpy.estimators")  # its seconds of importing are no part of the work
    logging.disable(logging.WARNING)
    for name in ("asia", "child", "alarm"):
        if _is_there(name):
            yield _against_climbing(name)
    X = make_network_table(300, n_nodes=4, max_parents=2, random_state=0)[0]
    yield Contest(
        work="best BIC of all networks of 4 binary variables, 300 rows",
        peer="pgmpy",
        ours=lambda: _ours(X, None),
        theirs=lambda: _exhaustive(X),
        quality=lambda parents: _score(X, parents),
        warm_up=lambda: _ours(X, 2),
        repeats=1,
    )


def _against_climbing(name: str) -> Contest:
    return Contest(
        work=f"BIC of a network for 1000 rows of {name.upper()}, at most 3 parents: ours exact, theirs hill climbing",
        peer="pgmpy",
        ours=lambda: _ours(_sampled(name), 3),
        theirs=lambda: _climbing(_sampled(name), 3),
        quality=lambda parents: _score(_sampled(name), parents),
        warm_up=lambda: _ours(_sampled(name)[:100, :6], 1),
        repeats=1,
    )


def _is_there(name: str) -> bool:
    try:
        locate(f"bn/{name}.bif.gz")
    except TreatiseError as missing:
        left_out(f"structure_learning: {missing}; the contest on {name.upper()} is left out")
        return False
    return True


@lru_cache
def _sampled(name: str) -> np.ndarray:
    """Codes of the states that occur, in 1000 rows of a known network."""
    X = BayesianNetwork.read(locate(f"bn/{name}.bif.gz")).sample(1000, random_state=0)
    columns = [np.unique(column, return_inverse=True)[1] for column in X.T]
    return np.column_stack([column for column in columns if column.max() > 0])


def _score(X: np.ndarray, parents: list[tuple[int, ...]]) -> float:
    scores = FamilyScores(X, X.max(axis=0) + 1, "bic")
    return sum(scores.score(child, own) for child, own in enumerate(parents))


def _ours(X: np.ndarray, max_parents: int | None) -> list[tuple[int, ...]]:
    return ConstrainedStructureLearner(max_parents=max_parents, time_limit=300.0).fit(X).parents_


def _frame(X: np.ndarray) -> Any:
    import pandas

    return pandas.DataFrame({str(i): X[:, i].astype(str) for i in range(X.shape[1])}).astype("category")


def _climbing(X: np.ndarray, max_parents: int) -> list[tuple[int, ...]]:
    from pgmpy.estimators import HillClimbSearch

    search = HillClimbSearch(_frame(X))
    return _parents(search.estimate(scoring_method="bic-d", max_indegree=max_parents, show_progress=False), X)


def _exhaustive(X: np.ndarray) -> list[tuple[int, ...]]:
    from pgmpy.estimators import BIC, ExhaustiveSearch

    frame = _frame(X)
    return _parents(ExhaustiveSearch(frame, scoring_method=BIC(frame)).estimate(), X)


def _parents(graph: Any, X: np.ndarray) -> list[tuple[int, ...]]:
    nodes = set(graph.nodes)
    return [tuple(map(int, graph.predecessors(str(i)))) if str(i) in nodes else () for i in range(X.shape[1])]


def _rows(n_samples: int) -> Any:
    return _scoring(make_network_table(n_samples, n_nodes=20, max_parents=2, random_state=0)[0])


def _columns(n_nodes: int) -> Any:
    return _scoring(make_network_table(1000, n_nodes=n_nodes, max_parents=2, random_state=0)[0])


def _scoring(X: np.ndarray) -> Any:
    """The work up to the search, which is stopped at once."""
    X = X[:, X.any(axis=0) & ~X.all(axis=0)]
    learner = ConstrainedStructureLearner(
        max_parents=3, method="branch-and-bound", callback=lambda state: state.phase == "searching"
    )
    return lambda: learner.fit(X)
