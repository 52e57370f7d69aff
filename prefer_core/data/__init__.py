"""From raw reviews to flagged sentences: sources, the review table, cleaning, splitting, and the sentence table."""
