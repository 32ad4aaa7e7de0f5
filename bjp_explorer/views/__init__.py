"""What several pages draw: maps of the variables, charts, tables, browser components."""
