"""The page *About the method*: its text."""
