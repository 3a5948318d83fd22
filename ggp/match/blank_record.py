"""The record of a match that begins."""

from __future__ import annotations

import re
import secrets
import string
import time
from collections.abc import Mapping

from gdl.engine import NATURE, Engine, State, rule_text
from ggp.match.record import MatchRecord
from ggp.match.settings import Settings


def blank_record(
    game: Engine, names: Mapping[str, str], settings: Settings, state: State, name: str, url: str
) -> MatchRecord:
    """Return the record of a match without plies. `names` are those of the players, by role."""
    now = time_now()
    token = "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(32))
    return MatchRecord(
        # Only characters of KIF symbols, because the identifier is sent in messages.
        match_id=f"{re.sub(r'[^A-Za-z0-9_-]+', '_', name) or 'match'}.{now}.{token[:6]}",
        random_token=token,
        start_time=now,
        roles=game.roles,
        players=tuple(names.get(role, NATURE) for role in game.roles),
        initial_state=state_text(state),
        initial_errors=("",) * len(game.roles),
        seed=settings.seed,
        max_plies=settings.max_plies,
        start_clock=settings.start_clock,
        play_clock=settings.play_clock,
        policy=settings.policy.value,
        game_name=name,
        rules=rule_text(game),
        game_url=url,
    )


def state_text(state: State) -> str:
    """Return the facts of a state in the format of records: `((cell 1 1 b) (control white))`."""
    return f"({' '.join(fact.text for fact in state)})"


def time_now() -> int:
    """Return the current time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000
