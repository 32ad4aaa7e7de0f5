"""Damaged, spliced and rewritten files, made from the corpus with a seed."""

import gzip
import io
import re
import struct
import warnings
import zipfile

_TOKENS = (
    *(b",", b";", b"\t", b"|", b" ", b":", b"^", b'"', b"'", b'""', b"\\", b'\\"', b"\n", b"\r"),
    *(b"\r\n", b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"#", b"%", b"=", b"sep=;\n", b"NA"),
    *(b"-1", b"1,5", b"1.234,5", b"1e999", b"9" * 30, b"9" * 400, b"<f", b"<row", b"</row>"),
    *(b'r="XFD1"', b'r="1048576"', b't="s"', b"<v>-1</v>", b"<v>99999999999</v>", b"PK\x05\x06"),
    *(b"PK\x03\x04", b"PAR1", b"\x1f\x8b\x08\x00", "\u202e".encode(), "é".encode("latin-1")),
    *(struct.pack("<I", n) for n in (0, 1, 0x7FFFFFFF, 0xFFFFFFFF)),
)
_MARKS = (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"\x1f\x8b")
_DELIMITERS = b",;\t|:^~ \x1f"
_ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252")
_MOST = 1 << 16


def mutated(rng, data, other):
    """A file with a few things changed."""
    inner = _inside(rng, data, other) if rng.random() < 0.6 else None
    return _changed(rng, data, other) if inner is None else inner


def _changed(rng, data, other):
    """Bytes after one to three changes."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        out = _splice(rng, out, other) if rng.random() < 0.1 else rng.choice(_CHANGES)(rng, out)
    return bytes(out[:_MOST])


def _inside(rng, data, other):
    """An archive with a member changed and packed anew, its sums correct."""
    try:
        if data[:2] == b"\x1f\x8b":
            return gzip.compress(_changed(rng, gzip.decompress(data), other), 1)
        if data[:4] == b"PK\x03\x04":
            return _repacked(rng, data, other)
    except Exception:  # a damaged archive of the corpus is changed as it is
        return None
    return None


def _repacked(rng, data, other):
    """A zip archive with one or two members changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        members = [(entry.filename, old.read(entry)) for entry in old.infolist()]
    # The cells are where most can go wrong.
    sheets = [i for i, (name, _) in enumerate(members) if "sheet" in name.lower()]
    out = io.BytesIO()
    changed = {rng.choice(sheets or range(len(members))), rng.randrange(len(members))}
    if rng.random() < 0.7:
        changed = {min(changed)} if sheets == [] else {rng.choice(sheets)}
    with (
        warnings.catch_warnings(),
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        warnings.simplefilter("ignore")  # two members of one name are meant
        for i, (name, content) in enumerate(members):
            if i in changed and rng.random() < 0.05:
                continue
            new.writestr(name, _changed(rng, content, other) if i in changed else content)
    return out.getvalue()


def _place(rng, data):
    return rng.randrange(len(data) + 1)


def _flip(rng, data):
    for _ in range(rng.choice((1, 1, 2, 8))):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data


def _overwrite(rng, data):
    if data:
        data[rng.randrange(len(data))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
    return data


def _truncate(rng, data):
    at = _place(rng, data)
    return data[:at] if rng.random() < 0.8 else data[at:]


def _remove(rng, data):
    at = _place(rng, data)
    del data[at : at + rng.choice((1, 2, 4, 16, 64))]
    return data


def _repeat(rng, data):
    at = _place(rng, data)
    piece = data[at : at + rng.choice((1, 4, 16, 200))]
    return data[:at] + piece * rng.choice((2, 3, 50)) + data[at:]


def _insert(rng, data):
    at = _place(rng, data)
    return data[:at] + rng.choice(_TOKENS) * rng.choice((1, 1, 1, 3)) + data[at:]


def _swap(rng, data):
    """One delimiter or quotation mark for another, everywhere or half the time."""
    old, new = rng.choice(_DELIMITERS + b"\"'\n"), rng.choice(_DELIMITERS + b"\"'\n\r")
    share = rng.choice((0.3, 1.0))
    return bytearray(new if byte == old and rng.random() < share else byte for byte in data)


def _encode(rng, data):
    text = bytes(data).decode("utf-8", "replace")
    return bytearray(text.encode(rng.choice(_ENCODINGS), "replace"))


def _header(rng, data):
    """A number near the mark of an archive or at the end of the file."""
    places = [found.start() for mark in _MARKS for found in re.finditer(re.escape(mark), data)]
    base = rng.choice(places) if places else max(0, len(data) - 60)
    at = base + rng.randrange(46)
    value = rng.choice((0, 1, 255, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, rng.getrandbits(32)))
    size = rng.choice((1, 2, 4))
    data[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    return data


def _digits(rng, data):
    """A number written in text made another."""
    found = list(re.finditer(rb"[0-9]+", data))
    if found:
        one = rng.choice(found)
        new = rng.choice((b"-1", b"0", b"99999999", b"1e308", b"18446744073709551616", b"0.1"))
        data[one.start() : one.end()] = new
    return data


def _splice(rng, data, other):
    """The beginning of one file and the end of another."""
    return data[: _place(rng, data)] + other[rng.randrange(len(other) + 1) :]


_CHANGES = (
    *(_flip, _flip, _overwrite, _truncate, _remove, _repeat, _insert, _insert),
    *(_swap, _encode, _header, _header, _digits),
)
