"""The paper's experiments: simulated readers, alignment, regret and its bounds (sections 5, 6.2, B.5, B.6, C.2, C.3)."""
