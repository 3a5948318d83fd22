"""Random games whose ends have goals of all kinds, and what every engine, search and environment makes of them.

From the root of the repository: `PYTHONPATH=.:tests python -m support.goal_games --games 2000 --seed 1`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import gdl
from ggp.environments.game import EnvironmentGame
from ggp.environments.gymnasium import GameEnv
from ggp.environments.lanes import Lanes
from ggp.environments.pettingzoo import aec_env
from ggp.environments.rewards import Rewards
from ggp.environments.vector import VectorGameEnv
from ggp.learning.role_games import RoleGames
from ggp.players.alphabeta.search import Search as AlphaBeta
from ggp.players.mcts.search import Search as Mcts
from ggp.players.mcts.world import EngineWorld, LanesWorld
from ggp.solver.bounds import unknown
from ggp.solver.budget import limited
from ggp.solver.goals import declared_goals
from ggp.solver.planner import plan
from ggp.solver.position_value import value_of
from ggp.solver.search import DepthSearch
from support import oracle
from support.comparing import Played, outcome, same
from support.processors import interpreting

#: What an end without a goal value is worth to players.
UNDEFINED = 50

#: So many goals hold at once where several do.
MANY = (2, 2, 3, 255, 256, 257)

#: A role's goal at an end, or what the rules give instead.
Goal = int | tuple[str, ...]


def _values(random: Random, first: int) -> list[str]:
    """The goals of a role at an end, of all kinds from the `first` on; the last is as it should be."""
    match random.randrange(first, 8):
        case 0:
            return []
        case 1:
            return [str(value) for value in range(random.choice(MANY))]
        case 2:
            return [str(random.randint(-(2**40), 2**40))]
        case 3:
            return [random.choice(["-1", "-2", "101", "127", "128", "255", "256", "32768", "65535", "65536", "-32768"])]
        case 4:
            return [random.choice(["much", "007", "0100", "-0", "+5", "00"])]
        case _:
            return [str(random.choice([0, 10, 50, 100, random.randint(0, 100)]))]


def goal_game(random: Random) -> str:
    """A game of up to three roles that move in turn, with up to four moves each; an end after each line of moves."""
    roles = [f"r{number}" for number in range(random.choice([1, 1, 2, 2, 3]))]
    first = random.choice([0, 0, 4, 5])
    kinds = [_values(random, first) for _ in range(random.randint(1, 6))]
    rules = [*(f"(role {role})" for role in roles), "(init (at s))"]
    declared: set[str] = set()

    def end(name: str) -> None:
        rules.append(f"(<= terminal (true (at {name})))")
        for role in roles:
            values = random.choice(kinds)
            if len(values) > 3:
                listed = f"v{len(values)}"
                if listed not in declared:
                    declared.add(listed)
                    rules.extend(f"({listed} {value})" for value in values)
                rules.append(f"(<= (goal {role} ?x) ({listed} ?x) (true (at {name})))")
            else:
                rules.extend(f"(<= (goal {role} {value}) (true (at {name})))" for value in values)

    def node(name: str, mover: int) -> None:
        rules.extend(
            f"(<= (legal {role} noop) (true (at {name})))" for number, role in enumerate(roles) if number != mover
        )
        for move in range(random.randint(1 if mover else 2, 3)):
            after = f"{name}{move}"
            rules.append(f"(<= (legal {roles[mover]} m{move}) (true (at {name})))")
            rules.append(f"(<= (next (at {after})) (true (at {name})) (does {roles[mover]} m{move}))")
            if mover + 1 < len(roles) and random.random() < 0.7:
                node(after, mover + 1)
            else:
                end(after)

    node("s", 0)
    return "\n".join(rules)


@dataclass(frozen=True)
class State:
    """A state by the oracle: the joint moves that lead to it, what follows its moves, and the goals at an end."""

    path: tuple[tuple[str, ...], ...]
    fact: oracle.Term
    mover: int
    after: tuple[State, ...]
    goals: tuple[Goal, ...]

    def ends(self) -> Iterator[State]:
        if not self.after:
            yield self
        for one in self.after:
            yield from one.ends()

    def value(self, worth: Callable[[State], int], highest: Callable[[int], bool]) -> int:
        """What the state is worth if each role wants that to be the highest, or the lowest."""
        if not self.after:
            return worth(self)
        values = [one.value(worth, highest) for one in self.after]
        return max(values) if highest(self.mover) else min(values)


def explore(played: Played) -> State:
    """All states of a game by the oracle, as a tree."""
    game = played.game

    def state(facts: frozenset[oracle.Term], path: tuple[tuple[str, ...], ...]) -> State:
        model = game.model(facts)
        goals = tuple(played.goal(model, role) for role in game.roles)
        (fact,) = facts
        if model.get(("terminal", 0)):
            return State(path, fact, -1, (), goals)
        legal = [sorted(played.moves(model, role)) for role in game.roles]
        mover = max(range(len(legal)), key=lambda role: len(legal[role]))
        after = []
        for move in legal[mover]:
            moves = [move if role == mover else own[0] for role, own in enumerate(legal)]
            following = game.model(facts, dict(zip(game.roles, moves, strict=True)))[("next", 1)]
            after.append(state(frozenset(atom[1] for atom in following), (*path, tuple(moves))))
        return State(path, fact, mover, tuple(after), goals)

    return state(game.initial, ())


def worth(goal: Goal) -> int:
    return goal if isinstance(goal, int) else UNDEFINED


def defined(end: State) -> bool:
    return all(isinstance(goal, int) for goal in end.goals)


def goal_error(call: Callable[[], Any]) -> Any:
    """The result of a call; None if it raises GoalError."""
    try:
        return call()
    except gdl.GoalError:
        return None


class Checker:
    """One game, and what is to be found out about it."""

    def __init__(self, text: str) -> None:
        self.reasoner = gdl.Reasoner(text)
        self.simulator = gdl.compile(text, cache=False)
        played = Played(text, Random(0))
        self.root = explore(played)
        self.ends = list(self.root.ends())
        self.states = [self.simulator.state([played.shown(end.fact)]) for end in self.ends]
        self.roles = self.simulator.roles
        self.expected = [tuple(goal if isinstance(goal, int) else -1 for goal in end.goals) for end in self.ends]
        #: What players suppose.
        self.worth = [tuple(map(worth, end.goals)) for end in self.ends]
        self.all_defined = all(map(defined, self.ends))

    def check(self) -> None:
        self.engines()
        self.arrays()
        self.playouts()
        self.environments()
        self.solver()
        self.searches()
        self.learning()

    def engines(self) -> None:
        for end, packed in zip(self.ends, self.states, strict=True):
            state = self.reasoner.initial_state()
            for moves in end.path:
                state = self.reasoner.next_state(state, moves)
            for engine, here in ((self.reasoner, state), (self.simulator, packed)):
                for role, goal in zip(self.roles, end.goals, strict=True):
                    same("goal", goal, outcome(engine.goal, here, role))

    def arrays(self) -> None:
        arrays = self.simulator.arrays
        packed = arrays.pack(self.states)
        same("arrays", self.expected, [tuple(row) for row in arrays.goal_values(arrays.look(packed)).tolist()])
        same("playouts of ends", self.expected, [tuple(row) for row in arrays.playouts(packed).tolist()])
        rows = arrays.playouts(np.repeat(arrays.pack([self.simulator.initial_state()]), 64, axis=0), seed=1)
        same("playouts from the beginning", set(), {tuple(row) for row in rows.tolist()} - set(self.expected))

    def playouts(self) -> None:
        found = self.simulator.playouts(256, seed=1)
        for number, role in enumerate(self.roles):
            known = {row[number] for row in self.expected}
            seen = {value for value, count in found.counts[role].items() if count}
            same("values of playouts", set(), seen - known)
            same("all playouts", 256, sum(found.counts[role].values()) + found.undefined[role])
            if -1 not in known:
                same("undefined", 0, found.undefined[role])
            if known == {-1}:
                same("undefined", 256, found.undefined[role])

    def environments(self) -> None:
        game = EnvironmentGame(self.simulator)
        for end in self.ends:
            wanted = [goal / 100 for goal in end.goals] if defined(end) else None  # type: ignore[operator]
            same("pettingzoo", wanted, goal_error(lambda end=end: self._aec(game, end)))
            if len(self.roles) == 1:
                same("gymnasium", wanted, goal_error(lambda end=end: self._gymnasium(game, end)))
        lanes = Lanes(game, 64, asked=game.agents, max_plies=9, rewards=Rewards(0.0, 100.0))
        same("lanes", True, self._lanes(game, lanes))
        if len(self.roles) == 1:
            env = VectorGameEnv(game, num_envs=64)
            env.reset(seed=1)
            rewards = goal_error(lambda: env.step(env.sample_actions())[1])
            # One role moves once, so all matches are over.
            if self.all_defined:
                same("vector", set(), set(np.rint(100 * rewards)) - {row[0] for row in self.expected})

    def _aec(self, game: EnvironmentGame, end: State) -> list[float]:
        env = aec_env(game)
        env.reset(seed=1)
        for moves in end.path:
            for role, move in zip(self.roles, moves, strict=True):
                if env.agent_selection == role and move != "noop":
                    env.step(game.action(gdl.parse_term(move)))
        return [round(env.rewards[role], 6) for role in self.roles]

    def _gymnasium(self, game: EnvironmentGame, end: State) -> list[float]:
        env = GameEnv(game)
        env.reset(seed=1)
        for (move,) in end.path:
            _, reward, over, _, _ = env.step(game.action(gdl.parse_term(move)))
        assert over
        return [round(float(reward), 6)]

    def _lanes(self, game: EnvironmentGame, lanes: Lanes) -> bool:
        """Play until all matches are over: each has the rewards of its end, or GoalError is raised."""
        lanes.reset()
        shape = (lanes.n, len(game.agents))
        while not lanes.over.all():
            actions = np.zeros(lanes.n, np.int32)
            lanes.sample(actions)
            lanes.step(actions, "raise")
            rewards = np.zeros(shape, np.float32)
            flags = np.zeros(lanes.n, np.bool_), np.zeros(lanes.n, np.bool_)
            before = lanes._before.reshape(-1)[: lanes.n] >= 0
            ended = np.flatnonzero(lanes.over & before)
            numbers = [self.states.index(lanes.state(int(lane))) for lane in ended]
            found = goal_error(
                lambda out=(rewards, flags): lanes.write_outcomes(0, out[0], np.zeros(64, np.float32), *out[1]) or 1
            )
            if (found is None) != any(-1 in self.expected[number] for number in numbers):
                return False
            if found is None:
                return True
            for lane, number in zip(ended, numbers, strict=True):
                if tuple(np.rint(100 * rewards[lane]).astype(int)) != self.expected[number]:
                    return False
        return True

    def solver(self) -> None:
        begin = self.simulator.initial_state()
        if len(self.roles) == 1:
            best = max(row[0] for row in self.worth)
            ends = {row[0] for row, wanted in zip(self.expected, self.worth, strict=True) if wanted[0] == best}
            for found in (
                goal_error(lambda: plan(self.simulator, seconds=20).goal),
                goal_error(lambda: value_of(self.simulator, begin, seconds=20).goals[self.roles[0]]),  # type: ignore[index]
            ):
                same("plan", True, (-1 if found is None else found) in ends)
        else:
            # What each role can force, whatever the others do.
            sure: Any = tuple(
                self.root.value(lambda end, role=role: end.goals[role], lambda mover, role=role: mover == role)  # type: ignore[misc, return-value]
                for role in range(len(self.roles) if self.all_defined else 0)
            )
            for game in (self.simulator, self.reasoner):
                found = goal_error(lambda game=game: value_of(game, game.initial_state(), seconds=20))
                same("solver", sure or None, found and found.details.solution.worth.verdict(0).sure)
        self._depth_search(begin)

    def _depth_search(self, begin: gdl.PackedState) -> None:
        """What is proved holds whatever the ends without goals are worth."""
        search = DepthSearch(self.simulator, begin, limited(20, 1.0, lambda _: None))
        bounds = unknown(self.roles, declared_goals(self.simulator))
        try:
            bounds, stop = search.run(bounds)
        except gdl.GoalError:
            assert not self.all_defined
            return
        same("searched to the end", None, stop)
        for attacker in range(len(self.roles)):
            about, below = bounds.about(attacker)
            sign = -1 if below else 1

            def least(end: State, about: int = about, sign: int = sign, missing: int = -1000) -> int:
                goal = end.goals[about]
                return sign * goal if isinstance(goal, int) else missing

            def most(end: State) -> int:
                return least(end, missing=1000)

            mine = lambda role, attacker=attacker: role == attacker  # noqa: E731
            forced = bounds.best[attacker]
            if forced is not None:
                assert sign * forced.value <= self.root.value(least, mine), "forced"
            if bounds.limit[attacker] < len(bounds.values[attacker]):
                value = bounds.values[attacker][bounds.limit[attacker]]
                assert sign * value > self.root.value(most, mine), "refuted"

    def searches(self) -> None:
        begin = self.simulator.initial_state()
        moves = sorted({end.path[0][0] for end in self.ends})
        if len(self.roles) == 2:
            search = AlphaBeta(self.simulator, 0, megabytes=1)
            found = search.run(begin.bits, lambda: 1.0, nodes=10_000)

            def difference(end: State) -> int:
                return worth(end.goals[0]) - worth(end.goals[1])

            chosen = self.simulator.all_moves(self.roles[0])[found.move].text
            best = {
                one.path[-1][0]
                for one in self.root.after
                if one.value(difference, lambda role: role == 0) == self.root.value(difference, lambda role: role == 0)
            }
            same("alphabeta", True, chosen in best)
            _, values = search.playouts(begin.bits, 16, seed=1)
            same("values of playouts", set(), set(values.tolist()) - {difference(end) for end in self.ends})
        if all(not one.after for one in self.root.after) and len(moves) > 1:
            top = max(row[0] for row in self.worth)
            best = {end.path[0][0] for end, row in zip(self.ends, self.worth, strict=True) if row[0] == top}
            for world in (LanesWorld(self.simulator, 1), EngineWorld(self.reasoner, 1)):
                mcts = Mcts(world, 1)
                mcts.advance((self.simulator if isinstance(world, LanesWorld) else self.reasoner).initial_state())
                mcts.run(simulations=200)
                same("mcts", True, mcts.best_move(0).text in best)

    def learning(self) -> None:
        games = RoleGames(self.simulator)
        goals, over = games._looked(self.simulator.arrays.pack(self.states))
        same("learning: over", True, bool(over.all()))
        same("learning", self.worth, [tuple(np.rint(100 * row).astype(int)) for row in goals])
        _, targets = games.playouts(4, 1)
        low, high = np.min(self.worth, axis=0), np.max(self.worth, axis=0)
        assert ((targets >= low - 0.1) & (targets <= high + 0.1)).all()


def check_goals(numbers: Sequence[int]) -> Counter[str]:
    """Check the games of some numbers. Raises AssertionError, which names the game."""
    counts: Counter[str] = Counter()
    for number in numbers:
        text = goal_game(Random(number))
        try:
            with interpreting():
                checker = Checker(text)
                checker.check()
        except BaseException as error:
            error.add_note(f"game {number}\n{text[:3000]}")
            raise
        counts["games"] += 1
        counts["ends"] += len(checker.ends)
        counts["ends without goals"] += sum(not defined(end) for end in checker.ends)
        counts[f"games of {len(checker.roles)}"] += 1
    return counts


def main() -> None:
    """Check games, and print what was checked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for first in range(0, options.games, 50):
        counts += check_goals(range(options.seed * 1_000_000 + first, options.seed * 1_000_000 + first + 50))
        print(dict(counts), flush=True)


if __name__ == "__main__":
    main()
