"""What the machines of l_p-norm multiple kernel learning share: their parameters and their solver."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.kernel_methods.mkl._lp_solver import solve_lp_mkl
from treatise.kernel_methods.mkl._mixture_base import MixtureMachineBase
from treatise.kernels import KernelBankInputMixin


class LpMKLBase(MixtureMachineBase):
    """A machine whose kernel weights have p-norm one."""

    _parameter_constraints: dict = {
        "p": [Interval(Real, 1, np.inf, closed="both")],
        **KernelBankInputMixin._bank_constraints,
        "solver": [StrOptions({"auto", "wrapper", "interleaved"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _learn(self, bank, problems):
        """Solve one machine or several on the same bank."""
        interleaved = self.solver == "interleaved" or (self.solver == "auto" and not bank.holds_all)
        solutions = [
            solve_lp_mkl(bank, problem, self.p, tol=self.tol, max_iter=self.max_iter, interleaved=interleaved)
            for problem in problems
        ]
        self._store(bank, solutions)
