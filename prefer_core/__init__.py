"""PREFER: personalised review summaries that learn a reader's preferences from ratings."""
