"""Bayesian networks: marginals, questions, fitting, sampling and separation by us, pyAgrum, pgmpy and networkx."""

import logging
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import DataNotFoundError
from treatise.bayesnet import BayesianNetwork, NetworkOracle, smallest_independence_map
from treatise.datasets import locate
from treatise.papers.bayesnet.v05_1287.reduction import NPHardnessReduction

PUBLISHED = (
    "alarm", "andes", "asia", "barley", "cancer", "child", "earthquake", "hailfinder", "hepar2", "insurance", "munin1",
    "pathfinder", "sachs", "survey", "water",
)  # fmt: skip
QUESTIONS = 100
ROWS = 20_000


def benchmarks() -> Iterator[Contest | Scaling]:
    """Published networks against pgmpy, separation against networkx, and the exact search over its size."""
    try:
        networks = {name: locate(f"bn/{name}.bif.gz") for name in ("alarm", "insurance", "hailfinder")}
    except DataNotFoundError as missing:
        left_out(f"bayesian_network: {missing}; its contests with pgmpy are left out")
        networks = {}
    if find_spec("pgmpy") is None:
        left_out("bayesian_network: pgmpy is not installed; its contests are left out")
        networks = {}
    yield from _agrum_contests()
    logging.disable(logging.WARNING)
    for name, path in networks.items():
        yield from _pgmpy_contests(name, BayesianNetwork.read(path))
    yield _separation_contest()
    yield Scaling(
        work="separation, 50 variables, over the questions",
        sizes=(100_000, 300_000, 1_000_000),
        prepare=_separations,
        warm_up=lambda: _separations(2)(),
    )
    yield Scaling(
        work="smallest independence map of a reduction, over the sets of observed variables visited",
        sizes=(2**12, 2**14, 2**16),
        prepare=_search,
        warm_up=lambda: _search(2**4)(),
    )


def _agrum_contests() -> Iterator[Contest]:
    """All marginals of fifteen published networks, from the tables on: trees are built anew on both sides."""
    if find_spec("pyagrum") is None:
        left_out("bayesian_network: pyagrum is not installed; its contests are left out")
        return
    for name in PUBLISHED:
        try:
            network = BayesianNetwork.read(locate(f"bn/{name}.bif.gz"))
        except DataNotFoundError as missing:
            left_out(f"bayesian_network: {missing}; its contest with pyagrum is left out")
            continue
        model = agrum_model(network)
        yield Contest(
            work=f"marginals of all {len(network.variables)} variables: {name} (quality: sum of the largest ones)",
            peer="pyagrum",
            ours=partial(_all_marginals, network),
            theirs=partial(_agrum_marginals, model),
            quality=float,
            warm_up=partial(_all_marginals, network),
            repeats=1 if name == "munin1" else 20,  # the first takes the peer half a minute, most others a millisecond
        )


def _all_marginals(network: BayesianNetwork) -> float:
    network._tree = None  # the peer builds its own anew, too
    return sum(float(np.max(each)) for each in network.marginals().values())


def agrum_model(network: BayesianNetwork) -> Any:
    """The same network as pyAgrum holds it, its states numbered."""
    import pyagrum

    pyagrum.setNumberOfThreads(1)
    model = pyagrum.BayesNet()
    for name in network.variables:
        states = [f"s{state}" for state in range(len(network.states[name]))]
        model.add(pyagrum.LabelizedVariable(name, name, states))
    for name in network.variables:
        for parent in network.parents[name]:
            model.addArc(parent, name)
    for name in network.variables:
        table, scope = model.cpt(name), [*network.parents[name], name]
        axes = [scope.index(own) for own in reversed(table.names)]
        table[:] = np.ascontiguousarray(network.cpts[name].transpose(axes))
    return model


def _agrum_marginals(model: Any) -> float:
    import pyagrum

    engine = pyagrum.LazyPropagation(model)
    engine.makeInference()
    return sum(float(engine.posterior(node).toarray().max()) for node in model.nodes())


def _pgmpy_contests(name: str, network: BayesianNetwork) -> Iterator[Contest]:
    import pandas

    model = pgmpy_model(network)
    questions = list(random_questions(network))
    X = network.sample(ROWS, random_state=0)
    frame = pandas.DataFrame(X, columns=list(network.variables))
    size = f"{name}, {len(network.variables)} variables"
    yield Contest(
        work=f"{QUESTIONS} questions about one variable given four others: {size}",
        peer="pgmpy",
        ours=partial(_answers, network, questions),
        theirs=partial(_peer_answers, network, model, questions),
        quality=float,
        warm_up=partial(_answers, network, questions[:2]),
    )
    yield Contest(
        work=f"tables by maximum likelihood from {ROWS} rows: {size}",
        peer="pgmpy",
        ours=lambda: BayesianNetwork(network.parents).fit(frame),
        theirs=lambda: _peer_fitted(model, frame),
        quality=lambda fitted: _as_ours(network, fitted).score(X),
    )
    yield Contest(
        work=f"{ROWS} rows drawn: {size}",
        peer="pgmpy",
        ours=lambda: network.sample(ROWS, random_state=1),
        theirs=lambda: model.simulate(ROWS, seed=1, show_progress=False)[list(network.variables)],
        quality=lambda rows: network.score(np.asarray(rows)),
    )
    if name == "alarm":
        few = frame[["HISTORY", "CVP", "BP", "EXPCO2", "PRESS"]][:500]
        yield Contest(
            work=f"prediction of one variable from five in 500 rows: {size}",
            peer="pgmpy",
            ours=lambda: network.predict(few, "HYPOVOLEMIA"),
            theirs=lambda: _peer_predicted(model, few, "HYPOVOLEMIA"),
            quality=lambda states: float(np.mean(states == frame["HYPOVOLEMIA"][:500].to_numpy())),
            repeats=1,
        )


