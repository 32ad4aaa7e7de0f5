"""How fast the engine is: medians, and ratios within one run.

Run everything with `make bench`, one of them with `python -m benchmarks NAME`.
"""
