"""How to come to a result again: a Python script that stops where rows or numbers differ.

Whatever comes from a file or a person is a literal in ASCII, as `ascii` writes it; comments hold no
text from outside but its literals.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pprint import pformat
from typing import Any

import numpy as np

import bjp_engine
from bjp_engine.dataset import MISSING_LABEL
from bjp_engine.io import ReadOptions
from bjp_engine.parameters.effects import PER_STEP
from bjp_engine.preparation import Preparation
from bjp_engine.scores import KnownEdges, ScoreTrace
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell import caches
from bjp_explorer.shell.sources import PART, Loaded, network_sample, sample_frame, usual_missing
from bjp_explorer.shell.text import count, number, plain
from bjp_explorer.views.effects import effects_of
from bjp_explorer.views.payloads import edge_indices
from bjp_explorer.views.words import DRAWN

_USUAL = ReadOptions()
# What a step does, in a sentence or two, and its lines of Python.
Piece = tuple[str, str]


def script(result: Result) -> bytes:
    """A Python script. ASCII. It learns again, compares digest and score, and writes edges.csv."""
    data = result.data
    head = [
        "# How to reproduce this network:",
        "#",
        f"#     pip install bjp-explorer=={bjp_engine.__version__}",
        f"#     python repeat.py{' YOUR-FILE' * (result.loaded.kind == 'file')}",
        "#",
        (
            f"# Data: {plain(result.loaded.title, 80)!a}, {count(data.rows, 'row')}, "
            f"{count(data.n, 'variable')}: {count(result.graph.number_of_edges(), 'edge')}, "
            f"{result.score_name} {number(result.total, 4).replace('−', '-')}."
        ),
        *(f"# Warning: {plain(one, 400)!a}" for one in result.warnings),
    ]
    parts = ["\n".join(head)]
    for about, code in pieces(result):
        wrapped = textwrap.wrap(about, 96, initial_indent="# ", subsequent_indent="# ")
        parts.append("\n".join([*wrapped, code]))
    return ("\n\n".join(parts) + "\n").encode("ascii")


# --- The rows -------------------------------------------------------------------------------------


def data_pieces(loaded: Loaded) -> Iterator[Piece]:
    """What to run for the rows to be there as `data`."""
    if loaded.kind == "net":
        told = network_sample(loaded.base)
        yield (
            "A sample drawn from a benchmark network, the same for the same seeds.",
            (
                f"truth = bjp.networks.load({told.network!a}, labelled=True)\n"
                f"model = bjp.sampling.random_model(truth, {told.weights!a}, seed={told.seed})\n"
                f"data = model.sample({told.rows}, seed={told.seed}, method='gibbs')"
            ),
        )
    else:
        yield from _read(loaded)
    if PART in loaded.token:
        names = _literal(list(loaded.data.names))
        yield "Some of the variables.", f"data = data.select({names})"


def reading_of(loaded: Loaded) -> dict[str, object]:
    """How a file was read where that isn't as usual, as arguments of `bjp_engine.io.read_frame`."""
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


def _read(loaded: Loaded) -> Iterator[Piece]:
    is_sample, prepared = loaded.kind == "sample", loaded.preparation
    policy = missing_of(loaded)
    missing = "" if policy is None else f", missing={policy!r}"
    if is_sample:
        name = f"{loaded.base.partition(':')[0]}.csv"
        about = "A dataset that comes with the package."
        path = f'PATH = bjp.resources.sample_data("datasets", {name!a})'
    else:
        about = "The uploaded file. Insert its path, or give it as the first argument."
        path = f"PATH = sys.argv[1] if len(sys.argv) > 1 else {file_name(loaded)!a}"
    if is_sample and prepared is None:
        yield about, f"{path}\ndata = bjp.read_table(PATH{missing})"
        return
    yield about, path
    lines = [f"    {name}={value!a},\n" for name, value in reading_of(loaded).items()]
    given = f"\n    PATH,\n{''.join(lines)}" if lines else "PATH"
    yield (
        "Read it in the same way.",
        (
            "from bjp_engine.io import read_frame\n\n"
            f"frame, reading = read_frame({given})\nprint(*reading.notes, sep='\\n')"
        ),
    )
    if prepared is None:
        names = _literal(list(loaded.data.names))
        code = f"COLUMNS = {names}\ndata = bjp.Dataset.from_frame(frame[COLUMNS]{missing})"
        yield "The columns that were used.", code
        return
    yield (
        "Prepare it with the same steps.",
        (
            "from bjp_engine.preparation import Preparation, prepare\n\n"
            f"PREPARATION = {_steps(prepared)}\n"
            "made = prepare(frame, Preparation.from_dict(PREPARATION))\ndata = made.data\n"
            "for step in made.trace:\n    print(f'{step.number}. {step.sentence}')"
        ),
    )


