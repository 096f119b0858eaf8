"""Hidden paths between Viterbi's and the most probable states (Lember & Koloydenko, JMLR 15:1)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_cb513
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.sequence.v15_0001._protein_hmm import published_protein_hmm, six_structure_states
from treatise.sequence import (
    HMM,
    Decoding,
    DecodingPath,
    HiddenChains,
    HMMDecoder,
    decoding_path,
    log_average_messages,
    path_risks,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
ALPHAS = (0.0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
DECODERS: dict[str, dict[str, Any]] = {
    "Viterbi": {"alpha": 1},
    "PMAP": {"alpha": 0},
    "PVD": {"alpha": 0, "constraint": "posterior"},
    "constrained PMAP": {"alpha": 0, "family": "linear", "constraint": "posterior"},
    "Rabiner 2-block": {"method": "block", "k": 2},
    "2-block posterior-Viterbi": {"k": 2},
    "prior path": {"weights": (0, 0, 0, 1)},
    "prior states": {"weights": (0, 0, 1, 0)},
}
TABLE_2 = {
    (False, 1): "7.4409 7.5121 7.7823 9.3311 8.1481", (False, 2): "6.6088 7.8168 7.7088 5.9598 4.8559",
    (True, 1): "0.23753 0.32510 0.40751 0.48626 0.60611", (True, 2): "0.22453 0.22664 0.25809 0.31526 0.39389",
}  # fmt: skip
STATIONARY = (0.0511, 0.2029, 0.4527, 0.0847, 0.1240, 0.0847)
NOT_AT_HAND = (
    "Table 1, Figures 1 to 6: the paper's 25 713 labelled proteins (a file behind a personal page) are not at hand; "
    "the chains of CB513 take their place in the rows that name it"
)
ONE_MODEL = Gap(
    "one model for all sequences, of 167 residues, in place of a model for each; what those would give is not known",
    band=0.5,
)
OTHER_PROTEINS = Gap(
    "the chains of CB513 are not the paper's proteins, of which 25 713 make its numbers; what those would give is not "
    "known",
    band=1.5,
)
WHY_PRIORS_DIFFER = Gap(
    "in CB513 the middle of a helix lasts longer than coil (0.84 against 0.81 to stay), so that the most probable path "
    "goes there at once; in the paper's proteins it is the other way round, and with its own model the two agree",
    band=0.0,
    shown_by="Simulated proteins: decoding by the prior path and by the prior states agree",
)


def experiment(*, full: bool = False) -> Evidence:
    """The exact examples, the simulation from the published model, and proteins; ``full`` leaves out one at a time."""
    rows = [*table_2_rows(), *example_rows(), *appendix_a_rows(), *stationary_rows()]
    # The paper's 15 sets of 25 713 sequences, in parts that fit the memory.
    rows += simulation_rows(5_143 if full else 1_000, 75 if full else 1)
    skipped, drawn = [NOT_AT_HAND], None
    try:
        proteins = Proteins(n_folds=None if full else 10)
        rows += proteins.rows()
        drawn = proteins
    except DataNotFoundError as missing:
        skipped.append(str(missing))
    return Evidence(rows, _figure(drawn), skipped)


def table_2_rows() -> list[Row]:
    """Brushe's messages with and without scaling. The model is missing in the paper's text: it is MATLAB's example."""
    shown = np.array([[1 / 6] * 6, [0.1, 0.1, 0.1, 0.1, 0.1, 0.5]])
    chains = HiddenChains([2 / 3, 1 / 3], [[0.95, 0.05], [0.1, 0.9]], np.log(shown[:, np.array([2, 6, 6, 4, 1]) - 1].T))
    rows = []
    for normalized, path in ((False, "1 2 1 1 1"), (True, "1 1 1 1 1")):
        forward, backward = log_average_messages(chains, 7.0, normalized=normalized)
        kind, scale, digits = ("scaled", 1.0, 5) if normalized else ("unscaled, times 1e6", 1e6, 4)
        for state in (1, 2):
            values = scale * (forward * backward)[:, state - 1]
            here = " ".join(f"{value:.{digits}f}" for value in values)
            quantity = f"Log-average messages, {kind}: products for state {state} at t = 1 to 5"
            rows.append(Row.printed(quantity, "Table 2", TABLE_2[normalized, state], here))
        found = HMMDecoder("log-average", mu=7.0, normalized=normalized).decode(chains).paths
        rows.append(Row.printed(f"Log-average messages, {kind}: path", "Table 2", path, _numbers(found)))
    return rows


