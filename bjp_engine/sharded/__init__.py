"""Rows beyond one machine: the workers of a Dask cluster read them, and answer tables."""

from bjp_engine.sharded.files import read_sharded

__all__ = ["read_sharded"]
