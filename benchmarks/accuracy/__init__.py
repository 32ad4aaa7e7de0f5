"""How near the learned graph comes to the true one, beside other packages on the same data.

`python -m benchmarks.accuracy run` adds what is missing to `results/`, `… status` says how far it
is, `… report` prints every table, and `… export` writes what is made of the rows: the tables of
docs/benchmarks.md, its figure, and what the app shows.
"""
