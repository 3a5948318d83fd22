"""Players that crash, hang and are slow, for tournaments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from support.toy_files import rule_file

#: Players for tests: `{log}` is a file to which a line is added when something happens.
PLAYERS = """\
import os, sys, time
from pathlib import Path

class Legal:
    name = 'legal'
    def start(self, start, deadline): self.seed = start.seed
    def move(self, turn): return turn.legal[0]
    def stop(self, end): pass

class Slow(Legal):
    def move(self, turn):
        time.sleep(0.03)
        return turn.legal[0]
    def stop(self, end):
        with open({log!r}, 'a') as log:
            print(self.seed, os.getpid(), file=log)

class Held(Slow):
    def move(self, turn):
        # Four matches end, the others wait until they may go on.
        log, go = Path({log!r}), Path({log!r} + '.go')
        while log.exists() and log.read_text().count('\\n') >= 4 and not go.exists():
            time.sleep(0.05)
        return turn.legal[0]

class Deadly(Legal):
    def move(self, turn):
        with open({log!r}, 'a') as log:
            print('died', file=log)
        os._exit(7)

class Killer(Legal):
    def move(self, turn):
        with open({log!r}, 'a') as log:
            print('killed', file=log)
        os.kill(os.getppid(), 9)
        time.sleep(1000)

class KillerOnce(Killer):
    def move(self, turn):
        return turn.legal[0] if Path({log!r}).exists() else super().move(turn)

class Hanging(Legal):
    def move(self, turn):
        time.sleep(1000)

class Loud(Legal):
    def move(self, turn):
        print('{{"outcome": 1}}')
        assert not sys.stdin.read()
        return turn.legal[0]

class Bad(Legal):
    def start(self, start, deadline):
        raise ValueError('not ready')
    def move(self, turn):
        return 'nonsense' if len(turn.legal) > 1 else turn.legal[0]
"""


def players_in(folder: Path, log: Path) -> Callable[[str], str]:
    """Write the players to a file in the folder, and return what turns the name of a class into that of a player."""
    file = rule_file(folder, PLAYERS.format(log=str(log)), "mine.py")
    return lambda name: f"{file}:{name}"
