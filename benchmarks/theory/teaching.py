"""Smallest teaching sets, beside one integer program for each concept; and time over the size of a class."""

from collections.abc import Iterator

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from benchmarks._contest import Contest, Scaling
from treatise.theory import ConceptClass, interval_class, monomial_class


def benchmarks() -> Iterator[Contest | Scaling]:
    """Monomials of five variables, and intervals."""
    concepts = monomial_class(5)
    yield Contest(
        work="smallest teaching sets of 244 monomials of five variables; quality: less of the sum of their sizes",
        peer="scipy",
        ours=lambda: [len(sets[0]) for sets in concepts.teach("ts").families],
        theirs=lambda: _by_programs(concepts),
        quality=lambda sizes: -float(sum(sizes)),
    )
    for model in ("ts", "bts", "sts", "rts"):
        yield Scaling(
            work=f"teaching sets of all intervals of n instances, {model}",
            sizes=(8, 16, 32),
            prepare=lambda n, model=model: _taught(interval_class(n), model),
        )


def _taught(concepts: ConceptClass, model: str):
    return lambda: concepts.teach(model)


def _by_programs(concepts: ConceptClass) -> list[int]:
    """One for each concept: as few instances as differ from every other concept somewhere."""
    sizes = []
    for row in concepts.matrix:
        differs = (concepts.matrix != row).astype(float)
        differs = differs[differs.any(axis=1)]
        n = differs.shape[1]
        found = milp(np.ones(n), integrality=np.ones(n), bounds=Bounds(0, 1), constraints=LinearConstraint(differs, 1))
        sizes.append(round(found.fun))
    return sizes
