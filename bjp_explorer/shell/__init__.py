"""What every page stands on: text, links, the visit and its dataset, caches."""
