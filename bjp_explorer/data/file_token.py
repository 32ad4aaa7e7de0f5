"""What the token of an uploaded file says: how it is read, and by which steps it is prepared.

    file:0123456789ab               read as usual, the suggested steps
    file:0123456789ab:s1:h2         the second sheet, two header lines (see `options`)
    file:0123456789ab:z...          other steps, their JSON packed into letters
    file:0123456789ab:p0123456789ab steps too many for a link, by a digest of their JSON

The last are kept with the visit, and with the script that the page offers.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bjp_engine.errors import OptionError, clip
from bjp_engine.preparation import DropVariables, Preparation, usual_place
from bjp_explorer.data.options import parts_of
from bjp_explorer.data.reading import Reading

_DIGEST = re.compile(r"p[0-9a-f]{12}")
# Letters of a link that every browser and mail program keeps; bytes that they may unpack to.
_LONGEST, _MOST_BYTES = 1500, 1 << 20


def normal(plan: Preparation) -> Preparation:
    """The steps as they were asked for, to be compared: whichever was asked for first."""
    steps = (
        replace(step, columns=tuple(sorted(step.columns, key=str)))
        if isinstance(step, DropVariables)
        else step
        for step in _asked(plan).steps
    )
    return replace(plan, steps=tuple(sorted(steps, key=usual_place)), states=None)


def _asked(plan: Preparation) -> Preparation:
    """The steps without what they found in a table."""
    steps = (
        replace(step, absent="skip") if isinstance(step, DropVariables) else step
        for step in plan.unfitted().steps
    )
    return replace(plan, steps=tuple(steps), states=None)


def token_of(reading: Reading, plan: Preparation) -> str:
    """The token of what steps make of a file: its digest, and what isn't as usual.

    The same file used in the same way has the same token in every visit.
    """
    parts = parts_of(reading.upload, reading.way)
    if normal(plan) != normal(reading.suggestion):
        packed = _packed(plan)
        parts.append(packed if len(packed) <= _LONGEST else digest_of(plan))
    return ":".join([reading.upload.token, *parts])


def digest_of(plan: Preparation) -> str:
    """What names steps in a token: "p" and twelve digits of the SHA-256 of their JSON."""
    return f"p{hashlib.sha256(_asked(plan).to_json().encode()).hexdigest()[:12]}"


def steps_of(
    reading: Reading, parts: Sequence[str], known: Mapping[str, Preparation]
) -> Preparation:
    """The steps that the parts of a token name."""
    if not parts:
        return reading.suggestion
    part, *more = parts
    if _DIGEST.fullmatch(part) and not more:
        if part not in known:
            raise OptionError(
                "The link needs steps that only the visit which made them knows; upload the file "
                "on the page Data, or use the script that came with its results."
            )
        return known[part]
    try:
        letters = f"{part[1:]}{'=' * (-len(part[1:]) % 4)}".encode("ascii")
        plain = zlib.decompressobj().decompress(base64.urlsafe_b64decode(letters), _MOST_BYTES)
    except (ValueError, zlib.error):
        plain = b""
    if part[:1] != "z" or more or not plain:
        raise OptionError(f"The link holds {clip(part)}, which says nothing about a file.")
    return Preparation.from_json(plain)


def _packed(plan: Preparation) -> str:
    text = _asked(plan).to_json()
    packed = zlib.compress(re.sub(r"\n *", "", text).encode("ascii"), 9)
    return f"z{base64.urlsafe_b64encode(packed).decode('ascii').rstrip('=')}"
