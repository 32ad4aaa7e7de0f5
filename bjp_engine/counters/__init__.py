"""What counts rows that are not held as codes: planes alone, sums of parts, shards on a cluster.

Each is a `bjp_engine.contingency.Counter`: asked for contingency tables, it answers. Nothing above
knows which one it asks, and the answers are those of the rows at hand.
"""