def example_rows() -> list[Row]:
    """two Viterbi paths, which position-by-position decoding may glue into an impossible one."""
    emissions = np.array([[0.3, 0.15], [0.2, 0.3], [1 / 6, 1 / 6]])
    moves = [[0.6, 0.4, 0], [0.1, 0.1, 0.8], [0, 0.02, 0.98]]
    chains = HiddenChains([0.4, 0.54, 0.06], moves, np.log(emissions.T))
    found = HMMDecoder(alpha=1).decode(chains)
    joint = float(np.exp(chains.log_likelihood[0] - 2 * found.risks.log_path[0]))
    glued = path_risks(chains, [0, 2])
    return [
        Row.printed("joint probability of the Viterbi path", "Example 1", 0.0144, joint, within=1e-12, why="exact"),
        Row.claim("the Viterbi path is (1, 2) or (2, 3)", "Example 1", _numbers(found.paths) in ("1 2", "2 3")),
        Row.claim("the glued path (1, 3) is impossible", "Example 1", not glued.admissible[0]),
    ]


def appendix_a_rows() -> list[Row]:
    """Appendix A: a path that is possible a priori and impossible given the observations."""
    ones = [1] * 9
    moves = [
        [5, 0, 0, 0, 4, 0, 0, 0, 0], ones, [0, 0, 4, 0, 5, 0, 0, 0, 0], ones, [0, 1, 0, 1, 1, 1, 2, 1, 2], ones,
        [3, 3, 0, 0, 0, 3, 0, 0, 0], ones, [0, 0, 3, 3, 0, 0, 0, 3, 0],
    ]  # fmt: skip
    shown = {0: (1 / 25, 1 / 20, 0.0), 2: (1 / 20, 1 / 25, 0.0), 4: (1 / 10, 0.0, 1 / 5), 6: (1 / 15, 1 / 15, 0.0)}
    shown[8] = shown[6]
    with np.errstate(divide="ignore"):
        seen = np.log([[shown.get(j, (0.0, 0.0, 1 / 5))[t] for j in range(9)] for t in range(3)])
    chains = HiddenChains(np.full(9, 1 / 9), np.array(moves) / 9, seen)
    named = {
        None: ("PMAP", ("5 1 5", "5 3 5", "5 7 5", "5 9 5")),
        "prior": ("PMAP among paths of positive prior probability", ("5 2 5", "5 4 5", "5 5 5", "5 6 5", "5 8 5")),
        "posterior": ("constrained PMAP", ("5 7 2", "5 7 6", "3 3 5", "9 3 5")),
    }
    rows = []
    for constraint, (name, paths) in named.items():
        found = HMMDecoder(alpha=0, family="linear", constraint=constraint).decode(chains)
        # The paper names four of the eight best constrained paths, so that values are compared and not paths.
        theirs = [path_risks(chains, np.array(path.split(), int) - 1).error[0] for path in paths]
        best = bool(np.allclose(theirs, found.risks.error[0], rtol=0.0, atol=1e-12))
        statement = f"{name}: each path that the paper names has as many expected right states as the best"
        rows.append(Row.claim(statement, "Appendix A", best))
        possible = bool(found.risks.admissible[0])
        rows.append(Row.printed(f"{name}: the path is possible", "Appendix A", constraint == "posterior", possible))
    return rows


def stationary_rows() -> list[Row]:
    """Appendix E: the stationary distribution of the published moves."""
    _, transitions, _ = published_protein_hmm()
    values, vectors = np.linalg.eig(transitions.T)
    stationary = np.real(vectors[:, np.argmax(np.real(values))])
    stationary /= stationary.sum()
    why = "moves are printed to four decimals"
    return [
        Row.printed(
            f"stationary probability of state {j + 1}",
            "Appendix E",
            published,
            round(float(here), 4),
            within=2e-4,
            why=why,
        )
        for j, (published, here) in enumerate(zip(STATIONARY, stationary))
    ]


