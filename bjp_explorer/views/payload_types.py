"""What the browser's components are sent: every field with its type.

The frontend checks its code against the same description: `docs/make_payloads.py` writes it as
`frontend/payloads.d.ts`. Variables are indices into `names`, a pair is `[i, j]` with i < j, and
positions are in [0, 1]², x to the right, y down.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

# Lists of fixed length, which only the frontend can tell apart.
Pair = Annotated[list[int], "[number, number]"]
# Both ends, the tone, the weight, what is known of it, and its width where that is another number.
Edge = Annotated[list[Any], "[number, number, string?, number?, string?, number?]"]
Role = Annotated[list[Any], "[number, string]"]
Contribution = Annotated[list[Any], "[number, number, boolean, number]"]


class Layout(TypedDict):
    """Names and positions of the nodes; dragged nodes stay while `layout_id` stays."""

    layout_id: str
    names: list[str]
    x: list[float]
    y: list[float]


# --- Step through the score -----------------------------------------------------------------------


class Terms(TypedDict):
    """The terms of a score as columns; a local score has no `y`, and is always computed.

    `skipped` is what the test that BJP skips gives an inferred assertion, a log probability. Where
    a pair is tested given only some neighbours of x, these are the z with the `way` of y.
    """

    x: list[int]
    y: NotRequired[list[int]]
    dependent: NotRequired[list[int]]
    computed: NotRequired[list[int]]
    value: list[float]
    skipped: NotRequired[list[float | None]]
    way: NotRequired[list[int]]


class Plain(TypedDict):
    """What a newcomer reads first: what the graph is of, and what the steps do with it."""

    graph: str
    statement: str


class ChangedTerm(TypedDict):
    """A term that changed with the graph; `before` and `after` are None where it is inferred."""

    x: int
    y: int | None
    dependent: bool
    what: str
    before: float | None
    after: float | None
    difference: float


class Change(TypedDict):
    """What the last edit of the graph did to the score."""

    id: str
    kind: Literal["assertions", "local"]
    headline: str
    about: str
    rows: list[ChangedTerm]
    rest: str


class StepPayload(Layout):
    """A score, one term after another; `terms` may be its JSON as text."""

    id: str
    kind: Literal["assertions", "local"]
    method: str
    score_name: str
    order: list[int]
    degree: list[int]
    edges: list[Pair]
    editable: bool
    initial_step: int
    terms: Terms | str
    stem: NotRequired[str]
    change: NotRequired[Change | None]
    # With it, the graph and each test in words are all that is shown.
    plain: NotRequired[Plain]
    # Whether steps are first predicted.
    predict: NotRequired[bool]


# --- Watch the climb ------------------------------------------------------------------------------


class Start(TypedDict):
    """The graph that a search begins with."""

    edges: list[Pair]
    order: list[int]
    degree: list[int]
    score: float


class Flip(TypedDict):
    """One proposal; in a long walk the last of several flips, with the others' pairs."""

    edge: Pair
    added: bool
    accepted: bool
    phase: str
    gain: float
    score: float
    tried: int
    tests: int
    # Each with whether it is adjacent and the ln of its contribution.
    lowest: NotRequired[list[Contribution]]
    order: NotRequired[list[int]]
    at: NotRequired[int]
    others: NotRequired[list[Pair]]


class LineLook(TypedDict):
    """How the line of a climb is drawn: marker and dash as plotly names them, and whose hue."""

    symbol: str
    dash: str
    score: str


class ClimbNames(TypedDict):
    """What a search and its score are called, and how their line is drawn."""

    id: str
    method: str
    score_name: str
    short_name: str
    queue: str
    look: LineLook


class ClimbPayload(Layout, ClimbNames):
    """A search, one flip after another; while `series` stays, steps are only added at the end."""

    series: str
    start: Start
    steps: list[Flip]
    made: int
    best: int | None
    walks: bool
    rejected: Flip | None
    stop: str
    running: bool
    truth: list[Pair] | None
    initial_step: int | None
    title: NotRequired[str]
    report: NotRequired[bool]
    predict: NotRequired[bool]
    stem: NotRequired[str]
    asked: NotRequired[int | None]


class DuelPayload(Layout):
    """Two climbs on the same data with one player."""

    id: str
    by: Literal["flips", "tests"]
    climbs: list[ClimbPayload]
    running: bool
    truth: list[Pair] | None
    initial_step: int | None
    report: NotRequired[bool]
    predict: NotRequired[bool]
    stem: NotRequired[str]
    asked: NotRequired[int | None]


# --- Networks next to one another -----------------------------------------------------------------


