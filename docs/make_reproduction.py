"""Write the tables of docs/reproduction.md from the results that are shipped.

    python docs/make_reproduction.py

Between its markers everything is replaced, outside them nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pandas as pd

from bjp_engine.experiments import Results, claims, find_table, read_results, summaries
from bjp_engine.experiments.summary import RIVALS, gaps

HERE = Path(__file__).parent
SHIPPED = HERE.parent / "sample_data" / "paper" / "results.parquet"
PAGE = HERE / "reproduction.md"
MARKED = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- /\2 -->)", re.DOTALL)


def printed(results: Results) -> pd.DataFrame:
    """The cells that the paper prints as well."""
    return summaries(results).dropna(subset="printed")


def agreements(results: Results) -> Iterator[str]:
    """How many figures of each table agree."""
    compared = printed(results)
    yield "| table | figures | agree | |"
    yield "|---|---|---|---|"
    for names in (*([name] for name in results.experiments), ["table-3", "table-4"]):
        agrees = compared["agrees"][compared["experiment"].isin(names)]
        yield f"| {' and '.join(names)} | {len(agrees)} | {agrees.sum()} | {agrees.mean():.0%} |"


def rates(results: Results) -> Iterator[str]:
    """Table 1 at its largest N, and the mean difference over all N and scores."""
    compared = printed(results.where(experiment="table-1"))
    apart = gaps(compared)
    yield "| target | MPL | IB-score | BJP | mean absolute difference, all N |"
    yield "|---|---|---|---|---|"
    for network in find_table("table-1").networks:
        cells = " | ".join(
            f"{one.mean:.2f} ± {one.error:.2f} ({one.printed:.2f})"
            for one in compared.itertuples()
            if one.network == network and one.rows == 8000
        )
        yield f"| {network} | {cells} | {apart[network]:.3f} |"


def misses(results: Results) -> Iterator[str]:
    """Every figure that does not agree."""
    yield "| table | network | N | score | ours | the paper's | difference |"
    yield "|---|---|---|---|---|---|---|"
    for one in printed(results).itertuples():
        if not one.agrees:
            spread = "" if math.isnan(one.printed_spread) else f" ± {one.printed_spread:g}"
            digits = 2 if one.measure == "success" else 1
            score = {"bjp": "BJP", **RIVALS}[one.score]
            yield (
                f"| {one.experiment} | {one.network} | {one.rows} | {score} "
                f"| {one.mean:.{digits}f} ± {one.error:.{digits}f} "
                f"| {one.printed:g}{spread} | {one.difference:+.{digits}f} |"
            )


def tested(results: Results) -> Iterator[str]:
    """Every claim, by kind."""
    yield "| claim | table | on our rows | estimate, 95 % interval | N |"
    yield "|---|---|---|---|---|"
    for claim in claims(results).itertuples():
        sizes = "all" if len(claim.rows) == 6 else ", ".join(map(str, claim.rows))
        yield (
            f"| {claim.sentence} | {claim.experiment} | {claim.verdict} | {claim.estimate:.3g} "
            f"({claim.low:.3g} to {claim.high:.3g}) {claim.unit} | {sizes} |"
        )


def counts(results: Results) -> Iterator[str]:
    """How many claims hold, by kind."""
    yield "| claims | hold | open | refuted |"
    yield "|---|---|---|---|"
    found = claims(results)
    kinds = [*dict.fromkeys(found["kind"])]
    for kind, rival in product(kinds, RIVALS):
        verdicts = found["verdict"][(found["kind"] == kind) & (found["rival"] == rival)].tolist()
        if verdicts:
            numbers = " | ".join(str(verdicts.count(v)) for v in ("holds", "open", "refuted"))
            yield f"| {kind}, compared with {RIVALS[rival]} | {numbers} |"


PARTS: dict[str, Callable[[Results], Iterator[str]]] = {
    "agreements": agreements,
    "rates": rates,
    "misses": misses,
    "counts": counts,
    "claims": tested,
}


def renewed(page: str, results: Results) -> str:
    """The page with its tables made again."""
    return MARKED.sub(
        lambda found: "".join(
            (found[1], *(f"{line}\n" for line in PARTS[found[2]](results)), found[3])
        ),
        page,
    )


if __name__ == "__main__":
    PAGE.write_text(
        renewed(PAGE.read_text(encoding="utf-8"), read_results(SHIPPED)), encoding="utf-8"
    )
