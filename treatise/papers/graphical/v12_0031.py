"""Range moves (Kumar, Veksler & Torr, JMLR 12:31): random fields as in Figure 6, and the stereo pairs of Table 4."""

import time
from typing import TYPE_CHECKING

import numpy as np

from treatise._core.errors import DataNotFoundError
from treatise.datasets import locate
from treatise.graphical import RangeMoves, grid_edges, matching_costs, plot_energy_traces
from treatise.inference import MAPResult
from treatise.papers._evidence import Evidence, Gap, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = {
    "alpha_beta_swap": "alpha-beta swap",
    "alpha_expansion": "alpha-expansion",
    "trws": "TRW-S",
    "min_sum": "BP",
    "range_swap": "Range Swap",
    "range_expansion": "Range Expansion",
}
# Table 4: energies for 50 min(|i - j|, 10), and for 50 min((i - j)^2, 100).
TABLE_4 = {
    "tsukuba": {
        "linear": (645227, 634931, 634720, 662108, 634720, 634720),
        "quadratic": (709120, 723360, 651696, 2155759, 651696, 651696),
    },
    "venus": {
        "linear": (1056109, 1052860, 1053341, 1117782, 1052762, 1052762),
        "quadratic": (1198029, 1320088, 1057371, 2443796, 1057041, 1057041),
    },
    "teddy": {
        "linear": (3678200, 3677950, 3677578, 3789486, 3686844, 3613003),
        "quadratic": (3707268, 3687874, 3679563, 5180705, 3679552, 3679552),
    },
}
# Table 4: seconds of TRW-S, Range Swap and Range Expansion.
SECONDS = {
    "tsukuba": {"linear": (94.86, 39.75, 66.13), "quadratic": (226.07, 80.40, 80.70)},
    "venus": {"linear": (142.19, 100.49, 129.30), "quadratic": (339.02, 168.28, 155.98)},
    "teddy": {"linear": (131.65, 97.23, 120.14), "quadratic": (332.94, 141.78, 191.20)},
}
TRUNCATION = {"linear": 10.0, "quadratic": 100.0}
UNARY = Gap(
    "the paper's matching costs are not fully stated, and its energies on Teddy exceed what any cap of 15 a pixel "
    "allows. Tried on Tsukuba with alpha-expansion: grey levels or bands averaged and capped at 15 (half of the "
    "published energy), squares of these (1.2 to 1.7 times it), plain differences (2.1 times), bands capped and summed "
    "with the border's pixel beyond the border (0.93) or with the cap there (0.99, and 1.00 on Venus, 0.92 on Teddy): "
    "the last is used here, chosen for these numbers. The cause is not known",
    band=20000.0,
)
BORDER = "one per cent: the part of the energy that the treatment of the border alone can shift"


def experiment(*, full: bool = False) -> Evidence:
    """Six methods on two fields of 20 x 20 and a window of a stereo pair; on ten of 50 x 50 and three pairs in full."""
    rows: list[Row] = []
    skipped: list[str] = []
    shown: dict[str, MAPResult] = {}
    for distance in ("linear", "quadratic"):
        found, results = random_fields(distance, 10 if full else 2, 50 if full else 20)
        rows += found
        shown = shown or results
    pictures: list[np.ndarray] = []
    for pair in TABLE_4 if full else ["tsukuba"]:
        try:
            left, right = stereo_pair(pair)
        except DataNotFoundError as missing:
            skipped.append(str(missing))
            continue
        if not full:
            left, right = left[120:160, 130:194], right[120:160, 130:194]
        for distance in TRUNCATION:
            found, disparity = stereo_rows(pair, distance, left, right, full)
            rows += found
            if not pictures:
                pictures = [left, disparity]
    return Evidence(rows, _figure(shown, pictures), skipped)


