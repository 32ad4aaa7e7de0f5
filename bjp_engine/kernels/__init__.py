"""The compiled kernels: counting, evidence, and the climbs that need both at every step.

Everything here takes arrays and returns arrays; names, labels, options and traces belong to
the rooms above. Each kernel is used by the call that keeps a trace and by the one that only
wants the number, so the two can't disagree.

    compiled   how a function is compiled, and where the result is kept
    bits       columns as bit planes, counts of intersections
    rising     ln Γ(a + n) - ln Γ(a), in two parts that add up without rounding
    cells      the tables of one variable against others within the slices of a set
    posterior  a table's odds, slice by slice, and the test they make (SPEC section 2)
    tests      the tests of one variable given one set, whichever way is fastest
    board      a graph's assertions under flips, and the climb (SPEC sections 3 and 4)
    local      a variable's part of the MPL, and the climb that finds its blanket
    lookup     the scores of all graphs on a few variables
"""
