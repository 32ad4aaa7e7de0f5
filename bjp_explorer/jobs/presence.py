"""Whether a visit's browser is still there, and whether the server goes on: for work in threads."""

from __future__ import annotations

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


def visit() -> str:
    """A name for this visit. Streamlit's of the session; empty where there is none."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def connected(name: str) -> bool:
    """Whether a visit's tab is open, also where the browser lets it sleep.

    False where no server runs.
    """
    return runtime.exists() and runtime.get_instance().is_active_session(name)
