"""Loops over pairs of a base model i and a reduced one j (Appendix B and section 3.3.3 of the paper).

Indices are the paper's: states beta and components m of the base model, states rho and components l of the reduced one.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled
def diagonal_terms(means, variances, others, other_variances, terms):
    """Expected log-densities of normals with independent coordinates, of shape (base, reduced)."""
    d = means.shape[1]
    for k in range(len(others)):
        constant = d * np.log(2 * np.pi)
        for c in range(d):
            constant += np.log(other_variances[k, c])
        for b in range(len(means)):
            total = constant
            for c in range(d):
                away = means[b, c] - others[k, c]
                total += (variances[b, c] + away * away) / other_variances[k, c]
            terms[b, k] = -0.5 * total


@compiled
def mixture_bounds(first, last, terms, weights, log_weights, bounds):
    """L_GMM of all pairs of states: ``sum_m c_m log sum_l c_l exp(terms)`` (equation 22 at its maximum)."""
    _, S, M, K, R, _ = terms.shape
    for i in range(first, last):
        for b in range(S):
            for j in range(K):
                for r in range(R):
                    total = 0.0
                    for m in range(M):
                        if weights[i, b, m] > 0.0:
                            total += weights[i, b, m] * _log_sum(terms[i, b, m, j, r], log_weights[j, r])
                    bounds[i, b, j, r] = total


@compiled_step
def _log_sum(terms, log_weights):
    highest = -np.inf
    for k in range(len(terms)):
        highest = max(highest, terms[k] + log_weights[k])
    total = 0.0
    for k in range(len(terms)):
        total += np.exp(terms[k] + log_weights[k] - highest)
    return highest + np.log(total)


@compiled
def chain_bounds(first, last, start, moves, reduced_start, reduced_moves, mixed, tau, bounds):
    """L_HMM of all pairs by the recursion from the end (equation 37)."""
    S, R = start.shape[1], reduced_start.shape[1]
    ahead, reached = np.empty((S, R)), np.empty((S, R))
    phi, phi_first = np.empty((S, R, R)), np.empty((S, R))
    for i in range(first, last):
        for j in range(len(reduced_start)):
            _clear(ahead)
            for _ in range(tau - 1):
                _reach(mixed[i, :, j], ahead, reduced_moves[j], reached, phi, False)
                _mix(moves[i], reached, ahead)
            bounds[i, j] = _begin(start[i], mixed[i, :, j], ahead, reduced_start[j], phi_first, False)


@compiled
def chain_statistics(
    first, last, start, moves, reduced_start, reduced_moves, mixed, tau, assigned, occupancy, begun, moved
):
    """Summary statistics of equation 23 with the weight of each pair: adds to ``begun`` and ``moved``.

    ``occupancy[i, j]`` becomes the weighted expected time in rho while the base model is in beta.
    """
    S, R = start.shape[1], reduced_start.shape[1]
    ahead, reached = np.empty((S, R)), np.empty((S, R))
    phi, phi_first = np.empty((tau, S, R, R)), np.empty((S, R))
    nu, entering = np.empty((R, S)), np.empty((R, S))
    for i in range(first, last):
        for j in range(len(reduced_start)):
            weight = assigned[i, j]
            if not weight > 0.0:
                continue
            _clear(ahead)
            for t in range(tau - 1, 0, -1):
                _reach(mixed[i, :, j], ahead, reduced_moves[j], reached, phi[t], True)
                _mix(moves[i], reached, ahead)
            _begin(start[i], mixed[i, :, j], ahead, reduced_start[j], phi_first, True)
            for r in range(R):
                for b in range(S):
                    nu[r, b] = weight * start[i, b] * phi_first[b, r]
                    begun[j, r] += nu[r, b]
                    occupancy[i, j, r, b] = nu[r, b]
            for t in range(1, tau):
                _pass_on(moves[i], phi[t], nu, entering, occupancy[i, j], moved[j])


@compiled_step
def _clear(table):
    for b in range(table.shape[0]):
        for r in range(table.shape[1]):
            table[b, r] = 0.0


@compiled_step
def _reach(mixed, ahead, moves, reached, phi, keep):
    """``log sum_rho a(rho' rho) exp(L_GMM + L_next)`` for each beta and rho', and the shares phi of the sum."""
    S, R = mixed.shape
    weight = np.empty(R)
    for b in range(S):
        highest = -np.inf
        for r in range(R):
            highest = max(highest, mixed[b, r] + ahead[b, r])
        for r in range(R):
            weight[r] = np.exp(mixed[b, r] + ahead[b, r] - highest)
        for q in range(R):
            total = 0.0
            for r in range(R):
                total += moves[q, r] * weight[r]
            if total > 1e-280:
                reached[b, q] = highest + np.log(total)
                if keep:
                    for r in range(R):
                        phi[b, q, r] = moves[q, r] * weight[r] / total
            else:
                reached[b, q] = _reach_far(mixed[b], ahead[b], moves[q], phi[b, q])


@compiled_step
def _reach_far(mixed, ahead, chances, phi):
    """The same where the likeliest state cannot be reached, and all others vanish beside it."""
    highest = -np.inf
    for r in range(len(chances)):
        if chances[r] > 0.0:
            highest = max(highest, mixed[r] + ahead[r])
    total = 0.0
    for r in range(len(chances)):
        phi[r] = chances[r] * np.exp(mixed[r] + ahead[r] - highest) if chances[r] > 0.0 else 0.0
        total += phi[r]
    if total == 0.0:  # a state that the model lacks
        return -np.inf
    for r in range(len(chances)):
        phi[r] /= total
    return highest + np.log(total)


@compiled_step
def _mix(moves, reached, ahead):
    """``L_t(beta', rho') = sum_beta a(beta' beta) reached(beta, rho')``."""
    S, R = reached.shape
    for a in range(S):
        for q in range(R):
            ahead[a, q] = 0.0
        for b in range(S):
            chance = moves[a, b]
            if chance > 0.0:
                for q in range(R):
                    ahead[a, q] += chance * reached[b, q]


@compiled_step
def _begin(start, mixed, ahead, reduced_start, phi_first, keep):
    """The first step of the recursion: L_HMM, and the shares of first states."""
    phi = np.empty(len(reduced_start))
    bound = 0.0
    for b in range(len(start)):
        value = _reach_far(mixed[b], ahead[b], reduced_start, phi)
        if start[b] > 0.0:
            bound += start[b] * value
        if keep:
            for r in range(len(phi)):
                phi_first[b, r] = phi[r]
    return bound


@compiled_step
def _pass_on(moves, phi, nu, entering, occupancy, moved):
    """One step forward: xi is added to the moves, nu becomes that of the next time."""
    R, S = nu.shape
    for q in range(R):
        for b in range(S):
            mass = 0.0
            for a in range(S):
                mass += nu[q, a] * moves[a, b]
            entering[q, b] = mass
    for r in range(R):
        for b in range(S):
            mass = 0.0
            for q in range(R):
                xi = entering[q, b] * phi[b, q, r]
                moved[q, r] += xi
                mass += xi
            nu[r, b] = mass
            occupancy[r, b] += mass


@compiled
def component_weights(first, last, terms, weights, log_weights, assigned, occupancy, shared):
    """What each base component gives to each reduced one: ``z omega nu c_m eta(l | m)`` (equation 28)."""
    _, S, M, K, R, L = terms.shape
    eta = np.empty(L)
    for i in range(first, last):
        for j in range(K):
            if not assigned[i, j] > 0.0:
                continue
            for b in range(S):
                for m in range(M):
                    for r in range(R):
                        mass = occupancy[i, j, r, b] * weights[i, b, m]
                        if mass > 0.0:
                            whole = _log_sum(terms[i, b, m, j, r], log_weights[j, r])
                            for k in range(L):
                                eta[k] = np.exp(terms[i, b, m, j, r, k] + log_weights[j, r, k] - whole)
                                shared[i, b, m, j, r, k] = mass * eta[k]
