"""Health: what a table is, before anything is learned from it."""
