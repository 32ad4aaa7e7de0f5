"""The page *Your network*: its choices, its edges and how sure they are."""
