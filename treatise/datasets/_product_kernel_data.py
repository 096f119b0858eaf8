"""Objects that are bags or sequences: pairs of newsgroups as word counts, exons and introns as strings."""

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from treatise._core.errors import TreatiseError
from treatise.datasets._home import locate

NEWSGROUP_PAIRS = ("BASEHOCK", "PCMAC", "RELATHE")


def load_newsgroup_pair(name: str = "PCMAC") -> tuple[sparse.csr_array, np.ndarray]:
    """Two subjects of 20 Newsgroups as word counts: hockey and baseball, two kinds of computer, religion and atheism.

    Parameters
    ----------
    name : {"BASEHOCK", "PCMAC", "RELATHE"}
        Which pair.

    Returns
    -------
    X : CSR array of shape (n_documents, n_words)
        Counts: 1993 x 4862, 1943 x 3289 or 1427 x 4322.
    y : ndarray of shape (n_documents,)
        0 or 1.
    """
    if name not in NEWSGROUP_PAIRS:
        raise TreatiseError(f"{name!r} is no pair of newsgroups here; there are {', '.join(NEWSGROUP_PAIRS)}")
    content = loadmat(locate(f"text/{name}.mat"))
    return sparse.csr_array(content["X"].astype(np.float64)), content["Y"].ravel().astype(int) - 1


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
    for line in locate("sequences/splice.txt").read_text(encoding="ascii").splitlines():
        kind, name, bases = (cell.strip() for cell in line.split(","))
        if kind == "N":
            continue
        gene = name.partition("-")[0]
        for half, intron in ((bases[:30], kind == "IE"), (bases[30:], kind == "EI")):
            certain = "".join(base for base in half if base in "ACGT")
            parts[gene, int(intron)] = parts.get((gene, int(intron)), "") + certain
    keys = sorted(parts)
    return [parts[key] for key in keys], np.array([intron for _, intron in keys]), np.array([gene for gene, _ in keys])
