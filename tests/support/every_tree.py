"""Every projective tree of a few words, and the choices that make it, written out."""

import itertools


def projective_trees(n):
    """All trees of n words with one root in which no two arcs cross and none spans the root."""
    for heads in itertools.product(range(-1, n), repeat=n):
        if heads.count(-1) != 1 or any(head == word for word, head in enumerate(heads)):
            continue
        above = list(heads)
        for _ in range(n):
            above = [heads[a] if a >= 0 else -1 for a in above]
        arcs = [(min(h, c), max(h, c)) for c, h in enumerate(heads) if h >= 0]
        root = heads.index(-1)
        crossing = any(a < c < b < d for a, b in arcs for c, d in arcs) or any(a < root < b for a, b in arcs)
        if max(above) < 0 and not crossing:
            yield heads


def choices(heads, V):
    """Arcs and stops of a tree with the dependents taken before, the outermost first."""
    arcs, stops = [], []
    for h in range(len(heads)):
        for side in (0, 1):
            taken = [c for c in range(len(heads)) if heads[c] == h and (c > h) == bool(side)]
            for v, c in enumerate(taken[::-1] if side else taken):
                arcs.append((h, c, min(v, V - 1)))
            stops.append((h, side, min(len(taken), V - 1)))
    return arcs, stops