def simulation_rows(n_sequences: int, n_parts: int) -> list[Row]:
    """Sequences drawn from the model of appendix E and decoded with it; the paper's each have a model of their own."""
    start, transitions, emissions = published_protein_hmm()
    model = HMM.from_parameters(start, transitions, emission_probabilities=emissions, symbols=AMINO_ACIDS)
    names = ("Viterbi", "PMAP", "PVD", "2-block posterior-Viterbi", "Rabiner 2-block")
    error = dict.fromkeys(names, 0.0)
    risk, impossible = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for seed in range(n_parts):
        sequences, states = model.sample(167, n_sequences, random_state=seed)
        chains, truth = model.chains(sequences), np.concatenate(states)
        for name in names:
            found = HMMDecoder(**DECODERS[name]).decode(chains)
            error[name] += 100 * float(np.mean(found.paths != truth)) / n_parts
            risk[name] += 100 * float(found.risks.error.mean()) / n_parts
            impossible[name] += 100 * float(np.mean(~found.risks.admissible)) / n_parts
    why = "points: one model for all sequences, of 167 residues, in place of a model for each"
    where = "Simulated proteins"
    blind = [HMMDecoder(**DECODERS[name]).decode(chains).paths for name in ("prior path", "prior states")]
    rows = [
        Row.claim(
            f"{where}: decoding by the prior path and by the prior states agree", "Section 5", np.array_equal(*blind)
        ),
        Row.printed(
            f"{where}: errors of Viterbi, %", "Section 5", 54.95, round(error["Viterbi"], 2), within=2.0, why=why
        ),
        Row.printed(f"{where}: errors of PMAP, %", "Section 5", 47.49, round(error["PMAP"], 2), within=2.0, why=why),
        Row.printed(
            f"{where}: errors of Viterbi less those of PMAP, %",
            "Section 5",
            7.46,
            round(error["Viterbi"] - error["PMAP"], 2),
            within=0.7,
            why=why,
            gap=ONE_MODEL,
        ),
        Row.printed(
            f"{where}: expected errors of Viterbi less those of PMAP, %",
            "Section 5",
            8.55,
            round(risk["Viterbi"] - risk["PMAP"], 2),
            within=0.8,
            why=why,
            gap=ONE_MODEL,
        ),
    ]
    rows += [Row.ours(f"{where}: errors of {name}, %", round(error[name], 2)) for name in names[2:]]
    rows += [
        Row.check(f"{where}: impossible paths of {name}, %", 0.0, impossible[name])
        for name in ("Viterbi", "PVD", "2-block posterior-Viterbi")
    ]
    rows += [
        Row.ours(f"{where}: impossible paths of {name}, %", round(impossible[name], 2))
        for name in ("PMAP", "Rabiner 2-block")
    ]
    return rows


