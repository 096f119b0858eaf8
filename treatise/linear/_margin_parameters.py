"""What the linear and the kernel margin classifier share: the choice of formulation and loss."""

from sklearn.utils._param_validation import StrOptions

from treatise.linear import _margin_loss_kernels as kernels
from treatise.linear._margin_links import MARGIN_LINKS
from treatise.linear._score_classifier import HINGE_WIDTHS

FORMULATIONS = {
    "pairwise": kernels.PAIRWISE,
    "constrained": kernels.CONSTRAINED,
    "one_vs_rest": kernels.ONE_VS_REST,
}
LOSSES = {
    "logistic": kernels.LOGISTIC,
    "squared_hinge": kernels.SQUARED_HINGE,
    "hinge": kernels.HINGE,
    "least_squares": kernels.LEAST_SQUARES,
    "exponential": kernels.EXPONENTIAL,
}


class MarginLoss:
    """The multi-category loss that ``formulation`` makes of the margin loss ``loss``."""

    _loss_constraints: dict = {
        "formulation": [StrOptions(set(FORMULATIONS))],
        "loss": [StrOptions(set(LOSSES))],
    }

    def _loss(self, width):
        formulation, loss = FORMULATIONS[self.formulation], LOSSES[self.loss]
        return lambda *places: kernels.margin_losses(formulation, loss, width, *places)

    def _widths(self):
        return HINGE_WIDTHS if self.loss == "hinge" else (0.0,)

    def _link(self, scores):
        return MARGIN_LINKS[self.formulation](scores, self.loss)

    def _has_link(self):
        if self.loss == "hinge":
            raise AttributeError("the scores of a hinge tell no probabilities; choose another loss for predict_proba")
        return True
