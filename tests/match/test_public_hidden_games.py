"""Public rule files with hidden information: all are played, or refused for what is wrong with them."""

from __future__ import annotations

import pytest
from support.environments import PUBLIC

import gdl
from gdl.engine import hides_states
from ggp.match.match import Match
from ggp.match.record import Result
from ggp.match.replay import Replay
from ggp.match.settings import Settings
from ggp.players import make_player

FILES = sorted((PUBLIC / "gdl2").glob("*.kif"))

#: Files that are not valid, and the code of the first mistake.
REFUSED = {"BattleshipsFog": "unsafe-variable", "numberguessing": "keyword-arity"}

pytestmark = pytest.mark.skipif(not FILES, reason="the public rule files are not there")


@pytest.mark.slow
@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_a_public_game_is_played_or_refused(name: str) -> None:
    path = PUBLIC / "gdl2" / f"{name}.kif"
    if name in REFUSED:
        with pytest.raises(gdl.RulesheetError) as caught:
            gdl.Reasoner.load(path)
        assert REFUSED[name] in str(caught.value).splitlines()[0]
        return
    game = gdl.Reasoner.load(path)
    players = {role: make_player("random") for role in game.roles if role.lower() != "random"}
    with Match(game, players, Settings(seed=1), name=name) as match:
        for ply in match.plies():
            assert not any(ply.errors)
    assert match.record.result is Result.FINISHED, match.record.rules_error
    again = Replay(match.record, game)
    seen = 0
    for _ in again.plies():
        passed = again.passed[-1]
        seen += sum(map(len, game.percepts(passed.state, passed.moves).values()))
    assert (seen > 0) is hides_states(game)
