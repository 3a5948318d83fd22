"""Random games that look like rule files: motifs that are found in many of them, mixed at random.

Motifs add rules to a `RuleFile`, and tell which atoms others may use, as patterns: the first letter of a variable is
its type. Mixed rules join patterns by variables of the same types. So motifs share facts, moves and helpers. Each
relation is derived from relations that were there before, and from itself: the rules are stratified. The terms are
those of a few types, so they are finitely many, and a step counter ends the game.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from support.motifs import EVENTS, FACTS, HELPERS, MOVES, STATIC, score
from support.rule_file import RuleFile, Tree


def rule_file(random: Random) -> list[Tree]:
    """The statements of a game: the vocabulary first, then what depends on it."""
    file = RuleFile(random)
    for role in file.roles:
        file.add(f"(role {role})")
    file.add(" ".join(f"(number {number})" for number in range(file.last + 1)))
    file.add(" ".join(f"(succ {number} {number + 1})" for number in range(file.last)))
    file.add(" ".join(f"(content {content})" for content in file.contents))
    file.add(" ".join(f"(place {cell})" for cell in file.cells))
    file.add(" ".join(f"(after {one} {other})" for one, other in pairwise(file.cells)))
    file.add(" ".join(f"(owns {role} {role})" for role in file.roles[:2]) + "(direction ahead) (direction aside)")
    file.static += ["(succ ?n ?n)", "(number ?n)", "(content ?p)", f"(place {file.at()})", "(owns ?r ?p)"]
    file.static.append(f"(after {file.at()} {file.at(2)})")
    file.add("(init (step 0)) (<= (next (step ?m)) (true (step ?n)) (tick ?n ?m))")
    file.add(" ".join(f"(tick {number} {number + 1})" for number in range(max(12, file.steps))))
    file.turns_taken()
    file.some(STATIC, 1, 4)
    file.some(FACTS, 1, 3)
    if not file.facts:
        score(file)
    file.state += [f"(true {fact})" for fact in file.facts]
    file.state.append("(true (step ?n))")
    file.some(HELPERS, 1, 3)
    file.some(MOVES, 1, 2)
    _ways(file)
    file.some(EVENTS, 0, 2)
    _changes(file)
    _ends(file)
    if file.chance(0.6):
        file.random.shuffle(file.statements)
    return file.spelled() if file.chance(0.5) else file.statements


def _ways(file: RuleFile) -> None:
    """More conditions for moves to be legal, and moves that are always legal."""
    for move, turn in file.moves:
        if file.chance(0.3):
            file.mixed(f"(legal ?r {move})", [*file.static, *file.state], [*file.static, *file.state], turn)
    if file.chance(0.8):
        file.moves.append(("rest", "(role ?r)"))
        file.add(f"(<= (legal ?r rest) {file.turn()})")
        if file.turns == "phases" and file.chance(0.8):
            file.add(f"(<= (legal ?r rest) {file.turn('fire')})")
    if file.chance(0.15):
        file.add(f"(<= (legal ?r (rest ?d)) (direction ?d) {file.turn()})")


def _changes(file: RuleFile) -> None:
    every = [*file.static, *file.state, *file.done]
    for fact in file.facts:
        if file.chance(0.35):
            file.mixed(f"(next {fact})", [*file.done, *file.done, *every], every, file.random.choice(file.done))
    if file.chance(0.3):
        for role in file.roles if file.chance(0.3) else ["?r"]:
            file.mixed(f"(sees {role} ?n)", [*every, *file.done], every)


def _ends(file: RuleFile) -> None:
    """When the game is over, and what it is worth: many goals, one of two, or any."""
    every = [*file.static, *file.state]
    file.add(f"(<= terminal (true (step {file.steps})))")
    if file.chance(0.4):
        file.mixed("terminal", file.state, every, "(true (step 2))" if file.chance(0.5) else "(true (step ?n))")
    kind = file.random.random()
    if kind < 0.4:
        file.mixed("(wins ?r)", [*file.state, *file.state, *every], every)
        file.add("(<= (goal ?r 100) (wins ?r)) (<= (goal ?r 0) (role ?r) (not (wins ?r)))")
    elif kind < 0.7:
        file.mixed("(worth ?r ?n)", [*file.state, *every], every)
        file.add("(<= (goal ?r ?n) (best ?r ?n)) (<= (best ?r ?n) (worth ?r ?n) (not (better ?r ?n)))")
        file.add("(<= (better ?r ?n) (worth ?r ?m) (number ?n) (above ?n ?m))")
        file.add("(<= (above ?n ?m) (succ ?n ?m)) (<= (above ?n ?k) (succ ?n ?m) (above ?m ?k))")
    else:
        for value in file.random.sample(["0", "25", "50", "75", "100"], file.random.randint(1, 3)):
            file.mixed(f"(goal ?r {value})", [*file.state, *every], every)
