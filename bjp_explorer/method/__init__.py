"""The page *About the method*: its words, formulas and notation."""
