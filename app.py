"""BJP Explorer: the router. Pages live in `pages/`, what they share in `bjp_explorer`."""

from bjp_explorer import frame

frame.run()