def _steps(preparation: Preparation) -> str:
    """The steps as a literal in ASCII: outside of quotation marks `pformat` writes no other."""
    steps = pformat(preparation.to_dict(), width=96, sort_dicts=False)
    return steps.encode("ascii", "backslashreplace").decode()


# --- The steps ------------------------------------------------------------------------------------


def pieces(result: Result) -> Iterator[Piece]:
    """All steps, which end with an error unless the rows and the score are the same."""
    loaded, sure, known = result.loaded, result.confidence, result.known
    imports = ["math"] + ["sys"] * (loaded.kind == "file")
    lines = [*(f"import {name}" for name in imports), ""]
    lines += ["import networkx as nx", ""] * (not result.repeatable)
    yield (
        "This needs Python 3.11 or later and the package bjp-explorer, whose engine is imported.",
        "\n".join([*lines, "import bjp_engine as bjp"]),
    )
    yield (
        "The versions and values of the report. Another version of the engine may give others.",
        (
            f"VERSION = {bjp_engine.__version__!r}\nDIGEST = {result.data.digest!r}\n"
            "if bjp.__version__ != VERSION:\n"
            '    print(f"The report is of engine {VERSION}, and this is {bjp.__version__}.")'
        ),
    )
    yield from data_pieces(loaded)
    yield (
        "The digest tells one dataset from another: rows, names and states must be the same.",
        (
            'assert data.digest == DIGEST, "These are not the rows of the report."\n'
            'print(f"{data.rows} rows, {data.n} variables, digest {data.digest}")'
        ),
    )
    if known is not None:
        kinds = ("required", "forbidden", "likely", "apart")
        entries = "".join(
            f"    {kind}=[\n{''.join(f'        {one!a},{chr(10)}' for one in some)}    ],\n"
            for kind in kinds
            if (some := getattr(known, kind))
        )
        yield "What was known of pairs.", f"KNOWN = bjp.scores.KnownEdges(\n{entries})"
    if loaded.imputed is not None:
        some = ".select(data.names)" if loaded.whole is not None else ""
        yield "All completed tables.", f"imputed = made.imputed{some}"
    if sure is not None:
        of = "data" if loaded.imputed is None else "imputed"
        call = f"bjp.edge_probabilities({of}{', known=KNOWN' * (known is not None)})"
        mean = " It is the mean over all completed tables." * (of == "imputed")
        about = f"The probability of each edge, calibrated on known networks.{mean}"
        yield about, f"confidence = {call}"
        yield (
            "The sum of the probabilities over all pairs must be that of the report.",
            (
                f"SUM = {float(sure.matrix.sum())!r}\ntotal = confidence.matrix.sum()\n"
                'assert math.isclose(total, SUM, rel_tol=1e-9), "The probabilities differ."'
            ),
        )
    if result.tables > 1:
        yield (
            "The pairs with a mean probability of a half or more.",
            f"graph = confidence.graph({DRAWN})",
        )
    elif result.repeatable:
        yield from _learned(result)
    else:
        yield from _given(result)
    if result.shuffled is not None and result.repeatable:
        yield _chance(result)
    more = ", confidence=confidence" * (sure is not None)
    if result.effects is not None and effects_of(result.effects, result.data):
        yield _effects(result)
        more += ", effects=effects"
    yield (
        "The edges as a table. Other endings give other formats: .graphml, .json.",
        (
            f'bjp.io.write_graph(graph, "edges.csv"{more})\n'
            'print(f"{graph.number_of_edges()} edges written to edges.csv")'
        ),
    )


def _learned(result: Result) -> Iterator[Piece]:
    trace = result.learned
    assert trace is not None
    call = f"bjp.learn(data, {trace.method!r}, {trace.search!r}{_arguments(result.options)})"
    yield (
        "Learn the network, with the options that were chosen.",
        f"trace = {call}\ngraph = trace.graph",
    )
    name = "ln score + prior" if trace.log_prior else "ln score"
    yield _compare("trace.score", trace.score, name)
    if isinstance(result.trace, ScoreTrace):
        yield "Its score, with every term.", _score(result)
        yield _compare("scored.total", result.trace.total)


