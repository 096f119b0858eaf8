"""Clustering hidden Markov models with variational HEM (Coviello, Chan & Lanckriet, JMLR 15:697).

The synthetic experiments of section 5.3 and Table 7 as the paper tells them; how models are fitted to the noisy
sequences it does not tell. Beside the methods stands a classifier that knows the four sources: what no grouping of
the sequences can be expected to beat. Walks, runs and heartbeats stand for recordings that are not at hand.
"""

import warnings
from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning

from treatise.bayes import (
    HMMClusterer,
    HMMHierarchy,
    HMMMixture,
    SampledHMMClusterer,
    fit_hmms,
    hmm_expected_log_likelihood,
    plot_hmm_centers,
    plot_hmm_hierarchy,
)
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.bayes.v15_0697._recordings import Windows, heart_rows, motion_rows
from treatise.papers.bayes.v15_0697._synthetic import (
    NOISES,
    READINGS,
    SOURCES,
    Setting,
    knowing_rand,
    noisy_models,
    noisy_sequences,
    ppk_gram,
    ppk_labels,
    rand_of,
    vhem_labels,
)

TABLE_7 = {2: (0.801, 0.766), 3: (0.811, 0.768), 4: (0.828, 0.781), 5: (0.832, 0.798)}
"""Rand index of VHEM-H3M and of PPK-SC in experiment (e), by the states of the noisy models."""
KNOWS = "the classifier that knows the sources of (c): Rand index from 100 observations, mean over the noise"
SKIPPED = [
    "Tables 2 and 3 on 56 sequences of eight motions and on Vicon's 200: not at hand; five clips stand for them",
    "Table 2, HEM-DTM: mixtures of dynamic textures are another method",
    "Table 4, music of CAL500, and Table 5, character trajectories: not at hand",
    "Table 6 and section 6.3: robustness on CAL500",
    "Table 7, experiment (d) with 2, 3 and 5 clusters: that with 4 is the same as (e) with 3 states",
    "Figure 3: three trials of K = 4 and 8 in place of ten of K = 2 to 32; the expected log-likelihood and compactness",
]


def experiment(*, full: bool = False) -> Evidence:
    """The bound, sections 5.3 and Appendix E, why (c) falls short, and recordings of motion and of a heart."""
    known = {name: [knowing_rand(sources, noise) for noise in NOISES] for name, sources in SOURCES.items()}
    scores = figure_3(trials=3 if full else 1, copies=(4, 8) if full else (4,))
    rows = [*bound_rows(4000), *known_rows(known), *figure_rows(scores)]
    rows += table_rows(trials=2 if full else 1, states=(2, 3, 4, 5) if full else (3,))
    rows += long_rows(trials=2 if full else 1, names=("a", "c") if full else ("c",))
    motion, hierarchy, windows = motion_rows()
    rows += [*motion, *heart_rows(150 if full else 30)]
    skipped = SKIPPED if full else [*SKIPPED, "Figure 3: one trial, K = 4 alone; Table 7: one trial, 3 states alone"]
    return Evidence(rows, drawn(scores, known, hierarchy, windows), skipped)


def bound_rows(draws: int) -> list[Row]:
    """The bound of equation 37 below the expected log-likelihood, and loose also between a model and itself."""
    sources = SOURCES["a"]
    bounds = hmm_expected_log_likelihood(sources, sources)
    means, errors = np.empty((4, 4)), np.empty((4, 4))
    for i, source in enumerate(sources):
        drawn = source.sample(10, draws, random_state=i)
        for j, other in enumerate(sources):
            logs = other.log_likelihood(drawn)
            means[i, j], errors[i, j] = logs.mean(), logs.std() / np.sqrt(draws)
    below = int((bounds <= means + 3 * errors).sum())
    return [
        Row.check("pairs of models of (a), of 16, whose bound lies below the mean of draws", 16, below),
        Row.ours("bound of the first model of (a) with itself, ten observations", round(float(bounds[0, 0]), 4)),
        Row.ours("mean log-likelihood of its draws under itself", round(float(means[0, 0]), 2)),
    ]


def known_rows(known: dict[str, list[float]]) -> list[Row]:
    """What one sequence tells of its source to who knows all sources."""
    rows = [
        Row.ours(
            f"the classifier that knows the sources of ({name}): Rand index at noise 0.1, 0.5, 1",
            ", ".join(f"{value:.3f}" for value in found),
        )
        for name, found in known.items()
    ]
    for reading, sources in READINGS.items():
        value = float(np.mean([knowing_rand(sources, noise) for noise in NOISES]))
        rows.append(Row.ours(f"the same for (c) with the misprinted rows read as {reading}: mean", round(value, 3)))
    long = [knowing_rand(SOURCES["c"], noise, 1000, 50) for noise in NOISES]
    rows.append(
        Row.ours("the same for (c), 1 000 observations: at noise 0.1, 0.5, 1", ", ".join(f"{v:.3f}" for v in long))
    )
    hardest = min(known, key=lambda name: float(np.mean(known[name])))
    return [
        *rows,
        Row.check("experiment in which the classifier that knows the sources is right least often", "c", hardest),
        Row.check_at_most(KNOWS, TABLE_7[3][0], float(np.mean(known["c"]))),
    ]


Scores = dict[tuple[str, float, str], list[float]]


def figure_3(trials: int, copies: tuple[int, ...]) -> Scores:
    """Rand indices of both methods by experiment, noise and method, over copies and trials."""
    scores: Scores = {}
    for name in SOURCES:
        for noise in NOISES:
            for trial in range(trials):
                models = noisy_models(Setting(name, noise, max(copies), trial))
                for few in copies:
                    chosen = [models[c * max(copies) + k] for c in range(4) for k in range(few)]
                    scores.setdefault((name, noise, "VHEM-H3M"), []).append(rand_of(vhem_labels(chosen, trial)))
                    found = rand_of(ppk_labels(ppk_gram(chosen), 4, trial))
                    scores.setdefault((name, noise, "PPK-SC"), []).append(found)
    return scores


