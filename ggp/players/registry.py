"""The players that come with the package: what each of them is, its options, and what it needs.

Help, completion, the list in the browser, the checks of options and the tables in the docs follow from these entries.
A player is loaded when its entry is first called, so this module loads nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, final

if TYPE_CHECKING:
    from ggp.players.player import Player

#: The value of an option.
Value = bool | int | float | str

#: The words that stand for a flag, beside 0 and 1.
_FLAGS: Final = {"false": 0, "true": 1}


@final
@dataclass(frozen=True, slots=True)
class Option:
    """An option of a player, as in `mcts(simulations=1000)`.

    `default` is its value if it is not given, or says in words what happens then. `least` and `most` are the limits of
    numbers; flags are True or False.
    """

    name: str
    kind: Literal["whole", "number", "flag", "file"]
    default: Value
    meaning: str
    least: float = 0
    most: float = 1

    @property
    def range(self) -> str:
        """The values that it may have, in words."""
        if self.kind == "file":
            return "the name of a file"
        if self.kind == "flag":
            return "0 or 1"
        ends = [f"{end:,.0f}" if end == int(end) else f"{end:g}" for end in (self.least, self.most)]
        return f"{'a whole number' if self.kind == 'whole' else 'a number'} from {' to '.join(ends)}"

    def checked(self, value: Value) -> Value:
        """Return the value for the player, given a value or its text. Raises ValueError if it is out of range."""
        if self.kind == "file":
            return str(value)
        try:
            number = float(_FLAGS.get(str(value), value) if self.kind == "flag" else value)
        except ValueError:
            number = float("nan")
        if not self.least <= number <= self.most or (self.kind != "number" and number != int(number)):
            raise ValueError(f"{self.name} is {value!s:.40}, but must be {self.range}")
        return bool(number) if self.kind == "flag" else number if self.kind == "number" else int(number)


@final
@dataclass(frozen=True, slots=True)
class PlayerEntry:
    """A player of the package. Calling an entry makes a new player.

    - `place`: the module and the class.
    - `what`: how it plays, in one line, and `needs`: what it needs, in words; empty if it plays any game.
    - `limit`: the option that limits its work for a move; empty if it does not search.
    - `offered`: True if visitors of a page may choose it.
    - `suffix`: how the names of its files end, if such a name stands for the player with this file.
    """

    place: str
    what: str
    needs: str = ""
    options: tuple[Option, ...] = ()
    limit: str = ""
    offered: bool = True
    suffix: str = ""

    @property
    def takes_file(self) -> bool:
        """True if its first option is the name of a file."""
        return any(option.kind == "file" for option in self.options)

    def load(self) -> Callable[..., Player]:
        """Return the player's class."""
        module, _, name = self.place.partition(":")
        made: Callable[..., Player] = getattr(import_module(module), name)
        return made

    def checked(self, options: Mapping[str, Value]) -> dict[str, Value]:
        """Return the values of options, given as values or texts. Raises ValueError for unknown or wrong ones."""
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                raise ValueError(_unknown(name, [_shown(option) for option in self.options]))
        return {name: known[name].checked(value) for name, value in options.items()}

    def __call__(self, **options: Value) -> Player:
        """Return a new player. Raises ValueError for options that it does not have or whose values are wrong."""
        return self.load()(**self.checked(options))


def _shown(option: Option) -> str:
    return option.name.upper() if option.kind == "file" else option.name


