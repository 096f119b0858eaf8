"""A published hidden Markov model of the secondary structure of proteins, and its six states."""

import numpy as np


def six_structure_states(structure: str) -> np.ndarray:
    """Structure with helices divided by their length and their ends, as numbers 1 to 6.

    1 is a helix of at most seven residues, 2 a strand, 3 coil; of longer helices 4 is the first four residues, 6 the
    last four and 5 what lies between.

    Parameters
    ----------
    structure : str
        H, E or C for each residue.

    Returns
    -------
    states : ndarray of int
    """
    letters = np.array(list(structure))
    states = np.select([letters == "E", letters == "C"], [2, 3], default=5)
    helix = np.concatenate([[False], letters == "H", [False]])
    for begin, end in np.flatnonzero(helix[1:] != helix[:-1]).reshape(-1, 2):
        if end - begin <= 7:
            states[begin:end] = 1
        else:
            states[begin : begin + 4] = 4
            states[end - 4 : end] = 6
    return states


def published_protein_hmm() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A hidden Markov model of secondary structure, counted from 25 713 sequences and printed to four decimals.

    The six states are those of :func:`six_structure_states`, the symbols ``ACDEFGHIKLMNPQRSTVWY``. Rows are scaled to
    sum to one again. From appendix E of Lember and Koloydenko (JMLR 15, 2014).

    Returns
    -------
    start : ndarray of shape (6,)
    transitions : ndarray of shape (6, 6)
    emission_probabilities : ndarray of shape (6, 20)
    """
    start = np.array([0.0016, 0.0041, 0.9929, 0.0014, 0.0, 0.0])
    transitions = np.array(
        [
            [0.8359, 0.0034, 0.1606, 0, 0, 0], [0.0022, 0.8282, 0.1668, 0.0028, 0, 0],
            [0.0175, 0.0763, 0.8607, 0.0455, 0, 0], [0, 0, 0, 0.7500, 0.2271, 0.0229],
            [0, 0, 0, 0, 0.8450, 0.1550], [0, 0.0018, 0.2481, 0, 0, 0.7501],
        ]
    )  # fmt: skip
    emissions = np.array(
        [
            [0.1059, 0.0636, 0.0643, 0.1036, 0.1230, 0.1230], [0.0107, 0.0171, 0.0135, 0.0081, 0.0111, 0.0128],
            [0.0538, 0.0319, 0.0775, 0.0634, 0.0415, 0.0345], [0.0973, 0.0477, 0.0620, 0.1120, 0.0852, 0.0848],
            [0.0436, 0.0576, 0.0330, 0.0371, 0.0386, 0.0399], [0.0303, 0.0484, 0.1133, 0.0447, 0.0321, 0.0229],
            [0.0203, 0.0227, 0.0259, 0.0188, 0.0197, 0.0221], [0.0564, 0.1010, 0.0372, 0.0557, 0.0694, 0.0593],
            [0.0672, 0.0443, 0.0574, 0.0560, 0.0671, 0.0810], [0.1227, 0.1068, 0.0674, 0.0994, 0.1279, 0.1477],
            [0.0240, 0.0219, 0.0181, 0.0214, 0.0293, 0.0304], [0.0299, 0.0252, 0.0561, 0.0259, 0.0338, 0.0336],
            [0.0333, 0.0208, 0.0757, 0.0472, 0.0067, 0.0031], [0.0443, 0.0270, 0.0330, 0.0469, 0.0497, 0.0472],
            [0.0594, 0.0464, 0.0470, 0.0522, 0.0677, 0.0697], [0.0496, 0.0496, 0.0744, 0.0485, 0.0422, 0.0491],
            [0.0395, 0.0641, 0.0572, 0.0465, 0.0412, 0.0375], [0.0591, 0.1386, 0.0473, 0.0685, 0.0677, 0.0545],
            [0.0168, 0.0172, 0.0111, 0.0135, 0.0130, 0.0124], [0.0359, 0.0483, 0.0286, 0.0306, 0.0332, 0.0344],
        ]
    )  # fmt: skip
    return (
        start / start.sum(),
        transitions / transitions.sum(axis=1, keepdims=True),
        (emissions / emissions.sum(axis=0)).T,
    )
