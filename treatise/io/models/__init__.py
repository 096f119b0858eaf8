"""Model files that are safe to load."""

from treatise.io.models.files import ModelFile, load_model, save_model

__all__ = ["ModelFile", "load_model", "save_model"]
