"""BJP Explorer: the router. Pages live in `pages/`, what they share in `bjp_explorer`."""

# The processes that run an experiment import this file by another name, and want nothing of it.
if __name__ == "__main__":
    from bjp_explorer import frame

    frame.run()
