"""The compiled kernels: counting, evidence, and the climbs that need both at every step.

Everything here takes arrays and returns arrays; names, labels, options and traces belong to
the rooms above. Each kernel is used by the call that keeps a trace and by the one that only
wants the number, so the two can't disagree.

    compiled   how a function is compiled, and where the result is kept
    borrow     arrays of the caller, their references not counted
    plain      what is done to whole arrays, as loops
    vectors    intersections of bit planes, eight words at a time
    bits       columns as bit planes, and the counts of all pairs
    cells      a dataset as the kernels read it, and their scratch
    masks      a table counted by intersecting planes
    rows       a table counted row by row
    layout     which of the two, and the table of one variable less
    strata     rows grouped by the configurations of a set that occur
    across     all tests of a hub at once, row by row
    rising     ln Γ(a + n) - ln Γ(a) as a whole number of small units
    slices     the evidence of each slice of Z
    posterior  the test that all slices make
    tests      the tests of one variable given one set, whichever way is fastest
    small      single tests of two states each
    board      a graph's assertions under flips
    climb      IBMAP-HC on a board
    local      a variable's part of the MPL, and the climb that finds its blanket
    lookup     the scores of all graphs on a few variables
    sets       the evidence of every set, from which come all local scores
    relaxed    bounds on the best graph of a score over blankets
    branch     the best graph, by those bounds and decisions on pairs
    traced     the cells of one test or local score, for a trace
    ties       when two scores are equal
"""
