"""Latent aspects discovered from the geometry of review sentences (paper, sec. latent-aspect-discovery)."""
