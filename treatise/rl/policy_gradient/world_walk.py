"""GPOMDP in a world that can only be acted in: the sums of a run, step by step."""

import numpy as np


class WorldWalk:
    """A walk without end in a world that shows vectors; where an episode ends, the world begins anew.

    Parameters
    ----------
    world : Environment
        The world, with numbered actions.
    policy : ParameterizedPolicy
        A policy without features of its own: the world's vectors are.
    theta : array-like of shape (n_actions * state_size,)
        Its parameters.
    beta : float
        Discount of the credit.
    rng : numpy.random.Generator
        All chance, the world's too.
    """

    def __init__(self, world, policy, theta, beta, rng):
        if world.n_actions != policy.n_actions:
            acts = "vectors as actions" if world.n_actions is None else f"{world.n_actions} actions"
            raise ValueError(f"the policy has {policy.n_actions} actions and the world {acts}")
        if policy.features is not None or world.state_numbers is not None:
            raise ValueError(
                "a policy reacts to the vectors that a world shows, without features of its own; give a finite process "
                "where observations are numbered"
            )
        self.world, self.policy, self.theta, self.beta, self.rng = world, policy, theta, beta, rng

    def begun(self):
        """The vector shown first, and the age of the episode."""
        return self._finite(self.world.reset(self.rng)), 0

    def _finite(self, state):
        if not np.isfinite(state).all():
            raise ValueError("the world shows NaN or infinity; it diverged")
        return np.asarray(state, dtype=np.float64)

    def __call__(self, place, steps, trace, weights, sums, columns, weighted, totals):
        """Add to the sums of :func:`gpomdp_run`, a baseline being linear in one and the numbers shown."""
        (state, age), earned = place, 0.0
        shown = np.append(1.0, state)
        for _ in range(steps):
            chances = self.policy.probabilities(self.theta, state)[0]
            action = int(self.rng.choice(len(chances), p=chances))
            gradient = self.policy.log_gradients(self.theta, state)[0, action]
            state, reward, ended = self.world.step(action)
            age += 1
            if ended or self.world.cut_off or age == self.world.max_steps:
                state, age = self.world.reset(self.rng), 0
            later, length = np.append(1.0, self._finite(state)), gradient @ gradient
            trace *= self.beta
            trace += gradient
            sums += reward * trace
            columns += np.outer(trace, shown - self.beta * later)
            weights *= self.beta
            weights += length * shown
            totals += length * np.outer(shown, shown)
            weighted += reward * weights
            earned, shown = earned + reward, later
        if not np.isfinite(earned):
            raise ValueError("the world gives rewards of NaN or infinity")
        return (state, age), earned
