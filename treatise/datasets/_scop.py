"""Remote relations of proteins: the benchmark of 54 families from SCOP 1.53."""

import gzip
from dataclasses import dataclass

import numpy as np

from treatise.datasets._home import locate

UNUSED, POSITIVE_TRAIN, NEGATIVE_TRAIN, POSITIVE_TEST, NEGATIVE_TEST = range(5)


@dataclass(frozen=True)
class ProteinFamilies:
    """Protein domains, and the part that each plays in the task of each family.

    Parameters
    ----------
    sequences : list of str
        Amino acids as upper-case letters; X is unknown.
    names : list of str
        Identifiers of the domains.
    families : list of str
        The tasks, named after the family whose members are to be found.
    membership : ndarray of int8, of shape (n_sequences, n_families)
        0 unused, 1 and 3 positive for training and for test, 2 and 4 negative.
    """

    sequences: list[str]
    names: list[str]
    families: list[str]
    membership: np.ndarray

    def task(self, family: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of one family, the training sequences and their labels of -1 and 1, and the same for test."""
        part = self.membership[:, family]
        train = np.flatnonzero((part == POSITIVE_TRAIN) | (part == NEGATIVE_TRAIN))
        test = np.flatnonzero((part == POSITIVE_TEST) | (part == NEGATIVE_TEST))
        return (
            train, np.where(part[train] == POSITIVE_TRAIN, 1, -1),
            test, np.where(part[test] == POSITIVE_TEST, 1, -1),
        )  # fmt: skip


def load_scop_families() -> ProteinFamilies:
    """The SCOP 1.53 benchmark of Liao and Noble: 4352 domains, 54 families.

    The members of a family are to be found by a learner that has seen other families of their superfamily; negatives
    come from other folds, those for test from folds not seen in training.
    """
    sequences: list[str] = []
    names: list[str] = []
    with gzip.open(locate("sequences/scop.1.53.1e-25.fasta.gz"), "rt", encoding="ascii") as stream:
        for line in stream:
            if line.startswith(">"):
                names.append(line[1:].split()[0])
                sequences.append("")
            else:
                sequences[-1] += line.strip().upper()
    with gzip.open(locate("sequences/all_seq_fam_membership.txt.gz"), "rt", encoding="ascii") as stream:
        families = next(stream).split()[1:]
        parts = {name: row for name, *row in map(str.split, stream)}
    return ProteinFamilies(sequences, names, families, np.array([parts[name] for name in names], dtype=np.int8))
