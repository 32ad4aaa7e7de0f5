"""Sentences of the page *Practice*."""

from bjp_explorer.practice.sheet_page import MOST_STUDENTS

ABOUT = (
    "Ten new questions at a time, answered in the picture. Typical mistakes are explained, and "
    "every question has a worked solution."
)
KINDS, ALL_KINDS = "Kinds of questions", "all kinds"
LEVELS = "Levels"
LEVEL_NAMES = {1: "1 easy", 2: "2 medium", 3: "3 hard"}
LEVELS_HELP = "Questions come from every level chosen; from all three where none is."
MORE = "Another ten"
MORE_HELP = "Ten new questions. The address names them, so a link gives others the same ten."

SHEET = "Make a sheet for a class"
SHEET_ABOUT = (
    "Students solve the sheet in a browser, on paper or in a learning platform. In a browser they "
    "finish with a short text to hand in; `bjp marks` turns a folder of these into a table."
)
NUMBER, SEED = "Questions", "Seed"
SEED_HELP = "The same seed gives the same questions, another one others."
WHOSE = "Questions are"
WHOSE_NAMES = {"same": "the same for all", "each": "different for each student"}
STUDENTS = "Students, one name or number on each line"
STUDENTS_HELP = f"At most {MOST_STUDENTS}. The page to solve holds no names, only a check of each."
WHEN = "Show points and solutions"
WHEN_NAMES = {"once": "after each answer", "end": "at the end"}
CODE = (
    "The code of the sheet. Anybody can make the sheet again from it, and, where each student has "
    "questions of their own, from the names."
)
ONE_AT_A_TIME = "A QTI package holds the questions of one student; name a single one."
ANSWERS_INSIDE = (
    "Anybody can find the answers in the source of the page: use it to practise, not to examine."
)


def size(count: int, students: int) -> str:
    """How large the page to solve is."""
    whose = f", for {students} students" if students > 1 else ""
    return f"The page to solve is one file of {max(1, round(count / 1000)):,} kB{whose}."
