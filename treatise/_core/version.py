"""The version of the library: of the package, of model files and of run folders."""

__version__ = "0.1.0"
