"""A simulated patient under propofol, and the scores of those who control the infusion (JMLR 15:655).

For research on control only: the patient is a published average model with invented variability, and nothing here may
be used to choose a dose for anybody.
"""

from treatise.rl.anaesthesia.control import PIDController, PropofolControl, control_metrics
from treatise.rl.anaesthesia.patient import PropofolPatient
from treatise.rl.anaesthesia.percepts import fuzzy_memberships, fuzzy_state

__all__ = [
    "PIDController",
    "PropofolControl",
    "PropofolPatient",
    "control_metrics",
    "fuzzy_memberships",
    "fuzzy_state",
]
