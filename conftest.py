"""Set before anything imports NumPy or Polars: each process of a test run has one processor for its work.

Several processes whose threads wait for each other take many times as long.
"""

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")
