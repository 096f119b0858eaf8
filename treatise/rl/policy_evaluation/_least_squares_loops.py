"""Compiled passes of the least-squares and the probabilistic methods, O(p^2) a transition."""

import numpy as np

from treatise._core.jit import compiled_step, compiled_sums
from treatise.rl.policy_evaluation._gradient_loops import ENDLESS, dot, keep

SMALLEST = 1e-10
"""A denominator of the Sherman-Morrison formula below this would ruin the inverse; the transition is passed over."""


@compiled_step
def begin_step(phi, after, rho, previous, start, factor, gamma, weigh, z, difference):
    """The trace, and phi - gamma rho phi' (without the ratio where the whole transition is weighted)."""
    k = 0.0 if start else factor * previous
    bootstrap = gamma * rho if weigh else gamma
    for j in range(len(z)):
        z[j] = k * z[j] + phi[j]
        difference[j] = phi[j] - bootstrap * after[j]
    return k


@compiled_step
def change_and_multiply(M, gain, left, z, difference, product, new_left):
    """M -= gain left^T, then M z and M^T difference, in one look at M."""
    for j in range(len(z)):
        new_left[j] = 0.0
    for i in range(len(z)):
        row, g, d, total = M[i], gain[i], difference[i], 0.0
        for j in range(len(z)):
            entry = row[j] - g * left[j]
            row[j] = entry
            total += entry * z[j]
            new_left[j] += d * entry
        product[i] = total


@compiled_sums
def lstd_pass(
    transition, features, rewards, next_features, ratios, starts, gamma, decay, theta, M, z, memory, every, seen, path,
):  # fmt: skip
    """LSTD(lambda) and, with transition weights, LSTD-TO(lambda) (Algorithms 5 and 6 of JMLR 15:809).

    The change of M by one transition is made while the next one is looked at. Returns the transitions passed over.
    """
    p = len(theta)
    gain, left, new_left = np.zeros(p), np.zeros(p), np.zeros(p)
    difference, product = np.zeros(p), np.zeros(p)
    passed_over = 0
    for t in range(len(rewards)):
        rho = ratios[t]
        begin_step(
            features[t], next_features[t], rho, memory[0], starts[t], gamma * decay, gamma, not transition,
            z, difference,
        )  # fmt: skip
        memory[0] = rho
        weight = rho if transition else 1.0
        if weight > 0.0:
            change_and_multiply(M, gain, left, z, difference, product, new_left)
            left, new_left = new_left, left
            denominator = 1.0 + weight * dot(difference, product)
            if abs(denominator) < SMALLEST:
                passed_over += 1
                gain[:] = 0.0
            else:
                target = rewards[t] if transition else rho * rewards[t]
                error = target - dot(difference, theta)
                for j in range(p):
                    gain[j] = weight * product[j] / denominator
                    theta[j] += gain[j] * error
        keep(theta, seen, t, every, path)
    for i in range(p):
        for j in range(p):
            M[i, j] -= gain[i] * left[j]
    return passed_over


@compiled_step
def symmetric_product(N, phi, product):
    """N phi."""
    for i in range(len(phi)):
        product[i] = dot(N[i], phi)


@compiled_step
def forget_direction(N, product, denominator):
    """N -= (N phi)(N phi)^T / (1 + phi^T N phi)."""
    for i in range(len(product)):
        scale = product[i] / denominator
        for j in range(len(product)):
            N[i, j] -= scale * product[j]


@compiled_sums
def lspe_pass(
    transition, features, rewards, next_features, ratios, starts, gamma, decay, alpha, theta, N, A, b, z, memory,
    every, seen, path,
):  # fmt: skip
    """LSPE(lambda) and LSPE-TO(lambda) (Algorithms 7 and 8 of JMLR 15:809). Returns the steps before divergence."""
    p = len(theta)
    difference, product, residual = np.zeros(p), np.zeros(p), np.zeros(p)
    for t in range(len(rewards)):
        phi, rho = features[t], ratios[t]
        begin_step(
            phi, next_features[t], rho, memory[0], starts[t], gamma * decay, gamma, not transition, z, difference
        )
        memory[0] = rho
        if not abs(dot(phi, theta)) < ENDLESS:
            return t
        symmetric_product(N, phi, product)
        forget_direction(N, product, 1.0 + dot(phi, product))
        weight = rho if transition else 1.0
        for i in range(p):
            b[i] += rho * rewards[t] * z[i]
            row, scale, total = A[i], weight * z[i], 0.0
            for j in range(p):
                row[j] += scale * difference[j]
                total += row[j] * theta[j]
            residual[i] = b[i] - total
        for i in range(p):
            theta[i] += alpha * dot(N[i], residual)
        keep(theta, seen, t, every, path)
    return len(rewards)


