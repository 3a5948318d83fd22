"""Beliefs of roles in a game process: how likely each fact is for a role, drawn on its boards, in a thread of its own.

Nothing is used but the rules and what the role did and saw, so a belief tells a role nothing that it could not work
out itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from math import floor
from typing import TYPE_CHECKING, Final

from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner
from gdl.terms import Term
from ggp.board.drawing.elements import group
from ggp.board.drawing.scene import picture
from ggp.board.leaves import flatten
from ggp.board.model import Cell, View
from ggp.board.view import held_piece, lay
from ggp.match.own_view import cell_of, stands
from ggp.players.player import Start, Told
from ggp.server.game.choosing import key_of
from ggp.server.game.table import Table
from ggp.server.messages import Drawn, Likely

if TYPE_CHECKING:
    from gdl.engine import Engine
    from gdl.reasoner.budget import DerivationBudget
    from ggp.belief import Belief
    from ggp.board.model import CellPlace, Piece
    from ggp.board.view import Layout

#: Seconds that a belief may take.
_SECONDS: Final = 10.0

#: A fact with a higher probability counts as certain, one with a lower probability is not drawn.
_CERTAIN: Final = 0.995
_UNLIKELY: Final = 0.02

#: The steps of paleness, and how much is seen of the palest piece.
_STEPS: Final = 10
_PALEST: Final = 0.15

#: The largest number of facts that are sent apart from those on boards.
_MOST: Final = 100


class DroppedError(GdlError):
    """A question was superseded by another one."""

    code = "dropped"
    template = "{0}"


class Believing:
    """The beliefs of the roles in one match, one after another. The game is compiled when the first is asked for."""

    def __init__(self, table: Table, budget: DerivationBudget | None = None) -> None:
        """Believe nothing yet. `budget` is for rules that cannot be compiled."""
        self._table = table
        self._budget = budget
        self._beliefs: dict[str, Belief] = {}
        #: For each role, the number of questions so far.
        self._asked: Counter[str] = Counter()
        self._thread = ThreadPoolExecutor(1, "believing")

    def ask(self, role: str, told: Sequence[Told]) -> Future[Likely]:
        """Work out the belief of a role that was told of each ply of a match that goes on.

        A question that waits is dropped, with an error, if there is a newer one for the same role.
        """
        self._asked[role] += 1
        return self._thread.submit(self._answer, role, self._asked[role], told)

    def _answer(self, role: str, number: int, told: Sequence[Told]) -> Likely:
        if number < self._asked[role]:
            raise DroppedError("another position is asked for")
        return drawn(self._table, self._shares(role, told))

    def _shares(self, role: str, told: Sequence[Told]) -> Mapping[Term, float]:
        from ggp.belief.samples import Step

        steps = tuple(Step(one.own_move, frozenset(one.percepts)) for one in told if one.own_move is not None)
        belief = self._beliefs.get(role)
        if belief is None or belief.history != steps[: len(belief.history)]:
            belief = self._beliefs[role] = self._new(role) if belief is None else self._again(belief)
        if len(belief.history) < len(steps):
            belief.follow(steps[len(belief.history) :], over=False, seconds=_SECONDS)
        return belief.shares()

    def _new(self, role: str) -> Belief:
        from ggp.belief import Belief

        known = next(iter(self._beliefs.values()), None)
        return Belief(known.game if known is not None else self._game(role), role)

    def _game(self, role: str) -> Engine:
        """Return the compiled game, which programs in the match use, too; or a Reasoner if it cannot be compiled."""
        from ggp.players.compilation import compilation

        game = self._table.game
        simulator = compilation(Start("belief", game, role, 0, rules=game.rulesheet.source.text)).result()
        # The Reasoner of the table answers other questions at the same time.
        return simulator or Reasoner(game.rulesheet, budget=self._budget)

    @staticmethod
    def _again(belief: Belief) -> Belief:
        from ggp.belief import Belief

        return Belief(belief.game, belief.role)


def drawn(table: Table, shares: Mapping[Term, float]) -> Likely:
    """Return how likely facts are in the form in which pages show it.

    On each cell stands what is most likely there, paler the less likely it is: the share of a piece is the probability
    that it is there. In hands is everything that may be in them. `facts` are the uncertain facts that are on no cell
    of a board, with their probabilities, likeliest first.
    """
    layout = table.layout
    best: dict[object, tuple[float, Term]] = {}
    certain: list[Term] = []
    rest: list[tuple[float, Term]] = []
    for fact, share in shares.items():
        cell = cell_of(layout, fact)
        if cell is None:
            if share < _CERTAIN:
                rest.append((share, fact))
        elif share >= _CERTAIN and stands(layout, fact):
            certain.append(fact)
        elif share >= _UNLIKELY and stands(layout, fact):
            best[cell] = max(best.get(cell, (0.0, fact)), (share, fact), key=lambda entry: entry[0])
    by_step: dict[int, list[Term]] = {_STEPS: certain} if certain else {}
    for share, fact in best.values():
        by_step.setdefault(_step(share), []).append(fact)
    held = _held(layout, shares)
    for share, _ in held.values():
        by_step.setdefault(_step(share), [])
    pieces: list[Drawn] = []
    over: list[Drawn] = []
    names: dict[str, str] = {}
    for step, facts in sorted(by_step.items(), reverse=True):
        in_hands = {place: Cell((piece,)) for place, (share, piece) in held.items() if _step(share) == step}
        view = View({**lay(layout, facts).cells, **in_hands}, ())
        seen = picture(table.scene, view)
        if step == _STEPS:
            pieces += [one.data() for one in seen.pieces]
            over += [one.data() for one in seen.over]
            names |= table.names(view)
            continue
        opacity = _PALEST + (1 - _PALEST) * step / _STEPS
        pieces += [group([one], opacity=opacity).data() for one in seen.pieces]
        over += [group([one], opacity=opacity).data() for one in seen.over]
        about = {cell_of(layout, fact): share for share, fact in best.values() if fact in facts}
        percent = {key_of(cell[1]): share for cell, share in about.items() if cell is not None}
        percent |= {key_of(place): held[place][0] for place in in_hands}
        for key, name in table.names(view).items():
            likely = f"{name} ({percent.get(key, 0.0):.0%} likely)"
            names[key] = f"{names[key]}, {likely}" if key in names else likely
    likeliest = sorted(rest, key=lambda entry: (-entry[0], entry[1].text))
    return {
        "pieces": pieces,
        "over": over,
        "names": names,
        "facts": [[fact.text, round(share, 4)] for share, fact in likeliest[:_MOST]],
        "more": max(0, len(likeliest) - _MOST),
        "uncertain": any(share < _CERTAIN for share in shares.values()),
    }


def _step(share: float) -> int:
    """Return how pale something is."""
    return _STEPS if share >= _CERTAIN else floor(share * _STEPS)


def _held(layout: Layout, shares: Mapping[Term, float]) -> dict[CellPlace, tuple[float, Piece]]:
    """Return what may be in hands, with its share, by the cells that it fills if all of it is there."""
    likeliest: dict[tuple[str, str, int], tuple[float, Term]] = {}
    for fact, share in shares.items():
        piece = held_piece(layout, fact)
        if piece is not None and not piece.blank and share >= _UNLIKELY:
            # There is one or another number of a thing.
            key = flatten(fact)[0], piece.owner or "", piece.held
            likeliest[key] = max(likeliest.get(key, (0.0, fact)), (share, fact), key=lambda entry: entry[0])
    chances = {held_piece(layout, fact): share for share, fact in likeliest.values()}
    cells = lay(layout, [fact for _, fact in likeliest.values()]).cells
    return {place: (chances[piece], piece) for place, cell in cells.items() for piece in cell.pieces[:1]}
