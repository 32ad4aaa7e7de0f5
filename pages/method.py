"""About the method: the idea in ten minutes, every figure made by the engine while one reads."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.method import choices, figures, notation, views, words
from bjp_explorer.method import data as method_data
from bjp_explorer.method.views import show_prose
from bjp_explorer.shell import caches, components, links, opening, visit
from bjp_explorer.views import canvas, classical, drill, examples, palette, payloads
from bjp_explorer.views.sections import show_contents, show_heading

loaded = examples.coronary()
data = loaded.data
links.read(choices.fields(data))
frame.heading(words.ABOUT)
show_contents(st, words.SECTIONS)

climb = examples.learn_coronary("bjp")
graph = climb.graph

show_heading(words.SECTIONS, "edges")
show_prose(words.EDGES)


def choose_node() -> None:
    """Choose the variable whose node was clicked."""
    clicked = st.session_state["method-network"].get("node")
    numbers = components.numbers_in([clicked], data.n)
    if numbers is not None:
        choices.node(data).put(data.names[numbers[0]])


drawing, beside = st.columns([1.2, 1], gap="medium")
with beside:
    st.markdown(words.BLANKET)
    node = choices.node(data).menu(st, words.VARIABLE)
    st.markdown(views.blanket_sentences(graph, node))
    st.caption(words.how_learned(data, climb))
with drawing:
    view = components.networks_view(
        payloads.networks_payload(
            data,
            canvas.points(loaded, graph),
            [
                {
                    "key": "coronary",
                    "title": words.blanket_title(node),
                    "edges": views.blanket_edges(graph, data, node),
                    "roles": [
                        [data.index(node), "x"],
                        *([data.index(other), "given"] for other in graph[node]),
                    ],
                }
            ],
            identity=f"method {node}",
            columns=1,
            clickable=True,
        ),
        key="method-network",
        on_node=choose_node,
    )
if view.open:
    visit.choose(loaded.token)
    opening.open_learned("bjp")

show_heading(words.SECTIONS, "test")
show_prose(words.TEST)
left, middle, right = st.columns(3)
x = choices.x(data).menu(left, words.X)
y = choices.y(data).menu(middle, words.Y)
z = choices.z(data).menu(right, words.GIVEN)

given = () if z is None else (z,)
test = caches.bayesian_test(data, x, y, given)
classical_test = caches.classical_tests(data, x, y, given)
for k, part in enumerate(test.slices):
    counts, answer = st.columns([1, 1.3], gap="medium", vertical_alignment="center")
    counts.html(drill.slices_html(test, classical_test, data, [k]))
    answer.table(views.slice_table(test, part))
    answer.latex(views.posterior_formula(test, part))
if z is not None:
    st.html(drill.product_html(test, dependent=True))
odds = drill.odds_words(test.log_independent)
show_prose(words.result(views.pair(x, y, z), odds, test.log_independent, test.log_dependent))
show_prose(words.CLASSICAL)
classical.show(test, classical_test)
show_prose(words.SLICES)

show_heading(words.SECTIONS, "assertions")
ib, row = examples.ib_row(node)
show_prose(words.assertions(data.n, len(ib.terms), len(row), node))
st.table(views.row_table(row))
show_prose(words.ib_score(ib.total))

show_heading(words.SECTIONS, "order")
show_prose(words.ORDER)
seed = choices.HUB.box(st, words.SAMPLE, width=180, help=words.SAMPLE_HELP)
hub = examples.hub(seed)
steps = payloads.step_payload(
    hub.bjp, hub.data, hub.points, identity=f"method {seed}", editable=False
)
# It opens where the hub's turn comes and nothing is left to test.
steps["initial_step"] = method_data.first_of(hub.bjp, "X0")
components.step_view(steps, key="method-hub")
show_prose(words.order_table(hub.bjp))
st.table(views.twelve_table(hub.bjp))
show_prose(words.order_result(hub.bjp, hub.ib, hub.data))

show_heading(words.SECTIONS, "hubs")
show_prose(words.HUBS)
left, right = st.columns(2, gap="medium")
rows = choices.ROWS.slider(left, words.ROWS)
star_seed = choices.STAR.box(right, words.SAMPLE)
star = method_data.star(rows, star_seed)
with left:
    st.markdown(words.STAR_ROWS)
    st.plotly_chart(
        figures.star_rows_figure(star, rows),
        key="method-star-rows",
        config=palette.READ_ONLY,
    )
with right:
    st.markdown(words.STAR_POSTERIOR)
    st.plotly_chart(
        figures.star_posterior_figure(star),
        key="method-star-posterior",
        config=palette.READ_ONLY,
    )
st.caption(words.star(star[-1], rows))

show_heading(words.SECTIONS, "irregularity")
sizes = method_data.sizes()
karate = next(s for s in sizes if s.info.name == "karate")
show_prose(words.irregularity(karate, len(sizes)))
st.plotly_chart(figures.sizes_figure(sizes), key="method-sizes", config=palette.READ_ONLY)
st.dataframe(
    views.sizes_table(sizes),
    hide_index=True,
    key="method-networks",
    column_config=views.sizes_columns(),
)
st.caption(words.IRREGULARITY_CAPTION)

show_heading(words.SECTIONS, "climb")
show_prose(words.climb(climb))
st.page_link("pages/climb.py", label=words.CLIMB, icon=":material/trending_up:")

show_heading(words.SECTIONS, "mpl")
show_prose(words.mpl(examples.learn_coronary("mpl"), climb))
st.page_link("pages/scores.py", label=words.COMPARE, icon=":material/compare:")

show_heading(words.SECTIONS, "own")
show_prose(words.centred())
st.page_link("pages/step.py", label=words.TWO_TESTS, icon=":material/footprint:")
show_prose(words.CALIBRATED)
st.page_link("pages/accuracy.py", label=words.HOW_RIGHT, icon=":material/fact_check:")

show_heading(words.SECTIONS, "limits")
show_prose(words.limits(caches.graph_table(data, "bjp"), climb))
st.page_link("pages/graphs.py", label=words.EVERY, icon=":material/apps:")

show_heading(words.SECTIONS, "notation")
st.table(views.notation_table())

show_heading(words.SECTIONS, "references")
show_prose(notation.REFERENCES)
links.keep(choices.fields(data))
