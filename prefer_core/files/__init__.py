"""What every layer needs of a disk and a machine."""
