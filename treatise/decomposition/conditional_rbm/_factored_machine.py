"""The factored machine: every weight is a sum over factors, each gated by the style (section 4.4, Appendix C)."""

from treatise.decomposition.conditional_rbm._energy import Layers


class FactoredMachine:
    """Parameters of a style-gated factored conditional RBM and their gradients.

    Between three groups of units a factor passes to each the product of what it gets from the other two. The paper's
    index of the visible weights in the inference formula is misprinted (a hidden unit for a factor), and its Appendix C
    is followed in this form.

    Parameters
    ----------
    parameters : dict
        ``Wv``, ``Wh``, ``Av``, ``Ap``, ``Bh``, ``Bp``: weights of visible, hidden and past units to factors; ``Z``, or
        ``Wz``, ``Az`` and ``Bz``: of style features to factors; ``R`` (n_labels, n_features) where labels have
        features; ``a`` and ``b``.
    """

    slow = ("Av", "Ap")
    biases = ("a", "b")

    def __init__(self, parameters):
        self.parameters = parameters
        self.n_hidden = len(parameters["Wh"])

    def _features(self, style):
        return style @ self.parameters["R"] if "R" in self.parameters else style

    def _gate(self, name):
        return "Z" if "Z" in self.parameters else name

    def layers(self, past, style):
        """Biases that the past and the style set, and the maps that the style gates."""
        p, z = self.parameters, self._features(style)
        gates = z @ p[self._gate("Wz")]
        visible_bias = p["a"] + ((past @ p["Ap"]) * (z @ p[self._gate("Az")])) @ p["Av"].T
        hidden_bias = p["b"] + ((past @ p["Bp"]) * (z @ p[self._gate("Bz")])) @ p["Bh"].T
        return Layers(
            visible_bias, hidden_bias, lambda v: ((v @ p["Wv"]) * gates) @ p["Wh"].T,
            lambda h: ((h @ p["Wh"]) * gates) @ p["Wv"].T, False,
        )  # fmt: skip

    def gradients(self, data, model, past, style):
        """Differences of the two phases, summed over the batch."""
        p, z = self.parameters, self._features(style)
        found, by_gate = {}, {}
        # Visible with hidden units: products of both, so that each phase is computed.
        gates = z @ p[self._gate("Wz")]
        for phase, sign in ((data, 1.0), (model, -1.0)):
            seen, felt = phase.visible @ p["Wv"], phase.hidden @ p["Wh"]
            parts = phase.visible.T @ (felt * gates), phase.hidden.T @ (seen * gates), seen * felt
            for store, name, part in zip((found, found, by_gate), ("Wv", "Wh", "Wz"), parts):
                store[name] = part if sign > 0 else store[name] - part
        # The past with visible, and with hidden units: linear in what differs between the phases.
        visible, hidden = data.visible - model.visible, data.hidden - model.hidden
        for units, out, into, gate in ((visible, "Av", "Ap", "Az"), (hidden, "Bh", "Bp", "Bz")):
            gates = z @ p[self._gate(gate)]
            recalled, felt = past @ p[into], units @ p[out]
            found[out] = units.T @ (recalled * gates)
            found[into] = past.T @ (felt * gates)
            by_gate[gate] = recalled * felt
        found["a"], found["b"] = visible.sum(axis=0), hidden.sum(axis=0)
        if "R" in p:
            found["R"] = style.T @ sum(part @ p[self._gate(gate)].T for gate, part in by_gate.items())
        if "Z" in p:
            found["Z"] = z.T @ sum(by_gate.values())
        else:
            found |= {gate: z.T @ part for gate, part in by_gate.items()}
        return found
