"""The default search for people's own data: every pair is weighed, and the graph is {p ≥ ½}.

nodewise     each variable regressed on the others, by tables and by logistic regressions
linear       variables regressed on the scores of ordered ones and the states of others
evidence     what these say of each pair, its test, and its associations; and the search
probability  the map from all of that to the probability of an edge
"""
