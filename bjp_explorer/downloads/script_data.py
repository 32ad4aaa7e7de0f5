"""The calls that bring the rows of a result back: a sample, a benchmark network, or a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pprint import pformat

from bjp_engine.dataset import MISSING_LABEL
from bjp_engine.io import ReadOptions
from bjp_engine.preparation import Preparation
from bjp_explorer.shell.sources import PART, Loaded, network_sample, sample_frame, usual_missing
from bjp_explorer.shell.text import plain

_USUAL = ReadOptions()


def data_pieces(loaded: Loaded, *, arguments: bool = False) -> Iterator[tuple[str, str]]:
    """What to run for the rows to be there as `data`: pairs of a sentence and lines of Python.

    The sentence has no text from outside; in the lines it is a literal.
    """
    if loaded.kind == "net":
        yield _drawn(loaded)
    elif loaded.kind == "sample":
        yield from _sample(loaded)
    else:
        yield from _file(loaded, arguments)
    if PART in loaded.token:
        yield (
            "Some of the variables.",
            f"data = data.select({_literal(list(loaded.data.names))})",
        )


def reading_of(loaded: Loaded) -> dict[str, object]:
    """How a file was read, where that isn't as usual.

    Keyword arguments of `bjp_engine.io.read_frame`.
    """
    if loaded.reading is None:
        return {}
    given = {one.name: getattr(loaded.reading, one.name) for one in fields(ReadOptions)}
    # Limits are the machine's, and say nothing of the file.
    del given["limits"]
    return {name: value for name, value in given.items() if value != getattr(_USUAL, name)}


def file_name(loaded: Loaded) -> str:
    """What an uploaded file was called, without any folder."""
    title = re.sub(r": \d+ of \d+$", "", loaded.title) if PART in loaded.token else loaded.title
    return re.split(r"[\\/]", plain(title, 200))[-1].strip(". ") or "data.csv"


def missing_of(loaded: Loaded) -> str | None:
    """What was done with the missing cells of a sample, or of a file without a preparation."""
    if loaded.kind == "sample":
        name, _, policy = loaded.base.partition(":")
        frame = sample_frame(name)
        if loaded.preparation is not None:
            return None
        return (policy or usual_missing(frame)) if frame.isna().to_numpy().any() else None
    if not loaded.missing:
        return None
    return "state" if any(MISSING_LABEL in labels for labels in loaded.data.labels) else "drop"


def _drawn(loaded: Loaded) -> tuple[str, str]:
    """A sample from a benchmark network."""
    told = network_sample(loaded.base)
    weights = _literal(told.weights)
    return (
        "A sample drawn from a benchmark network, the same for the same seeds.",
        (
            f"truth = bjp.networks.load({_literal(told.network)}, labelled=True)\n"
            f"model = bjp.sampling.random_model(truth, {weights}, seed={told.seed})\n"
            f"data = model.sample({told.rows}, seed={told.seed}, method='gibbs')"
        ),
    )


def _sample(loaded: Loaded) -> Iterator[tuple[str, str]]:
    """A dataset that is shipped."""
    name = loaded.base.partition(":")[0]
    path = f'PATH = bjp.resources.sample_data("datasets", {_literal(f"{name}.csv")})'
    if loaded.preparation is not None:
        read = "from bjp_engine.io import read_frame\n\nframe, reading = read_frame(PATH)"
        yield "A dataset that comes with the package.", f"{path}\n\n{read}"
        yield _prepared(loaded.preparation)
        return
    policy = missing_of(loaded)
    missing = "" if policy is None else f", missing={policy!r}"
    yield (
        "A dataset that comes with the package.",
        f"{path}\ndata = bjp.read_table(PATH{missing})",
    )


def _file(loaded: Loaded, arguments: bool) -> Iterator[tuple[str, str]]:
    """A file of the reader's own."""
    path = _literal(file_name(loaded))
    first = "sys.argv[1] if len(sys.argv) > 1 else "
    yield (
        "The uploaded file. Insert its path on your machine"
        + (", or give its path as the first argument." if arguments else "."),
        f"PATH = {first if arguments else ''}{path}",
    )
    lines = [f"    {name}={value!a},\n" for name, value in reading_of(loaded).items()]
    given = f"\n    PATH,\n{''.join(lines)}" if lines else "PATH"
    yield (
        "Read it in the same way.",
        (
            "from bjp_engine.io import read_frame\n\n"
            f"frame, reading = read_frame({given})\nprint(*reading.notes, sep='\\n')"
        ),
    )
    if loaded.preparation is not None:
        yield _prepared(loaded.preparation)
        return
    policy = missing_of(loaded)
    missing = "" if policy is None else f", missing={policy!r}"
    names = _literal(list(loaded.data.names))
    yield (
        "The columns that were used.",
        f"COLUMNS = {names}\ndata = bjp.Dataset.from_frame(frame[COLUMNS]{missing})",
    )


def _prepared(preparation: Preparation) -> tuple[str, str]:
    """A table prepared as it was, with what the steps found then."""
    steps = pformat(preparation.to_dict(), width=96, sort_dicts=False)
    return (
        "Prepare it with the same steps, and the values that each step computed from the file.",
        (
            "from bjp_engine.preparation import Preparation, prepare\n\n"
            f"PREPARATION = {_ascii(steps)}\n"
            "made = prepare(frame, Preparation.from_dict(PREPARATION))\ndata = made.data\n"
            "for step in made.trace:\n    print(f'{step.number}. {step.sentence}')"
        ),
    )


def _literal(value: object) -> str:
    """A value as ASCII Python that gives it back; long lists have a line for each entry."""
    text = ascii(value)
    if isinstance(value, list) and len(text) > 90:
        return "[\n" + "".join(f"    {one!a},\n" for one in value) + "]"
    return text


def _ascii(code: str) -> str:
    """Literals whose texts are written in ASCII."""
    # Outside of quotation marks `pformat` writes ASCII, and within them these are Python's escapes.
    return code.encode("ascii", "backslashreplace").decode()
