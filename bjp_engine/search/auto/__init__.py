"""The default search for people's own data: every pair is weighed, and the graph is {p ≥ ½}.

nodewise     each variable regressed on the others, by tables and by logistic regressions
ordered      the scores of ordered variables regressed on the others
evidence     what these say of each pair, its test, and its associations; and the search
probability  the map from all of that to the probability of an edge
"""
