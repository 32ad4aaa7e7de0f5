"""About the method: the idea in ten minutes, every figure made by the engine while one reads."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.method import choices, figures, notation, views
from bjp_explorer.method import data as method_data
from bjp_explorer.method.layout import contents, prose, section
from bjp_explorer.shell import caches, components, links, opening, visit
from bjp_explorer.shell.text import count, number, probability, shown
from bjp_explorer.views import canvas, classical, drill, examples, palette, payloads

loaded = examples.coronary()
data = loaded.data
links.read(choices.fields(data))
frame.heading(
    "About the method",
    "The idea in ten minutes. Every figure is live: the engine computes it while you read, and it "
    "changes when you change its settings.",
)
contents()

climb = examples.learned("bjp")
graph = climb.graph

# --- 1 -------------------------------------------------------------------------------------------

section("edges")
prose(
    """
A **Markov network** shows which variables depend on each other. Its nodes are variables, $X_0$,
$X_1$ and so on; an edge connects two variables that stay dependent when all others are known. So
the *missing* edges say the most.

The neighbours of a variable $X_i$ are its **blanket**, written $B^i$. The network asserts that,
given its blanket, a variable is independent of everything else. This is the **local Markov
property**.

Here is a small network, learned from data on six risk factors for coronary heart disease. Click a
node, or choose it next to the drawing.
"""
)


def node_clicked() -> None:
    """The variable whose node was clicked becomes the chosen one."""
    clicked = st.session_state["method-network"].get("node")
    numbers = components.numbers_in([clicked], data.n)
    if numbers is not None:
        choices.node(data).put(data.names[numbers[0]])


drawing, words = st.columns([1.2, 1], gap="medium")
with words:
    node = choices.node(data).menu(st, "Variable")
    st.markdown(views.blanket_sentences(graph, node))
    st.caption(
        f"Learned by BJP from {data.rows:,} men: {count(graph.number_of_edges(), 'edge')}. "
        "The edges to the blanket are green. “Open” shows the network on the page *Step through "
        "the score*."
    )
with drawing:
    view = components.networks_view(
        payloads.networks_payload(
            data,
            canvas.points(loaded, graph),
            [
                {
                    "key": "coronary",
                    "title": f"The blanket of {shown(node)}",
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
        on_node=node_clicked,
    )
if view.open:
    visit.choose(loaded.token)
    opening.open_learned("bjp")

# --- 2 -------------------------------------------------------------------------------------------

section("test")
prose(
    r"""
Are two variables $X$ and $Y$ independent? Count the rows by the states of both, and compare two
explanations of the counts: $X$ and $Y$ each have a distribution of their own, or they have one
joint distribution.

The **evidence** of an explanation is the probability of the counts under it: $g$ for independence,
$h$ for dependence. Before the data are seen, both are equally probable: the **prior** of
independence is $p = \frac12$. Prior times evidence, scaled so that the two add up to one, is the
**posterior**.
"""
)
left, middle, right = st.columns(3)
x = choices.x(data).menu(left, "X")
y = choices.y(data).menu(middle, "Y")
z = choices.z(data).menu(right, "given")

given = () if z is None else (z,)
test = caches.bayesian_test(data, x, y, given)
beside = caches.classical_tests(data, x, y, given)
for k, part in enumerate(test.slices):
    counts, answer = st.columns([1, 1.3], gap="medium", vertical_alignment="center")
    counts.html(drill.slices_html(test, beside, data, [k]))
    answer.table(views.slice_table(test, part))
    answer.latex(views.posterior_formula(test, part))
if z is not None:
    st.html(drill.product_html(test, dependent=True))
prose(
    f"The result for {views.pair(x, y, z)}: **{drill.odds_words(test.log_independent)}**, "
    f"Pr(⊥) = {probability(test.log_independent)} and Pr(⊥̸) = {probability(test.log_dependent)}."
)
prose(
    """
The same counts, judged by the classical tests. A p-value says how rare such counts are if $X$ and
$Y$ are independent; the posterior says how probable it is that they are.
"""
)
classical.show(test, beside)
prose(
    r"""
Choose a variable under *given*, and the rows split into $K$ **slices**, one for each configuration
of the conditioning set. Independence must then hold in every slice, so the slices' posteriors
multiply. The prior is spread over them, $p = (\frac12)^{1/K}$ each, so the product is
$\frac12$ again: without any data, the answer is an honest "I don't know".
"""
)

# --- 3 -------------------------------------------------------------------------------------------

section("assertions")
ib, row = examples.ib_row(node)
prose(
    rf"""
