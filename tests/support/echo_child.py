"""A child process that answers each message with itself, `python -m support.echo_child`."""

from __future__ import annotations

import queue
import sys
import time
from typing import Any

from gdl.childprocess import JSON_LINES, PICKLES, Parent


def main() -> None:
    parent = Parent(PICKLES if sys.argv[1:] == ["pickles"] else JSON_LINES)
    messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
    parent.listen(messages.put)
    while True:
        message = messages.get()
        print("printed by the child", input_is_empty())
        if message == "hang":
            time.sleep(60)
        if message == "exit":
            sys.exit(3)
        parent.send(message)


def input_is_empty() -> bool:
    return sys.stdin.read() == ""


if __name__ == "__main__":
    main()
