"""Teachers that choose examples, and learners that know how their teacher chooses."""

from treatise.optimize import minimum_hitting_sets


class Teacher:
    """Chooses the examples for a concept: the first of its smallest teaching sets.

    Parameters
    ----------
    concepts : ConceptClass
        What may be taught.
    model : {"ts", "bts", "sts", "rts"}, default="ts"
        What the learner assumes (:meth:`ConceptClass.teach`).

    Examples
    --------
    >>> from treatise.theory import Learner, Teacher, threshold_class
    >>> concepts = threshold_class(5)
    >>> sample = Teacher(concepts, "rts").teach(2)
    >>> Learner(concepts, "rts").learn(sample)
    2
    """

    def __init__(self, concepts, model="ts"):
        self.concepts, self.model = concepts, model
        self._families = concepts.teach(model).families

    def teach(self, concept):
        """Examples for a concept: pairs of an instance and its label.

        Parameters
        ----------
        concept : int
            Its number.

        Returns
        -------
        list of (int, label)
        """
        self.concepts._check(concept)
        row = self.concepts.matrix[concept]
        return [(x, row[x].item()) for x in self._families[concept][0]]


class Learner:
    """Finds the concept that a teacher of the same model means: the one with a teaching set among the examples.

    Learners of "ts", "bts" and "rts" are right about every larger sample of the concept too; one of "sts" takes every
    example for one that its teacher would have chosen, and may not tell with others beside them.

    Parameters
    ----------
    concepts : ConceptClass
        What may be taught.
    model : {"ts", "bts", "sts", "rts"}, default="ts"
        What it assumes of its teacher.
    """

    def __init__(self, concepts, model="ts"):
        self.concepts, self.model = concepts, model
        self._found = concepts.teach(model)

    def learn(self, sample):
        """The concept that a sample teaches.

        Parameters
        ----------
        sample : iterable of (int, label)
            Examples.

        Returns
        -------
        int or None
            None where the sample teaches none, or more than one.
        """
        sample = list(sample)
        matrix = self.concepts.matrix
        for x, _ in sample:
            if not 0 <= x < self.concepts.n_instances:
                raise ValueError(f"there is no instance {x}; they go from 0 to {self.concepts.n_instances - 1}")
        shown = {x for x, _ in sample}
        consistent = [c for c in range(len(matrix)) if all(matrix[c, x] == label for x, label in sample)]
        taught = [c for c in consistent if self._teaches(shown, c)]
        return taught[0] if len(taught) == 1 else None

    def _teaches(self, shown, concept):
        if self.model != "bts":
            return any(shown.issuperset(each) for each in self._found.families[concept])
        # Any filling will do, so that there are too many sets to list.
        sizes = self._found.sizes
        if len(shown) < sizes[concept]:
            return False
        seen = sum(1 << x for x in shown)
        rivals = [c for c in range(len(sizes)) if c != concept and sizes[c] >= sizes[concept]]
        masks = [self.concepts.difference(concept, c) & seen for c in rivals]
        if not all(masks):
            return False
        return minimum_hitting_sets(masks, most=int(sizes[concept])) is not None
