"""The default search for people's own data: start, prior over structures and climb.

search      the climb, and what it begins with
evidence    what each part says of every pair, and the prior odds that come of it
binary      the variables of two states, to which some parts apply
nodewise    each variable regressed on the others
ordered     the scores of ordered variables regressed on the others
forest      the tree of pairs with the greatest evidence
lasso       pairs that keep each other in penalized regressions
prior_odds  how sure the other edges have to be, by what was found
"""
