"""What pages tell beyond one round."""
