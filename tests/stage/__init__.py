"""Stage mode without its page."""
