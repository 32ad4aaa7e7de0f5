"""The page *Groups*: which rows are compared, their networks, and the permutation test."""