A graph makes an assertion about each variable and every other variable: independent given the
blanket if there is no edge, dependent given the rest of the blanket if there is one. For $n$
variables these are $n(n-1)$ **assertions**. The network above has $n = {data.n}$, hence
{len(ib.terms)} of them. These {len(row)} are about {views.readable(node)}, the variable
chosen above:
"""
)
st.table(views.row_table(row))
prose(
    rf"""
Each assertion can be tested, and each test gives a probability. The **IB-score**
(independence-based score) multiplies all of them, as if they were independent of each other:

$$
\mathrm{{IB}}(G) = \prod_{{i}} \prod_{{j \neq i}} \Pr(c_{{ij}} \mid \mathcal{{D}})
$$

where $G$ is the graph, $\mathcal{{D}}$ the data, and $c_{{ij}}$ the graph's assertion about $X_i$
and $X_j$ given the blanket of $X_i$. Scores are written as natural logarithms, so products
become sums: for this graph, ln IB = **{number(ib.total, 4)}**.
"""
)

# --- 4 -------------------------------------------------------------------------------------------

section("order")
prose(
    r"""
Most of these assertions come in pairs: one about $(X_i, X_j)$ given the blanket of $X_i$, one about
$(X_j, X_i)$ given the blanket of $X_j$. Both are about the same edge, or the same missing edge.
So one blanket says something about all others: if $X_j$ is not in $B^i$, then $X_i$ is not
in $B^j$.

The **Blankets Joint Posterior**, BJP, uses this. It takes the blankets one after
another, each given the earlier ones:

$$
\begin{aligned}
\Pr(G \mid \mathcal{D}) = {} & \Pr(B^{\psi_0} \mid \mathcal{D}) \\
& \cdot \Pr(B^{\psi_1} \mid B^{\psi_0}, \mathcal{D}) \\
& \cdot \Pr(B^{\psi_2} \mid B^{\psi_0}, B^{\psi_1}, \mathcal{D}) \cdots
\end{aligned}
$$

When a variable's turn comes, its assertions about all earlier variables are already decided. Given
the earlier blankets, they hold with probability 1 and need no test. Only its assertions about later
variables are computed. That is half of them in any order. But the order, $\psi$, decides *which*
half: BJP sorts the variables by **degree**, the size of the blanket, smallest first. So each pair
is tested from the end with the smaller blanket.

The paper's example is a hub $X_0$ with three leaves. The leaves have degree 1 and come first, in
the order of their numbers; the hub comes last: $\psi = (X_1, X_2, X_3, X_0)$. Step through it:
"""
)
seed = choices.HUB.box(
    st, "Sample", width=180, help="Each number draws another sample from the same network."
)
hub = examples.hub(seed)
steps = payloads.step_payload(
    hub.bjp, hub.data, hub.points, identity=f"method {seed}", editable=False
)
# It opens where the hub's turn comes and nothing is left to test.
steps["initial_step"] = method_data.first_of(hub.bjp, "X0")
components.step_view(steps, key="method-hub")
prose(f"The same as a table, in the order ψ = ({', '.join(map(str, hub.bjp.order))}):")
st.table(views.twelve_table(hub.bjp))
prose(
    f"**{len(hub.bjp.computed)} computed, {len(hub.bjp.inferred)} inferred.** "
    f"The computed logarithms add up to ln BJP = **{number(hub.bjp.total, 4)}**. The IB-score "
    f"computes all {len(hub.ib.computed)}: ln IB = **{number(hub.ib.total, 4)}**. "
    f"({hub.data.rows:,} rows drawn from the hub's network.)"
)

# --- 5 -------------------------------------------------------------------------------------------

section("hubs")
prose(
    r"""
A test given a large blanket is a poor test. With $d$ two-state variables in the blanket there are
$2^d$ slices, and the same rows are divided among ever more of them. A slice with one row, or with
none, says nothing: both explanations give it the same evidence. So the posterior drifts back to the
prior $\frac12$, with detours.

The stars below show this: a hub with 1, 2, 3 … leaves, and one lone variable without any edge.
Two assertions are true in each: the hub depends on its first leaf, and the hub is independent of
the lone variable. Each can be tested from either end. From the small end the conditioning set is
empty (solid lines). From the hub it holds all other leaves (dotted lines). BJP computes the
solid lines, IB-score both.
"""
)
left, right = st.columns(2, gap="medium")
rows = choices.ROWS.slider(left, "Rows")
star_seed = choices.STAR.box(right, "Sample")
star = method_data.star(rows, star_seed)
with left:
    st.markdown("**Rows per slice in the hub's tests**")
    st.plotly_chart(
        figures.star_rows_figure(star, rows),
        key="method-star-rows",
        config=palette.READ_ONLY,
    )
with right:
    st.markdown("**The posterior of the true assertions**")
    st.plotly_chart(
        figures.star_posterior_figure(star),
        key="method-star-posterior",
        config=palette.READ_ONLY,
    )
last = star[-1]
st.caption(
    f"With {last.leaves} leaves, the {rows:,} rows occur in {last.occurring:,} of "
    f"{last.configurations:,} slices, {number(rows / last.occurring, 1)} rows each. "
    f"From the hub, Pr(⊥̸) of the edge is {probability(last.hub_dependent)} and Pr(⊥) of the "
    f"missing edge {probability(last.hub_independent)}; from the small ends, "
    f"{probability(last.leaf_dependent)} and {probability(last.lone_independent)}."
)

# --- 6 -------------------------------------------------------------------------------------------

section("irregularity")
sizes = method_data.sizes()
karate = next(s for s in sizes if s.info.name == "karate")
prose(
    rf"""
