"""The code that names a feature by its group (Dhillon et al., JMLR 12:525, Section 4.2.1)."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class GroupCode:
    """Bits that name a feature: its group, which is cheaper once the group is in the model, then its place in it.

    ``new`` are the bits of each group that is not in the model, ``within`` those of each feature and its coefficient.
    With ``shorter_of_both`` a group in the model may be named as if it were new.
    """

    numbers: np.ndarray
    new: np.ndarray
    within: np.ndarray
    shorter_of_both: bool = False

    def prices(self, entered):
        """Bits of every feature, were it next after those that entered: Equation 9, with 1 + lg Q for a known group."""
        known = np.unique(self.numbers[np.asarray(entered, dtype=np.intp)])
        of_group = self.new.copy()
        if len(known):
            switch = 1.0 + np.log2(len(known))
            of_group[known] = np.minimum(switch, self.new[known]) if self.shorter_of_both else switch
        return of_group[self.numbers] + self.within

    def total(self, features):
        """Bits of features sent in an order."""
        bits, known = 0.0, set()
        for feature in features:
            group = int(self.numbers[feature])
            of_group = float(self.new[group])
            if group in known:
                switch = 1.0 + np.log2(len(known))
                of_group = min(switch, of_group) if self.shorter_of_both else switch
            bits += of_group + float(self.within[feature])
            known.add(group)
        return bits