@compiled_sums
def fpkf_pass(
    features, rewards, next_features, ratios, starts, gamma, decay, steps, theta, N, Z, z, memory, every, seen, path
):
    """FPKF(lambda) (Algorithm 3 of JMLR 15:289, whose text forgets the decay of Z; Algorithm 9 of JMLR 15:809)."""
    p = len(theta)
    difference, product, residual = np.zeros(p), np.zeros(p), np.zeros(p)
    for t in range(len(rewards)):
        phi, rho = features[t], ratios[t]
        k = begin_step(phi, next_features[t], rho, memory[0], starts[t], gamma * decay, gamma, True, z, difference)
        memory[0] = rho
        if not abs(dot(phi, theta)) < ENDLESS:
            return t
        symmetric_product(N, phi, product)
        forget_direction(N, product, 1.0 + dot(phi, product))
        for i in range(p):
            row, total = Z[i], 0.0
            for j in range(p):
                row[j] = k * row[j] + phi[i] * theta[j]
                total += row[j] * difference[j]
            residual[i] = rho * rewards[t] * z[i] - total
        if steps[t] > 0.0:
            for i in range(p):
                theta[i] += steps[t] * dot(N[i], residual)
        keep(theta, seen, t, every, path)
    return len(rewards)


@compiled_sums
def brm_pass(
    transition, weigh_rewards, features, rewards, next_features, ratios, starts, gamma, decay, theta, C, D, memory,
    every, seen, path,
):  # fmt: skip
    """BRM(lambda) (Algorithm 4 of JMLR 15:289); ``memory`` holds the last ratio, y and q. Returns what is passed over.

    U = [u, v] and V = [u, -v]^T, so that a step changes C by the two products C u and C v alone. Where whole
    transitions are weighted, each has the root of its ratio before its square is taken.
    """
    p = len(theta)
    u, v, Cu, Cv = np.zeros(p), np.zeros(p), np.zeros(p), np.zeros(p)
    passed_over = 0
    for t in range(len(rewards)):
        phi, after, rho = features[t], next_features[t], ratios[t]
        lead = np.sqrt(rho) if transition else 1.0
        bootstrap = gamma * (lead if transition else rho)
        reward = rewards[t] * (lead if transition else rho if weigh_rewards else 1.0)
        k = 0.0 if starts[t] else gamma * decay * memory[0]
        y = k * k * memory[1] + 1.0
        root, share = np.sqrt(y), k / np.sqrt(y)
        for j in range(p):
            v[j] = share * D[j]
            u[j] = root * (lead * phi[j] - bootstrap * after[j]) + v[j]
        first, second = root * reward + share * memory[2], -share * memory[2]
        for i in range(p):
            row, by_u, by_v = C[i], 0.0, 0.0
            for j in range(p):
                by_u += row[j] * u[j]
                by_v += row[j] * v[j]
            Cu[i], Cv[i] = by_u, by_v
        # The two by two system I + V C U.
        a11, a12 = 1.0 + dot(u, Cu), dot(u, Cv)
        a21, a22 = -a12, 1.0 - dot(v, Cv)
        determinant = a11 * a22 - a12 * a21
        if abs(determinant) < SMALLEST:
            passed_over += 1
        else:
            e1, e2 = first - dot(u, theta), second + dot(v, theta)
            step_u, step_v = (a22 * e1 - a12 * e2) / determinant, (a11 * e2 - a21 * e1) / determinant
            for i in range(p):
                theta[i] += Cu[i] * step_u + Cv[i] * step_v
                g1 = (Cu[i] * a22 - Cv[i] * a21) / determinant
                g2 = (Cv[i] * a11 - Cu[i] * a12) / determinant
                row = C[i]
                for j in range(p):
                    row[j] -= g1 * Cu[j] - g2 * Cv[j]
        for j in range(p):
            D[j] = k * D[j] + y * (lead * phi[j] - bootstrap * after[j])
        memory[0], memory[1], memory[2] = rho, y, k * memory[2] + y * reward
        keep(theta, seen, t, every, path)
    return passed_over


