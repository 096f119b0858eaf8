"""Steps of learners that simulate as they learn, a second: policy gradients, tables of values, actions of many bits."""

import warnings
from collections.abc import Iterator

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.rl import (
    GPOMDP,
    FiniteMDP,
    FreeEnergySARSA,
    LargeActionTask,
    PropofolControl,
    QLambda,
    three_state_process,
)

BETA, GAMMA, LAM, ALPHA, EPSILON = 0.95, 0.9, 0.8, 0.1, 0.1


def benchmarks() -> Iterator[Contest | Scaling]:
    """Seconds over the number of steps, and the same learning as a loop of NumPy; no peer simulates these worlds."""
    process, policy, theta = three_state_process()

    def gradient(n_steps):
        return GPOMDP(BETA, random_state=0).estimate(process, policy, theta, int(n_steps))

    yield Scaling(
        work="GPOMDP with the best baselines, three-state process, over the steps (20 million a second asked)",
        sizes=(1_000_000, 10_000_000),
        prepare=lambda n: lambda: gradient(n),
        warm_up=lambda: gradient(100),
    )
    yield Contest(
        work="GPOMDP, three-state process, 300,000 steps; quality: average reward (exactly 0.2942)",
        peer="numpy",
        ours=lambda: gradient(300_000).average_reward,
        theirs=lambda: _gradient_loop(300_000),
        quality=float,
        warm_up=lambda: gradient(100),
    )
    yield Scaling(
        work="Q(lambda) on simulated patients, over the steps (5 million a second asked)",
        sizes=(1_000_000, 4_000_000),
        prepare=lambda n: lambda: _patients(n),
        warm_up=lambda: _patients(1_000),
    )
    corridor = _corridor(20)
    yield Contest(
        work="Q(lambda), corridor of 20 states, 40,000 episodes of up to 100 steps; quality: value of the first state "
        "(exactly -8.649)",
        peer="numpy",
        ours=lambda: _corridor_values(corridor),
        theirs=lambda: _values_loop(corridor, 40_000, 100),
        quality=float,
        warm_up=lambda: _corridor_values(corridor, 10),
        repeats=1,
    )
    yield Scaling(
        work="actions of 40 bits by 100 sweeps and their learning, over the actions (12,000 under 10 s asked)",
        sizes=(3_000, 12_000),
        prepare=lambda n: lambda: _many_bits(n),
        warm_up=lambda: _many_bits(10),
    )


def _gradient_loop(n_steps: int) -> float:
    process, policy, theta = three_state_process()
    chances, gradients = policy.probabilities(theta), policy.log_gradients(theta)
    rng = np.random.default_rng(0)
    moves, acts = process.transitions.cumsum(axis=2), chances.cumsum(axis=1)
    lengths = np.square(gradients).sum(axis=2)
    state, z, sums = 0, np.zeros(4), np.zeros(4)
    columns, weights, weighted, totals, earned = np.zeros((4, 3)), np.zeros(3), np.zeros(3), np.zeros(3), 0.0
    for _ in range(n_steps):
        action = int(np.searchsorted(acts[state], rng.random()))
        after = int(np.searchsorted(moves[action, state], rng.random()))
        reward = process.rewards[state, action, after]
        z = BETA * z + gradients[state, action]
        sums += reward * z
        columns[:, state] += z
        columns[:, after] -= BETA * z
        weights *= BETA
        weights[state] += lengths[state, action]
        totals[state] += lengths[state, action]
        weighted += reward * weights
        earned, state = earned + reward, after
    sums -= columns @ (weighted / totals)
    return earned / n_steps


def _patients(n_steps: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rounds do not converge
        QLambda(0.69, n_rounds=1, episodes_per_round=int(n_steps) // 1_000, random_state=0).fit(PropofolControl())


def _corridor(n: int) -> FiniteMDP:
    places = np.arange(n)
    left, right = np.eye(n)[np.maximum(places - 1, 0)], np.eye(n)[np.minimum(places + 1, n - 1)]
    return FiniteMDP([left, right], np.where(places < n - 1, -1.0, 0.0), terminal=places == n - 1,
                     start=np.where(places < n - 1, 1.0 / (n - 1), 0.0))  # fmt: skip


def _corridor_values(corridor: FiniteMDP, episodes: int = 40_000) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = QLambda(GAMMA, lam=LAM, alpha=ALPHA, epsilon=EPSILON, n_rounds=1, episodes_per_round=episodes,
                        steps_per_episode=100, random_state=0)  # fmt: skip
        return float(model.fit(corridor).q_[0].max())


def _values_loop(mdp: FiniteMDP, episodes: int, steps: int) -> float:
    """Watkins' Q(lambda) with traces for all pairs at once."""
    rng = np.random.default_rng(0)
    first, moves = mdp.start.cumsum(), mdp.transitions.cumsum(axis=2)
    Q = np.zeros((mdp.n_states, mdp.n_actions))
    for _ in range(episodes):
        state, traces = int(np.searchsorted(first, rng.random())), np.zeros_like(Q)
        for _ in range(steps):
            best = Q[state].argmax()
            action = int(rng.integers(mdp.n_actions)) if rng.random() < EPSILON else best
            if Q[state, action] < Q[state, best]:
                traces[:] = 0.0
            after = int(np.searchsorted(moves[action, state], rng.random()))
            ahead = 0.0 if mdp.terminal[after] else Q[after].max()
            delta = mdp.rewards[state, action, after] + GAMMA * ahead - Q[state, action]
            traces[state, action] = 1.0
            Q += ALPHA * delta * traces
            traces *= GAMMA * LAM
            if mdp.terminal[after]:
                break
            state = after
    return float(Q[0].max())


def _many_bits(n_actions: int) -> None:
    agent = FreeEnergySARSA(13, gamma=0.0, learning_rate=(0.01, 0.001), n_sweeps=100, random_state=0)
    agent.run(LargeActionTask(random_state=0), int(n_actions), show_progress=False)
