"""The page *All graphs*: its choices, and the tables of all graphs."""
