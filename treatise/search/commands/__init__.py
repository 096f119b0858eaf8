"""Programs whose printed number is minimised over their arguments."""

from treatise.search.commands.minimize import CommandSearch, minimize_command
from treatise.search.commands.space import Argument, read_argument

__all__ = ["Argument", "CommandSearch", "minimize_command", "read_argument"]
