"""How a command ends while a player's threads are still at work."""

from __future__ import annotations

from pathlib import Path

from toy_files import rule_file, start


def test_what_is_still_at_work_in_the_background_does_not_spoil_the_end(tmp_path: Path) -> None:
    busy = rule_file(
        tmp_path,
        "import atexit, os, threading\n"
        "atexit.register(os.abort)  # as machine code may, when Python is taken down under it\n"
        "class Busy:\n"
        "    name = 'busy'\n"
        "    def start(self, start, deadline): threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "    def move(self, turn): return turn.legal[0]\n"
        "    def stop(self, end): pass\n",
        "busy.py",
    )
    process = start("play", "tic_tac_toe", "--player", f"{busy}:Busy")
    out, err = process.communicate()
    assert process.returncode == 0
    assert err == ""
    assert "finished after" in out
