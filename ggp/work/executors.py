"""The choice of an executor: processes of this machine, or a cluster."""

from __future__ import annotations

from ggp.work.job import Executor, Note
from ggp.work.pool import Pool, usable_cores


def open_executor(
    module: str, *arguments: str, jobs: int | None = None, ray: str | None = None, note: Note = lambda _: None
) -> Executor:
    """Return the executor whose processes run a module with these arguments; `note` gets a line for each retry.

    With `ray`, the address of a Ray cluster or `auto`, it is that cluster, and the cluster counts its cores. Without,
    there are `jobs` processes of this machine, by default one for each core. Raises WorkError.
    """
    if ray is None:
        return Pool(jobs or usable_cores(), module, *arguments, note=note)
    from ggp.work.cluster import Cluster

    return Cluster(ray, module, *arguments, note=note)