class NetworkPanel(TypedDict):
    """One network of several."""

    key: str
    title: str
    subtitle: str
    edges: list[Edge]
    badge: str
    roles: list[Role]


class Tone(TypedDict):
    """An entry of the legend."""

    tone: str
    label: str


class NetworksPayload(Layout):
    """Several networks on one layout."""

    id: str
    panels: list[NetworkPanel]
    tones: list[Tone]
    columns: int
    clickable: bool
    pickable: NotRequired[bool]
    edge_clicks: NotRequired[bool]
    stem: NotRequired[str]
    tall: NotRequired[bool]


class WhatIfPayload(Layout):
    """A fitted network as the table of its joint probabilities, which the browser sums.

    The state of the last variable changes fastest. `evidence` is `[variable, state]` of what is
    known at first; each is right with probability `reliable`, and else any other state.
    """

    edges: list[Pair]
    states: list[list[str]]
    joint: list[float]
    evidence: list[Pair]
    reliable: float
    note: str
    stem: NotRequired[str]


# --- Points ---------------------------------------------------------------------------------------


class AxisPayload(TypedDict):
    """One of the two axes."""

    title: str
    short: str
    digits: int
    whole: bool
    range: Annotated[list[float], "[number, number]"] | None


class GroupPayload(TypedDict):
    """Points that look alike; numbers are base64 of their bytes."""

    name: str
    x: str
    y: str
    symbol: str
    colour: str
    size: float
    alpha: float
    keys: str | None
    levels: str | None
    texts: list[str] | None


class Mark(TypedDict):
    """A place that stands out."""

    x: float
    y: float
    symbol: str
    name: str
    colour: str


class Ring(TypedDict):
    """The point that is looked at."""

    x: float
    y: float
    name: str


class Levels(TypedDict):
    """The colours of the levels 0, 1, …, and what they count."""

    colours: list[str]
    noun: str


class PointsPayload(TypedDict):
    """Groups of points on two axes."""

    id: str
    stem: str
    label: str
    height: int
    x: AxisPayload
    y: AxisPayload
    groups: list[GroupPayload]
    marks: list[Mark]
    ring: Ring | None
    levels: Levels | None
    bands: list[Annotated[list[float], "[number, number]"]]
    pickable: bool


# --- Lessons --------------------------------------------------------------------------------------


class Link(TypedDict):
    """The line of a pair."""

    i: int
    j: int
    tone: str
    dependent: NotRequired[bool]
    question: NotRequired[bool]
    straight: bool


class SceneNetwork(Layout):
    """One network of a scene."""

    title: str
    kind: str
    link: Link | None
    badges: list[str] | None
    edges: list[Edge]
    roles: list[Role]
    rank: list[int] | None
    degree: list[int]


class SceneMatrix(TypedDict):
    """The assertions of a scene; `reached` is None where all are filled in."""

    names: list[str]
    order: list[int]
    degree: list[int]
    terms: Terms
    reached: int | None
    by_column: bool
    describe: list[str]
    pair: NotRequired[Pair | None]


class Counts(TypedDict):
    """A contingency table with the counts expected under independence."""

    x: str
    y: str
    rows: list[str]
    columns: list[str]
    cells: list[list[int]]
    expected: list[list[float]]


class CountsCard(TypedDict):
    """A contingency table with lines below it."""

    title: str
    counts: Counts
    lines: list[str]


class SceneTable(TypedDict):
    """A table of texts."""

    head: list[str]
    rows: list[list[str]]
    current: NotRequired[int | None]


class Figure(TypedDict):
    """A key number."""

    value: str
    caption: str


class Scene(TypedDict):
    """What a lesson's view shows for what was clicked."""

    say: NotRequired[list[str]]
    networks: NotRequired[list[SceneNetwork]]
    matrix: NotRequired[SceneMatrix]
    cards: NotRequired[list[CountsCard]]
    table: NotRequired[SceneTable]
    figures: NotRequired[list[Figure]]


class CourseLesson(TypedDict):
    """A lesson in the bar of progress."""

    title: str
    short: str
    steps: int
    state: Literal["new", "begun", "shown", "solved"]


class CourseStep(TypedDict):
    """A step of the current lesson."""

    title: str
    asks: bool
    state: Literal["open", "tried", "shown", "solved"]


class TouchPayload(TypedDict):
    """What a view answers to."""

    kind: str
    hint: str


class VerdictPayload(TypedDict):
    """What was said to an answer."""

    correct: bool
    sentence: str
    culprit: Any


