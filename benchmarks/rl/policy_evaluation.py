"""Methods of policy evaluation beside the listings as loops of NumPy, and their cost over the number of features."""

import warnings
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from benchmarks._contest import Contest, Scaling
from treatise.rl import BRM, LSTD, TD, TDC, FiniteEvaluation, random_mdp

GAMMA, DECAY = 0.95, 0.4


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same steps in the same order: the quality is the norm of the coefficients, which must be the same."""
    for name, p, n, ours, theirs in (
        ("TD(0.4)", 20, 30_000, TD(GAMMA, DECAY, alpha=1e-3), _td),
        ("TDC(0.4)", 20, 30_000, TDC(GAMMA, DECAY, alpha=1e-3, beta=1e-3, recompute=False), _tdc),
        ("recursive LSTD-TO(0.4)", 8, 30_000, LSTD(GAMMA, DECAY, eps=1e3, solver="recursive"), _lstd),
        ("recursive LSTD-TO(0.4)", 20, 30_000, LSTD(GAMMA, DECAY, eps=1e3, solver="recursive"), _lstd),
        ("recursive LSTD-TO(0.4)", 100, 10_000, LSTD(GAMMA, DECAY, eps=1e3, solver="recursive"), _lstd),
        ("block LSTD-TO(0.4)", 100, 10_000, LSTD(GAMMA, DECAY, eps=1e3), _lstd),
        ("block LSTD-TO(0.4)", 400, 2_000, LSTD(GAMMA, DECAY, eps=1e3), _lstd),
    ):
        steps = _steps(n, p)
        yield Contest(
            work=f"{name}, {n:,} steps of {p} features; quality: norm of the coefficients",
            peer="numpy",
            ours=lambda model=ours, steps=steps: _fitted(model, steps),
            theirs=lambda loop=theirs, steps=steps: loop(*steps),
            quality=lambda coef: float(np.linalg.norm(coef)),
            warm_up=lambda model=ours, steps=steps: _fitted(model, tuple(values[:50] for values in steps)),
        )
    problem, steps = _off_policy()
    yield Contest(
        work="LSTD-TO beside LSTD's listing with its weights, random process of 400 states, 8,000 steps of another "
        "policy, 201 features; quality: error of the values (0.08 to 0.18 asked, LSTD's ten times that)",
        peer="numpy",
        ours=lambda: _fitted(LSTD(GAMMA, eps=10.0), steps),
        theirs=lambda: _lstd(*steps, decay=0.0, eps=10.0, weigh_together=False),
        quality=lambda coef: float(np.sqrt(problem.objective(coef, "mse"))),
        warm_up=lambda: _fitted(LSTD(GAMMA, eps=10.0), tuple(values[:50] for values in steps)),
        repeats=1,
    )
    for name, n, make in (
        ("TD(0.4), 20,000 steps", 20_000, lambda: TD(GAMMA, DECAY, alpha=1e-6)),
        ("TDC(0.4), 20,000 steps", 20_000, lambda: TDC(GAMMA, DECAY, alpha=1e-6, beta=1e-6)),
        ("recursive LSTD-TO(0.4), 1,000 steps", 1_000, lambda: LSTD(GAMMA, DECAY, eps=1e3, solver="recursive")),
        ("BRM(0.4), 500 steps", 500, lambda: BRM(GAMMA, DECAY, eps=1e3, weighting="standard")),
    ):
        yield Scaling(
            work=f"{name} over the number of features",
            sizes=(50, 100, 200, 400, 800),
            prepare=lambda p, n=n, make=make: _prepared(make(), _steps(n, p)),
            warm_up=lambda make=make: _fitted(make(), _steps(50, 10)),
        )
    yield Scaling(
        work="TD(0.4), 100,000 steps of ten features each, sparse, over the number of features",
        sizes=(1_000, 10_000, 100_000),
        prepare=lambda p: _prepared(TD(GAMMA, DECAY, alpha=1e-3), _sparse_steps(100_000, p)),
        warm_up=lambda: _fitted(TD(GAMMA, DECAY, alpha=1e-3), _sparse_steps(50, 10)),
    )


def _sparse_steps(n: int, p: int) -> tuple:
    rng = np.random.default_rng(0)
    places = rng.integers(0, p, 10 * (n + 1))
    chain = sparse.csr_array((np.ones(len(places)), places, 10 * np.arange(n + 2)), shape=(n + 1, p))
    return chain[:-1], rng.normal(size=n), chain[1:], rng.choice([0.5, 1.5], n)


def _steps(n: int, p: int) -> tuple:
    rng = np.random.default_rng(0)
    chain = rng.normal(size=(n + 1, p)) / np.sqrt(p)
    return chain[:-1].copy(), rng.normal(size=n), chain[1:].copy(), rng.choice([0.5, 1.5], n)


def _prepared(model, steps):
    return lambda: _fitted(model, steps)


def _fitted(model, steps):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*steps).coef_


def _td(phi, rewards, after, ratios):
    theta, z, last = np.zeros(phi.shape[1]), np.zeros(phi.shape[1]), 0.0
    for t in range(len(rewards)):
        z = phi[t] + GAMMA * DECAY * last * z
        last = ratios[t]
        theta = theta + 1e-3 * last * (rewards[t] + GAMMA * after[t] @ theta - phi[t] @ theta) * z
    return theta


def _tdc(phi, rewards, after, ratios):
    theta, w, z, last = np.zeros(phi.shape[1]), np.zeros(phi.shape[1]), np.zeros(phi.shape[1]), 0.0
    for t in range(len(rewards)):
        z = phi[t] + GAMMA * DECAY * last * z
        last = ratios[t]
        error = last * (rewards[t] + GAMMA * after[t] @ theta - phi[t] @ theta)
        theta = theta + 1e-3 * (error * z - GAMMA * (1 - DECAY) * last * (z @ w) * after[t])
        w = w + 1e-3 * (error * z - (phi[t] @ w) * phi[t])
    return theta


def _lstd(phi, rewards, after, ratios, decay=DECAY, eps=1e3, weigh_together=True):
    """LSTD-TO, or LSTD with the weight on the reward and the next features alone."""
    p = phi.shape[1]
    theta, z, M, last = np.zeros(p), np.zeros(p), eps * np.eye(p), 0.0
    for t in range(len(rewards)):
        z = phi[t] + GAMMA * decay * last * z
        last = ratios[t]
        whole, inner = (last, 1.0) if weigh_together else (1.0, last)
        difference = phi[t] - GAMMA * inner * after[t]
        gain = whole * (M @ z) / (1.0 + whole * difference @ M @ z)
        theta = theta + gain * (inner * rewards[t] - difference @ theta)
        M = M - np.outer(gain, M.T @ difference)
    return theta


def _off_policy():
    """Task 4 of paper v15-0809, and a run of the policy that acts."""
    rng = np.random.default_rng(0)
    mdp = random_mdp(400, 10, random_state=1)
    features = np.column_stack([rng.random((400, 200)), np.ones(400)])
    target, behaviour = (weights / weights.sum(axis=1, keepdims=True) for weights in rng.random((2, 400, 10)))
    problem = FiniteEvaluation(mdp, features, target, behaviour)
    told = problem.sample(8_000, random_state=0)
    return problem, (told.features, told.rewards, told.next_features, told.ratios)
