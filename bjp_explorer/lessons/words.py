"""The texts of the page *Lessons*, in each language that it has a file for."""

from __future__ import annotations

from pathlib import Path

from bjp_explorer.shell.languages import Texts

TEXTS = Texts(Path(__file__).with_name("texts"))
