"""Studies with people: a definition, participants by link, and data that need no cleaning."""
