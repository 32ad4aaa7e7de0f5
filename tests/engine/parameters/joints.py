"""By hand: joint distributions, of variables named by their positions, and cross ratios."""

import itertools
import math


def all_states(cards):
    return list(itertools.product(*(range(r) for r in cards)))


def weight(factors, state):
    return math.prod(
        math.exp(float(table[tuple(state[i] for i in members)]))
        for members, table in factors.items()
    )


def joint_of(factors, cards, evidence=None):
    """Pr(x | evidence) of every joint state; evidence gives weights of a variable's states."""
    known = (evidence or {}).items()
    found = {
        state: weight(factors, state) * math.prod(each[state[i]] for i, each in known)
        for state in all_states(cards)
    }
    total = math.fsum(found.values())
    return {state: value / total for state, value in found.items()}


def marginal(joint, members):
    """Pr of each state of the members, in lexicographic order."""
    found = {}
    for state, value in joint.items():
        key = tuple(state[i] for i in members)
        found[key] = found.get(key, 0.0) + value
    return found


def given_others(joint, state, i, r):
    """Pr(x_i = s | all others of a state), for each s."""
    weights = [joint[(*state[:i], s, *state[i + 1 :])] for s in range(r)]
    return [value / math.fsum(weights) for value in weights]


def log_cross_ratio(n00, n01, n10, n11):
    return math.log(n00 * n11 / (n01 * n10))


def moved(own, drawn):
    """The differential of the log cross ratio."""
    changes = [(m - n) / n for m, n in zip(drawn, own, strict=True)]
    return changes[0] + changes[3] - changes[1] - changes[2]