class Proteins:
    """Six-state models of CB513, counted from all chains but those that are decoded."""

    def __init__(self, n_folds: int | None) -> None:
        data = load_cb513()
        # The published alphabet has twenty letters; 16 chains hold others.
        kept = [i for i, chain in enumerate(data.residues) if set(chain) <= set(AMINO_ACIDS)]
        self.residues = [data.residues[i] for i in kept]
        self.states = [six_structure_states(data.structures[i]) for i in kept]
        self.folds = np.arange(len(kept)) % (n_folds or len(kept))
        self.kind = "left out one at a time" if n_folds is None else f"in {n_folds} folds"
        self.lengths = np.array([len(chain) for chain in self.residues])
        self.wrong: dict[str, np.ndarray] = {}
        self.error: dict[str, np.ndarray] = {}
        self.log_path: dict[str, np.ndarray] = {}
        for family in ("log", "linear"):
            for alpha in ALPHAS:
                self._room(f"{family} {alpha:g}")
        for name in DECODERS:
            self._room(name)
        self.same_priors = True
        for fold in range(self.folds.max() + 1):
            self._decode(np.flatnonzero(self.folds == fold))

    def _room(self, name: str) -> None:
        for table in (self.wrong, self.error, self.log_path):
            table[name] = np.full(len(self.residues), np.nan)

    def model(self, left_out: np.ndarray) -> HMM:
        """A model counted from all other chains."""
        others = np.setdiff1d(np.arange(len(self.residues)), left_out)
        return HMM(alphabet=AMINO_ACIDS).fit([self.residues[i] for i in others], [self.states[i] for i in others])

    def _decode(self, chosen: np.ndarray) -> None:
        model = self.model(chosen)
        chains = model.chains([self.residues[i] for i in chosen])
        truth = np.concatenate([self.states[i] for i in chosen])
        found = {name: HMMDecoder(**parameters).decode(chains) for name, parameters in DECODERS.items()}
        for name, decoding in found.items():
            self._note(name, chosen, decoding, truth, chains)
        self.same_priors &= bool(np.array_equal(found["prior path"].paths, found["prior states"].paths))
        for family in ("log", "linear"):
            for alpha in ALPHAS:
                decoding = HMMDecoder(alpha=alpha, family=family).decode(chains)
                self._note(f"{family} {alpha:g}", chosen, decoding, truth, chains)

    def _note(self, name: str, chosen: np.ndarray, decoding: Decoding, truth: np.ndarray, chains: HiddenChains) -> None:
        lengths = self.lengths[chosen]
        self.wrong[name][chosen] = chains.per_sequence((decoding.labels != truth).astype(float)) / lengths
        self.error[name][chosen] = decoding.risks.error
        self.log_path[name][chosen] = decoding.risks.log_path

    def total_error(self, name: str) -> float:
        """Wrong residues of all, in per cent (equation 43)."""
        return 100 * float(np.average(self.wrong[name], weights=self.lengths))

    def impossible(self, name: str) -> np.ndarray:
        """Which chains have an impossible path."""
        return np.isinf(self.log_path[name])

    def rows(self) -> list[Row]:
        """Section 5 on other proteins."""
        rates = "a tenth: other proteins"
        where = f"CB513, {len(self.residues)} chains {self.kind}"
        viterbi, pmap = self.total_error("Viterbi"), self.total_error("PMAP")
        gain = self.wrong["Viterbi"] - self.wrong["PMAP"]
        rabiner = self.impossible("Rabiner 2-block")

        def near(quantity: str, published: float, here: float) -> Row:
            tenth = 0.1 * published
            return Row.printed(
                f"{where}: {quantity}", "Table 1", published, round(float(here), 2), within=tenth, why=rates,
                gap=OTHER_PROTEINS,
            )  # fmt: skip

        return [
            near("errors of Viterbi, %", 59.68, viterbi),
            near("errors of PMAP, %", 46.10, pmap),
            near("errors of Viterbi less those of PMAP, %", 13.58, viterbi - pmap),
            near("expected errors of Viterbi, %", 57.73, 100 * self.error["Viterbi"].mean()),
            near("expected errors of PMAP, %", 48.73, 100 * self.error["PMAP"].mean()),
            near("chains on which PMAP is more accurate, %", 85.35, 100 * np.mean(gain > 0)),
            near("chains on which Viterbi is more accurate, %", 10.67, 100 * np.mean(gain < 0)),
            near("impossible paths of PMAP, %", 74.14, 100 * self.impossible("PMAP").mean()),
            near("impossible paths of Rabiner's 2-block decoder, %", 70.94, 100 * rabiner.mean()),
            near(
                "Rabiner's path impossible though PMAP's is possible, %",
                7.32,
                100 * np.mean(rabiner & ~self.impossible("PMAP")),
            ),
            Row.claim(
                f"{where}: decoding by the prior path and by the prior states agree",
                "Section 5",
                self.same_priors,
                gap=WHY_PRIORS_DIFFER,
            ),
            Row.claim(
                f"{where}: decoding without the data has fewer errors than Viterbi",
                "Section 5",
                self.total_error("prior states") < viterbi,
            ),
            *(
                Row.check(f"{where}: impossible paths of {name}, %", 0.0, 100 * float(self.impossible(name).mean()))
                for name in ("PVD", "constrained PMAP", "2-block posterior-Viterbi")
            ),
            *(
                Row.ours(f"{where}: errors of {name}, %", round(self.total_error(name), 2))
                for name in ("2-block posterior-Viterbi", "PVD", "Rabiner 2-block", "prior states")
            ),
        ]

    def example(self) -> tuple[DecodingPath, np.ndarray]:
        """The range of decodings of the chain with the median gain, and its true states numbered from 0."""
        gain = self.wrong["Viterbi"] - self.wrong["PMAP"]
        short = np.flatnonzero(self.lengths < 200)
        chosen = short[np.argsort(gain[short], kind="stable")[len(short) // 2]]
        chains = self.model(np.array([chosen])).chains([self.residues[chosen]])
        return decoding_path(chains, ALPHAS), self.states[chosen] - 1


def _numbers(path: np.ndarray) -> str:
    return " ".join(str(state + 1) for state in path)


def _figure(proteins: Proteins | None) -> "Figure | None":
    """Figures 1 and 6 on CB513: decodings of a chain, and errors against probabilities over the range."""
    if proteins is None:
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    path, truth = proteins.example()
    path.plot(truth=truth, ax=left)
    left.set_title("Decodings of a protein chain")
    for family, marker in (("log", "*"), ("linear", "o")):
        rates, errors = [], []
        for alpha in ALPHAS:
            name = f"{family} {alpha:g}"
            # The mean of the geometric rates (equation 44), in which impossible paths count 0.
            rates.append(float(np.exp(-proteins.log_path[name]).mean()))
            errors.append(100 * float(proteins.wrong[name].mean()))
        right.plot(rates, errors, marker + "-", label=f"family {family}")
    for name in ("PVD", "Rabiner 2-block", "prior states"):
        rate, wrong = np.exp(-proteins.log_path[name]).mean(), 100 * proteins.wrong[name].mean()
        right.plot(rate, wrong, "s", label=name)
    right.set_xlabel("mean geometric rate of the path's posterior probability")
    right.set_ylabel("wrong states (%)")
    right.set_title("From posterior decoding (left) to Viterbi (right)")
    right.legend()
    return figure
