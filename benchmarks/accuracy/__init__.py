"""How near the learned graph comes to the true one, beside other packages on the same data.

`python -m benchmarks.accuracy run` adds what is missing to `results/`, `… report` prints the
tables and draws docs/images/accuracy.svg, `… status` says how far it is.
"""
