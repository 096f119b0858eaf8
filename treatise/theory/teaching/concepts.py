"""Finite classes of concepts, and what it takes to teach them."""

from itertools import combinations

import numpy as np

from treatise.optimize import greedy_hitting_set, minimum_hitting_sets
from treatise.theory.teaching.dimensions import (
    TEACHING_MODELS,
    TeachingResult,
    balbach_cores,
    balbach_sizes,
    easiest_of,
    recursive_families,
    subset_families,
    teaching_families,
)

MOST_FOR_PROPERTY = 16
"""Concepts up to which all orders of teaching can be gone through."""


class ConceptClass:
    """A finite class of concepts over finitely many instances, and how few examples teach each of them.

    Use it to choose the examples that tell one hypothesis from all others (for people, tests or students), and to study
    teaching. Not for estimating how many random examples a learner needs. Smallest teaching sets are NP-hard to find:
    exact answers are for a few thousand concepts that few examples teach, or for about a hundred instances;
    ``teaching_set(c, method="greedy")`` has no such limit. The differences of all pairs take ``O(n_concepts^2)``.

    Parameters
    ----------
    concepts : array-like of shape (n_concepts, n_instances)
        Labels that each concept gives to the instances, usually 0 and 1; no two rows are equal.
    names : sequence of str or None, default=None
        Names of the concepts, for messages and pictures.

    Attributes
    ----------
    matrix : ndarray of shape (n_concepts, n_instances)
        The labels.
    names : list of str
        Names of the concepts.

    Examples
    --------
    >>> from treatise.theory import ConceptClass
    >>> thresholds = ConceptClass([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> [thresholds.teach(model).dimension for model in ("ts", "bts", "sts", "rts")]
    [2, 2, 1, 1]
    >>> thresholds.teach("ts").families[1]
    [(0, 1)]

    References
    ----------
    .. [1] Paper v12-0349, Definitions 2, 5, 16 and 25.
    """

    def __init__(self, concepts, names=None):
        matrix = np.asarray(concepts)
        if matrix.ndim != 2 or matrix.size == 0:
            raise ValueError(f"concepts has shape {matrix.shape}; give a row of labels for each concept")
        if matrix.dtype.kind == "f" and not np.isfinite(matrix).all():
            raise ValueError("concepts has a label that is not finite; give a label for every instance")
        self.matrix = matrix
        _, codes = np.unique(matrix, return_inverse=True)
        codes = codes.reshape(matrix.shape)
        self._codes, self._n_labels = codes, int(codes.max()) + 1
        self._by_label = [[_mask(row == label) for label in range(self._n_labels)] for row in codes]
        first = {}
        for number, row in enumerate(codes):
            if (twin := first.setdefault(row.tobytes(), number)) != number:
                raise ValueError(f"concepts {twin} and {number} are equal, and no example tells them apart; give one")
        self.names = [str(c) for c in range(len(matrix))] if names is None else [str(name) for name in names]
        if len(self.names) != len(matrix):
            raise ValueError(f"{len(self.names)} names for {len(matrix)} concepts; give one each")

    @classmethod
    def of_sets(cls, sets, n_instances, names=None):
        """A class whose concepts are the sets of instances with the label 1.

        Parameters
        ----------
        sets : sequence of iterables of int
            Instances of each concept, from 0.
        n_instances : int
            Number of instances.
        names : sequence of str or None, default=None
            Names of the concepts.

        Returns
        -------
        ConceptClass

        Examples
        --------
        >>> from treatise.theory import ConceptClass
        >>> ConceptClass.of_sets([[], [0], [1]], 2).teach("rts").dimension
        1
        """
        matrix = np.zeros((len(sets), n_instances), dtype=np.int8)
        for row, members in zip(matrix, sets):
            members = np.asarray(list(members), dtype=np.int64)
            if members.size and (members.min() < 0 or members.max() >= n_instances):
                raise ValueError(f"a set holds instance {members.max()}; instances go from 0 to {n_instances - 1}")
            row[members] = 1
        return cls(matrix, names)

    @property
    def n_concepts(self):
        """Number of concepts."""
        return len(self.matrix)

    @property
    def n_instances(self):
        """Number of instances."""
        return self.matrix.shape[1]

    def __repr__(self):
        return f"ConceptClass({self.n_concepts} concepts over {self.n_instances} instances)"

    def difference(self, first, second):
        """The instances on which two concepts differ, as the bits of a whole number."""
        one, other = self._by_label[first], self._by_label[second]
        differs = 0
        for label in range(self._n_labels):
            differs |= one[label] ^ other[label]
        return differs

    def teaching_set(self, concept, *, method="exact"):
        """One smallest set of instances that tells a concept from all others.

        Parameters
        ----------
        concept : int
            Its number.
        method : {"exact", "greedy"}, default="exact"
            Smallest, or found by greed and at most about a logarithm of the number of concepts larger.

        Returns
        -------
        tuple of int

        Examples
        --------
        >>> from treatise.theory import monomial_class
        >>> monomials = monomial_class(8)
        >>> len(monomials.teaching_set(0, method="greedy"))
        2
        """
        self._check(concept)
        if method not in ("exact", "greedy"):
            raise ValueError(f"method={method!r} is not known; choose 'exact' or 'greedy'")
        masks = [self.difference(concept, other) for other in range(self.n_concepts) if other != concept]
        return _instances(greedy_hitting_set(masks) if method == "greedy" else minimum_hitting_sets(masks)[0])

    def teach(self, model="ts", *, max_sets=100_000):
        """Teaching sets of all concepts, and the dimension, under what the learner assumes.

        Parameters
        ----------
        model : {"ts", "bts", "sts", "rts"}, default="ts"
            "ts": nothing, so that the examples must rule out every other concept. "bts": concepts that fewer examples
            would teach would have been taught by fewer. "sts": every example is part of a smallest teaching set.
            "rts": the easiest concepts are taught first and then left out.
        max_sets : int, default=100_000
            Smallest teaching sets of one concept above which the search gives up with a ``ValueError``.

        Returns
        -------
        TeachingResult
        """
        if model not in TEACHING_MODELS:
            raise ValueError(f"model={model!r} is not known; choose one of {', '.join(map(repr, TEACHING_MODELS))}")
        concepts = range(self.n_concepts)
        if model == "rts":
            found, hierarchy = recursive_families(self.difference, concepts, max_sets)
            families = [[_instances(mask) for mask in found[c]] for c in concepts]
            return _result("rts", families, [], hierarchy, len(hierarchy))
        found = teaching_families(self.difference, concepts, max_sets)
        first = [[_instances(mask) for mask in found[c]] for c in concepts]
        if model == "ts":
            return _result("ts", first, [first], [], 0)
        if model == "bts":
            history = balbach_sizes(self.difference, np.array([len(sets[0]) for sets in first]))
            rounds = [first, *(self._padded(sizes, max_sets) for sizes in history[1:])]
        else:
            labelled = [[self._labelled(c, mask) for mask in found[c]] for c in concepts]
            rounds = [
                [[self._unlabelled(mask) for mask in sets] for sets in each] for each in subset_families(labelled)
            ]
        return _result(model, rounds[-1], rounds, [], len(rounds) - 1)

    def _padded(self, sizes, limit):
        """Balbach's sets: what tells a concept from its rivals, filled up to the size that goes with them."""
        families = []
        for c, size in enumerate(sizes.tolist()):
            sets = []
            for core in balbach_cores(self.difference, c, sizes, limit):
                spare = (x for x in range(self.n_instances) if not core >> x & 1)
                chosen = _instances(core)
                sets.append(tuple(sorted([*chosen, *(next(spare) for _ in range(size - len(chosen)))])))
            families.append(sorted(set(sets)))
        return families

    def _labelled(self, concept, mask):
        """A set of instances with the concept's labels, as bits of examples."""
        row = self._codes[concept]
        return sum(1 << (x * self._n_labels + int(row[x])) for x in _instances(mask))

    def _unlabelled(self, examples):
        return tuple(bit // self._n_labels for bit in _instances(examples))

    def teaching_plan(self):
        """Concepts one at a time, each with a smallest set that tells it from those after it, the easiest always first.

        Its largest set has the recursive teaching dimension (Theorem 29).

        Returns
        -------
        list of (int, tuple of int)
            Concepts and instances.
        """
        left, plan = list(range(self.n_concepts)), []
        while left:
            concept = easiest_of(self.difference, left)[0][0]
            masks = [self.difference(concept, other) for other in left if other != concept]
            plan.append((concept, _instances(minimum_hitting_sets(masks)[0])))
            left.remove(concept)
        return plan

    def redundant_instances(self, model="ts"):
        """Instances that every teaching set can do without: another one can take their place (Lemma 23, Theorem 24).

        Only one of them can be left out before the others are looked at anew; :meth:`reduced` does that.

        Parameters
        ----------
        model : {"ts", "sts"}, default="ts"
            Teaching sets, or subset teaching sets of all iterations.

        Returns
        -------
        list of int
        """
        if model not in ("ts", "sts"):
            raise ValueError(f"model={model!r} has no condition of redundancy; choose 'ts' or 'sts'")
        rounds = [[set(map(frozenset, sets)) for sets in families] for families in self.teach(model).history]
        return [x for x in range(self.n_instances) if all(self._spared(x, families) for families in rounds)]

    def _spared(self, instance, families):
        others = [x for x in range(self.n_instances) if x != instance]
        return all(
            any(each - {instance} | {x} in sets for x in others)
            for sets in families
            for each in sets
            if instance in each
        )

    def reduced(self, model="ts"):
        """The class without redundant instances, left out one at a time, the last first.

        Parameters
        ----------
        model : {"ts", "sts"}, default="ts"
            Whose teaching sets stay as they are.

        Returns
        -------
        reduced : ConceptClass
            The same concepts over fewer instances.
        kept : list of int
            Those instances.
        """
        kept, current = list(range(self.n_instances)), self
        while redundant := current.redundant_instances(model):
            del kept[redundant[-1]]
            current = ConceptClass(self.matrix[:, kept], self.names)
        return current, kept

    def subset_teaching_exception(self):
        """Where the class lacks the Subset Teaching Property (Definition 37), which makes STD and RTD equal.

        Goes through what is left of the class in all orders of teaching: for at most 16 concepts.

        Returns
        -------
        None or (list of int, int)
            None where the class has the property; else the concepts that some plan of least order leaves, and that one
            of them which it teaches next with as many examples as it ever takes, none of whose sets is part of a subset
            teaching set.
        """
        if self.n_concepts > MOST_FOR_PROPERTY:
            raise ValueError(f"{self.n_concepts} concepts have too many orders of teaching; this is for at most 16")
        order, subsets = self.teach("rts").dimension, self.teach("sts")
        everything = frozenset(range(self.n_concepts))
        waiting, seen = [everything], {everything}
        while waiting:
            left = waiting.pop()
            for c in sorted(left):
                sets = minimum_hitting_sets([self.difference(c, other) for other in left if other != c], every=True)
                size = sets[0].bit_count()
                if size > order:
                    continue
                if size == order <= subsets.sizes[c] and not any(
                    set(_instances(mask)) <= set(each) for mask in sets for each in subsets.families[c]
                ):
                    return sorted(left), c
                if (rest := left - {c}) and rest not in seen:
                    seen.add(rest)
                    waiting.append(rest)
        return None

    def vc_dimension(self):
        """Size of the largest set of instances that concepts label in all 2^size ways; for two labels."""
        if self._n_labels > 2:
            raise ValueError(f"the class has {self._n_labels} labels; the VC dimension is for two")
        shattered, size = {frozenset()}, 0
        while True:
            larger = set()
            for x in range(self.n_instances):
                for each in shattered:
                    joined = each | {x}
                    if len(joined) == size + 1 and joined not in larger and self._shatters(joined, shattered):
                        larger.add(joined)
            if not larger:
                return size
            shattered, size = larger, size + 1

    def _shatters(self, instances, smaller):
        if any(frozenset(part) not in smaller for part in combinations(instances, len(instances) - 1)):
            return False
        if 2 ** len(instances) > self.n_concepts:
            return False
        return len(np.unique(self._codes[:, sorted(instances)], axis=0)) == 2 ** len(instances)

    def _check(self, concept):
        if not 0 <= concept < self.n_concepts:
            raise ValueError(f"there is no concept {concept}; they go from 0 to {self.n_concepts - 1}")


def _mask(chosen):
    """A Boolean vector as the bits of a whole number."""
    return int.from_bytes(np.packbits(chosen, bitorder="little").tobytes(), "little")


def _instances(mask):
    """The places of the bits."""
    return tuple(place for place in range(mask.bit_length()) if mask >> place & 1)


def _result(model, families, history, hierarchy, iterations):
    families = [sorted(sets) for sets in families]
    sizes = np.array([len(sets[0]) for sets in families])
    return TeachingResult(model, int(sizes.max()), sizes, families, iterations, history, hierarchy)
