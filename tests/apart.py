"""Work that the engine does in a process of its own, done in this one: a hundred times sooner."""


def run_here(work, *arguments, receive=lambda message: None, **others):
    """What `bjp_engine.io.child.run` does, without a limit."""
    return work(receive, *arguments)
