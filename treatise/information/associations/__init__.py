"""Estimators of association: ranks and correntropy."""

from treatise.information.associations.correntropy import (
    CentredCorrentropy,
    CentredCorrentropyMetric,
    Correntropy,
    CorrentropyCoefficient,
    CorrentropyMetric,
)
from treatise.information.associations.ranks import (
    BlomqvistBeta,
    LowerSpearmanRho,
    LowerTailDependence,
    SpearmanRho,
    UpperSpearmanRho,
    UpperTailDependence,
)

__all__ = [
    "BlomqvistBeta",
    "CentredCorrentropy",
    "CentredCorrentropyMetric",
    "Correntropy",
    "CorrentropyCoefficient",
    "CorrentropyMetric",
    "LowerSpearmanRho",
    "LowerTailDependence",
    "SpearmanRho",
    "UpperSpearmanRho",
    "UpperTailDependence",
]
