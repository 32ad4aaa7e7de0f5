"""The page *About the method*: its examples, figures and notation."""
