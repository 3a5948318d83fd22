"""The programs of a game as one C99 file without dependencies, whose rows are words of 64 bits, and so 64 lanes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from string import Template
from typing import Final, final

from gdl.codegen.netlist import NOT, A, B
from gdl.codegen.portable.game import PortableGame
from gdl.codegen.portable.programs import STORE, Piece, Program, Repeat

_FUNCTIONS: Final = {
    A & B: "{} & {}",
    A & (B ^ NOT): "{} & ~{}",
    (A ^ NOT) & B: "~{} & {}",
    A | B: "{} | {}",
    A ^ B: "{} ^ {}",
}

#: The functions for one state at a time. `out` is the row of results.
_COMMON: Final = Template("""\
/* ${title}: the rules of a game, made from a file in the Game Description Language.
 *
 * No function allocates memory or has state of its own: all of them work in a `${name}_work`, which the caller
 * provides. Moves are numbers: `${name}_moves[number]` is the text, and those of a role are consecutive. To have the
 * declarations alone, define ${upper}_DECLARATIONS before including this file.
 */
#ifndef ${upper}_H
#define ${upper}_H

#include <stdint.h>

enum {
  ${upper}_ROLES = ${roles},
  ${upper}_FACTS = ${facts},
  ${upper}_MOVES = ${moves},
  ${upper}_PERCEPTS = ${percepts},
  ${upper}_LANES = 64
};

/* The facts that hold: fact i is bit i % 8 of byte i / 8. */
typedef struct { uint8_t bits[(${upper}_FACTS + 7) / 8 + !${upper}_FACTS]; } ${name}_state;

/* Memory for one question at a time. */
typedef struct { uint64_t rows[${rows}]; } ${name}_work;

extern const char *const ${name}_roles[${roles}];
extern const char *const ${name}_facts[${facts_or_one}];
extern const char *const ${name}_moves[${moves_or_one}];
/* The first move of each role; those of role r end before ${name}_first_moves[r + 1]. */
extern const int ${name}_first_moves[${roles} + 1];
/* The text of each percept, and the role that perceives it. */
extern const char *const ${name}_percepts[${percepts_or_one}];
extern const int ${name}_perceivers[${percepts_or_one}];

/* Write the state in which the game begins. */
void ${name}_initial(${name}_state *state);

/* Write the numbers of a role's legal moves, at most as many as it has moves, and return how many there are. */
int ${name}_legal(${name}_work *work, const ${name}_state *state, int role, int *moves);

/* Return 1 if the game is over, else 0. */
int ${name}_terminal(${name}_work *work, const ${name}_state *state);

/* Write the goal of each role, from 0 to 100, or -1 for one that has none, or several. */
void ${name}_goals(${name}_work *work, const ${name}_state *state, int *goals);

/* Write the state after the moves of all roles, which must be legal. `next` may be the same as `state`. If `percepts`
 * is not NULL, write the numbers of what is perceived, and their count to `*perceived`. */
void ${name}_next(${name}_work *work, const ${name}_state *state, const int *moves, ${name}_state *next,
                  int *percepts, int *perceived);
$playouts_declared
#endif

#ifndef ${upper}_DECLARATIONS

$tables
$code
void ${name}_initial(${name}_state *state) {
  static const uint8_t bits[sizeof(state->bits)] = {$init};
  for (unsigned i = 0; i < sizeof(bits); i++) state->bits[i] = bits[i];
}

static void put(${name}_work *work, const ${name}_state *state, uint64_t lanes) {
  work->rows[0] = 0;
  work->rows[1] = ~(uint64_t)0;
  for (int i = 0; i < ${upper}_FACTS; i++) work->rows[$first_fact + i] = (state->bits[i / 8] >> i % 8 & 1) ? lanes : 0;
}

static void look_at(${name}_work *work, const ${name}_state *state) {
  put(work, state, 1);
  look(work->rows);
}

/* Read the goals of a lane from rows. */
static void read_goals(const uint64_t *rows, int lane, int *goals) {
  int seen[${roles}] = {0};
  for (int role = 0; role < ${roles}; role++) goals[role] = -1;
  for (int i = 0; i < $goal_count; i++) {
    if (rows[i] >> lane & 1) {
      goals[goal_role[i]] = seen[goal_role[i]]++ ? -1 : goal_value[i];
    }
  }
}

