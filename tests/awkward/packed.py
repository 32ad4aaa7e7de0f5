"""Awkward archives: gzip and zip of one table, and what only looks like that."""

import gzip
import io
import tarfile
import zipfile
import zlib

from tests.awkward.case import read, refused

PLAIN = b"a,b\nx,1\ny,2\n"
AB = ("a", "b")


def named(*members, method=zipfile.ZIP_DEFLATED):
    """A zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def zipped(method=zipfile.ZIP_DEFLATED):
    """A zip archive of one table."""
    return named(("t.csv", PLAIN), method=method)


def patched(data, mark, at, value):
    """Bytes overwritten some way behind each mark."""
    out = bytearray(data)
    start = data.find(mark)
    while start >= 0:
        out[start + at : start + at + len(value)] = value
        start = data.find(mark, start + 1)
    return bytes(out)


def _tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("t.csv")
        info.size = len(PLAIN)
        archive.addfile(info, io.BytesIO(PLAIN))
    return out.getvalue()


def _zeros(megabytes):
    """A gzip file of zeros, made piece by piece."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(
        [*(packer.compress(b"0\n" * (1 << 19)) for _ in range(megabytes)), packer.flush()]
    )


def _locked():
    data = patched(zipped(), b"PK\x03\x04", 6, b"\x01\x00")
    return patched(data, b"PK\x01\x02", 8, b"\x01\x00")


GZ, ZIP = {"file": "t.csv.gz"}, {"file": "t.zip"}
CASES = (
    read("gzip", lambda: gzip.compress(PLAIN), AB, 2, says="unpacked", **GZ),
    read("gzip without a name", lambda: gzip.compress(PLAIN), AB, 2, file=""),
    read(
        "two members of gzip", lambda: gzip.compress(PLAIN) + gzip.compress(b"z,3\n"), AB, 3, **GZ
    ),
    read("gzip with padding", lambda: gzip.compress(PLAIN) + b"\0" * 600, AB, 2, **GZ),
    read(
        "gzip without names",
        lambda: gzip.compress(b"0,1\n"),
        ("column 1", "column 2"),
        1,
        file="t.data.gz",
    ),
    refused("gzip cut short", lambda: gzip.compress(PLAIN)[:-12], "a gzip archive", **GZ),
    refused(
        "gzip with a wrong sum",
        lambda: gzip.compress(PLAIN)[:-8] + b"\0" * 8,
        "a gzip archive",
        **GZ,
    ),
    refused("gzip and noise", lambda: gzip.compress(PLAIN) + b"noise", "a gzip archive", **GZ),
    refused("gzip of gzip", lambda: gzip.compress(gzip.compress(PLAIN)), "another archive", **GZ),
    refused("gzip of zip", lambda: gzip.compress(zipped()), "another archive", **GZ),
    refused("gzip of tar", lambda: gzip.compress(_tar()), "'t.tgz' ends in", file="t.tgz"),
    refused("gzip of nothing", lambda: gzip.compress(b""), "empty", **GZ),
    refused(
        "more than may be unpacked",
        lambda: _zeros(4),
        "BJP_MAX_FILE_MB",
        options={"limits": "small"},
        **GZ,
    ),
    read("zip", zipped, AB, 2, **ZIP),
    read(
        "zip in a folder, with litter",
        lambda: named(
            ("d/", b""), ("d/t.csv", PLAIN), ("__MACOSX/._t.csv", b"?"), ("d/.DS_Store", b"?")
        ),
        AB,
        2,
        **ZIP,
    ),
    read("zip, stored", lambda: zipped(zipfile.ZIP_STORED), AB, 2, **ZIP),
    read("zip with a path upward", lambda: named(("../../etc/t.csv", PLAIN)), AB, 2, **ZIP),
    read("zip with a path of Windows", lambda: named(("C:\\t.csv", PLAIN)), AB, 2, **ZIP),
    refused(
        "two files of one name",
        lambda: named(("x/a.csv", PLAIN), ("y/a.csv", PLAIN)),
        "holds 2 files ('x/a.csv', 'y/a.csv')",
        **ZIP,
    ),
    refused("two files", lambda: named(("a.csv", PLAIN), ("b.csv", PLAIN)), "holds 2 files", **ZIP),
    refused("an empty zip", named, "holds 0 files", **ZIP),
    refused("zip of zip", lambda: named(("t.csv", zipped())), "another archive", **ZIP),
    refused("zip with a password", _locked, "password", **ZIP),
    read("zip by bzip2", lambda: zipped(zipfile.ZIP_BZIP2), AB, 2, **ZIP),
    refused("zip cut short", lambda: zipped()[:-30], "a zip archive", **ZIP),
    refused(
        "zip with a wrong sum",
        lambda: patched(patched(zipped(), b"PK\x01\x02", 16, b"abcd"), b"PK\x03\x04", 14, b"abcd"),
        "a zip archive",
        **ZIP,
    ),
    refused(
        "zip that claims 4 GB",
        lambda: patched(zipped(), b"PK\x01\x02", 24, b"\xf0\xff\xff\xff"),
        "BJP_MAX_FILE_MB",
        **ZIP,
    ),
    refused(
        "4 MB of zeros in zip",
        lambda: named(("t.csv", b"0\n" * (2 << 20))),
        "BJP_MAX_FILE_MB",
        options={"limits": "small"},
        **ZIP,
    ),
    refused(
        "20 000 files", lambda: named(*((str(i), b"") for i in range(20_000))), "10,000", **ZIP
    ),
    refused("a picture in zip", lambda: named(("t.png", b"\x89PNG")), ".png", **ZIP),
    refused("bzip2", b"BZh91AY&SY", "packed as .gz or .zip", file="t.csv.bz2"),
    refused("bzip2 under .csv", b"BZh91AY&SY", "a bzip2 archive"),
    refused("7z", b"7z\xbc\xaf\x27\x1c\0\4", "packed as .gz or .zip", file="t.7z"),
)
