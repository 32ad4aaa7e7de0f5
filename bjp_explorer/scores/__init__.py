"""The page *Three scores*: its choices, and the comparison of what each score learned."""
