"""Walks and runs: filling in what is missing (Figure 8), and generation (sections 3.5.3 and 4.6.4)."""

import time

import numpy as np

from treatise.datasets import load_cmu_motion
from treatise.decomposition import ConditionalRBM
from treatise.papers._evidence import Row

HELD_OUT = "35_01"
LEGS = ("HipJoint", "UpLeg", "Leg", "Foot", "ToeBase")
PLACE = "Figure 8"


def motions() -> dict[str, np.ndarray]:
    """Frames of the columns that vary, at 30 a second, by name."""
    loaded = load_cmu_motion()
    varies = np.concatenate([motion.frames for motion in loaded]).std(axis=0) > 1e-3
    return {motion.name: motion.frames[:, varies] for motion in loaded}


def columns() -> list[str]:
    """Names of the columns that vary."""
    loaded = load_cmu_motion()
    varies = np.concatenate([motion.frames for motion in loaded]).std(axis=0) > 1e-3
    return [name for name, varying in zip(loaded[0].columns, varies) if varying]


def parts() -> dict[str, np.ndarray]:
    """Columns of the left leg, and of the body above the hips."""
    joints = [name.split()[0] for name in columns()]
    of_leg = np.array([joint.endswith(LEGS) for joint in joints])
    left = np.array([joint.startswith("L") and not joint.startswith("LowerBack") for joint in joints])
    return {"left leg": of_leg & left, "upper body": ~of_leg & np.array([joint != "Hips" for joint in joints])}


def filling_rows(data: dict[str, np.ndarray], full: bool) -> list[Row]:
    """The second half of a walk without a part, filled in by machines and by nearest neighbours."""
    walk, half = data[HELD_OUT], len(data[HELD_OUT]) // 2
    train = [walk[:half], *(frames for name, frames in data.items() if name != HELD_OUT)]
    n_seeds, n_epochs = (10, 1000) if full else (4, 300)
    machines = [ConditionalRBM(200, n_epochs=n_epochs, random_state=seed).fit(train) for seed in range(n_seeds)]
    rows = []
    for name, missing in parts().items():
        gappy = walk.copy()
        gappy[half:, missing] = np.nan
        scale = machines[0].scale_[missing]
        truth = walk[half:, missing]

        def error(filled: np.ndarray, truth: np.ndarray = truth, scale: np.ndarray = scale) -> float:
            return float(np.square((filled - truth) / scale).sum(axis=0).mean())

        found = np.array([error(machine.impute(gappy)[half:, missing]) for machine in machines])
        near = _neighbours(np.vstack(train), walk[half:], missing, machines[0].scale_)
        by_count = {k: error(near[:, :k].mean(axis=1)) for k in range(1, 11)}
        spread = float(found.std(ddof=1) / np.sqrt(len(found)))
        best = min(by_count, key=lambda k: by_count[k])
        rows += [
            Row.claim_positive(
                f"{name}: error of the nearest neighbour above that of the machine, mean of {n_seeds}", PLACE,
                round(by_count[1] - float(found.mean()), 3), standard_error=round(spread, 4),
            ),
            Row.claim(f"{name}: the best number of neighbours beats one", PLACE, by_count[best] < by_count[1]),
            Row.ours(f"{name}: error of the machine", round(float(found.mean()), 3)),
            Row.ours(f"{name}: error of one neighbour", round(by_count[1], 3)),
            Row.ours(f"{name}: least error of neighbours", round(by_count[best], 3)),
            Row.ours(f"{name}: that number of neighbours", best),
        ]  # fmt: skip
    return rows


def _neighbours(train: np.ndarray, frames: np.ndarray, missing: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Missing columns of the ten training frames next to each frame in the known columns."""
    known = ~missing
    a, b = (train / scale)[:, known], (frames / scale)[:, known]
    order = np.argsort(np.square(b[:, np.newaxis] - a).sum(axis=2), axis=1)[:, :10]
    return train[order][:, :, missing]


def generation_rows(data: dict[str, np.ndarray], full: bool) -> list[Row]:
    """One machine walks or runs as it was started; and how fast frames are made."""
    n_seeds = 10 if full else 4
    forward = columns().index("Hips Zposition")
    walks, runs, seconds = [], [], []
    for seed in range(n_seeds):
        model = ConditionalRBM(200, n_epochs=1000 if full else 300, random_state=seed).fit(list(data.values()))
        start = time.process_time()
        walks.append(np.abs(model.sample(data["35_01"][:20], 60, random_state=seed)[:, forward]).mean())
        runs.append(np.abs(model.sample(data["35_17"][:20], 60, random_state=seed)[:, forward]).mean())
        seconds.append((time.process_time() - start) / 120)
    speeds = {name: float(np.abs(data[name][:, forward]).mean()) for name in ("35_01", "35_17")}
    middle = np.sqrt(speeds["35_01"] * speeds["35_17"])
    kept = np.mean([*(np.array(walks) < middle), *(np.array(runs) > middle)])
    faster = np.array(runs) - np.array(walks)
    return [
        Row.claim_positive(
            f"one machine walks or runs as it was started: steps of a run above those of a walk, {n_seeds} machines",
            "Section 3.5.3", round(float(faster.mean()), 4),
            standard_error=round(float(faster.std(ddof=1) / np.sqrt(n_seeds)), 5),
        ),
        Row.ours("share of generated motions whose steps are on the side of the data's", round(float(kept), 3)),
        Row.ours("step of the hips a frame, walk: data", round(speeds["35_01"], 3)),
        Row.ours("step of the hips a frame, walk: generated", round(float(np.mean(walks)), 3)),
        Row.ours("step of the hips a frame, run: data", round(speeds["35_17"], 3)),
        Row.ours("step of the hips a frame, run: generated", round(float(np.mean(runs)), 3)),
        Row.time("frames generated a second, 200 hidden units", "Section 4.6.4", 60, 1 / min(seconds), rule="at least"),
    ]  # fmt: skip
