"""Speed, measured side by side with a peer or a limit, as a ratio in one run."""
