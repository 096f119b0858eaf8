"""Compiled passes of the gradient methods, O(p) a transition, in the notation of the two surveys.

The trace is z_t = phi_t + gamma lambda rho_(t-1) z_(t-1) in all of them. With transition weights the ratio of a step
multiplies its whole temporal difference, ``rho (r + gamma V' - V)``; with standard weights it multiplies what depends
on the action alone, ``rho (r + gamma V') - V``.
"""

import numpy as np

from treatise._core.jit import compiled_step, compiled_sums

TD, TDC, GTD2, GTD, RESIDUAL, RESIDUAL_TRACE = range(6)
ENDLESS = 1e100
"""A value beyond this ends a pass: the estimate has diverged, and the next products would overflow."""


@compiled_step
def dot(a, b):
    """The inner product, without a call of the linear algebra library, which costs more than a short sum."""
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


@compiled_step
def keep(theta, seen, t, every, path):
    """Keep the estimate after every so many transitions; ``seen`` counts those before this pass."""
    done = seen + t + 1
    if every > 0 and done % every == 0:
        path[done // every - 1 - seen // every] = theta


@compiled_step
def weighted_error(transition, rho, reward, ahead, value):
    """The temporal difference with its importance weight; ``ahead`` is gamma times the value of the next state."""
    if transition:
        return rho * (reward + ahead - value)
    return rho * (reward + ahead) - value


@compiled_step
def td_step(theta, z, error, alpha):
    """TD(lambda): Algorithm 1 of JMLR 15:809, Algorithm 5 of JMLR 15:289."""
    for j in range(len(theta)):
        theta[j] += alpha * error * z[j]


@compiled_step
def tdc_step(theta, w, z, after, error, bootstrap, alpha):
    """TDC(lambda): Algorithm 4 of JMLR 15:809, Algorithm 6 of JMLR 15:289."""
    pull = bootstrap * dot(z, w)
    for j in range(len(theta)):
        theta[j] += alpha * (error * z[j] - pull * after[j])


@compiled_step
def gtd2_step(theta, w, z, phi, after, weight, bootstrap, alpha):
    """GTD2(lambda): Algorithm 7 of JMLR 15:289, and without a trace Algorithm 3 of JMLR 15:809."""
    lead, pull = weight * dot(phi, w), bootstrap * dot(z, w)
    for j in range(len(theta)):
        theta[j] += alpha * (lead * phi[j] - pull * after[j])


@compiled_step
def helper_step(w, z, phi, error, beta):
    """The second estimate of TDC and GTD2, which follows (E phi phi^T)^-1 E[delta z]."""
    agreement = dot(phi, w)
    for j in range(len(w)):
        w[j] += beta * (error * z[j] - agreement * phi[j])


@compiled_step
def gtd_step(theta, w, phi, after, rho, gamma, plain, alpha, beta):
    """GTD (Algorithm 2 of JMLR 15:809)."""
    agreement = dot(phi, w)
    for j in range(len(theta)):
        theta[j] += alpha * rho * (phi[j] - gamma * after[j]) * agreement
        w[j] += beta * rho * (plain * phi[j] - w[j])


@compiled_step
def residual_step(theta, phi, after, weighted, gamma, alpha):
    """The residual gradient (Algorithm 13 of JMLR 15:809); ``after`` is a second successor in the double form."""
    for j in range(len(theta)):
        theta[j] += alpha * weighted * (phi[j] - gamma * after[j])


@compiled_step
def residual_trace_step(theta, z, zeta, memory, after, k, bootstrap, error, alpha):
    """gBRM(lambda) (Algorithm 8 of JMLR 15:289); ``memory`` holds c and d, ``bootstrap`` is gamma rho (1 - lambda)."""
    memory[1] = 1.0 + k * k * memory[1]
    memory[2] = error * memory[1] + k * memory[2]
    c, d = memory[1], memory[2]
    for j in range(len(theta)):
        step = bootstrap * after[j]
        zeta[j] = step * c + k * zeta[j]
        theta[j] += alpha * (error * (z[j] + step * c - zeta[j]) - d * step)


@compiled_sums
def gradient_pass(
    rule, transition, recompute, features, rewards, next_features, ratios, starts, second_features, second_ratios,
    gamma, decay, alphas, betas, theta, w, z, zeta, memory, every, seen, path,
):  # fmt: skip
    """All transitions in turn; ``memory`` holds the last ratio, c and d. Returns the steps done before divergence."""
    for t in range(len(rewards)):
        phi, after, rho, reward = features[t], next_features[t], ratios[t], rewards[t]
        k = 0.0 if starts[t] else gamma * decay * memory[0]
        memory[0] = rho
        for j in range(len(z)):
            z[j] = k * z[j] + phi[j]
        value, ahead = dot(phi, theta), gamma * dot(after, theta)
        if not abs(value) < ENDLESS:
            return t
        error = weighted_error(transition, rho, reward, ahead, value)
        bootstrap = gamma * rho * (1.0 - decay)
        if rule == TD:
            td_step(theta, z, error, alphas[t])
        elif rule in (TDC, GTD2):
            if rule == TDC:
                tdc_step(theta, w, z, after, error, bootstrap, alphas[t])
            else:
                gtd2_step(theta, w, z, phi, after, rho if transition else 1.0, bootstrap, alphas[t])
            if recompute:
                error = weighted_error(transition, rho, reward, gamma * dot(after, theta), dot(phi, theta))
            helper_step(w, z, phi, error, betas[t])
        elif rule == GTD:
            gtd_step(theta, w, phi, after, rho, gamma, reward + ahead - value, alphas[t], betas[t])
        elif rule == RESIDUAL:
            weighted = rho * second_ratios[t] * (reward + ahead - value)
            residual_step(theta, phi, second_features[t], weighted, gamma, alphas[t])
        else:
            residual_trace_step(theta, z, zeta, memory, after, k, bootstrap, error, alphas[t])
        keep(theta, seen, t, every, path)
    return len(rewards)


@compiled_sums
def trace_rows(features, ratios, starts, factor, z, memory, rows):
    """The trace after each of some transitions, as rows."""
    for t in range(len(ratios)):
        k = 0.0 if starts[t] else factor * memory[0]
        memory[0] = ratios[t]
        for j in range(len(z)):
            z[j] = k * z[j] + features[t, j]
            rows[t, j] = z[j]


def returns(rewards, ratios, starts, ends, discount):
    """Discounted rewards from each step to the end of its episode, each step weighted by its ratio."""
    earned = np.empty(len(rewards))
    _returns(rewards, ratios, np.append(starts[1:] | ends[:-1], True), discount, earned)
    return earned


@compiled_sums
def _returns(rewards, ratios, lasts, discount, earned):
    later = 0.0
    for t in range(len(rewards) - 1, -1, -1):
        if lasts[t]:
            later = 0.0
        later = ratios[t] * (rewards[t] + discount * later)
        earned[t] = later