def _unknown(name: str, known: list[str]) -> str:
    """Say that there is no such option, which ones there are, and which one may be meant."""
    from gdl.errors import nearest

    near = nearest(name, known, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    has = f"the options are {', '.join(known)}" if known else "there are none"
    return f"no option {name:.40}; {has}{hint}"


#: The most work for a move.
_MOST: Final = 10**9

#: In place of a default.
_CLOCK: Final = "as the clock allows"


def _work(name: str, meaning: str, default: Value = _CLOCK) -> Option:
    return Option(name, "whole", default, meaning, 1, _MOST)


def _weight(name: str, default: Value, meaning: str, most: float = 100) -> Option:
    return Option(name, "number", default, meaning, 0, most)


def _particles(default: Value) -> Option:
    return Option("particles", "whole", default, "states of the belief", 1, 1_000_000)


_PONDER: Final = Option("ponder", "flag", True, "think while others think")
_REMEMBER: Final = Option("remember", "flag", True, "use what earlier matches of the game found out, and keep more")
_THREADS: Final = Option("threads", "whole", "as many as the match permits", "threads of the search", 1, 256)
_EXPLORATION: Final = "the constant of UCT, for goals from 0 to 1"
_FILE: Final = "a file that `ggp train` has made"

#: The players by name. Calling an entry makes a new player.
PLAYERS: Final[Mapping[str, PlayerEntry]] = MappingProxyType(
    {
        "auto": PlayerEntry(
            "ggp.players.auto:AutoPlayer",
            "picks the player that suits the game",
            options=(
                _work("simulations", "simulations or nodes for a move"),
                Option("level", "whole", 8, "the level of strength", 1, 8),
                _PONDER,
                Option("learned", "flag", True, "use learned values beside the rules"),
                Option("race", "flag", True, "let searches race in the start clock"),
                _REMEMBER,
                _THREADS,
            ),
            limit="simulations",
        ),
        "mcts": PlayerEntry(
            "ggp.players.mcts:MctsPlayer",
            "Monte Carlo tree search",
            "states that are not hidden",
            (
                _work("simulations", "leaves evaluated for a move"),
                _PONDER,
                _THREADS,
                _weight("exploration", 0.6, _EXPLORATION),
                _weight("unvisited", 10.0, "bonus for moves without visits, added to their mean value elsewhere", 1000),
                Option("leaves", "whole", 1024, "the most leaves selected together", 1, 1 << 16),
                _weight("leaves_share", 0.05, "leaves selected together, as a share of the root's visits", 1),
                Option("playouts", "whole", 4, "the least playouts for a leaf", 1, 10_000),
                Option("patience", "whole", 1, "visits of an edge before its state becomes a node", 0, 1_000_000),
                Option("lookahead", "flag", True, "look at all moves of a new node for ends"),
                Option("expand", "flag", True, "try all moves of a new node at once, not one by one"),
                _weight("prior", 0.0, "above 0: explore by PUCT with this constant, where one role has a choice"),
                _weight("prior_exploration", 0.0, "the constant of UCT beside PUCT"),
                Option("keep", "flag", True, "keep the tree from move to move"),
                Option("mix", "flag", False, "draw a simultaneous move in proportion to its visits"),
                Option("memory", "whole", 1 << 30, "bytes for the tree", 1, 1 << 36),
            ),
            "simulations",
        ),
        "alphabeta": PlayerEntry(
            "ggp.players.alphabeta:AlphaBetaPlayer",
            "alpha-beta search, which learns what positions are worth during the start clock",
            "two roles that take turns",
            (_work("nodes", "positions visited for a move"), _PONDER, _REMEMBER, _THREADS),
            "nodes",
        ),
        "planner": PlayerEntry(
            "ggp.players.planner:PlannerPlayer",
            "looks for a plan, with or without learned values",
            "one role",
            (Option("file", "file", "none", _FILE),),
        ),
        "ismcts": PlayerEntry(
            "ggp.players.ismcts:IsmctsPlayer",
            "Monte Carlo tree search over what each role knows, for hidden states and simultaneous moves",
            "a compiled game",
            (
                _work("simulations", "simulations for a move"),
                _particles(4096),
                _weight("exploration", 0.7, "the constant of UCB1"),
                Option("explored", "number", 0.2, "the share of random moves in regret matching", 0.0001, 1),
                Option("matching", "flag", False, "use regret matching even where one role chooses"),
            ),
            "simulations",
        ),
        "pimc": PlayerEntry(
            "ggp.players.pimc:PimcPlayer",
            "searches states that may be the current one, each as if it were known",
            options=(
                _work("simulations", "simulations for a move"),
                Option("states", "whole", 24, "states that are searched", 1, 10_000),
                Option(
                    "particles",
                    "whole",
                    "4096, or 200 if the game is not compiled",
                    "states of the belief",
                    1,
                    1_000_000,
                ),
            ),
            limit="simulations",
        ),
        "hyperplay2": PlayerEntry(
            "ggp.players.hyperplay2:Hyperplay2Player",
            "nested playouts over what each role knows, for hidden states",
            "a compiled game",
            (
                _work("playouts", "nested playouts of each move"),
                _particles(4096),
            ),
            "playouts",
        ),
        "learned": PlayerEntry(
            "ggp.players.learned:LearnedPlayer",
            "searches with learned values, as `alphabeta` or `mcts` does",
            _FILE,
            (
                Option("file", "file", "none", _FILE),
                _work("nodes", "positions visited for a move by `alphabeta`"),
                _work("simulations", "simulations for a move by `mcts`"),
                _PONDER,
                _weight("weight", "0.9", "the weight of the values against playouts", 1),
                _weight("prior", "0.6", "the weight of the probabilities that values give to moves"),
                _weight("exploration", "as the file says", "the constant of UCT beside these"),
                _THREADS,
            ),
            offered=False,
            suffix=".learned",
        ),
        "onnx": PlayerEntry(
            "ggp.players.policy_player:onnx_player",
            "plays what a network finds best, without a search",
            "the extra `onnx`, and a file for the game",
            (
                Option("file", "file", "none", "an ONNX file with a policy"),
                _weight("temperature", 0.0, "0: the most probable move; above: draw it, with logits divided by this"),
                Option("mover", "flag", "as the file says, or 0", "see the game from the mover's side"),
                Option("centered", "flag", "as the file says, or 0", "values are from -1 to 1, not from 0 to 1"),
            ),
            offered=False,
            suffix=".onnx",
        ),
        "openspiel": PlayerEntry(
            "ggp.players.openspiel.player:OpenSpielPlayer",
            "OpenSpiel's own search",
            "the extra `openspiel`, and a game that OpenSpiel has",
            (
                _weight("uct_c", 1.0, "the constant of UCT"),
                _work("simulations", "simulations for a move", 1000),
            ),
            "simulations",
            offered=False,
        ),
        "uct": PlayerEntry(
            "ggp.players.uct:UctPlayer",
            "plain UCT without compilation, to read and to compare others with",
            "states that are not hidden",
            (
                _work("simulations", "simulations for a move", "as the clock allows, 100 without one"),
                _weight("exploration", 2**0.5, "the constant of UCB1"),
            ),
            "simulations",
        ),
        "greedy": PlayerEntry("ggp.players.greedy:GreedyPlayer", "looks one move ahead, and at the answers to it"),
        "random": PlayerEntry("ggp.players.simple:RandomPlayer", "any legal move, each with the same probability"),
        "legal": PlayerEntry("ggp.players.simple:LegalPlayer", "the first legal move, in text order"),
    }
)
