"""The independence map with the fewest parameters, over all orders of the variables."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def boundary_from(x, inside, ancestral, parents, children):
    """Vertices of ``inside`` that the moral graph of the ancestral set joins to x by a path through none of them.

    They are the Markov boundary of x among ``inside``: given these, x is independent of the rest.
    """
    one = np.uint64(1)
    boundary, through = np.uint64(0), one << np.uint64(x)
    reached = through
    while through:
        # Lowest bit of what is yet to be passed through, and its number.
        low = through & (~through + one)
        through ^= low
        v = 0
        while not (low >> np.uint64(v)) & one:
            v += 1
        joined = parents[v] & ancestral
        below = children[v] & ancestral
        joined |= below
        c = 0
        while below >> np.uint64(c):
            if (below >> np.uint64(c)) & one:
                joined |= parents[c]
            c += 1
        joined &= ~reached
        reached |= joined
        boundary |= joined & inside
        through |= joined & ~inside
    return boundary


@compiled
def least_parameters(observed, parents, children, ancestors, n_states, most, best, last):
    """For every set of observed variables, the fewest parameters of a map of it, and the variable that comes last.

    ``best[S] = min over x in S of best[S - x] + (states of x - 1) * (joint states of its boundary in S - x)``: in a
    positive distribution the parents that x needs after S - x are its Markov boundary there, and no fewer will do.
    Numbers are cut off at ``most``.
    """
    n = len(observed)
    one = np.uint64(1)
    best[0] = 0
    for members in range(1, 1 << n):
        vertices, ancestral = np.uint64(0), np.uint64(0)
        for i in range(n):
            if (members >> i) & 1:
                vertices |= one << np.uint64(observed[i])
                ancestral |= ancestors[observed[i]]
        least, choice = most, -1
        for i in range(n):
            if not (members >> i) & 1:
                continue
            x = observed[i]
            before = best[members ^ (1 << i)]
            if before >= least:
                continue
            boundary = boundary_from(x, vertices & ~(one << np.uint64(x)), ancestral, parents, children)
            count = n_states[x] - 1
            j = 0
            while boundary >> np.uint64(j) and count < most:
                if (boundary >> np.uint64(j)) & one:
                    count *= n_states[j]
                j += 1
            if before + count < least:
                least, choice = before + count, i
        best[members], last[members] = least, choice
