"""About the method: what the page says is what the engine computes."""

import bjp_engine as bjp
from bjp_engine.kernels import centred
from bjp_explorer.shell.text import number
from tests.app.looks import coronary, learn


def test_formulas_limits_and_notation_with_the_engine_s_numbers(open_app):
    # A link to the former page of figures still opens.
    page = open_app("method", node="smoking", rows="250")
    text = " ".join(" ".join(block.value.split()) for block in page.markdown)
    climb, mpl = learn(), bjp.learn(coronary(), "mpl")
    light, heavy = (f"{kappa:g}" for kappa in centred.KAPPAS)
    for part in (
        f"ln MPL = {number(mpl.score, 4)} with {mpl.graph.number_of_edges()} edges",
        f"number {bjp.all_graphs(coronary()).rank(climb.graph)} of 32,768",
        rf"\kappa = {light}$), which allows strong association",
        rf"\sum_{{\kappa = {light}, {heavy}}}",
    ):
        assert part in text
    links = {link.proto.page for link in page.get("page_link")}
    assert {"lessons", "scores", "step", "accuracy", "graphs"} <= links
    (table,) = page.table
    assert r"$\psi$" in set(table.value["symbol"])
