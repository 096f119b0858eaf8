"""The contest: who gets the next fold, the fold itself in a process of its own, the board and what a run leaves."""
