"""Processes of a Dask cluster on this machine that die while they work."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from distributed import SchedulerPlugin

# By default Dask tries to reach dead workers for half a minute, and gives up those that have not
# come back after a quarter, as on a busy machine.
PATIENCE = {
    "distributed.comm.timeouts.connect": "5s",
    "distributed.deploy.lost-worker-timeout": "10 minutes",
}


class Killer(SchedulerPlugin):
    """Kills, for each name, a process that has finished such a task, with its results."""

    def __init__(self, cluster: Any, names: Sequence[str]) -> None:
        self.cluster, self.names = cluster, list(names)
        self.killed: dict[str, int] = {}

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        name = str(key).split("-")[0]
        if finish == "memory" and name in self.names and name not in self.killed:
            holders = self.cluster.scheduler.tasks[key].who_has
            self.killed[name] = self.kill(next(iter(holders)).address)

    def kill(self, address: str) -> int:
        process: int = next(
            nanny.pid for nanny in self.cluster.workers.values() if nanny.worker_address == address
        )
        os.kill(process, signal.SIGKILL)
        return process


@contextmanager
def dying_workers(client: Any, names: Sequence[str]) -> Iterator[Killer]:
    """Kill a worker after the first task of each name, while the context lasts."""
    killer = Killer(client.cluster, names)
    client.cluster.scheduler.add_plugin(killer, name="killer")
    try:
        yield killer
    finally:
        client.cluster.scheduler.remove_plugin("killer")
