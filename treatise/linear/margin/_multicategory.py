"""What the linear and the kernel margin classifier share: the choice of formulation and loss."""

from sklearn.utils._param_validation import StrOptions

from treatise.linear.margin import _loops as loops
from treatise.linear.margin._base import HINGE_WIDTHS
from treatise.linear.margin._links import MARGIN_LINKS

FORMULATIONS = {
    "pairwise": loops.PAIRWISE,
    "constrained": loops.CONSTRAINED,
    "one_vs_rest": loops.ONE_VS_REST,
}
LOSSES = {
    "logistic": loops.LOGISTIC,
    "squared_hinge": loops.SQUARED_HINGE,
    "hinge": loops.HINGE,
    "least_squares": loops.LEAST_SQUARES,
    "exponential": loops.EXPONENTIAL,
}


class MulticategoryMargin:
    """The multi-category loss that ``formulation`` makes of the margin loss ``loss``."""

    _loss_constraints: dict = {
        "formulation": [StrOptions(set(FORMULATIONS))],
        "loss": [StrOptions(set(LOSSES))],
    }

    def _loss(self, width):
        formulation, loss = FORMULATIONS[self.formulation], LOSSES[self.loss]
        return lambda *places: loops.margin_losses(formulation, loss, width, *places)

    def _widths(self):
        return HINGE_WIDTHS if self.loss == "hinge" else (0.0,)

    def _link(self, scores):
        return MARGIN_LINKS[self.formulation](scores, self.loss)

    def _has_link(self):
        if self.loss == "hinge":
            raise AttributeError("the scores of a hinge tell no probabilities; choose another loss for predict_proba")
        return True
