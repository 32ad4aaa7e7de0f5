"""The start page: what this is, a figure that moves, two doors, and the sample datasets."""
