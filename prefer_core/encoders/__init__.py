"""Models that read texts: whether one sentence says what another does."""
