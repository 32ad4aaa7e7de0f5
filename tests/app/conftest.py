"""The app without a browser: `open_app` runs app.py on a page, `app` is it on *Data*."""

import importlib
import math
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest

from bjp_explorer.jobs import costs

ROOT = Path(__file__).resolve().parents[2]


def import_components():
    """Import what declares the browser components, before a server or AppTest finds their files."""
    manager = BidiComponentManager()
    manager.discover_and_register_components(start_file_watching=False)
    with patch("streamlit.components.v2.get_bidi_component_manager", lambda: manager):
        importlib.import_module("bjp_explorer.shell.components")


import_components()


@pytest.fixture(scope="session", autouse=True)
def _routed():
    """Every run goes through app.py: AppTest forgets that `st.navigation` was called."""
    initialise = PagesManager.__init__

    def without_pages_directory(self, *args, **kwargs):
        initialise(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    with patch.object(PagesManager, "__init__", without_pages_directory):
        yield


@pytest.fixture(scope="session", autouse=True)
def _once():
    """Installed packages are searched for components, and scripts compiled, once for all tests."""
    scan, compiled = cache(manifest_scanner.scan_component_manifests), ScriptCache().get_bytecode
    with (
        patch.object(manifest_scanner, "scan_component_manifests", scan),
        patch.object(ScriptCache, "get_bytecode", lambda _, path: compiled(path)),
    ):
        yield


def healthy(app):
    """The app, which has neither raised nor reported an unexpected error."""
    assert not app.exception, [each.value for each in app.exception]
    assert not [each.value for each in app.error if "the log has the details" in each.value]
    return app


@pytest.fixture(autouse=True)
def _beside_the_page(monkeypatch):
    """All work is done in this process, where a test can hold it up; `test_pool` has workers."""
    monkeypatch.setattr(costs, "QUICK", math.inf)


@pytest.fixture
def run():
    """Run an app, or the app of a widget that was just set, and check that all is well."""
    return lambda changed: healthy(changed.run())


@pytest.fixture
def switch_page():
    """Go to another page by its short name, as the sidebar does, or by a link to it."""

    def switch(app, page, **query):
        # A browser forgets the parameters of the page that it leaves.
        app.query_params.clear()
        app.query_params.update(query)
        return healthy(app.switch_page(f"pages/{page}.py").run())

    return switch


@pytest.fixture
def open_app():
    """Open a page in a new visit, as by its URL: `open_app("step", data="titanic")`."""

    def open_(page="data", **query):
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
        app.query_params.update(query)
        # The start page's URL has no path; AppTest finds the others by the names of their files.
        return healthy((app if page == "start" else app.switch_page(f"pages/{page}.py")).run())

    return open_


@pytest.fixture
def app(open_app):
    """The Data page, with coronary as the dataset that a visit begins with."""
    return open_app()