int ${name}_legal(${name}_work *work, const ${name}_state *state, int role, int *moves) {
  int count = 0;
  look_at(work, state);
  for (int i = ${name}_first_moves[role]; i < ${name}_first_moves[role + 1]; i++) {
    if (work->rows[$out + 1 + i] & 1) moves[count++] = i;
  }
  return count;
}

int ${name}_terminal(${name}_work *work, const ${name}_state *state) {
  look_at(work, state);
  return (int)(work->rows[$out] & 1);
}

void ${name}_goals(${name}_work *work, const ${name}_state *state, int *goals) {
  look_at(work, state);
  read_goals(work->rows + $out + 1 + ${upper}_MOVES, 0, goals);
}

void ${name}_next(${name}_work *work, const ${name}_state *state, const int *moves, ${name}_state *next,
                  int *percepts, int *perceived) {
  put(work, state, 1);
  for (int i = 0; i < ${upper}_MOVES; i++) work->rows[$first_move + i] = 0;
  for (int role = 0; role < ${roles}; role++) work->rows[$first_move + moves[role]] = 1;
  move(work->rows);
  for (unsigned i = 0; i < sizeof(next->bits); i++) next->bits[i] = 0;
  for (int i = 0; i < ${upper}_FACTS; i++) next->bits[i / 8] |= (uint8_t)((work->rows[$out + i] & 1) << i % 8);
  if (percepts && perceived) {
    *perceived = 0;
    for (int i = 0; i < ${upper}_PERCEPTS; i++) {
      if (work->rows[$out + ${upper}_FACTS + i] & 1) percepts[(*perceived)++] = i;
    }
  }
}
$playouts
#endif
""")

_DECLARED: Final = Template("""
/* Make 64 random playouts side by side, each of at most about `plies` plies, and write the goals of each: those of
 * playout i are goals[i]. A role without a goal has -1, as all have where a playout is not over. Random numbers
 * are drawn from `seed`, which must not be zero, and which is replaced. Return how many playouts are over. */
int ${name}_playouts(${name}_work *work, const ${name}_state *state, uint64_t seed[2], int plies,
                     int goals[${upper}_LANES][${upper}_ROLES]);
