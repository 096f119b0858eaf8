"""Sequences of life: splice sites, promoters, exons and introns, proteins and their families."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.utils import murmurhash3_32

from treatise._core.errors import TreatiseError
from treatise.datasets._home import locate
from treatise.io import read_table
from treatise.io.source import read_bytes

_DEGREE, _BITS = 20, 20
UNUSED, POSITIVE_TRAIN, NEGATIVE_TRAIN, POSITIVE_TEST, NEGATIVE_TEST = range(5)


def _fasta(path: Path) -> tuple[list[str], list[str]]:
    """The headings and the sequences of a FASTA file, plain or compressed, letters in upper case."""
    heads: list[str] = []
    sequences: list[list[str]] = []
    for line in read_bytes(path).decode("ascii").splitlines():
        if line.startswith(">"):
            heads.append(line[1:])
            sequences.append([])
        else:
            sequences[-1].append(line.strip().upper())
    return heads, ["".join(parts) for parts in sequences]


def load_promoters() -> tuple[np.ndarray, np.ndarray]:
    """Promoters of E. coli: the bases at 57 positions of DNA, and whether they are a promoter.

    Returns
    -------
    X : ndarray of str, of shape (106, 57)
        Letters a, c, g, t.
    y : ndarray of str, of shape (106,)
        "+" for a promoter (53 of them), "-" else.
    """
    labels, _, bases = read_table(locate("sequences/promoters.data"), header=False).frame.iter_columns()
    return np.array([list(letters) for letters in bases]), labels.to_numpy().astype(str)


def load_exons_introns() -> tuple[list[str], np.ndarray, np.ndarray]:
    """Ends of exons and of introns, joined by gene: two DNA sequences for each of 175 genes of primates.

    From the splice junctions of UCI: 30 bases on either side of each, the side of the exon and the side of the intron
    being known. A gene's exon ends are joined to one sequence and its intron ends to another; doubtful bases are left
    out.

    Returns
    -------
    sequences : list of str
        350 strings of A, C, G, T, of 30 to 630 bases.
    y : ndarray of shape (350,)
        1 for introns, 0 for exons.
    genes : ndarray of shape (350,)
        Name of each sequence's gene.
    """
    parts: dict[tuple[str, int], str] = {}
    for kind, name, bases in read_table(locate("sequences/splice.txt"), header=False).frame.iter_rows():
        if kind == "N":
            continue
        gene = name.partition("-")[0]
        for half, intron in ((bases[:30], kind == "IE"), (bases[30:], kind == "EI")):
            certain = "".join(base for base in half if base in "ACGT")
            parts[gene, int(intron)] = parts.get((gene, int(intron)), "") + certain
    keys = sorted(parts)
    return [parts[key] for key in keys], np.array([intron for _, intron in keys]), np.array([gene for gene, _ in keys])


def load_acceptor_sites() -> tuple[sparse.csr_matrix, np.ndarray]:
    """Acceptor splice sites of C. elegans with explicit weighted-degree features.

    Every substring of up to 20 letters is a feature together with its place, hashed to 2**20 columns and weighted as
    in the weighted degree kernel; rows have unit length.

    Returns
    -------
    X : csr_matrix of shape (2200, 2**20)
        The features.
    y : ndarray of shape (2200,)
        1 for a site, -1 for a decoy.
    """
    heads, sequences = _fasta(locate("sequences/C_elegans_acc_seq.fa"))
    labels = [int(head.rpartition("label=")[2]) for head in heads]
    if len({len(sequence) for sequence in sequences}) != 1:
        raise TreatiseError("the sequences of acceptor sites differ in length; get the file again")
    letters = np.frombuffer("".join(sequences).encode(), np.uint8).reshape(len(sequences), -1)
    codes = np.searchsorted(np.frombuffer(b"ACGT", np.uint8), letters).astype(np.int64) % 4
    n, length = codes.shape
    places, values = [], []
    word = np.zeros((n, length), np.int64)
    for k in range(1, _DEGREE + 1):
        word = word[:, : length - k + 1] * 4 + codes[:, k - 1 :]
        key = (word * length + np.arange(length - k + 1)) * _DEGREE + k
        # Both halves of the key go through the hash.
        low, high = (key & 0x7FFFFFFF).astype(np.int32), (key >> 31).astype(np.int32)
        mixed = murmurhash3_32(low.ravel(), 0) ^ murmurhash3_32(high.ravel(), k)
        places.append((mixed & ((1 << _BITS) - 1)).reshape(n, -1))
        weight = 2.0 * (_DEGREE - k + 1) / (_DEGREE * (_DEGREE + 1))
        values.append(np.full(places[-1].shape, np.sqrt(weight)))
    columns, data = np.hstack(places), np.hstack(values)
    data /= np.sqrt(np.sum(data**2, axis=1, keepdims=True))
    pointers = np.arange(0, columns.size + 1, columns.shape[1])
    return sparse.csr_matrix((data.ravel(), columns.ravel(), pointers), shape=(n, 1 << _BITS)), np.array(labels)


@dataclass(frozen=True)
class ProteinStructures:
    """Proteins and the structure of each residue.

    Parameters
    ----------
    residues : list of str
        Amino acids as upper-case letters; X, Z and U are unknown or rare.
    structures : list of str
        Of each residue: H helix, E strand, C coil.
    classes : list of str
        Of each residue, the eight classes of DSSP: H, G, I helices, E and B strands, T, S and C others.
    """

    residues: list[str]
    structures: list[str]
    classes: list[str]


def load_cb513() -> ProteinStructures:
    """The protein chains behind CB513, each once: 432 chains of 106 423 residues.

    The file lists 511 domains of the benchmark of Cuff and Barton with the whole chain of each; a chain with several
    domains would stand there several times.
    """
    chains: dict[str, tuple[str, str]] = {}
    table = read_table(locate("sequences/CB513_HHblits.csv.gz"), header=True).frame
    for row in table.select("input", "dssp3", "dssp8").iter_rows():
        residues, structures, classes = (cell.replace(" ", "") for cell in row)
        chains[residues] = structures, classes
    return ProteinStructures(list(chains), [s for s, _ in chains.values()], [c for _, c in chains.values()])


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
    heads, sequences = _fasta(locate("sequences/scop.1.53.1e-25.fasta.gz"))
    names = [head.split()[0] for head in heads]
    table = read_table(locate("sequences/all_seq_fam_membership.txt.gz"), header=True).frame
    families = table.columns[1:]
    parts = {name: row for name, *row in table.iter_rows()}
    return ProteinFamilies(sequences, names, families, np.array([parts[name] for name in names], dtype=np.int8))
