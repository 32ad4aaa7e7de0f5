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
    "Students solve the sheet on paper, in a browser, or in Moodle, which marks it. Anybody can "
    "find the answers in the source of the page for a browser: it is to practise, not to examine."
)
NUMBER, SEED = "Questions", "Seed"
SEED_HELP = "The same seed gives the same questions, another one others."
WHOSE = "Questions are"
WHOSE_NAMES = {"same": "the same for all", "each": "different for each student"}
STUDENTS = "Students, one name or number on each line"
STUDENTS_HELP = f"At most {MOST_STUDENTS}."
SAME_FOR_ALL = "This page has the same questions for all."
