"""A player that fails in the ways in which native code and careless programs fail."""

from __future__ import annotations

from pathlib import Path

from support.toy_files import rule_file

#: Does what the name of the match says at its first ply, and plays the first legal move afterwards.
PLAYER = """\
import ctypes, os, sys
class Hostile:
    name = 'hostile'
    def start(self, start, deadline):
        self.what = start.match_id.split('.')[0]
        self.game, self.past = start.game, start.past
        print('ready to ' + self.what)
    def move(self, turn):
        if turn.ply == 1:
            getattr(self, self.what)()
        elif self.what == 'remember':
            print('past ' + str([past.own_move.text for past in self.past]))
        return turn.legal[0]
    def stop(self, end):
        print('the end')
    def hold(self):
        pow(3, 10**9)
    def exit(self):
        print('I give up')
        os._exit(3)
    remember = exit
    def crash(self):
        ctypes.string_at(0)
    def eat(self):
        bytearray(10 << 30)
    def nothing(self):
        pass
    def shout(self):
        while True:
            print('x' * 1000)
    def forge(self):
        for number in range(3, 20):
            try:
                os.write(number, b'{"number": "1"}\\n')
            except OSError:
                pass
    def engine(self):
        raise ValueError(type(self.game).__name__)

class Compiled(Hostile):
    compiles = True

class Leaving:
    def __init__(self):
        print('on my way')
        os._exit(4)
"""


def hostile(folder: Path, name: str = "Hostile") -> str:
    """Write the players to a file in the folder, and return the name of one of them."""
    return f"{rule_file(folder, PLAYER, 'hostile.py')}:{name}"