""")

_PLAYOUTS: Final = Template("""
int ${name}_playouts(${name}_work *work, const ${name}_state *state, uint64_t seed[2], int plies,
                     int goals[${upper}_LANES][${upper}_ROLES]) {
  uint64_t *const rows = work->rows;
  int over = 0;
  put(work, state, ~(uint64_t)0);
  begin(rows);
  for (int i = 0; i < plies && ~rows[$over]; i += $plies) {
    for (int j = 0; j < $randoms; j++) { /* xoroshiro128+ (Blackman and Vigna, 2018) */
      const uint64_t a = seed[0], b = seed[0] ^ seed[1];
      rows[$random + j] = seed[0] + seed[1];
      seed[0] = (a << 24 | a >> 40) ^ b ^ b << 16;
      seed[1] = b << 37 | b >> 27;
    }
    step(rows);
    for (int j = 0; j < $size; j++) rows[$state + j] = rows[$next + j];
  }
  finish(rows);
  for (int lane = 0; lane < ${upper}_LANES; lane++) {
    read_goals(rows + $ends, lane, goals[lane]);
    if (rows[$ends + $goal_count] >> lane & 1) {
      for (int role = 0; role < ${roles}; role++) goals[lane][role] = -1;
    } else {
      over++;
    }
  }
  return over;
}
""")


def c_file(game: PortableGame, title: str, name: str) -> str:
    """Return the text of a file for a game; `name` is what all names begin with: an identifier."""
    about, playouts = game.about(), game.playouts
    owners = [role for role, _ in about["moves"]]
    firsts = [owners.index(role) if role in owners else 0 for role in range(len(about["roles"]))]
    for role in reversed(range(len(firsts))):  # one without moves has an empty range
        if role not in owners:
            firsts[role] = firsts[role + 1] if role + 1 < len(firsts) else len(owners)
    values = {
        "title": _comment(title),
        "name": name,
        "upper": name.upper(),
        "roles": len(about["roles"]),
        "facts": len(about["facts"]),
        "moves": len(owners),
        "percepts": len(about["percepts"]),
        "facts_or_one": max(1, len(about["facts"])),
        "moves_or_one": max(1, len(owners)),
        "percepts_or_one": max(1, len(about["percepts"])),
        "rows": game.rows,
        "first_fact": game.facts,
        "first_move": game.does,
        "out": game.results,
        "init": _numbers(_bits(game.game.init)),
        "goal_count": len(about["goals"]),
        "playouts": "",
        "playouts_declared": "",
    }
    writer = _Writer()
    writer.program("look", game.look)
    writer.program("move", game.move)
    if playouts is not None:
        writer.program("begin", playouts.begin)
        writer.program("step", playouts.step)
        writer.program("finish", playouts.finish)
        values |= {
            "size": playouts.next - playouts.state,
            "over": playouts.over,
            "state": playouts.state,
            "next": playouts.next,
            "random": playouts.random,
            "randoms": playouts.randoms,
            "ends": playouts.results,
            "plies": playouts.plies,
        }
        values["playouts"] = _PLAYOUTS.substitute(values)
        values["playouts_declared"] = _DECLARED.substitute(values)
    tables = [
        _table(f"const char *const {name}_roles", map(_quoted, about["roles"])),
        _table(f"const char *const {name}_facts", map(_quoted, about["facts"])),
        _table(f"const char *const {name}_moves", (_quoted(move) for _, move in about["moves"])),
        _table(f"const int {name}_first_moves", map(str, (*firsts, len(owners)))),
        _table(f"const char *const {name}_percepts", (_quoted(percept) for _, percept in about["percepts"])),
        _table(f"const int {name}_perceivers", (str(role) for role, _ in about["percepts"])),
        _table("static const int goal_role", (str(role) for role, _ in about["goals"])),
        _table("static const int goal_value", (str(value) for _, value in about["goals"])),
    ]
    return _COMMON.substitute(values, tables="\n".join(tables), code="\n".join(writer.lines))


def identifier(text: str) -> str:
    """Return the identifier that is most like a text."""
    found = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return found if found[:1].isalpha() else f"game_{found}".rstrip("_")


@final
class _Writer:
    """The functions of programs."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def program(self, name: str, program: Program) -> None:
        calls = [f"  {self._part(part)}(r);" for part in program.parts]
        self.lines += [f"static void {name}(uint64_t *const r) {{", *(calls or ["  (void)r;"]), "}", ""]

    def _part(self, part: Piece | Repeat) -> str:
        if isinstance(part, Piece):
            body = [*_statements(part)]
        else:
            calls = [f"    {self._part(inner)}(r);" for inner in part.body]
            body = [f"  r[{row}] = 0;" for row, _ in part.variables]
            body += ["  for (uint64_t changed = 1; changed;) {", "    changed = 0;", *calls]
            for row, update in part.variables:
                body += [f"    changed |= r[{row}] ^ r[{update}];", f"    r[{row}] = r[{update}];"]
            body.append("  }")
        self._count += 1
        name = f"part_{self._count}"
        self.lines += [f"static void {name}(uint64_t *const r) {{", *body, "}", ""]
        return name


def _statements(piece: Piece) -> Iterator[str]:
    names = {value: f"r[{row}]" if row > 1 else ("~(uint64_t)0" if row else "0") for value, row in piece.loads.items()}
    for kind, arguments, result in piece.instructions:
        given = [names.get(value, f"v{value}") for value in arguments]
        if kind == STORE:
            yield f"  r[{result}] = {given[0]};"
        else:
            yield f"  const uint64_t v{result} = {_formula(kind, arguments, given)};"


def _formula(kind: int, arguments: Sequence[int], given: Sequence[str]) -> str:
    if kind == A ^ B and 1 in arguments:
        return f"~{given[1 - arguments.index(1)]}"
    return _FUNCTIONS[kind].format(*given)


def _bits(holds: Sequence[bool]) -> list[int]:
    return [sum(bit << place for place, bit in enumerate(holds[at : at + 8])) for at in range(0, len(holds), 8)] or [0]


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "0"


def _table(head: str, items: Iterable[str]) -> str:
    lines = ",\n".join(f"  {item}" for item in items) or "  0"
    return f"{head}[] = {{\n{lines}\n}};\n"


def _quoted(text: str) -> str:
    """Return a text as a string of C, in UTF-8; octal escapes have three digits, so none runs into what follows."""
    safe = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in text.encode())
    return '"' + "".join(safe) + '"'


def _comment(text: str) -> str:
    return re.sub(r"[*/\\]+", " ", " ".join(text.split()))
