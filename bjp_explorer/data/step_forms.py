"""A step added by hand: which kind, and a form for what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from bjp_engine.dataset import Name
from bjp_engine.errors import BJPError
from bjp_engine.health.scales import scale_ends
from bjp_engine.preparation import (
    BinNumbers,
    DropVariables,
    FilterRows,
    KeepVariables,
    MergeRare,
    MissingCells,
    MissingCodes,
    MultipleChoice,
    OrderStates,
    Preparation,
    RecodeStates,
    RenameVariables,
    ReverseOrder,
    SampleRows,
    Step,
    TidyText,
)
from bjp_explorer.data import plan as data_plan
from bjp_explorer.data import visit, words
from bjp_explorer.data.fields import columns, labels_of, numbers, pairs
from bjp_explorer.data.reading import Reading
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import plain, prose

Form = Callable[["Reading", "Loaded | None", str], Callable[[], Step]]
_KIND, _ROUND = "data-add", "data-add-round"


def show(reading: Reading, plan: Preparation, loaded: Loaded | None) -> None:
    """The choice of a kind, and the form of the one chosen."""
    rounds = st.session_state.setdefault(_ROUND, 0)
    kind = st.selectbox(
        words.ADD_STEP,
        list(_FORMS),
        index=None,
        format_func=words.FORMS.__getitem__,
        placeholder=words.ADD_STEP_HINT,
        key=f"{_KIND}-{rounds}",
        label_visibility="collapsed",
    )
    if kind is None:
        return
    with st.form(f"data-form-{kind}-{rounds}"):
        st.markdown(f"**{words.FORMS[kind]}**")
        make = _FORMS[kind](reading, loaded, f"data-{kind}-{rounds}")
        if st.form_submit_button(words.ADD, icon=":material/add:"):
            _add(reading, plan, make)


def _add(reading: Reading, plan: Preparation, make: Callable[[], Step]) -> None:
    """Add the step, or say why it can't be one."""
    try:
        step = make()
        other = data_plan.add(plan, [step], reading.names)
    except BJPError as error:
        st.error(prose(str(error)), icon=":material/error:")
        return
    visit.change(reading, other)
    st.session_state[_ROUND] += 1
    st.rerun()


def _names(reading: Reading, loaded: Loaded | None) -> Sequence[Name]:
    """The variables that are left, or all where that isn't known."""
    return loaded.data.names if loaded is not None else reading.names


