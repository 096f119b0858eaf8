"""Third quick test: registration of images by the rotation of greatest dependence."""

import numpy as np
from scipy.ndimage import rotate

from treatise.datasets import load_moffett
from treatise.information import mutual_information
from treatise.papers._evidence import Row

TURN = 7.0
RADIUS = 18.0  # of the disc that is compared: no rotation brings pixels into it from outside
METHODS = ("shannon_ksg", "distance_correlation", "hsic", "qmi_cauchy_schwarz", "schweizer_wolff_sigma")


def angles(full: bool) -> np.ndarray:
    """Angles that are tried."""
    return np.arange(-15.0, 16.0, 1.0 if full else 2.0)


def registration(full: bool) -> dict[str, np.ndarray]:
    """Dependence of one band of a scene on another, turned by 7 degrees and then back by each angle.

    The bands, a visible and an infrared one, show the same ground in different greys: no difference of pixels, and no
    straight line between them, tells when they fit.
    """
    scene = load_moffett()[0].reshape(50, 50, -1)
    fixed, moving = scene[:, :, 20], rotate(scene[:, :, 120], TURN, reshape=False, order=3, mode="nearest")
    y, x = np.mgrid[:50, :50] - 24.5
    disc = np.hypot(x, y) < RADIUS
    methods = METHODS if full else METHODS[:3]
    found: dict[str, list[float]] = {method: [] for method in methods}
    for angle in angles(full):
        turned = rotate(moving, angle, reshape=False, order=3, mode="nearest")
        for method in methods:
            found[method].append(mutual_information(fixed[disc], turned[disc], method))
    return {method: np.array(values) for method, values in found.items()}


def registration_rows(found: dict[str, np.ndarray], full: bool) -> list[Row]:
    """Whether each measure is greatest where the turn is undone, to within a pixel at the rim of the disc.

    Not turned back at all, the rim would be 2.2 pixels off.
    """
    tried = angles(full)
    return [
        Row.check_at_most(f"registration by {method}: pixels by which the rim is off", 1.0,
                          RADIUS * float(np.deg2rad(abs(tried[np.argmax(values)] + TURN))))
        for method, values in found.items()
    ]  # fmt: skip
