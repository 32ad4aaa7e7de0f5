"""The texts of the page *Lessons*."""

from __future__ import annotations

from pathlib import Path

from bjp_explorer.shell.phrases import Texts

TEXTS = Texts(Path(__file__).with_name("texts.toml"))
