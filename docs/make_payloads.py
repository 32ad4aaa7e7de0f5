"""Write the description of the browser's payloads for the frontend's type checks.

    python docs/make_payloads.py

It comes from `bjp_explorer.views.payload_types`; a test fails while the two differ.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from pathlib import Path
from typing import Any

from bjp_explorer.views import payload_types

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "bjp_explorer" / "frontend" / "payloads.d.ts"
HEAD = "/** What Python sends. Written by docs/make_payloads.py from views/payload_types.py. */\n"


def records() -> list[Any]:
    """Every record of the description, in its order."""
    return [
        found
        for found in vars(payload_types).values()
        if typing.is_typeddict(found) and found.__module__ == payload_types.__name__
    ]


def script() -> str:
    """The whole file."""
    return HEAD + "".join(interface(record) for record in records())


def interface(record: Any) -> str:
    """One record; fields of a base are written out."""
    hints = typing.get_type_hints(record, vars(payload_types), include_extras=True)
    fields = "".join(
        f"  {name}{'?' if typing.get_origin(hint) is typing.NotRequired else ''}: "
        f"{written(hint)};\n"
        for name, hint in hints.items()
    )
    about = inspect.cleandoc(record.__doc__)
    return f"\n/** {about} */\nexport interface {record.__name__} {{\n{fields}}}\n"


def written(hint: Any) -> str:
    """A type in the words of TypeScript."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if typing.is_typeddict(hint):
        return str(hint.__name__)
    if origin is None:
        return PLAIN[hint]
    return str(COMPOSED[origin](*parts))


def listed(item: Any) -> str:
    """An array."""
    inner = written(item)
    return f"({inner})[]" if "|" in inner else f"{inner}[]"


def either(*parts: Any) -> str:
    """One of several types."""
    return " | ".join(map(written, parts))


COMPOSED = {
    typing.NotRequired: written,
    typing.Annotated: lambda _, text: text,
    typing.Literal: lambda *values: " | ".join(f'"{value}"' for value in values),
    types.UnionType: either,
    typing.Union: either,
    list: listed,
    dict: lambda key, value: f"Record<{written(key)}, {written(value)}>",
}
PLAIN = {
    Any: "any",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


if __name__ == "__main__":
    sys.stdout.write(f"{TARGET.relative_to(ROOT)}\n")
    TARGET.write_text(script(), encoding="utf-8")
