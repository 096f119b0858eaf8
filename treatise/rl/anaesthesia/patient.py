"""The patient: where propofol goes in the body, and what it does to the bispectral index."""

import numpy as np
from scipy.linalg import expm

SECONDS = 5.0
"""Between two decisions."""
MG_PER_ML = 10.0


class PropofolPatient:
    """Three compartments and an effect site (Schnider's model), and a bispectral index that falls with the effect.

    A simulation for research on control, never a means to choose a dose. Time is in minutes inside, amounts in
    milligrams, concentrations in micrograms a millilitre, infusions in millilitres of the 1 % solution a minute.

    Parameters
    ----------
    age : float, default=21.0
        Years.
    weight : float, default=75.0
        Kilograms.
    height : float, default=170.0
        Centimetres.
    sex : {"male", "female"}, default="male"
        For the lean body mass.
    ke0 : float, default=0.17
        How fast the effect follows the blood, a minute; the paper's.
    effect : tuple of float, default=(95.0, 70.0, 2.2, 3.0)
        Index when awake, most that it falls, concentration of half the fall, steepness. The paper's own curve is not
        printed; this one is ours.

    Attributes
    ----------
    rates : dict of str to float
        Exchange between compartments, a minute: k10, k12, k13, k21, k31.
    clearance : float
        Litres a minute.
    volumes : tuple of float
        Litres of the compartments.

    Examples
    --------
    >>> from treatise.rl import PropofolPatient
    >>> round(PropofolPatient().rates["k12"], 6)
    0.481967

    References
    ----------
    .. [1] Paper v15-0655, section 3.1; Schnider et al., Anesthesiology 88:1170 and 90:1502.
    """

    def __init__(self, age=21.0, weight=75.0, height=170.0, sex="male", *, ke0=0.17, effect=(95.0, 70.0, 2.2, 3.0)):
        for name, value, low, high in (
            ("age", age, 1, 120), ("weight", weight, 10, 300), ("height", height, 50, 250), ("ke0", ke0, 1e-6, 10),
        ):  # fmt: skip
            if not low <= value <= high:
                raise ValueError(f"{name}={value!r} is not between {low} and {high}")
        if sex not in ("male", "female"):
            raise ValueError(f"sex={sex!r}: the model of lean body mass knows 'male' and 'female'")
        lean = 1.1 * weight - 128.0 * (weight / height) ** 2
        if sex == "female":
            lean = 1.07 * weight - 148.0 * (weight / height) ** 2
        first, second, third = 4.27, 18.9 - 0.391 * (age - 53.0), 238.0
        self.clearance = 1.89 + 0.0456 * (weight - 77.0) - 0.0681 * (lean - 59.0) + 0.0264 * (height - 177.0)
        to_second, to_third = 1.29 - 0.024 * (age - 53.0), 0.836
        if min(second, self.clearance, to_second) <= 0.0:
            raise ValueError(
                f"Schnider's formulas leave no positive volume or clearance for age={age!r}, weight={weight!r}, "
                f"height={height!r}; they hold for adults of usual build"
            )
        self.volumes, self.ke0, self.effect = (first, second, third), float(ke0), tuple(map(float, effect))
        self.rates = {
            "k10": self.clearance / first, "k12": to_second / first, "k13": to_third / first,
            "k21": to_second / second, "k31": to_third / third,
        }  # fmt: skip

    @property
    def generator(self):
        """Matrix of the linear flow of the three amounts and the effect-site concentration, a minute."""
        k = self.rates
        return np.array([
            [-(k["k10"] + k["k12"] + k["k13"]), k["k21"], k["k31"], 0.0],
            [k["k12"], -k["k21"], 0.0, 0.0],
            [k["k13"], 0.0, -k["k31"], 0.0],
            [self.ke0 / self.volumes[0], 0.0, 0.0, -self.ke0],
        ])  # fmt: skip

    def transition(self, seconds=SECONDS):
        """The exact change over some seconds: a matrix for the state, and what a milligram a minute adds.

        Parameters
        ----------
        seconds : float, default=5.0
            Time.

        Returns
        -------
        matrix : ndarray of shape (4, 4)
        added : ndarray of shape (4,)
        """
        whole = np.zeros((5, 5))
        whole[:4, :4] = self.generator
        whole[0, 4] = 1.0
        flow = expm(whole * seconds / 60.0)
        return flow[:4, :4], flow[:4, 4]

    def index(self, concentration):
        """The bispectral index at an effect-site concentration.

        Parameters
        ----------
        concentration : array-like
            Micrograms a millilitre.

        Returns
        -------
        index : ndarray
        """
        awake, fall, half, steepness = self.effect
        power = np.asarray(concentration, dtype=np.float64) ** steepness
        return awake - fall * power / (half**steepness + power)

    def simulate(self, infusion, state=None, *, seconds=SECONDS):
        """Amounts, effect-site concentration and index along an infusion.

        Parameters
        ----------
        infusion : array-like of shape (n,)
            Millilitres of the 1 % solution a minute, in each step.
        state : array-like of shape (4,) or None, default=None
            Three amounts and the effect-site concentration before; None is a patient without the drug.
        seconds : float, default=5.0
            Length of a step.

        Returns
        -------
        states : ndarray of shape (n, 4)
            After each step.
        index : ndarray of shape (n,)
        """
        infusion = np.asarray(infusion, dtype=np.float64)
        if infusion.ndim != 1 or not np.isfinite(infusion).all() or (infusion < 0.0).any():
            raise ValueError("infusion must be one row of finite amounts, none of them negative")
        matrix, added = self.transition(seconds)
        state = np.zeros(4) if state is None else np.array(state, dtype=np.float64)
        states = np.empty((len(infusion), 4))
        for t, rate in enumerate(infusion):
            state = matrix @ state + added * MG_PER_ML * rate
            states[t] = state
        return states, self.index(states[:, 3])
