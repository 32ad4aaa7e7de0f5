"""A Sphinx extension: what each command of `bjp` prints with --help, from its parser."""

from __future__ import annotations

from argparse import ArgumentParser, HelpFormatter
from functools import partial

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from bjp_engine.cli import COMMANDS
from bjp_engine.cli.common import add_arguments


def help_of(name: str) -> str:
    """A command's help, as wide as a page of the site."""
    parser = ArgumentParser(prog=f"bjp {name}", formatter_class=partial(HelpFormatter, width=82))
    add_arguments(parser, *COMMANDS[name][2:])
    return parser.format_help()


class Commands(Directive):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        """Make the sections; the site's list of contents shows them."""
        found: list[nodes.Node] = []
        for name in COMMANDS:
            section = nodes.section(ids=[f"bjp-{name}"], names=[f"bjp-{name}"])
            section += nodes.title(text=f"bjp {name}")
            section += nodes.literal_block(text=help_of(name), language="text")
            found.append(section)
        return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