def _keep(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which variables to keep."""
    chosen = columns(words.KEEP, reading.names, reading, key, _names(reading, loaded))
    return lambda: KeepVariables(chosen())


def _drop(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which variables to leave out."""
    names = [name for name in reading.names if name in set(_names(reading, loaded))]
    chosen = columns(words.DROP, names, reading, key)
    return lambda: DropVariables(chosen())


def _missing(reading: Reading, _loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """What becomes of missing cells, in which variables."""
    names = [one.name for one in reading.health.variables if one.missing]
    chosen = columns(words.EVERY_VARIABLE, names, reading, key)
    how = _radio(words.CELLS, words.CELLS_WAYS, key)
    if how == "impute":
        st.caption(words.IMPUTE_HELP)
    return lambda: MissingCells(how, chosen() or None)


def _codes(reading: Reading, _loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which values stand for missing cells, in which variables."""
    chosen = columns(words.CODED, reading.names, reading, key)
    text = st.text_input(
        words.CODES, placeholder=words.CODES_EXAMPLE, key=f"{key}-codes", help=words.CODES_HELP
    )
    codes = _parts(text.split(";"))
    return lambda: MissingCodes(tuple((name, codes) for name in chosen()))


def _recode(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which states get other names."""
    chosen = columns(words.CODED, _names(reading, loaded), reading, key)
    text = st.text_area(
        words.PAIRS, placeholder=words.PAIRS_EXAMPLE, key=f"{key}-pairs", help=words.PAIRS_HELP
    )
    return lambda: RecodeStates(chosen(), pairs(text))


def _reverse(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Whose answers are turned round."""
    names = _names(reading, loaded)
    chosen = columns(words.REVERSED, names, reading, key)
    ends = st.text_input(
        words.ENDS, placeholder=words.ENDS_EXAMPLE, key=f"{key}-ends", help=words.ENDS_HELP
    )
    st.caption(words.REVERSED_HELP)

    def make() -> Step:
        names = chosen()
        given: Any = numbers(ends)
        table = reading.table.columns
        plain = all(table[n].numeric and not table[n].ordered for n in names if n in table)
        if not given and plain and loaded is not None:
            labels = dict(zip(loaded.data.names, loaded.data.labels, strict=True))
            return ReverseOrder(names, scale_ends(labels, names))
        return ReverseOrder(names, given or None)

    return make


def _choices(reading: Reading, _loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which columns are the choices of one question."""
    chosen = columns(words.CHOICES_OF, reading.names, reading, key)
    skipped = _radio(words.SKIPPED, words.SKIPPED_WAYS, key)
    return lambda: MultipleChoice(chosen(), skipped)


def _filter(reading: Reading, _loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which rows are used, by the states of a variable."""
    name = _variable(reading.names, reading, key)
    text = st.text_area(words.FILTER_STATES, key=f"{key}-states", help=words.FILTER_HELP)
    how = _radio(words.FILTERED, words.FILTER_WAYS, f"{key}-how")
    return lambda: FilterRows(name, _parts(text.splitlines()), how == "keep")


def _radio(label: str, ways: Mapping[Any, str], key: str) -> Any:
    """One of several ways, all in sight."""
    return st.radio(label, list(ways), format_func=ways.__getitem__, key=key)


def _menu(place: Any, label: str, ways: Mapping[Any, str], key: str) -> Any:
    """One of several ways, in a list that unfolds."""
    return place.selectbox(label, list(ways), format_func=ways.__getitem__, key=key)


def _variable(names: Sequence[Name], reading: Reading, key: str) -> Name:
    """A field for one variable."""
    known = labels_of(names, reading)
    return st.selectbox(words.ONE_VARIABLE, names, format_func=known.__getitem__, key=key)


def _parts(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts without the space around them, but for those that are empty then."""
    return tuple(part.strip() for part in texts if part.strip())


def _bins(reading: Reading, _loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which numbers are cut, and how."""
    names = [name for name in reading.names if reading.table.column(name).numeric]
    chosen = columns(words.NUMBERS, names, reading, key)
    left, middle, right = st.columns(3)
    how = _menu(left, words.BINS, words.BINS_WAYS, f"{key}-how")
    bins = middle.number_input(words.MOST_BINS, 2, 1000, 4, key=f"{key}-bins")
    cuts = right.text_input(
        words.CUTS,
        placeholder=words.CUTS_EXAMPLE,
        key=f"{key}-cuts",
        help=words.CUTS_HELP,
    )

    def make() -> Step:
        own = numbers(cuts)
        return BinNumbers(chosen(), "cuts" if own else how, int(bins), own or None)

    return make


def _merge(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which states are rare."""
    names = _names(reading, loaded)
    chosen = columns(words.ALL_BUT_NUMBERS, names, reading, key)
    left, right = st.columns(2)
    below = left.number_input(words.BELOW, 2, 1_000_000, 8, key=f"{key}-below")
    into = right.text_input(words.INTO, words.OTHER, key=f"{key}-into")
    return lambda: MergeRare(chosen() or None, below=int(below), into=into)


def _order(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """In which order the states of a variable stand."""
    name = _variable(_names(reading, loaded), reading, key)
    text = st.text_area(
        words.ORDER,
        key=f"{key}-states",
        help=words.ORDER_HELP,
        placeholder=_states(name, loaded),
    )
    return lambda: OrderStates(name, _parts(text.splitlines()))


def _rename(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Another name for a variable."""
    name = _variable(_names(reading, loaded), reading, key)
    new = st.text_input(words.NEW_NAME, key=f"{key}-new")
    return lambda: RenameVariables(((name, new),))


def _tidy(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which texts are written alike."""
    chosen = columns(words.ALL_TEXTS, _names(reading, loaded), reading, key)
    fold = st.checkbox(words.FOLD, True, key=f"{key}-fold")
    return lambda: TidyText(chosen() or None, fold_case=fold)


def _sample(_reading: Reading, _loaded: Loaded | None, key: str) -> Callable[[], Step]:
    """Which rows are used."""
    left, middle, right = st.columns(3)
    how = _menu(left, words.SAMPLE_ROWS, words.SAMPLE_WAYS, f"{key}-how")
    number = middle.number_input(words.SAMPLE_NUMBER, 1, 1_000_000_000, 10_000, key=f"{key}-number")
    seed = right.number_input(words.SEED, 0, 2**31 - 1, 0, key=f"{key}-seed")
    return lambda: SampleRows(how, int(number), int(seed))


def _states(name: Name, loaded: Loaded | None) -> str:
    """The states that a variable has, as an example of what may be written."""
    if loaded is None or name not in loaded.data.names:
        return ""
    labels = loaded.data.labels[loaded.data.index(name)]
    return "\n".join(plain(label, 40) for label in labels[:12])


_FORMS: dict[str, Form] = {
    "keep": _keep,
    "drop": _drop,
    "codes": _codes,
    "missing": _missing,
    "recode": _recode,
    "reverse": _reverse,
    "choices": _choices,
    "filter": _filter,
    "bins": _bins,
    "merge": _merge,
    "order": _order,
    "tidy": _tidy,
    "rename": _rename,
    "sample": _sample,
}
