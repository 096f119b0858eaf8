"""Methods of policy evaluation beside the listings as loops of NumPy, and their cost over the number of features."""

import warnings
from collections.abc import Iterator

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.rl import BRM, LSTD, TD, TDC

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


def _lstd(phi, rewards, after, ratios):
    p = phi.shape[1]
    theta, z, M, last = np.zeros(p), np.zeros(p), 1e3 * np.eye(p), 0.0
    for t in range(len(rewards)):
        z = phi[t] + GAMMA * DECAY * last * z
        last = ratios[t]
        difference = phi[t] - GAMMA * after[t]
        gain = last * (M @ z) / (1.0 + last * difference @ M @ z)
        theta = theta + gain * (rewards[t] - difference @ theta)
        M = M - np.outer(gain, M.T @ difference)
    return theta
