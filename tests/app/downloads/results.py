"""Results whose files the tests read."""

import bjp_engine as bjp
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.views import layout


def result_of(loaded, graph, trace, **more):
    """A graph with its trace, and nodes where the pages place them."""
    return Result(loaded, graph, trace, layout.positions(loaded.data.names, [graph]), **more)


def learned(loaded, search=None, **options):
    trace = bjp.learn(loaded.data, "bjp", search, **options)
    return result_of(loaded, trace.graph, trace, options=options)


def scored(loaded, graph, cells="equal"):
    trace = bjp.score(loaded.data, graph, "ib", prior_cells=cells)
    return result_of(loaded, graph, trace, scored_with=cells)


def made(result, extension):
    (found,) = [one for one in formats_of(result) if one.extension == extension]
    return found.make()


def edges(graph):
    return {frozenset(map(str, edge)) for edge in graph.edges}
