"""What is said of clusters whose nodes do not answer, or die: with a library that behaves as Ray does then."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ggp.work import cluster, remote
from ggp.work.cluster import MOST_NODES, Cluster
from ggp.work.job import Done, Job, Lost, WorkError


class NodeDiedError(Exception):
    pass


class LocalRayletDiedError(Exception):
    pass


class OtherError(Exception):
    pass


class Reference:
    def __init__(self, future: Future[Any]) -> None:
        self._future = future

    def future(self) -> Future[Any]:
        return self._future


class Ray(ModuleType):
    """The library, with two nodes: each task ends as the next entry of `ends` says."""

    def __init__(self, *ends: Exception | None, alive: tuple[bool, ...] = (True, True)) -> None:
        super().__init__("ray")
        self.ends = list(ends)
        self.alive: tuple[bool, ...] = (True, True)
        self.alive_later = alive
        others = dict.fromkeys(("ObjectLostError", "WorkerCrashedError", "OutOfMemoryError"), OtherError)
        self.exceptions = SimpleNamespace(
            NodeDiedError=NodeDiedError, LocalRayletDiedError=LocalRayletDiedError, **others
        )

    def is_initialized(self) -> bool:
        return True

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(gcs_address="", get_node_id=lambda: "0")

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {"Alive": alive, "NodeID": str(number), "Resources": {"CPU": 1}} for number, alive in enumerate(self.alive)
        ]

    def remote(self, **_: Any) -> Any:
        def submit(*_: Any) -> Any:
            end, future = self.ends.pop(0), Future[Any]()
            self.alive = self.alive_later
            if end is None:
                future.set_result({remote.ANSWER: {"fine": True}})
            else:
                future.set_exception(end)
            return Reference(future)

        return lambda _: SimpleNamespace(options=lambda **_: SimpleNamespace(remote=submit))


def ended(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    monkeypatch.setattr(cluster, "_ray", lambda: ray)
    monkeypatch.setattr(cluster, "_PULSE", 0.01)
    monkeypatch.setattr(cluster, "_HEAD_BACK", 0.2)
    with Cluster("auto", "some.module") as made:
        return list(made.run([1], lambda _: Job("some", {}, label="job")))


def test_a_job_whose_nodes_die_again_and_again_is_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    deaths = [NodeDiedError()] * (MOST_NODES - 1)
    assert isinstance(ended(Ray(*deaths, None), monkeypatch)[0], Done)
    assert isinstance(ended(Ray(*deaths, NodeDiedError()), monkeypatch)[0], Lost)


def test_tries_do_not_count_while_no_node_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = Ray(*[NodeDiedError()] * 1000, alive=())
    with pytest.raises(WorkError, match="no node of the cluster is alive: unfinished jobs are lost"):
        ended(ray, monkeypatch)
    assert len(ray.ends) > 900


@pytest.mark.parametrize("alive", [(True, True), (False, True)], ids=["by a job", "by the list of nodes"])
def test_the_death_of_the_node_of_this_machine_is_told(
    alive: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = Ray(LocalRayletDiedError() if all(alive) else NodeDiedError(), alive=alive)
    with pytest.raises(WorkError, match="the node of the cluster on this machine has died"):
        ended(ray, monkeypatch)


@pytest.fixture
def listening() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_an_address_that_answers_without_a_node(listening: str, monkeypatch: pytest.MonkeyPatch) -> None:
    enough = threading.Event()
    ray = Ray()
    ray.init = lambda **_: enough.wait()  # type: ignore[attr-defined]
    monkeypatch.setattr(cluster, "CONNECTING", 0.2)
    with pytest.raises(WorkError, match=rf"no Ray cluster at {listening}: it answers, but its node does not within"):
        cluster._connect(ray, listening)
    enough.set()
