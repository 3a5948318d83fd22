"""A recorded match, and changes after which it disagrees with its rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import gdl
from ggp.match.match import play_match
from ggp.match.record import MatchRecord, Result
from ggp.match.settings import Policy, Settings
from ggp.players import make_player
from support.toy_rules import NIM


def nim(seed: int = 1, player: str = "random", max_plies: int = 500, policy: Policy = Policy.REPLACE) -> MatchRecord:
    game = gdl.Reasoner(NIM)
    players = {role: make_player(player) for role in game.roles}
    return play_match(game, players, Settings(seed=seed, max_plies=max_plies, policy=policy), name="nim")


RECORD = nim(player="legal")


def with_ply(number: int, **changes: object) -> Callable[[MatchRecord], MatchRecord]:
    def change(record: MatchRecord) -> MatchRecord:
        plies = list(record.plies)
        plies[number - 1] = replace(plies[number - 1], **changes)  # type: ignore[arg-type]
        return replace(record, plies=tuple(plies))

    return change


#: `legal` takes one each time: four plies, and right wins.
DISAGREEMENTS = {
    "an illegal move": (
        with_ply(2, moves=("noop", "(take three)")),
        "ply 2: illegal-move: (take three) is not legal for right; legal: (take one), (take two)",
    ),
    "a move that is none": (with_ply(3, moves=("(take", "noop")), "ply 3: "),
    "a wrong number of moves": (with_ply(1, moves=("noop",)), "ply 1: 1 moves for 2 roles"),
    "another move": (
        with_ply(2, moves=("noop", "(take two)")),
        "ply 2: the state after it is not the recorded one: the record lacks (heap 1); the rules do not have (heap 2)",
    ),
    "another state": (
        with_ply(4, state="((heap 0))"),
        "ply 4: the state after it is not the recorded one: the record lacks (control left)",
    ),
    "no state": (with_ply(4, state="heap"), "ply 4: the recorded state cannot be read: heap"),
    "another count": (with_ply(1, choices=(3, 1)), "ply 1: left has 2 legal moves, but the record says 3"),
    "another start": (
        lambda record: replace(record, initial_state="((heap 5) (control left))"),
        "the start: the initial state is not the recorded one: "
        "the record lacks (heap 4); the rules do not have (heap 5)",
    ),
    "other roles": (
        lambda record: replace(record, roles=("left", "center")),
        "the start: the roles are left, right, but the record has left, center",
    ),
    "other goals": (
        lambda record: replace(record, goals=(100, 100)),
        "ply 4: the goal of left is 0, but the record says 100",
    ),
    "an early end": (
        lambda record: replace(record, plies=record.plies[:2]),
        "ply 2: the game is not over after it, but the record says finished",
    ),
    "a missed end": (
        lambda record: replace(record, result=Result.UNFINISHED, goals=()),
        "ply 4: the game is over after it, but the record says unfinished",
    ),
    "a ply too many": (
        lambda record: replace(record, plies=(*record.plies, record.plies[0])),
        "ply 5: the game was already over",
    ),
}