class QuestionPayload(TypedDict):
    """A question; its solution only once it is known. With a `note`, it can't be checked here."""

    ask: str
    kind: str
    picks: list[Any]
    state: Literal["open", "tried", "shown", "solved"]
    verdict: VerdictPayload | None
    revealed: Scene | None
    note: NotRequired[str]


class OpenLesson(TypedDict):
    """A lesson whose question is still open."""

    lesson: int
    title: str


class Door(TypedDict):
    """A way to another page."""

    page: str
    title: str
    text: str


class ClosingPayload(TypedDict):
    """The page after the last lesson."""

    open: list[OpenLesson]
    doors: list[Door]


class LessonPayload(TypedDict):
    """One step of a lesson, or the closing page; `words` are the component's own.

    With `alone`, there are no other lessons.
    """

    id: str
    language: str
    words: dict[str, str]
    lesson: int
    step: int
    restored: bool
    course: list[CourseLesson]
    steps: list[CourseStep]
    title: str
    text: list[str]
    touch: TouchPayload
    scenes: dict[str, Scene]
    question: QuestionPayload | None
    closing: ClosingPayload | None
    alone: NotRequired[bool]


class VerdictTree(TypedDict):
    """The verdict on every answer to a question, see `lessons/verdicts.py`."""

    candidates: list[Any]
    verdicts: list[VerdictPayload]
    nodes: list[Annotated[list[Any], "[number, Record<string, number>]"]]
    root: int


class SharedQuestion(TypedDict):
    """A question in a file, with its answer; no `tree` where it has too many answers."""

    ask: str
    kind: str
    answer: list[Any]
    tree: VerdictTree | None
    revealed: Scene | None


class SharedStep(TypedDict):
    """A step of a lesson in a file."""

    title: str
    text: list[str]
    touch: TouchPayload
    scenes: dict[str, Scene]
    question: SharedQuestion | None


class SharedEntry(TypedDict):
    """A lesson of a course in files, and its steps that ask."""

    title: str
    short: str
    steps: int
    asks: list[int]


class CoursePayload(TypedDict):
    """A lesson in a file; `lesson` is 0 for the index.

    `files` are the addresses of the index and of each lesson, or None for one lesson alone.
    """

    language: str
    words: dict[str, str]
    lesson: int
    course: list[SharedEntry]
    steps: list[SharedStep]
    files: list[str] | None


# --- Practice -------------------------------------------------------------------------------------

Answer = Annotated[Any, "string[] | number"]
Names = Annotated[list[str], "[string, string]"]


class GraphPicturePayload(TypedDict):
    """A graph to be drawn; positions are in the unit square, edges are pairs of names."""

    title: str
    names: list[str]
    positions: list[Annotated[list[float], "[number, number]"]]
    edges: list[Names]
    marked: list[str]


class GridPicturePayload(TypedDict):
    """A table to be drawn."""

    title: str
    corner: str
    columns: list[str]
    rows: list[str]
    cells: list[list[str]]


class PicturePayload(TypedDict):
    """What stands between a question and its answer."""

    graphs: list[GraphPicturePayload]
    grids: list[GridPicturePayload]
    notes: list[str]


class MistakePayload(TypedDict):
    """A typical wrong answer."""

    answer: Answer
    reason: str


class ExercisePayload(TypedDict):
    """An exercise as `Exercise.to_json` writes it: every answer that is right is listed."""

    kind: str
    level: int
    seed: int
    ask: str
    picture: PicturePayload
    form: Literal["nodes", "order", "pair", "several", "one", "number"]
    options: list[str]
    answer: Answer
    accepted: list[Answer]
    tolerance: float
    mistakes: list[MistakePayload]
    solution: list[str]


class PracticePayload(TypedDict):
    """A run of exercises; with `more` others can be asked for at its end."""

    id: str
    kinds: dict[str, str]
    exercises: list[ExercisePayload]
    more: bool


# --- The address ----------------------------------------------------------------------------------


class LinkPayload(TypedDict):
    """The parameters of the page's address, or the button that copies it."""

    query: NotRequired[dict[str, str]]
    page: NotRequired[str]
    others: NotRequired[bool]
    button: NotRequired[bool]


# --- A lecture ------------------------------------------------------------------------------------


class CodePayload(TypedDict):
    """The dark modules of a QR code, row by row as 0 and 1; or why there is none."""

    address: str
    rows: list[str]
    told: str


class LecturePayload(TypedDict):
    """What a lecture needs on a page; `leaving` grows where a view of its list is on its way."""

    page: str
    titles: dict[str, str]
    leaving: int
    code: CodePayload | None