BJP skips half of the tests in every network. How much that helps depends on which half. If all
variables have the same degree, both ends of a pair are alike. If a network has a few hubs among
many small variables, the skipped tests are those given the hubs' blankets.

The **irregularity** of a network measures how uneven the degrees $d_i$ are. The *total*
irregularity adds up $|d_i - d_j|$ over all pairs of variables, the *edge* irregularity over the
edges only. Total irregularity counts exactly what BJP saves: in total, the skipped tests would have
conditioned on that many more variables than the computed ones. For karate these are
{karate.saved:,} variables, and its total irregularity is {karate.info.total_irregularity:,}.

The figure shows the {len(sizes)} benchmark networks of the paper. The further apart the two marks,
the more BJP gains.
"""
)
st.plotly_chart(figures.sizes_figure(sizes), key="method-sizes", config=palette.READ_ONLY)
st.dataframe(
    views.sizes_table(sizes),
    hide_index=True,
    key="method-networks",
    column_config=views.sizes_columns(),
)
st.caption(
    "Click a heading to sort. |Z| is the mean number of variables that a test conditions on. "
    "The target, hub and scale-free networks are reconstructions: the paper prints no edge lists."
)

# --- 7 -------------------------------------------------------------------------------------------

section("climb")
prose(
    f"""
A score judges a graph; a search has to find one. **IBMAP-HC** starts from the empty graph, looks
for the pair whose assertions have the lowest posterior, and proposes to flip it: to add the edge,
or to remove it. If the score of the whole graph rises, the flip is kept and the next one is
proposed. At the first flip that does not raise the score, the climb stops.

On coronary it makes {count(len(climb.steps), "flip")} with BJP and ends at ln BJP =
{number(climb.score, 4)}, because {climb.stop_reason}.
"""
)
st.page_link("pages/climb.py", label="Watch the climb", icon=":material/trending_up:")

# --- 8 -------------------------------------------------------------------------------------------

section("mpl")
mpl = examples.learned("mpl")
prose(
    f"""
**MPL**, the marginal pseudo-likelihood, makes no tests. It scores how well each variable's blanket
predicts it: it splits the rows by the blanket's configurations, and multiplies the evidence of the
variable's states in each of them. Each extra neighbour splits the rows further, which lowers the
evidence unless the neighbour predicts something. So large blankets must earn their place. But each
variable is judged separately, and two variables may disagree on whether they are neighbours; the
search resolves that afterwards.

On coronary it ends at ln MPL = {number(mpl.score, 4)} with
{count(mpl.graph.number_of_edges(), "edge")}, BJP at {count(graph.number_of_edges(), "edge")}. The
values of different scores cannot be compared with each other, only graphs under one score.
"""
)
st.page_link("pages/scores.py", label="Compare the three scores", icon=":material/compare:")

# --- 9 -------------------------------------------------------------------------------------------

section("limits")
table = caches.graph_table(data, "bjp")
prose(
    f"""
- **They have no prior preference.** All graphs are equally probable before the data are seen,
  sparse and dense ones alike.
- **They are not probabilities of a graph.** The tests are multiplied as if they were independent
  pieces of evidence, and the products do not add up to one over all graphs. The page *All graphs*
  scales them so that they do.
- **The climb is greedy.** It tries one flip at a time and never looks beyond the first that fails.
  On coronary its graph is number {table.rank(graph):,} of {len(table.scores):,} under BJP; on other
  data it may be far from the best.
- **With few rows they say little.** A test whose slices are empty returns its prior, ½.
- **Edges are not causes.** An edge says that two variables stay dependent given all other recorded
  variables. An unrecorded variable may be the reason.
- **They need complete tables of discrete variables.** The page *Data* says what the app does with
  missing cells.
"""
)
st.page_link("pages/graphs.py", label="See every graph", icon=":material/apps:")

# --- 10, 11 --------------------------------------------------------------------------------------

section("notation")
st.table(views.notation_table())

section("references")
prose(notation.REFERENCES)
links.keep(choices.fields(data))
