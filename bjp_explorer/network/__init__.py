"""The page *Your network*: its choices, its edges and their probabilities."""
