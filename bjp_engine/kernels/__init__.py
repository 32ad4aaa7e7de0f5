"""The compiled kernels: counting, evidence, and the climbs that need both at every step.

Everything here takes arrays and returns arrays; names, labels, options and traces belong to
the rooms above. Each kernel is used by the call that keeps a trace and by the one that only
wants the number, so the two can't disagree.

    compiled    how a function is compiled, where the result is kept, and arrays that nobody counts
    loops       what is done to whole arrays, as loops, and when two scores are equal
    table       a dataset as the kernels read it: bit planes, codes
    counting    a table counted by intersecting planes, row by row, or by grouping rows
    rising      ln Γ(a + n) - ln Γ(a) as a whole number of small units
    centred     the odds of a slice where the prior of its cells is centred on independence
    evidence    the evidence of each slice of Z, and the test that all slices make
    pairwise    the tests of one variable given one set, whichever way is fastest
    board       a graph's assertions under flips
    climb       IBMAP-HC on a board
    local       a variable's part of the MPL, and the climb that finds its blanket
    lookup      the scores of all graphs on a few variables, and of all sets
    tabled      each variable's blanket by its table, with a look-ahead of two
    lattice     logistic regression on products of binary variables
    regression  each variable's blanket by such a regression
    rowwise     the same for more members than products allow, row by row
    gibbs       samples of a model, its full conditionals from tables or factors
"""