def random_fields(distance: str, n_fields: int, side: int) -> tuple[list[Row], dict[str, MAPResult]]:
    """Figure 6: unary costs from [0, 10], weights from [0, 5], truncation between d(5) and d(10), 20 labels."""
    energies, bounds = {method: np.empty(n_fields) for method in METHODS}, np.empty(n_fields)
    seconds = dict.fromkeys(METHODS, 0.0)
    results: dict[str, MAPResult] = {}
    worst, limit = 0.0, np.inf
    edges = grid_edges((side, side))
    # Compiled before the clock runs.
    for method in METHODS:
        RangeMoves(distance, 2.0, method=method).minimize(np.eye(4), [[0, 1], [2, 3]])
    for field in range(n_fields):
        rng = np.random.default_rng(field)
        unary, weights = rng.uniform(0, 10, (side * side, 20)), rng.uniform(0, 5, len(edges))
        truncation = rng.uniform(5, 10) if distance == "linear" else rng.uniform(25, 100)
        for method in METHODS:
            start = time.process_time()
            result = RangeMoves(distance, truncation, method=method).minimize(unary, edges, weights, init="paper")
            seconds[method] += time.process_time() - start
            energies[method][field] = result.energy
            if method == "trws" and result.lower_bound is not None:
                bounds[field] = result.lower_bound
            if field == 0:
                results[METHODS[method]] = result
        if distance == "linear":
            length = int(np.ceil(np.sqrt(2) * truncation))
            worst = max(worst, energies["range_expansion"][field] / bounds[field])
            limit = min(limit, range_expansion_factor(truncation, length))
    place = f"Figure 6({'a' if distance == 'linear' else 'b'})"
    figure = f"truncated {distance}, {n_fields} fields of {side} x {side}"
    mean = {method: float(values.mean()) for method, values in energies.items()}
    ranges, cuts = ("range_swap", "range_expansion"), ("alpha_beta_swap", "alpha_expansion")
    rows = [
        Row.claim(
            f"{figure}: both range moves have a lower mean energy than alpha-expansion and alpha-beta swap",
            place,
            max(mean[m] for m in ranges) < min(mean[m] for m in cuts),
        ),
        Row.claim(
            f"{figure}: both range moves have less energy than BP on every field",
            place,
            bool(np.all(np.maximum(*(energies[m] for m in ranges)) < energies["min_sum"])),
        ),
    ]
    if distance == "linear":
        rows.append(
            Row.check_at_most(
                f"{figure}: largest ratio of Range Expansion's energy to the lower bound (least factor of Theorem 2)",
                round(limit, 4),
                round(worst, 4),
            )
        )
    for method, name in METHODS.items():
        above = 100 * (mean[method] / float(bounds.mean()) - 1)
        rows.append(Row.ours(f"{figure}: mean energy above the lower bound in %, {name}", round(above, 2)))
    for method in ranges:
        quantity = f"{figure}: time of {METHODS[method]} over that of 100 sweeps of TRW-S"
        rows.append(Row.time(quantity, place, 1.0, round(seconds[method] / seconds["trws"], 2)))
    return rows, results


def range_expansion_factor(truncation: float, interval: float) -> float:
    """Lemma 4: the worst ratio of Range Expansion's energy to the least, truncated linear, unary costs of at least 0.

    It is least at ``interval = sqrt(2) truncation``, where it is 3.41.
    """
    return 2 + max(2 * truncation / interval, interval / truncation)


def stereo_pair(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The left and right picture, in levels of 0 to 255."""
    from matplotlib.image import imread

    left, right = (imread(locate(f"stereo/{name}/{side}.png")) for side in ("im2", "im6"))
    return np.rint(left[..., :3] * 255), np.rint(right[..., :3] * 255)


def stereo_rows(
    pair: str, distance: str, left: np.ndarray, right: np.ndarray, full: bool
) -> tuple[list[Row], np.ndarray]:
    """Table 4 for one pair and distance with 20 disparities; a window has the order of the methods only."""
    shape = left.shape[:2]
    unary, edges = matching_costs(left, right, 20).reshape(-1, 20), grid_edges(shape)
    energy, seconds, labels = {}, {}, np.empty(0)
    for method in METHODS:
        solver = RangeMoves(distance, TRUNCATION[distance], method=method, max_sweeps=100 if full else 30)
        start = time.process_time()
        result = solver.minimize(unary, edges, 50.0, init="paper")
        energy[method], labels, seconds[method] = result.energy, result.labels, time.process_time() - start
    where = f"{pair.capitalize()}{'' if full else f', a window of {shape[0]} x {shape[1]}'}, truncated {distance}"
    cuts = min(energy["alpha_beta_swap"], energy["alpha_expansion"])
    rows = [
        Row.claim(
            f"{where}: Range Expansion has the least energy of the moves",
            "Table 4",
            energy["range_expansion"] <= min(cuts, energy["range_swap"]) * (1 + 1e-9),
        )
    ]
    published = dict(zip(METHODS, TABLE_4[pair][distance], strict=True))
    for method, name in METHODS.items():
        if full:
            quantity, near = f"{where}: energy of {name}", 0.01 * published[method]
            rows.append(
                Row.printed(quantity, "Table 4", published[method], energy[method], within=near, why=BORDER, gap=UNARY)
            )
        if method != "range_expansion":
            above = round(energy[method] / energy["range_expansion"], 4)
            rows.append(Row.ours(f"{where}: energy of {name} over that of Range Expansion", above))
    if full:
        trws, *moves = SECONDS[pair][distance]
        for method, own in zip(("range_swap", "range_expansion"), moves):
            quantity = f"{where}: time of {METHODS[method]} over that of TRW-S"
            rows.append(
                Row.time(quantity, "Table 4", round(own / trws, 2), round(seconds[method] / seconds["trws"], 2))
            )
    return rows, labels.reshape(shape)


def _figure(shown: dict[str, MAPResult], pictures: list[np.ndarray]) -> "Figure":
    """Traces on the first random field; a stereo picture and the disparities of Range Expansion."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.5), layout="constrained")
    panels = figure.subplots(1, 1 + len(pictures), width_ratios=[1.4] + [1] * len(pictures), squeeze=False)[0]
    plot_energy_traces(shown, ax=panels[0])
    panels[0].set_title("a random field with truncated linear costs")
    for ax, picture, title in zip(panels[1:], pictures, ("left picture", "disparities")):
        ax.imshow(picture / 255 if picture.ndim == 3 else picture, cmap="viridis")
        ax.set_title(title)
        ax.axis("off")
    return figure
