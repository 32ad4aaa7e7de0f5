"""XML from outside: no document type, hence no entities to expand and nothing to fetch."""

from __future__ import annotations

from xml.parsers import expat

_CHUNK = 4096


class DoctypeError(ValueError):
    """The document declares a type, which no file of ours or of Excel's does."""


class _RootReached(Exception):  # noqa: N818 - a way out, not a fault
    """A document type can't follow any more."""


def refuse_doctype(data: bytes) -> None:
    """Read the prolog of an XML document, in whatever encoding, and refuse a DOCTYPE.

    Entities can only be declared there, so what passes holds no "billion laughs". A document
    that isn't well-formed passes too: its parser says why.
    """
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _doctype
    parser.StartElementHandler = _root
    try:
        for start in range(0, len(data), _CHUNK):
            parser.Parse(data[start : start + _CHUNK], False)
    except (_RootReached, expat.ExpatError):
        return


def _doctype(*_: object) -> None:
    """Called by the parser at a document type."""
    raise DoctypeError("document type")


def _root(*_: object) -> None:
    """Called by the parser at the first element."""
    raise _RootReached
