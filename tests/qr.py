"""A reader of small QR codes, after ISO/IEC 18004; it shares nothing with what draws them.

It corrects no errors, and reads versions 1 to 4 and texts in byte mode.
"""

# Data codewords and blocks by version and by the two bits of the level (M, L, H, Q).
_SIZES = {
    1: ((16, 1), (19, 1), (9, 1), (13, 1)),
    2: ((28, 1), (34, 1), (16, 1), (22, 1)),
    3: ((44, 1), (55, 1), (26, 2), (34, 2)),
    4: ((64, 2), (80, 1), (36, 4), (48, 2)),
}
_MASKS = (
    lambda i, j: (i + j) % 2,
    lambda i, _: i % 2,
    lambda _, j: j % 3,
    lambda i, j: (i + j) % 3,
    lambda i, j: (i // 2 + j // 3) % 2,
    lambda i, j: i * j % 2 + i * j % 3,
    lambda i, j: (i * j % 2 + i * j % 3) % 2,
    lambda i, j: ((i + j) % 2 + i * j % 3) % 2,
)


def read(rows):
    """The text of a code, given without its margin: "1" is a dark module."""
    side = len(rows)
    version = (side - 17) // 4
    assert side == 17 + 4 * version
    assert all(len(row) == side for row in rows)
    places = [(8, k) for k in (0, 1, 2, 3, 4, 5, 7, 8)] + [(k, 8) for k in (7, 5, 4, 3, 2, 1, 0)]
    form = int("".join(rows[i][j] for i, j in places), 2) ^ 0b101010000010010
    is_masked = _MASKS[form >> 10 & 7]
    bits = [int(rows[i][j]) ^ (not is_masked(i, j)) for i, j in _zigzag(side)]
    codewords = [int("".join(map(str, bits[k : k + 8])), 2) for k in range(0, len(bits) - 7, 8)]
    many, blocks = _SIZES[version][form >> 13]
    data = bytes(word for b in range(blocks) for word in codewords[b:many:blocks])
    stream = "".join(f"{byte:08b}" for byte in data)
    assert stream[:4] == "0100", "only texts in byte mode are read"
    length = int(stream[4:12], 2)
    return bytes(int(stream[k : k + 8], 2) for k in range(12, 12 + 8 * length, 8)).decode()


def _zigzag(side):
    """The modules of data in order: two columns at a time from the right, up and down in turn."""
    found = []
    for turn, right in enumerate(k if k > 6 else k - 1 for k in range(side - 1, 0, -2)):
        up = range(side - 1, -1, -1) if turn % 2 == 0 else range(side)
        found += [(i, j) for i in up for j in (right, right - 1) if not _is_fixed(i, j, side)]
    return found


def _is_fixed(i, j, side):
    """Whether a module belongs to a pattern and holds no data."""
    corners = (i < 9 and j < 9) or (i < 9 and j >= side - 8) or (i >= side - 8 and j < 9)
    aligned = side > 21 and abs(i - side + 7) < 3 and abs(j - side + 7) < 3
    return corners or aligned or 6 in (i, j)
