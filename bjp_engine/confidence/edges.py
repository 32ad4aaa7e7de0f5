"""The record of every kind of confidence: a number for each pair of variables.

`kind` says which question it answers: the posterior of the pair's test ("test"), how often the
pair is an edge of what is learned from resampled rows ("bootstrap"), its probability over all
graphs, weighted by their score ("exact"), or the share of edges among such pairs of known networks
("calibrated").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.records import FrozenMapping, record
from bjp_engine.shared import plot
from bjp_engine.validate import VariableIndex, probability

if TYPE_CHECKING:
    import pandas as pd

# From which probability a pair is taken for an edge, and up to which for none.
PRESENT, ABSENT = 0.9, 0.1
# The verdict on pairs unlike those that calibrated probabilities were fitted to.
NOT_JUDGED = "not judged"
# Pairs that a notebook shows.
_MOST_SHOWN = 10

ConfidenceKind = Literal["test", "bootstrap", "exact", "calibrated"]


@record
@dataclass(frozen=True, slots=True)
class Edge:
    """A pair of variables and the confidence that it is an edge.

    Parameters
    ----------
    error : float or None
        Its Monte Carlo standard error.
    """

    x: Name
    y: Name
    confidence: float
    error: float | None


@record
@dataclass(frozen=True, eq=False, slots=True)
class EdgeConfidence:
    """The confidence that each pair of variables is an edge.

    Parameters
    ----------
    kind : {"test", "bootstrap", "exact", "calibrated"}
        Which question the numbers answer, see the first lines of `bjp_engine.confidence.edges`.
    matrix : ndarray of float, shape (n, n)
        Probabilities, symmetric, zero on the diagonal; read-only.
    error : ndarray of float, shape (n, n), or None
        Monte Carlo standard error of each; None where nothing was drawn at random.
    search : str or None
        That learned from each resample; None where nothing was learned.
    asked, made : int
        How many resamples were asked for, and how many stand behind the numbers; 0 where there
        are none.
    ends : ndarray of float, shape (n, n), or None
        For "test", entry [x, y]: the probability of dependence by the test that uses the blanket
        of x; 0 where it isn't computed.
    computed : ndarray of bool, shape (n, n), or None
        Which of these are.
    judged : ndarray of bool, shape (n, n), or None
        For "calibrated", the pairs of which the fit has seen the like; None for all.
    """

    kind: ConfidenceKind
    names: tuple[Name, ...]
    matrix: Floats
    error: Floats | None
    method: str
    search: str | None = None
    options: FrozenMapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))
    seed: int | None = None
    asked: int = 0
    made: int = 0
    ends: Floats | None = None
    computed: Bools | None = None
    judged: Bools | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for name in ("matrix", "error", "ends", "computed", "judged"):
            array = getattr(self, name)
            if array is not None:
                copy = array.copy()
                copy.setflags(write=False)
                object.__setattr__(self, name, copy)

    @property
    def complete(self) -> bool:
        """Whether all resamples were made, and none was cancelled."""
        return self.made == self.asked

    def of(self, x: Name, y: Name) -> Edge:
        """One pair."""
        index = VariableIndex(self.names)
        i, j = sorted((index.place(x), index.place(y)))
        if i == j:
            raise DataError(f"x and y are both {clip(self.names[i])}; ask for two variables.")
        error = None if self.error is None else float(self.error[i, j])
        return Edge(self.names[i], self.names[j], float(self.matrix[i, j]), error)

    def to_frame(self, threshold: float = 0.0) -> pd.DataFrame:
        """The pairs that reach a probability as a table, the highest first, then by columns.

        Columns x, y and probability, and error where there is one.

        Examples
        --------
        >>> import numpy as np
        >>> from bjp_engine.confidence import EdgeConfidence
        >>> made = EdgeConfidence("exact", ("a", "b"), np.array([[0, 0.7], [0.7, 0]]), None, "bjp")
        >>> made.to_frame().values.tolist()
        [['a', 'b', 0.7]]
        """
        import pandas as pd

        rows, columns = self._ranked(threshold)
        table = {
            "x": [self.names[i] for i in rows],
            "y": [self.names[j] for j in columns],
            "probability": self.matrix[rows, columns],
        }
        known = {} if self.error is None else {"error": self.error[rows, columns]}
        return pd.DataFrame(table | known)

    def verdicts(self, present: float = PRESENT, absent: float = ABSENT) -> pd.DataFrame:
        """Whether each pair is taken for an edge, the most probable first.

        Of the "calibrated" kind, about a share `present` of the pairs that just reach it are edges,
        and more of those above; the other kinds promise nothing of the sort.

        Parameters
        ----------
        present, absent : float
            From which probability a pair is "present", and up to which it is "absent"; between them
            it is "undecided". 0 to 1, `absent` below `present`. Pairs unlike those of the fit are
            "not judged".

        Examples
        --------
        >>> import numpy as np
        >>> from bjp_engine.confidence import EdgeConfidence
        >>> matrix = np.array([[0, 0.95, 0.5], [0.95, 0, 0.1], [0.5, 0.1, 0]])
        >>> made = EdgeConfidence("calibrated", ("a", "b", "c"), matrix, None, "bjp")
        >>> made.verdicts()["verdict"].tolist()
        ['present', 'undecided', 'absent']
        """
        table = self.to_frame()[["x", "y", "probability"]]
        judged = True if self.judged is None else self.judged[self._ranked(0.0)]
        return table.assign(verdict=judge_pairs(table["probability"], judged, present, absent))

    def plot(self, *, most: int = 30, theme: str = "light") -> Any:
        """The probability of each pair as a figure, the highest first.

        Examples
        --------
        >>> import numpy as np
        >>> from bjp_engine.confidence import EdgeConfidence
        >>> made = EdgeConfidence("exact", ("a", "b"), np.array([[0, 0.7], [0.7, 0]]), None, "bjp")
        >>> made.plot().axes[0].get_title(loc="left")
        '1 pair'

        Notes
        -----
        Bars are one Monte Carlo standard error to either side, where there is one. Hollow points
        are not judged, see `verdicts`.
        """
        return plot(self, most=most, theme=theme)

    def _repr_html_(self) -> str:
        """The pairs of the highest probability, as a notebook shows them."""
        frame, pairs = self.to_frame(), len(self.names) * (len(self.names) - 1) // 2
        about = f"{self.kind} · {len(self.names)} variables, {pairs} pairs"
        about += "" if self.complete else f" · {self.made:,} of {self.asked:,} resamples"
        table = frame.head(_MOST_SHOWN).to_html(index=False, float_format="{:.4f}".format)
        more = f"<p>… and {pairs - _MOST_SHOWN} more</p>" if pairs > _MOST_SHOWN else ""
        return f"<p>EdgeConfidence: {about}</p>{table}{more}"

    def graph(self, threshold: float = 0.5) -> nx.Graph[Name]:
        """The graph of the pairs that reach a probability, with every variable as a node.

        Edges, in lexicographic order, have `probability`, and `error` where there is one.
        """
        graph: nx.Graph[Name] = nx.Graph()
        graph.add_nodes_from(self.names)
        for i, j in sorted(np.transpose(self._ranked(threshold)).tolist()):
            known = {} if self.error is None else {"error": float(self.error[i, j])}
            p = float(self.matrix[i, j])
            graph.add_edge(self.names[i], self.names[j], probability=p, **known)
        return graph

    def _ranked(self, threshold: float) -> tuple[Places, Places]:
        """The pairs that reach a probability, the highest first, equal ones by columns."""
        least = probability(threshold, "threshold")
        rows, columns = np.nonzero(np.triu(self.matrix >= least, 1))
        order = np.argsort(-self.matrix[rows, columns], kind="stable")
        return rows[order], columns[order]


def judge_pairs(
    values: ArrayLike, judged: ArrayLike = True, present: float = PRESENT, absent: float = ABSENT
) -> NDArray[Any]:
    """The verdict on each probability, or that there is none."""
    high, low = probability(present, "present"), probability(absent, "absent")
    if low >= high:
        raise OptionError(
            f"absent={low:g} is not below present={high:g}; give a lower absent or a higher "
            "present."
        )
    found = np.asarray(values)
    known = [~np.asarray(judged, dtype=bool), found >= high, found <= low]
    return np.select(known, [NOT_JUDGED, "present", "absent"], "undecided")
