"""Random Markov networks on a given graph, and samples drawn from them (docs/theory.md §7).

A model is a product of factors over cliques, p(x) ∝ Π_C φ_C(x_C), held as log tables.
Every number comes from a numpy Generator, so a seed repeats exactly:

- weights: `default_rng(seed)` fills one maximal clique after another, in lexicographic order
  of their ascending node positions, each table in C order (its last variable runs fastest);
- Gibbs: chain c has a stream of its own, child c of `SeedSequence(seed)`. It draws the start
  with `integers`, then n uniforms a sweep, which visits the variables in ascending order;
- exact: one uniform a row, from child 0 of `SeedSequence(seed)`.

Since the children are independent of `default_rng(seed)`, one seed may serve for the model
and its sample.

Symbols: φ_C = exp(`Factor.log_table`), r_i = `cardinalities[i]`, ε = `epsilon`.
"""

from __future__ import annotations

from bjp_engine.sampling.elimination import Factor
from bjp_engine.sampling.model import MarkovModel, Method, Weights, random_model

__all__ = ["Factor", "MarkovModel", "Method", "Weights", "random_model"]
