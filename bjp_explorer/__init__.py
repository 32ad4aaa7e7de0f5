"""The explorer: engine traces as figures, tables and components."""
