"""The page *Step through the score*: its choices, a change's terms, and what is behind a number."""
