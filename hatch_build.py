"""Put the app into wheels; an editable install uses the checkout and copies nothing."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = {
    "app.py": "bjp_engine/_app/app.py",
    "pages": "bjp_engine/_app/pages",
    "sample_data": "bjp_engine/_app/sample_data",
    ".streamlit": "bjp_engine/_app/.streamlit",
    # Streamlit reads the component table from the pyproject.toml of an installed package.
    "pyproject.toml": "bjp_explorer/pyproject.toml",
}


class AppFiles(BuildHookInterface):
    """Add the app's files to a standard wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Extend the files of the wheel about to be built."""
        if version == "standard":
            build_data["force_include"].update(FILES)
