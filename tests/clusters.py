"""A Dask cluster on this machine and a table for it, for tests of what runs on one."""

import os
import signal
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from bjp_engine.sharded.rows import Part, ShardedDataset, Shards


@contextmanager
def local_client(workers=2, *, processes=True):
    """A client of as many workers, one thread each; killed ones are replaced."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=processes,
            dashboard_address="127.0.0.1:0",
            protocol="tcp",
            host="127.0.0.1",
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def kill_worker(client, futures):
    """Kill a worker that holds one of some futures, as the system does where memory runs out."""
    address = next(held[0] for held in client.who_has(futures).values() if held)
    pid = client.run(os.getpid, workers=[address])[address]
    os.kill(pid, signal.SIGKILL)


def sharded_table(rows):
    """Eight variables that depend on each other; one has a state that occurs once."""
    rng = np.random.default_rng(22)

    def noise(states):
        return rng.integers(states, size=rows)

    def some(share):
        return rng.random(rows) < share

    a = noise(2)
    b = np.where(some(0.8), a, noise(2))
    c = (a + noise(3)) % 3
    d = np.where(some(0.5), b + c, noise(4))
    e = np.where(some(0.6), d % 2, noise(2))
    f = np.where((e + some(0.3)) % 2, "yes", "no")
    f[rows // 20 * 7 + 5] = "on"
    g = (3 * d + noise(4)) % 12
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": noise(2)})


def sharded(client, data, places=()):
    """The rows of a dataset in parts on the workers."""
    rows = [np.asfortranarray(some) for some in np.split(data.codes, places)]
    parts = [Part.of(some, data.cardinalities) for some in rows]
    held = [client.scatter(part, hash=False) for part in parts]
    shards = Shards.of(client, held, [len(some) for some in rows], list(map(repr, rows)))
    return ShardedDataset(shards, data.names, data.labels, data.ordered)
