"""A child process that answers each message with itself, `python -m support.echo_child`."""

from __future__ import annotations

import queue
import subprocess
import sys
import time
from typing import Any

from gdl.system.childprocess import JSON_LINES, PICKLES, Child, Parent


def main() -> None:
    parent = Parent(PICKLES if sys.argv[1:] == ["pickles"] else JSON_LINES)
    messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
    parent.listen(messages.put)
    while True:
        message = messages.get()
        print("printed by the child", input_is_empty())
        if message == "hang":
            time.sleep(60)
        if message == "start another":
            message = subprocess.Popen(["sleep", "60"]).pid
        if message == "start another apart":
            message = subprocess.Popen(["sleep", "60"], start_new_session=True).pid
        if message == "start a child":
            child = Child("support.echo_child", framing=JSON_LINES)
            child.send("hold the lock")
            message = child.pid
        if message == "hold the lock":
            pow(3, 10**9)
        if message == "exit":
            sys.exit(3)
        parent.send(message)


def input_is_empty() -> bool:
    return sys.stdin.read() == ""


if __name__ == "__main__":
    main()
