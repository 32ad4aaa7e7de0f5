"""Files in and out: tables become data, graphs and traces become files.

Nothing here unpickles, evaluates or fetches anything, and no path written inside a file
is followed.
"""

from bjp_engine.io.graphs import FORMATS as GRAPH_FORMATS
from bjp_engine.io.graphs import graph_bytes, pair_csv, read_graph, write_graph
from bjp_engine.io.limits import Limits
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.results import comparison_csv, read_known, trace_json
from bjp_engine.io.sources import Source
from bjp_engine.io.tables import TableReport, read_columns, read_frame, read_table

__all__ = [
    "GRAPH_FORMATS",
    "Limits",
    "ReadOptions",
    "Source",
    "TableReport",
    "comparison_csv",
    "graph_bytes",
    "pair_csv",
    "read_columns",
    "read_frame",
    "read_graph",
    "read_known",
    "read_table",
    "trace_json",
    "write_graph",
]
