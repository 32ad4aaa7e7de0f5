"""Plots of the engine's records by one call, for notebooks and scripts."""
