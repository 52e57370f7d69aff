"""The experiments of the paper: simulated readers, alignment, regret and its bounds (appendices B.5, B.6, C.2, C.3)."""
