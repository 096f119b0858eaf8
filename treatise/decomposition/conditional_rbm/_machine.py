"""The plain machine: biases that are linear in the past, and weights between the layers."""

from treatise.decomposition.conditional_rbm._energy import Layers


class ConditionalMachine:
    """Parameters of a conditional RBM and their gradients (equations of section 3.2).

    Parameters
    ----------
    parameters : dict
        ``W`` (n_visible, n_hidden); ``A`` (order * n_visible, n_visible) and ``B`` (order * n_visible, n_hidden), the
        weights of the past to visible and to hidden units; ``a`` and ``b``; ``L`` (n_labels, n_hidden) with labels.
    binary : bool
        Whether visible units are binary.
    """

    slow: tuple[str, ...] = ("A",)
    biases = ("a", "b")

    def __init__(self, parameters, binary):
        self.parameters = parameters
        self._binary = binary
        self.n_visible, self.n_hidden = parameters["W"].shape

    def layers(self, past, style):
        """Biases that the past sets, and the maps."""
        p = self.parameters
        hidden_bias = past @ p["B"] + p["b"]
        if style is not None:
            hidden_bias += style @ p["L"]
        return Layers(
            past @ p["A"] + p["a"], hidden_bias, lambda v: v @ p["W"], lambda h: h @ p["W"].T, self._binary
        )  # fmt: skip

    def gradients(self, data, model, past, style):
        """Differences of the two phases, summed over the batch."""
        visible, hidden = data.visible - model.visible, data.hidden - model.hidden
        found = {
            "W": data.visible.T @ data.hidden - model.visible.T @ model.hidden,
            "A": past.T @ visible,
            "B": past.T @ hidden,
            "a": visible.sum(axis=0),
            "b": hidden.sum(axis=0),
        }
        if style is not None:
            found["L"] = style.T @ hidden
        return found
