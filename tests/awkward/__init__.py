"""Files as people have them, and as attackers make them; each with its expected outcome."""

from tests.awkward import columnar, labelled, packed, texts, workbooks

CASES = tuple(
    case for kind in (texts, packed, columnar, labelled, workbooks) for case in kind.CASES
)
