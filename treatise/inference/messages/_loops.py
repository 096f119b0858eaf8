"""Messages of reweighted belief propagation; with all weights one it is the ordinary kind."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def _combined(t, offset, unary, rho, first, incident, message_offset, messages, total):
    """Score of t's states with all messages into t: ``unary + sum_v rho_vt log M_vt``."""
    K = offset[t + 1] - offset[t]
    for x in range(K):
        total[x] = unary[offset[t] + x]
    for i in range(first[t], first[t + 1]):
        start = message_offset[incident[i]]
        weight = rho[incident[i] // 2]
        for x in range(K):
            total[x] += weight * messages[start + x]
    return K


@compiled_step
def _send_maxima(K, L, before, top, scores, low, step_t, step_s, sent):
    """The message of maxima over x_t, less ``top``, the largest of the scores ``before``; gives its largest entry."""
    highest = -np.inf
    for y in range(L):
        best = -np.inf
        for x in range(K):
            best = max(best, before[x] - top + scores[low + y * step_s + x * step_t])
        sent[y] = best
        highest = max(highest, best)
    return highest


@compiled_step
def _sum_of_logarithms(K, before, scores, step):
    """What products that underflow sum to, as a logarithm."""
    scale = -np.inf
    for x in range(K):
        scale = max(scale, before[x] + scores[x * step])
    if scale == -np.inf:
        return -np.inf
    total = 0.0
    for x in range(K):
        total += np.exp(before[x] + scores[x * step] - scale)
    return np.log(total) + scale


@compiled
def sweep(
    order, offset, unary, edges, pair_offset, scores, weights, rho, first, incident, message_offset, messages,
    damping, maximize,
):  # fmt: skip
    """Send from every variable in turn to all its neighbours; return the largest change of a message.

    ``M_ts(x_s)`` is proportional to the sum (or maximum) over x_t of ``exp(theta_st / rho_st + theta_t)`` times
    ``prod_v M_vt^rho_vt / M_st`` (equation 35 of Wainwright, Jaakkola & Willsky). ``scores`` are the tables divided by
    rho, ``weights`` their exponentials after the largest of each table is set to one. Messages are logarithms with
    largest entry zero. Returns nan where a variable has no possible state.
    """
    largest = 0
    for t in range(len(offset) - 1):
        largest = max(largest, offset[t + 1] - offset[t])
    total, before, mass, sent = np.empty(largest), np.empty(largest), np.empty(largest), np.empty(largest)
    change = 0.0
    for t in order:
        K = _combined(t, offset, unary, rho, first, incident, message_offset, messages, total)
        for i in range(first[t], first[t + 1]):
            into, out = incident[i], incident[i] ^ 1
            e = into // 2
            s = edges[e, out & 1]
            L = offset[s + 1] - offset[s]
            # In the table, steps of x_t and of x_s.
            step_t, step_s = (L, 1) if into & 1 == 0 else (1, K)
            top = -np.inf
            for x in range(K):
                # A state that s forbids matters to no possible state of s.
                before[x] = -np.inf if total[x] == -np.inf else total[x] - messages[message_offset[into] + x]
                top = max(top, before[x])
            if top == -np.inf:
                return np.nan
            low, high = pair_offset[e], pair_offset[e + 1]
            if maximize:
                highest = _send_maxima(K, L, before, top, scores, low, step_t, step_s, sent)
            else:
                highest = -np.inf
                for x in range(K):
                    mass[x] = np.exp(before[x] - top)
                for y in range(L):
                    at = low + y * step_s
                    acc = 0.0
                    for x in range(K):
                        acc += mass[x] * weights[at + x * step_t]
                    if acc > 1e-250:
                        sent[y] = np.log(acc)
                    else:
                        # On the scale of the others: less what was set to one.
                        sent[y] = _sum_of_logarithms(K, before, scores[at:], step_t) - top - scores[low:high].max()
                    highest = max(highest, sent[y])
            if highest == -np.inf:
                return np.nan
            start = message_offset[out]
            for y in range(L):
                old = messages[start + y]
                new = sent[y] - highest
                if damping > 0.0 and old > -np.inf and new > -np.inf:
                    new = (1.0 - damping) * new + damping * old
                if old != new:
                    change = max(change, abs(new - old))
                messages[start + y] = new
    return change


@compiled
def beliefs(
    offset, unary, edges, pair_offset, scores, rho, first, incident, message_offset, messages, nodes, pairs, maximize,
):  # fmt: skip
    """Beliefs of variables and edges, an estimate of ``log Z`` and a bound on it from above.

    With ``A_s = theta_s + sum_t rho_st log M_ts`` and ``B_st = theta_st / rho_st - log M_ts - log M_st`` the score of
    every joint state is ``sum A_s + sum rho_st B_st``, whatever the messages. Let ``p_s`` be exp A_s normalised.
    Convexity over spanning trees, and elimination of leaf after leaf, give
    ``log Z <= sum log Z(A_s) + sum rho_st max(R_st, R_ts)``, ``R_st = max over x_t of log sum over x_s p_s exp(B_st)``:
    a bound that holds before convergence too, if rho are the edge probabilities of a distribution over spanning
    forests. At a fixed point all sums are equal and both numbers are the optimum of the tree-reweighted problem; with
    rho = 1 the estimate is that of Bethe. With ``maximize`` sums become maxima, and only the bound has a meaning.
    """
    n = len(offset) - 1
    largest = 0
    for s in range(n):
        largest = max(largest, offset[s + 1] - offset[s])
    total = np.empty(largest)
    log_nodes = np.empty(len(unary))
    estimate = 0.0
    for s in range(n):
        K = _combined(s, offset, unary, rho, first, incident, message_offset, messages, total)
        scale = _log_sum(total[:K], maximize)
        if scale == -np.inf:
            return np.nan, np.nan
        estimate += scale
        for x in range(K):
            log_nodes[offset[s] + x] = total[x] - scale
            nodes[offset[s] + x] = np.exp(total[x] - scale)
    bound = estimate
    for e in range(len(edges)):
        s, t = edges[e]
        K, L = offset[s + 1] - offset[s], offset[t + 1] - offset[t]
        into_s, into_t = message_offset[2 * e], message_offset[2 * e + 1]
        mass, most = _edge_beliefs(
            scores[pair_offset[e] : pair_offset[e + 1]].reshape(K, L), messages[into_s : into_s + K],
            messages[into_t : into_t + L], log_nodes[offset[s] : offset[s + 1]], log_nodes[offset[t] : offset[t + 1]],
            pairs[pair_offset[e] : pair_offset[e + 1]].reshape(K, L), total, maximize,
        )  # fmt: skip
        if mass == -np.inf:
            return np.nan, np.nan
        estimate += rho[e] * mass
        bound += rho[e] * most
    return estimate, bound


@compiled_step
def _edge_beliefs(table, into_s, into_t, log_s, log_t, pairs, line, maximize):
    """Beliefs of an edge from ``p_s p_t exp(B_st)``; gives the logarithm of their sum, and max(R_st, R_ts)."""
    K, L = table.shape
    local = np.empty((K, L))
    for x in range(K):
        for y in range(L):
            possible = log_s[x] > -np.inf and log_t[y] > -np.inf
            local[x, y] = table[x, y] - into_s[x] - into_t[y] if possible else -np.inf
    most = -np.inf
    for x in range(K):
        for y in range(L):
            line[y] = local[x, y] + log_t[y]
        most = max(most, _log_sum(line[:L], maximize))
    for y in range(L):
        for x in range(K):
            local[x, y] += log_s[x]
            line[x] = local[x, y]
        most = max(most, _log_sum(line[:K], maximize))
        for x in range(K):
            local[x, y] += log_t[y]
    mass = _log_sum(local.ravel(), maximize)
    if mass > -np.inf:
        for x in range(K):
            for y in range(L):
                pairs[x, y] = np.exp(local[x, y] - mass)
    return mass, most


@compiled_step
def _log_sum(values, maximize):
    top = -np.inf
    for value in values:
        top = max(top, value)
    if maximize or top == -np.inf:
        return top
    acc = 0.0
    for value in values:
        acc += np.exp(value - top)
    return top + np.log(acc)


@compiled
def decode(order, offset, unary, edges, pair_offset, pairs, rho, first, incident, message_offset, messages, labels):
    """Label the variables in turn, each best given the labels before it and the messages of those to come."""
    placed = np.zeros(len(offset) - 1, np.bool_)
    for s in order:
        best, label = -np.inf, 0
        K = offset[s + 1] - offset[s]
        for x in range(K):
            value = unary[offset[s] + x]
            for i in range(first[s], first[s + 1]):
                end, e = incident[i] & 1, incident[i] // 2
                t = edges[e, 1 - end]
                if placed[t]:
                    row, column = (x, labels[t]) if end == 0 else (labels[t], x)
                    L = K if end == 1 else offset[t + 1] - offset[t]
                    value += pairs[pair_offset[e] + row * L + column]
                else:
                    value += rho[e] * messages[message_offset[incident[i]] + x]
            if value > best:
                best, label = value, x
        labels[s] = label
        placed[s] = True
