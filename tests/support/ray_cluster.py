"""A Ray cluster on this machine's loopback, in a process of its own: `python -m support.ray_cluster NODES`.

It prints the address of the head once all nodes are there. It then reads commands, one per line, and prints `done`
after each: `kill` kills a node other than the head by SIGKILL, with its processes, `add` adds one, and `kill head`
kills the server of the head by SIGKILL. It ends with its input. Each node has one core.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import rmtree
from types import TracebackType
from typing import Any

LOOPBACK = "127.0.0.1"

NODE = {"node_ip_address": LOOPBACK, "num_cpus": 1, "object_store_memory": 80 << 20}


class RayCluster:
    """The parent's side; a context manager that ends all processes of the cluster."""

    def __init__(self, nodes: int) -> None:
        # Paths of sockets are short.
        self._folder = tempfile.mkdtemp(prefix="ggp-ray-", dir="/tmp")
        environment = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": self._folder}
        # By default, workers are so nice that a busy machine hardly runs them.
        environment["RAY_worker_niceness"] = "0"
        # Nodes and their clients stay on the loopback, as Ray has it by default on other systems than Linux: whoever
        # reaches a port of Ray can run code.
        environment["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        self.environment = {**os.environ, **environment}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.ray_cluster", str(nodes)],
            env={**self.environment, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self.pid = self._process.pid

    def __enter__(self) -> RayCluster:
        self.address = self._line()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(30)
        finally:
            self._process.kill()
            self._process.stdout.close()
            rmtree(self._folder, ignore_errors=True)

    def do(self, command: str) -> None:
        assert self._process.stdin
        print(command, file=self._process.stdin)
        assert self._line() == "done"

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline().strip()
        assert line, "the cluster has ended"
        return line


def main() -> None:
    from ray.cluster_utils import Cluster

    Path(os.environ["RAY_TMPDIR"], "ray").mkdir(exist_ok=True)
    head: dict[str, Any] = {**NODE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    others = [cluster.add_node(wait=False, **NODE) for _ in range(int(sys.argv[1]) - 1)]
    cluster.wait_for_nodes()
    print(cluster.address, flush=True)
    for command in sys.stdin:
        if command.strip() == "kill":
            cluster.remove_node(others.pop(0), allow_graceful=False)
        elif command.strip() == "kill head":
            cluster.head_node.kill_gcs_server(check_alive=False)
        else:
            others.append(cluster.add_node(**NODE))
        print("done", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
