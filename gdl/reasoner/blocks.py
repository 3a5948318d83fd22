"""Generated Python code as a tree of loops and conditions, which rules with the same prefix share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf

#: Python compiles at most 20 nested loops and 100 levels of indentation. Deeper code is moved into functions.
MAX_LOOPS = 16
MAX_DEPTH = 60

#: The number of steps that inner loops may take without a check of the budget, which would cost more than they do.
UNCHECKED_STEPS = 1_000


@dataclass(slots=True)
class Block:
    """A piece of code, and the blocks that follow inside it.

    `header` is a loop or a condition without its colon, or a plain statement, whose body follows at the same
    indentation. `search` marks a loop that is left at the first success. `rule` is the number of the rule whose path
    ends here. `most` is the greatest number of steps that a loop takes.
    """

    header: str = ""
    shared: bool = True
    search: bool = False
    comment: str = ""
    rule: int | None = None
    most: float = inf
    body: list[Block] = field(default_factory=list)

    @property
    def is_loop(self) -> bool:
        """True if the header is a loop."""
        return self.header.startswith("for ")

    @property
    def is_condition(self) -> bool:
        """True if the header is a condition."""
        return self.header.startswith("if ")


@dataclass(frozen=True, slots=True)
class Entry:
    """A block on the path of a rule, and the statements that fetch the tables that it reads."""

    header: str
    fetches: tuple[str, ...] = ()
    shared: bool = True
    search: bool = False
    comment: str = ""
    rule: int | None = None
    most: float = inf


def insert(root: Block, path: Iterable[Entry]) -> None:
    """Add a path to the tree, sharing existing blocks as far as they agree.

    Tables are fetched in front of the outermost loop, but inside the conditions around it, so that relations are only
    derived when they are needed.
    """
    entries = _hoisted(list(path))
    block = root
    fetched: set[str] = set()
    for entry in entries:
        position = len(block.body)
        if entry.shared:
            for i, child in enumerate(block.body):
                if child.shared and child.header == entry.header:
                    position = i
                    break
        fetched.update(child.header for child in block.body[:position])
        for fetch in entry.fetches:
            if fetch not in fetched:
                block.body.insert(position, Block(fetch))
                fetched.add(fetch)
                position += 1
        if position == len(block.body):
            block.body.append(Block(entry.header, entry.shared, entry.search, entry.comment, entry.rule, entry.most))
        block = block.body[position]


def _hoisted(entries: list[Entry]) -> list[Entry]:
    """Return the entries with all fetches inside loops moved in front of the outermost loop."""
    first = next((i for i, entry in enumerate(entries) if entry.header.startswith("for ")), len(entries))
    late = [fetch for entry in entries[first:] for fetch in entry.fetches]
    return [
        replace(e, fetches=tuple(late) if i == first else e.fetches if i < first else ()) for i, e in enumerate(entries)
    ]


def watch(blocks: Iterable[Block], rows: str) -> float:
    """Insert checks of the budget into loops that contain other loops, unless these are known to be short.

    A loop that contains no other is no longer than the table that it reads. `rows` is the expression for the rows found
    so far. Returns the greatest number of steps that all loops in the blocks take.
    """
    steps = 0.0
    for block in blocks:
        inner = max(1.0, watch(block.body, rows))
        if block.is_loop:
            if inner > UNCHECKED_STEPS:
                block.body.insert(0, check_of(rows, _first_rule(block.body)))
            inner *= block.most
        steps += inner
    return steps


def check_of(rows: str, rule: int) -> Block:
    """Return a check of the budget while a rule is applied, where one is due."""
    return Block("if due", body=[Block(f"check(c, {rows}, rules[{rule}])")])


def has_loop(blocks: Iterable[Block]) -> bool:
    """Return True if there is a loop in some blocks."""
    return any(block.is_loop or has_loop(block.body) for block in blocks)


def _first_rule(blocks: Sequence[Block]) -> int:
    """Return the number of the first rule whose path ends in some blocks."""
    stack = list(reversed(blocks))
    while stack:
        block = stack.pop()
        if block.rule is not None:
            return block.rule
        stack += reversed(block.body)
    raise ValueError("a path has no end")


def function_lines(blocks: Iterable[Block], indent: int) -> list[str]:
    """Return the lines of a function's body; code that is too deeply nested goes into inner functions at its start.

    Inner functions see the variables around them. They return True if the function that calls them has to return True.
    """
    deep: list[Block] = []
    lines = list(_render(blocks, indent, 0, 0, deep, searching=False))
    margin = "    " * indent
    functions = []
    for number, block in enumerate(deep):
        functions += [f"{margin}def rest_{number}():", *function_lines([block], indent + 1)]
    return functions + lines


def _render(
    blocks: Iterable[Block], indent: int, depth: int, loops: int, deep: list[Block], *, searching: bool
) -> Iterator[str]:
    """Yield the lines of some blocks.

    `depth` and `loops` count the conditions and loops around them. `searching` is True inside a loop that is left at
    the first success.
    """
    margin = "    " * indent
    for block in blocks:
        if block.comment:
            yield f"{margin}# {block.comment}"
        if not (block.is_loop or block.is_condition):
            yield margin + block.header
            yield from _render(block.body, indent, depth, loops, deep, searching=searching)
        elif depth >= MAX_DEPTH or (block.is_loop and loops >= MAX_LOOPS):
            yield f"{margin}if rest_{len(deep)}():"
            yield f"{margin}    return True"
            deep.append(block)
        else:
            header, body = _merged(block)
            yield f"{margin}{header}:"
            inner = loops + block.is_loop
            yield from _render(body, indent + 1, depth + 1, inner, deep, searching=searching or block.search)
            if block.search and searching:
                # If the inner loop was left, leave the outer one, too.
                yield f"{margin}else:"
                yield f"{margin}    continue"
                yield f"{margin}break"


def _merged(block: Block) -> tuple[str, list[Block]]:
    """Return the header and body of a block.

    A condition that contains nothing but another condition is merged with it, to reduce nesting.
    """
    header, body = block.header, block.body
    while block.is_condition and len(body) == 1 and body[0].is_condition and not body[0].comment:
        header += f" and {body[0].header[3:]}"
        body = body[0].body
    return header, body
