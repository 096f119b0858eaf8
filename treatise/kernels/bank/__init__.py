"""Many kernels of the same objects, normalised and mixed."""

from treatise.kernels.bank.bank import NORMALIZATIONS, KernelBank
from treatise.kernels.bank.input import KernelBankInputMixin

__all__ = ["NORMALIZATIONS", "KernelBank", "KernelBankInputMixin"]
