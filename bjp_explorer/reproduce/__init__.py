"""The page *Reproduce the paper*: runs of its experiments beside what it printed."""