def figure_rows(scores: Scores) -> list[Row]:
    """Figure 3's Rand indices and what section 5.3.2 says of them."""
    rows = [
        Row.ours(f"experiment ({name}), noise {noise:g}, {method}: Rand index", round(float(np.mean(found)), 3))
        for (name, noise, method), found in scores.items()
    ]
    pairs = [(key[:2], found) for key, found in scores.items() if key[2] == "VHEM-H3M"]
    gains = np.concatenate([np.subtract(found, scores[*key, "PPK-SC"]) for key, found in pairs])
    means = {name: np.mean([np.mean(found) for key, found in pairs if key[0] == name]) for name in SOURCES}
    return [
        *rows,
        Row.claim_positive(
            "VHEM-H3M groups better than PPK-SC: mean difference of the Rand index over all settings",
            "Section 5.3.2",
            float(gains.mean()),
            standard_error=float(gains.std(ddof=1) / np.sqrt(len(gains))),
        ),
        Row.claim(
            "groups of (c) are found better than those of (a) and (b)",
            "Section 5.3.2",
            means["c"] > max(means["a"], means["b"]),
            gap=Gap(
                "One sequence of 100 observations tells least of its source in (c), even to who knows all sources",
                0.0,
                "experiment in which the classifier that knows the sources is right least often",
            ),
        ),
    ]


def table_rows(trials: int, states: tuple[int, ...]) -> list[Row]:
    """Table 7, experiment (e): noisy models of (c) with the right and with wrong numbers of states."""
    rows = []
    for n_states in states:
        found: dict[str, list[float]] = {"VHEM-H3M": [], "PPK-SC": []}
        for trial in range(trials):
            for noise in NOISES:
                models = noisy_models(Setting("c", noise, 8, 100 + trial, n_states))
                found["VHEM-H3M"].append(rand_of(vhem_labels(models, trial)))
                found["PPK-SC"].append(rand_of(ppk_labels(ppk_gram(models), 4, trial)))
        for (method, values), printed in zip(found.items(), TABLE_7[n_states]):
            rows.append(
                Row.printed_at_least(
                    f"experiment (c), models of {n_states} states, {method}: Rand index, mean over the noise",
                    "Table 7",
                    printed,
                    float(np.mean(values)),
                    gap=Gap(
                        "The classifier that knows the four sources and the noise stays below the table from the same "
                        "100 observations, so that something about the sequences is not as the paper tells it. Two "
                        "matrices are misprinted; of the three readings tried one lets that classifier reach the table",
                        0.1,
                        KNOWS,
                    ),
                )
            )
    return rows


def long_rows(trials: int, names: tuple[str, ...]) -> list[Row]:
    """Sequences of 1 000, which tell their source: what each method makes of them, and what soft starts gain."""
    found: dict[str, list[float]] = {}
    for trial in range(trials):
        for name in names:
            sequences = noisy_sequences(SOURCES[name], 6, 1000, 0.1, trial)
            for method, labels in _long_labels(sequences, trial):
                found.setdefault(f"({name}), 1 000 observations, noise 0.1, {method}", []).append(rand_of(labels))
    return [Row.ours(f"{what}: Rand index", round(float(np.mean(values)), 3)) for what, values in found.items()]


def _long_labels(sequences: list[np.ndarray], seed: int) -> Iterator[tuple[str, np.ndarray]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = fit_hmms(sequences, 3, n_init=2, reg_covar=1e-3, random_state=0)
        few = {"n_init": 2, "max_iter": 50, "random_state": seed}
        yield "VHEM-H3M", HMMClusterer(4, random_state=seed).fit(models).labels_
        yield "VHEM-H3M from the paper's starts", HMMClusterer(4, anneal=False, random_state=seed).fit(models).labels_
        yield "SHEM-H3M, 50 draws a model", SampledHMMClusterer(4, n_samples=50, **few).fit(models).labels_
        yield "EM-H3M", HMMMixture(4, reg_covar=1e-3, **few).fit(sequences).labels_


def drawn(scores: Scores, known: dict[str, list[float]], hierarchy: HMMHierarchy, windows: Windows) -> Figure:
    """Figure 3's first column with the classifier that knows; then the levels of Figure 2 and two centres."""
    figure = Figure(figsize=(11, 9), layout="constrained")
    grid = figure.add_gridspec(3, 6)
    for column, name in enumerate(SOURCES):
        ax = figure.add_subplot(grid[0, 2 * column : 2 * column + 2])
        for method, style in (("VHEM-H3M", "o-"), ("PPK-SC", "s--")):
            ax.plot(NOISES, [np.mean(scores[name, noise, method]) for noise in NOISES], style, label=method)
        ax.plot(NOISES, known[name], ":", color="black", label="knows the sources")
        ax.set(title=f"experiment ({name})", xlabel="variance of the noise", ylim=(0.4, 1.0))
        if column == 0:
            ax.set_ylabel("Rand index")
            ax.legend(fontsize=8)
    kinds = [f"{style}, {clip}" for style, clip in zip(windows.styles, windows.clips)]
    ax = figure.add_subplot(grid[1, :])
    plot_hmm_hierarchy(hierarchy, kinds, ax=ax)
    ax.set_title("walks and runs: windows and their groups")
    panels = [figure.add_subplot(grid[2, :3]), figure.add_subplot(grid[2, 3:])]
    plot_hmm_centers(
        hierarchy.clusterers_[-1], names=("first principal component", "second principal component"), ax=panels
    )
    return figure
