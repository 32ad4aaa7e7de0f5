"""Files as people have them, and as attackers make them; each with its expected outcome."""

from tests.awkward import columnar, labelled, packed, texts, workbooks
from tests.awkward.case import Case

CASES: tuple[Case, ...] = (
    *texts.CASES,
    *packed.CASES,
    *columnar.CASES,
    *labelled.CASES,
    *workbooks.CASES,
)
