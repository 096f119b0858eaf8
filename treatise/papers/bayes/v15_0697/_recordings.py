"""Real sequences: windows of walks and runs, and of a heart's beat."""

import time
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import rand_score

from treatise.bayes import HMMClusterer, HMMHierarchy, HMMMixture, SampledHMMClusterer, fit_hmms
from treatise.datasets import load_cmu_motion, load_two_lead_ecg
from treatise.inference import MixtureHMM
from treatise.papers._evidence import Row
from treatise.papers.bayes.v15_0697._synthetic import ppk_gram, ppk_labels

LEVELS = (8, 4, 2)
WINDOW, STEP = 20, 10


class Windows(NamedTuple):
    """Pieces of recordings."""

    sequences: list[np.ndarray]
    clips: np.ndarray
    styles: np.ndarray


def motion_windows() -> Windows:
    """Windows of two thirds of a second of five clips, every third of a second, in eight principal components."""
    motions = load_cmu_motion()
    frames = np.concatenate([motion.frames for motion in motions])
    deviation = frames.std(axis=0)
    moving = deviation > 1e-9 * deviation.max()
    axes = PCA(8, random_state=0).fit(frames[:, moving] / deviation[moving])
    found = [
        (axes.transform(motion.frames[first : first + WINDOW, moving] / deviation[moving]), motion.name, motion.style)
        for motion in motions
        for first in range(0, len(motion.frames) - WINDOW + 1, STEP)
    ]
    sequences, clips, styles = zip(*found)
    return Windows(list(sequences), np.array(clips), np.array(styles))


def motion_rows() -> tuple[list[Row], HMMHierarchy, Windows]:
    """Section 5.2 with the clips at hand: levels of groups, their fit, and the time of the rivals."""
    windows = motion_windows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = fit_hmms(windows.sequences, 3, random_state=0)
        HMMHierarchy(LEVELS, clusterer=HMMClusterer(n_init=1), random_state=0).fit(models[:9])
        begun = time.process_time()
        hierarchy = HMMHierarchy(LEVELS, random_state=0).fit(models)
        ours = time.process_time() - begun
        sampled, direct = _rival_seconds(models, windows.sequences)
        rows = _level_rows(windows, models, hierarchy)
    for rival, seconds, printed in (("SHEM-H3M", sampled, 3849.72), ("EM-H3M", direct, 667.97)):
        ratio = f"walks and runs: time of {rival} over that of VHEM-H3M"
        rows.append(Row.time(ratio, "Table 2", printed / 30.97, seconds / ours, rule="at least"))
    return rows, hierarchy, windows


def _rival_seconds(models: list[MixtureHMM], sequences: list[np.ndarray]) -> tuple[float, float]:
    """CPU time of drawing 50 sequences a model and of EM on the sequences, on the three levels."""
    begun = time.process_time()
    for level in LEVELS:
        SampledHMMClusterer(level, n_samples=50, n_init=1, random_state=0).fit(models)
    middle = time.process_time()
    for level in LEVELS:
        HMMMixture(level, n_init=1, random_state=0).fit(sequences)
    # One start each; ours has ten.
    return 10 * (middle - begun), 10 * (time.process_time() - middle)


def _level_rows(windows: Windows, models: list[MixtureHMM], hierarchy: HMMHierarchy) -> list[Row]:
    rows, gram, higher = [], ppk_gram(models), []
    for level, found, clusterer in zip(LEVELS, hierarchy.labels_, hierarchy.clusterers_):
        theirs = ppk_labels(gram, level, 0)
        centers = [_center([m for m, label in zip(models, theirs) if label == k]) for k in range(level)]
        fits = [
            _fit_of(windows.sequences, found, clusterer.centers_),
            _fit_of(windows.sequences, theirs, centers),
        ]
        higher.append(fits[0] - fits[1])
        for method, labels, fit in (("VHEM-H3M", found, fits[0]), ("PPK-SC", theirs, fits[1])):
            clips, styles = (round(rand_score(kinds, labels), 3) for kinds in (windows.clips, windows.styles))
            what = f"walks and runs, {level} groups, {method}: Rand index of clips, of walk and run; log-likelihood"
            rows.append(Row.ours(what, f"{clips:.3f}, {styles:.3f}; {fit:.2f}"))
    rows.append(
        Row.claim(
            "walks and runs: centres of VHEM-H3M fit the sequences better than those of PPK-SC on every level",
            "Table 2",
            min(higher) > 0,
        )
    )
    return rows


def _center(models: list[MixtureHMM]) -> MixtureHMM:
    """One centre of a group that another method found."""
    return HMMClusterer(1, n_init=1, random_state=0).fit(models).centers_[0]


def _fit_of(sequences: list[np.ndarray], labels: np.ndarray, centers: list[MixtureHMM]) -> float:
    """Mean log-likelihood of an observation under the centre of its sequence."""
    logs = np.column_stack([center.log_likelihood(sequences) for center in centers])
    return float(logs[np.arange(len(labels)), labels].sum() / sum(map(len, sequences)))


def heart_rows(count: int) -> list[Row]:
    """Section 4.1: a mixture fitted piece by piece and reduced, beside one fitted to all sequences at once."""
    signal = load_two_lead_ecg()[0][::4]
    windows = [signal[first : first + 90] for first in range(0, 90 * 2 * count, 90)]
    seen, unseen = windows[::2], windows[1::2]
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        HMMMixture(2, n_init=1, max_iter=2, random_state=0).fit(seen[:6])
        for name, method in (
            ("piece by piece", HMMClusterer(3, n_states=4, n_virtual=10, n_init=3, random_state=0)),
            ("at once", HMMMixture(3, n_states=4, n_init=3, random_state=0)),
        ):
            begun = time.process_time()
            model = method.fit(seen)
            seconds = time.process_time() - begun
            found[name] = float(model.score_sequences(unseen).mean() / 90), seconds
    (pieces, quick), (whole, slow) = found["piece by piece"], found["at once"]
    where = f"heartbeats, {count} windows of a second: held-out log-likelihood of an observation"
    return [
        Row.ours(f"{where}, piece by piece", round(pieces, 3)),
        Row.ours(f"{where}, EM at once", round(whole, 3)),
        Row.ours("heartbeats: time of EM at once over that of piece by piece", round(slow / quick, 2)),
    ]
