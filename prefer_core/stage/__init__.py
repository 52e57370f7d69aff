"""Stage mode: a script of scenes, simulated readers who play them, an audience that rates along."""