def random_questions(network: BayesianNetwork) -> Iterator[tuple[Any, dict]]:
    """A variable, and states of four others that a drawn row has."""
    rng = np.random.default_rng(0)
    for row in network.sample(QUESTIONS, random_state=0):
        order = rng.permutation(len(network.variables))
        yield network.variables[order[0]], {network.variables[v]: row[v] for v in order[1:5]}


def _answers(network: BayesianNetwork, questions: list) -> float:
    return sum(float(np.max(network.query(variable, evidence))) for variable, evidence in questions)


def _peer_answers(network: BayesianNetwork, model: Any, questions: list) -> float:
    from pgmpy.inference import VariableElimination

    peer = VariableElimination(model)
    answers = (peer.query([variable], evidence, show_progress=False).values for variable, evidence in questions)
    return sum(float(np.max(values)) for values in answers)


def _peer_fitted(model: Any, frame: Any) -> Any:
    from pgmpy.models import DiscreteBayesianNetwork

    plain = DiscreteBayesianNetwork(list(model.edges))
    plain.add_nodes_from(model.nodes)
    return plain.fit(frame)


def _as_ours(network: BayesianNetwork, fitted: Any) -> BayesianNetwork:
    """The peer's tables in our network; rows that it leaves empty are uniform."""
    if isinstance(fitted, BayesianNetwork):
        return fitted
    tables, parents, states = {}, {}, {}
    for cpd in fitted.get_cpds():
        own, *others = cpd.variables
        table = np.moveaxis(cpd.values, 0, -1)
        seen = table.sum(axis=-1, keepdims=True) > 0.5
        tables[own] = np.where(seen, table, 1 / table.shape[-1])
        parents[own], states[own] = tuple(others), cpd.state_names[own]
    return BayesianNetwork({name: parents[name] for name in network.variables}, tables, states)


def _peer_predicted(model: Any, frame: Any, target: str) -> np.ndarray:
    from pgmpy.inference import VariableElimination

    peer = VariableElimination(model)
    found = []
    for _, row in frame.iterrows():
        answer = peer.query([target], dict(row), show_progress=False)
        found.append(answer.state_names[target][int(np.argmax(answer.values))])
    return np.array(found)


def pgmpy_model(network: BayesianNetwork) -> Any:
    """The same network as pgmpy holds it."""
    warnings.simplefilter("ignore")
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    names = network.variables
    model = DiscreteBayesianNetwork([(names[u], names[v]) for u, v in network.edges_])
    model.add_nodes_from(names)
    for name in names:
        table, parents = network.cpts[name], list(network.parents[name])
        columns = np.moveaxis(table, -1, 0).reshape(table.shape[-1], -1)
        states = {each: list(network.states[each]) for each in (name, *parents)}
        model.add_cpds(
            TabularCPD(name, table.shape[-1], columns, parents or None, list(table.shape[:-1]) or None, states)
        )
    return model


def separation_questions(count: int) -> tuple[Any, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """A random graph of 50 variables, and pairs with about five variables given."""
    import networkx

    rng = np.random.default_rng(0)
    n = 50
    order = rng.permutation(n).tolist()
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from((order[i], order[j]) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.08)
    x = rng.integers(0, n, count)
    y = (x + rng.integers(1, n, count)) % n
    given = rng.random((count, n)) < 0.1
    given[np.arange(count), x] = given[np.arange(count), y] = False
    return graph, (x, y, given)


def _separation_contest() -> Contest:
    graph, questions = separation_questions(2_000)
    oracle = NetworkOracle(graph)
    return Contest(
        work=f"2000 questions of separation, 50 variables and {graph.number_of_edges()} edges",
        peer="networkx",
        ours=lambda: float(oracle.independent_many(*questions).mean()),
        theirs=partial(_peer_separations, graph, questions),
        quality=float,
        warm_up=lambda: oracle.independent_many(*(each[:2] for each in questions)),
    )


def _peer_separations(graph: Any, questions: tuple) -> float:
    import networkx

    asked = zip(questions[0].tolist(), questions[1].tolist(), questions[2])
    found = [networkx.is_d_separator(graph, {x}, {y}, set(np.flatnonzero(known).tolist())) for x, y, known in asked]
    return float(np.mean(found))


def _separations(count: int) -> Callable[[], Any]:
    graph, questions = separation_questions(count)
    oracle = NetworkOracle(graph)
    return lambda: oracle.independent_many(*questions)


def _search(sets: int) -> Callable[[], Any]:
    problem = NPHardnessReduction([(1, 2), (2, 1)])
    observed = problem.observed[: sets.bit_length() - 1]
    return lambda: smallest_independence_map(problem.network, problem.n_states, observed)
