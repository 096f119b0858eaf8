"""Passes of contrastive divergence against the same in plain NumPy, and in PyTorch where it is installed."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np

from benchmarks._contest import Contest, left_out
from treatise.decomposition import ConditionalRBM

D, H, ORDER, N_FRAMES, BATCH, PASSES = 62, 200, 3, 2813, 100, 20
RATES = {"W": 1e-3, "A": 1e-5, "B": 1e-3, "a": 1e-3, "b": 1e-3}
SHAPES = {"W": (D, H), "A": (ORDER * D, D), "B": (ORDER * D, H), "a": (D,), "b": (H,)}


def benchmarks() -> Iterator[Contest]:
    """The size of the paper's machine of walks and runs."""
    frames = np.cumsum(np.random.default_rng(0).normal(size=(N_FRAMES, D)), axis=0)
    frames = (frames - frames.mean(axis=0)) / frames.std(axis=0)
    peers: dict[str, Callable[[np.ndarray], float]] = {"numpy": plain_passes}
    if find_spec("torch"):
        peers["torch"] = torch_passes
    else:
        left_out("left out: PyTorch is not installed")
    model = ConditionalRBM(H, order=ORDER, n_epochs=PASSES, random_state=0)
    for peer, passes in peers.items():
        yield Contest(
            f"{N_FRAMES} frames x {D} columns, {H} hidden units, {PASSES} passes: error of the reconstructions",
            peer,
            ours=lambda: float(model.fit([frames]).errors_[-1]),
            theirs=partial(passes, frames),
            quality=float,
            warm_up=partial(ConditionalRBM(5, n_epochs=1).fit, [frames[:200]]),
        )


def plain_passes(frames: np.ndarray) -> float:
    """Section 3.2 line by line, in single precision."""
    rng, X = np.random.default_rng(0), frames.astype(np.float32)
    p = {name: (0.01 * rng.standard_normal(shape)).astype(np.float32) for name, shape in SHAPES.items()}
    moving = {name: np.zeros_like(value) for name, value in p.items()}
    for _ in range(PASSES):
        order, total = rng.permutation(N_FRAMES - ORDER) + ORDER, 0.0
        for chosen in np.split(order, range(BATCH, len(order), BATCH)):
            past, v = X[chosen[:, None] + np.arange(-ORDER, 0)].reshape(len(chosen), -1), X[chosen]
            visible_bias, hidden_bias = past @ p["A"] + p["a"], past @ p["B"] + p["b"]
            h = 1 / (1 + np.exp(-(hidden_bias + v @ p["W"])))
            h = (rng.random(h.shape, dtype=np.float32) < h).astype(np.float32)
            v1 = visible_bias + h @ p["W"].T
            h1 = 1 / (1 + np.exp(-(hidden_bias + v1 @ p["W"])))
            steps = {"W": v.T @ h - v1.T @ h1, "A": past.T @ (v - v1), "B": past.T @ (h - h1)}
            steps |= {"a": (v - v1).sum(axis=0), "b": (h - h1).sum(axis=0)}
            for name, step in steps.items():
                decay = 2e-4 * p[name] if p[name].ndim == 2 else 0.0
                moving[name] = 0.9 * moving[name] + np.float32(RATES[name]) * (step / len(chosen) - decay)
                p[name] = p[name] + moving[name]
            total += float(np.square(v - v1).sum())
    return total / (N_FRAMES - ORDER) / D


def torch_passes(frames: np.ndarray) -> float:
    """The same in PyTorch, without its machinery of gradients."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    X, back = torch.tensor(frames, dtype=torch.float32), torch.arange(-ORDER, 0)
    p = {name: 0.01 * torch.randn(*shape) for name, shape in SHAPES.items()}
    moving = {name: torch.zeros_like(value) for name, value in p.items()}
    with torch.no_grad():
        for _ in range(PASSES):
            order, total = torch.randperm(N_FRAMES - ORDER) + ORDER, 0.0
            for chosen in torch.split(order, BATCH):
                past, v = X[chosen[:, None] + back].reshape(len(chosen), -1), X[chosen]
                visible_bias = torch.addmm(p["a"], past, p["A"])
                hidden_bias = torch.addmm(p["b"], past, p["B"])
                h = torch.bernoulli(torch.sigmoid(hidden_bias + v @ p["W"]))
                v1 = visible_bias + h @ p["W"].T
                h1 = torch.sigmoid(hidden_bias + v1 @ p["W"])
                steps = {"W": v.T @ h - v1.T @ h1, "A": past.T @ (v - v1), "B": past.T @ (h - h1)}
                steps |= {"a": (v - v1).sum(0), "b": (h - h1).sum(0)}
                for name, step in steps.items():
                    moving[name].mul_(0.9).add_(step, alpha=RATES[name] / len(chosen))
                    if p[name].ndim == 2:
                        moving[name].add_(p[name], alpha=-RATES[name] * 2e-4)
                    p[name].add_(moving[name])
                total += float(((v - v1) ** 2).sum())
    return total / (N_FRAMES - ORDER) / D
