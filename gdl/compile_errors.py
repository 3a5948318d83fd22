"""The errors of the compiler: rules that cannot be compiled, or not within the budget."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.errors import GdlError

#: The budgets for compiling, as phrased in messages.
_BUDGETS = {"seconds": "more seconds", "rules": "more ground rules", "memory": "more memory"}


#: Longer texts of states and joint moves are cut in messages.
_LONGEST = 200


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


class CompileError(GdlError):
    """The rules of a file cannot be compiled within the budget (`gdl.CompileBudget`).

    `stage` names what was being done, and `budget` the limit that was exceeded: "seconds", "rules" or "memory".
    `relations` are the relations that cause most of the work, each with the number of its `counted` parts (ground rules
    or gates).
    """

    code = "not-compiled"
    #: The parts that are counted in `relations`, as phrased in messages.
    counted = "gates"

    def __init__(self, file: str, stage: str, budget: str | None, relations: Sequence[tuple[str, int]] = ()) -> None:
        """Name the file, the stage, the budget and the relations."""
        self.file = file
        self.stage = stage
        self.budget = budget
        self.relations = tuple((relation, count) for relation, count in relations)
        super().__init__(file, stage, budget, self.relations)

    def __str__(self) -> str:
        """Return the file, the code, the stage, the exceeded budget and its largest relations."""
        sizes = " and ".join(f"{relation} ({count:,} so far)" for relation, count in self.relations)
        explosion = f"; most {self.counted} are for {sizes}" if sizes else ""
        if any(relation.startswith("legal (") for relation, _ in self.relations):
            explosion += f"; moves of fewer arguments, chosen over several plies, need fewer {self.counted}"
        more = _BUDGETS[self.budget or "seconds"]
        return f"{self.file}: {self.code}: {self.stage} needs {more} than allowed{explosion}"


class GroundingError(CompileError):
    """The rules of a file cannot be grounded.

    `budget` is None if clingo cannot be run, and `reason` says why. `relations` are the relations with the most ground
    rules at the point where the budget was exceeded; otherwise, `reason` says which rule of the first one is to blame,
    how many combinations it may have, and how to have fewer.
    """

    code = "not-grounded"
    counted = "ground rules"

    def __init__(
        self, file: str, budget: str | None, relations: Sequence[tuple[str, int]] = (), reason: str | None = None
    ) -> None:
        """Name the file and the budget or the reason."""
        super().__init__(file, "grounding", budget, relations)
        self.reason = reason
        self.args = (file, budget, self.relations, reason)

    def __str__(self) -> str:
        """Return the file, the code, and the exceeded budget with its largest relations, or the reason."""
        if self.budget is None:
            return f"{self.file}: {self.code}: clingo cannot ground the rules: {self.reason}"
        return f"{super().__str__()}; {self.reason}" if self.reason else super().__str__()


class NotWholeError(CompileError):
    """Something takes a game that is compiled whole, but this one is a `PartialGame`.

    `need` is what takes it, in words, and `refusal` is the error for which the game is not compiled whole.
    """

    code = "not-whole"

    def __init__(self, refusal: CompileError, need: str) -> None:
        """Take the error and the need."""
        super().__init__(str(refusal.file), refusal.stage, refusal.budget, refusal.relations)
        self.refusal = refusal
        self.need = need
        self.args = (refusal, need)

    def __str__(self) -> str:
        """Return the file, the code, the need, why the game is not compiled whole, and what can be done."""
        why = str(self.refusal).removeprefix(f"{self.file}: {self.refusal.code}: ")
        return (
            f"{self.file}: {self.code}: {self.need} takes a game that is compiled whole, but {why}. "
            "Ask about one state at a time, shorten the rules for these relations, or raise the budget"
        )


class MiscompiledError(CompileError):
    """A compiled game differs from the rules: a defect of the compiler, found by its own check. The Reasoner is right.

    `part` is what was compared, `atom` is what differs, `expected` is True if it holds by the rules, `state` is the
    text of the state, and `moves` that of the joint move, if there is one. `report` is the file with all of this.
    """

    code = "miscompiled"

    def __init__(
        self, file: str, part: str, atom: str, expected: bool, state: str, moves: str, report: str | None
    ) -> None:
        """Take what differs, and the path of the report; None if none could be written."""
        super().__init__(file, "comparing with the rules", None)
        self.part = part
        self.atom = atom
        self.expected = expected
        self.state = state
        self.moves = moves
        self.report = report
        self.args = (file, part, atom, expected, state, moves, report)

    def __str__(self) -> str:
        """Return the file, the code, what differs, and where the report is."""
        holds = "holds by the rules" if self.expected else "does not hold by the rules"
        differs = "and not in the compiled game" if self.expected else "but does in the compiled game"
        after = f" after {_shortened(self.moves)}" if self.moves else ""
        where = f" in the state {_shortened(self.state)}" if self.state else ""
        report = f"; please report it, with {self.report}" if self.report else ""
        return f"{self.file}: {self.code}: {self.atom} {holds}, {differs} ({self.part}){after}{where}{report}"


class MakingError(GdlError):
    """The process that made a circuit has ended without one."""

    code = "process-died"
    template = "{0}: {code}: the process that compiles the rules has ended with status {1}"

    def __init__(self, file: str, status: int) -> None:
        """Take the rule file and the exit status of the process, negative for a signal."""
        self.file = file
        self.status = status
        super().__init__(file, status)
