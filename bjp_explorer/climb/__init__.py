"""The page *Watch the climb*: its choices, its climbs, and what it says of them."""
