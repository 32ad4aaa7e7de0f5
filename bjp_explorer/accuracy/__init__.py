"""The page *How good is it?*: the comparison with other packages."""
