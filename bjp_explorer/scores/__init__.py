"""The page *Scores side by side*: its choices, and the comparison of what each score learned."""
