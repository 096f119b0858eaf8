"""Factored states and actions (Sallans & Hinton, JMLR 5:1063): the task of 2^40 actions, and agents that pass blockers.

The paper shows curves and prints no table. First weights and the scale of rewards are not told; with the printed
learning rates the task of 40 bits is not learned here.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from treatise.papers._evidence import Evidence, Gap, Row
from treatise.rl import BlockersTask, FreeEnergySARSA, LargeActionTask

SLOW: dict[str, Any] = {"n_hidden": 13, "learning_rate": (0.01, 0.001), "linear_term": False}
TOO_FAST = "with the printed learning rates the mean reward of the last thousand of 12 000 actions"
SKIPPED = [
    "Figures 4, 6 and 7: the curves of the other learners, a network trained by back-propagation and a direct policy",
    "Figure 7: three agents and two blockers",
    "Figures 8 and 9: strategies and features of the three agents, which are pictures",
]


def experiment(*, full: bool = False) -> Evidence:
    """A small task that is learned, the task of the paper, and two agents before a blocker."""
    curves: dict[str, np.ndarray] = {}
    rows = [*small_rows(6 if full else 3), *large_rows(full, curves), *blocker_rows(10 if full else 3, full, curves)]
    return Evidence(rows, _figure(curves), SKIPPED)


def small_rows(n_seeds: int) -> list[Row]:
    """Six bits of state, eight of action, three keys: the mean of the last tenth."""
    ends = []
    for seed in range(n_seeds):
        agent = FreeEnergySARSA(16, n_sweeps=4, linear_term=False, random_state=seed)
        ends.append(agent.run(LargeActionTask(6, 8, 3, random_state=seed), 20_000).history_[-2_000:].mean())
    least = float(np.min(ends))
    return [Row.check_at_least("8 action bits: least mean reward over seeds, of which 4 is guessing", 7.0, least)]


def large_rows(full: bool, curves: dict[str, np.ndarray]) -> list[Row]:
    """Twelve bits of state, forty of action, thirteen keys."""
    task = LargeActionTask(random_state=0)
    printed = FreeEnergySARSA(13, learning_rate=(0.1, 0.01), n_sweeps=10, linear_term=False, random_state=0)
    fast = printed.run(task, 12_000).history_
    n_steps = 100_000 if full else 12_000
    slow = FreeEnergySARSA(**SLOW, n_sweeps=10, random_state=0).run(task, n_steps).history_
    curves["40 action bits, a tenth of the printed learning rate"] = slow
    end, twelve = float(slow[-2_000:].mean()), float(slow[11_000:12_000].mean())
    if full:  # rates fall over the whole run: 12 000 actions need one of their own
        twelve = float(FreeEnergySARSA(**SLOW, n_sweeps=10, random_state=0).run(task, 12_000).history_[-1_000:].mean())
    rows = [
        Row.claim(
            "40 action bits: near the optimum of 40 after 12 000 actions", "Figure 4", twelve > 38.0,
            gap=Gap("first weights and the scale of rewards are not printed; with the printed rates nothing is "
                    "learned, with a tenth of them less", 0.0, TOO_FAST),
        ),
        Row.check_at_most(TOO_FAST, 25.0, float(fast[-1_000:].mean())),
        Row.ours("40 action bits: mean reward at the end of 12 000 actions, a tenth of the rates", round(twelve, 2)),
    ]  # fmt: skip
    if full:
        rows.append(Row.check_at_least("40 action bits: mean reward at the end of 100 000 actions", 28.0, end))
    return rows


def blocker_rows(n_seeds: int, full: bool, curves: dict[str, np.ndarray]) -> list[Row]:
    """Two agents and a blocker: rewards at the beginning and at the end."""
    gains = []
    n_steps = 20_000 if full else 6_000
    for seed in range(n_seeds):
        agent = FreeEnergySARSA(
            4, learning_rate=(0.1, 0.01), temperature=(1.0, 0.05), gamma=0.9, random_state=seed
        ).run(BlockersTask(), n_steps)  # fmt: skip
        gains.append(agent.history_[-n_steps // 5 :].mean() - agent.history_[: n_steps // 10].mean())
        curves["two agents and a blocker"] = agent.history_
    error = float(np.std(gains, ddof=1) / np.sqrt(n_seeds))
    what = "two agents: mean reward at the end less that at the beginning"
    return [Row.claim_positive(what, "Figure 6", float(np.mean(gains)), standard_error=error)]


def _figure(curves: dict[str, np.ndarray]) -> Figure:
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    for ax, (name, rewards) in zip(np.atleast_1d(figure.subplots(1, len(curves))), curves.items()):
        width = max(1, len(rewards) // 60)
        means = rewards[: len(rewards) // width * width].reshape(-1, width).mean(axis=1)
        ax.plot(width * np.arange(len(means)), means, color="#1b6ca8")
        ax.set_title(name, fontsize=9)
        ax.set_xlabel("actions")
    return figure