def _given(result: Result) -> Iterator[Piece]:
    """A graph that was drawn or published, or found within a time: score it again."""
    about = "The graph, edge by edge, as pairs of columns."
    if result.learned is not None:
        about += " The search was stopped by a time limit or by hand, so it might find another one."
    edges = ascii([(i, j) for i, j in edge_indices(result.graph, result.data)])
    yield (
        about,
        (
            f"EDGES = {edges}\ngraph = nx.Graph()\ngraph.add_nodes_from(data.names)\n"
            "graph.add_edges_from((data.names[i], data.names[j]) for i, j in EDGES)"
        ),
    )
    if isinstance(result.trace, ScoreTrace):
        value = result.trace.total
    else:
        value = caches.score_graph(result.data, result.graph, result.method, result.cells).total
    yield "Its score, with a uniform prior over graphs.", _score(result)
    yield _compare("scored.total", value)


def _score(result: Result) -> str:
    options = _arguments(caches.test_options(result.cells))
    return f"scored = bjp.score(data, graph, {result.method!r}{options})"


def _compare(what: str, value: float, name: str = "ln score") -> Piece:
    """Stop where the score is another one."""
    return (
        (
            "It must be the score of the report, up to the last digits: another processor or "
            "another version of a mathematical library may round differently."
        ),
        (
            f"SCORE = {value!r}\n"
            f"same = math.isclose({what}, SCORE, rel_tol=1e-9, abs_tol=1e-9)\n"
            'assert same, "The score differs."\n'
            f'print(f"{name} {{{what}}}")'
        ),
    )


def _effects(result: Result) -> Piece:
    assert result.effects is not None
    effects, sizes = effects_of(result.effects, result.data), result.data.cardinalities
    signed = [pair for pair in effects if effects[pair].kind == PER_STEP]
    ordered = sorted({i for pair in signed for i in pair if sizes[i] > 2})
    given = f"ordered=[data.names[i] for i in {ordered}]" if ordered else ""
    about, call = "", f"bjp.fit_parameters(data, graph).effects({given})"
    if "tables" in result.effects.attrs:
        about = " by Rubin's rules, pooled over all completed tables"
        call = f"bjp.parameters.pool_effects(imputed, graph{given and ', '}{given})"
    return (
        (
            f"The effect of each edge, with a 95 % interval{about}. The largest one must be that "
            "of the report."
        ),
        (
            f"effects = {call}\n"
            f"LARGEST = {max(abs(each.effect) for each in effects.values())!r}\n"
            'largest = effects["effect"].abs().max()\n'
            'assert math.isclose(largest, LARGEST, rel_tol=1e-6), "The effects differ."\n'
            "print(effects.to_string(index=False))"
        ),
    )


def _chance(result: Result) -> Piece:
    """What the search finds by chance, and whether it is the same again."""
    trace, found = result.learned, result.shuffled
    assert trace is not None
    assert found is not None
    tables = len(found.edges)
    call = f"bjp.learn(one, {trace.method!r}, {trace.search!r}{_arguments(result.options)})"
    return (
        (
            "The same search where every column is shuffled, so that no variable depends on "
            f"another: edges, and pairs whose probability is {found.threshold:g} or more."
        ),
        (
            f"tables = [bjp.confidence.shuffle_columns(data, seed) for seed in range({tables})]\n"
            f"edges = [{call}.graph.number_of_edges() for one in tables]\n"
            "shares = [bjp.edge_probabilities(one).matrix for one in tables]\n"
            f"present = [int((one >= {found.threshold!r}).sum()) // 2 for one in shares]\n"
            f"assert edges == {list(found.edges)} and present == {list(found.present)}\n"
            f"found = [sum(one) / {tables} for one in (edges, present)]\n"
            'print(f"shuffled: {found[0]} edges, {found[1]} pairs")'
        ),
    )


def _arguments(options: Mapping[str, Any]) -> str:
    plain_ones = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in options.items()
    }
    return "".join(
        f", {name}={'KNOWN' if isinstance(value, KnownEdges) else ascii(value)}"
        for name, value in plain_ones.items()
    )


def _literal(value: list[Any]) -> str:
    """A list as ASCII Python that gives it back; a long one has a line for each entry."""
    text = ascii(value)
    if len(text) > 90:
        return "[\n" + "".join(f"    {one!a},\n" for one in value) + "]"
    return text
