"""The evidence: one module per paper, each with the experiment that regenerates a published result.

A module ``svm/v15_0059`` (family, and the paper's id with an underscore) exposes ``experiment(full=False)``, which
returns an :class:`Evidence`: rows that set our number beside the paper's, and a figure where the paper has one. What
else only this experiment needs (a study, a generator, a rival's formula) lives there too, in a folder of that name.
"""

from treatise.papers._evidence import Evidence, Gap, Kind, Row, Verdict
from treatise.papers._record import record_last_seen, record_outcome
from treatise.papers._reproduce import Reproduction, available, reproduce
from treatise.papers._tally import Tally, tally

__all__ = [
    "Evidence",
    "Gap",
    "Kind",
    "Reproduction",
    "Row",
    "Tally",
    "Verdict",
    "available",
    "record_last_seen",
    "record_outcome",
    "reproduce",
    "tally",
]