@compiled_sums
def double_brm_pass(
    features, rewards, next_features, ratios, second_rewards, second_features, second_ratios, gamma, theta, M, b,
    every, seen, path,
):  # fmt: skip
    """BRM with two successors of each state (Algorithm 10 of JMLR 15:809). Returns the transitions passed over."""
    p = len(theta)
    one, two, right, left = np.zeros(p), np.zeros(p), np.zeros(p), np.zeros(p)
    passed_over = 0
    for t in range(len(rewards)):
        weight = ratios[t] * second_ratios[t]
        for j in range(p):
            one[j] = features[t, j] - gamma * next_features[t, j]
            two[j] = features[t, j] - gamma * second_features[t, j]
            left[j] = 0.0
        for i in range(p):
            right[i] = dot(M[i], one)
            for j in range(p):
                left[j] += two[i] * M[i, j]
        denominator = 1.0 + weight * dot(two, right)
        if abs(denominator) < SMALLEST:
            passed_over += 1
        else:
            for i in range(p):
                b[i] += 0.5 * weight * (two[i] * rewards[t] + one[i] * second_rewards[t])
                scale = weight * right[i] / denominator
                for j in range(p):
                    M[i, j] -= scale * left[j]
            symmetric_product(M, b, theta)
        keep(theta, seen, t, every, path)
    return passed_over


@compiled_sums
def gptd_pass(
    features, rewards, next_features, starts, ends, gamma, variance, theta, P, lag, memory, every, seen, path
):
    """Parametric GPTD (Algorithm 12 of JMLR 15:809); ``memory`` holds d and 1 / s.

    Beyond a terminal state nothing is uncertain: the noise of the next value is missing there.
    """
    p = len(theta)
    difference, product = np.zeros(p), np.zeros(p)
    for t in range(len(rewards)):
        share = 0.0 if starts[t] else gamma * variance * memory[1]
        for j in range(p):
            difference[j] = features[t, j] - gamma * next_features[t, j]
        spread = variance + (0.0 if ends[t] else gamma * gamma * variance) - gamma * variance * share
        error = share * memory[0] + rewards[t] - dot(difference, theta)
        symmetric_product(P, difference, product)
        for j in range(p):
            product[j] += share * lag[j]
            spread += (product[j] + share * lag[j]) * difference[j]
        for i in range(p):
            theta[i] += product[i] * error / spread
            scale = product[i] / spread
            for j in range(p):
                P[i, j] -= scale * product[j]
            lag[i] = product[i]
        memory[0], memory[1] = error, 1.0 / spread
        keep(theta, seen, t, every, path)


@compiled_sums
def ktd_pass(
    features, rewards, next_features, starts, ends, gamma, variance, drift, theta, P, cross, memory, every, seen, path
):
    """Kalman temporal differences: theta walks at random, and each value has a residual (JMLR 15:809, Section 2.2.3).

    The state is theta and the residual of the value at hand; ``cross`` is their covariance, ``memory`` the residual's
    mean and variance. The residual of the next value is drawn anew, and takes the place of the old one.
    """
    p = len(theta)
    difference, gain, next_cross = np.zeros(p), np.zeros(p), np.zeros(p)
    for t in range(len(rewards)):
        if starts[t]:
            cross[:] = 0.0
            memory[0], memory[1] = 0.0, variance
        for i in range(p):
            P[i, i] += drift[i]
            difference[i] = features[t, i] - gamma * next_features[t, i]
        noise = 0.0 if ends[t] else variance
        # Covariance of theta with r = difference theta + residual - gamma next residual.
        symmetric_product(P, difference, gain)
        spread = memory[1] + gamma * gamma * noise
        for j in range(p):
            spread += difference[j] * (gain[j] + 2.0 * cross[j])
            gain[j] += cross[j]
        error = rewards[t] - dot(difference, theta) - memory[0]
        ahead = -gamma * noise
        for i in range(p):
            theta[i] += gain[i] * error / spread
            scale = gain[i] / spread
            for j in range(p):
                P[i, j] -= scale * gain[j]
            next_cross[i] = -scale * ahead
        for i in range(p):
            cross[i] = next_cross[i]
        memory[0], memory[1] = ahead * error / spread, noise - ahead * ahead / spread
        keep(theta, seen, t, every, path)
