"""Wrong rewrites planted by hand, which the tests and the check of each compiled game have to catch.

    PYTHONPATH=.:tests python -m support.mutants --net            # by the check when games are compiled, alone
    PYTHONPATH=.:tests python -m support.mutants --tests          # by the tests of the module, and those of all games
    PYTHONPATH=.:tests python -m support.mutants --tests --only ends-unproved

Each is a slip that a maintainer could make, and changes some answer of some game. It is made in a copy of `gdl`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, Final, NamedTuple
from unittest.mock import patch

ROOT: Final = Path(__file__).parent.parent.parent

#: The seconds after which a run on one mutant is stopped.
_TIMEOUT: Final = 1_500


class Mutant(NamedTuple):
    """A text in a module of `gdl`, where it occurs once, and what is written in its place."""

    name: str
    path: str
    old: str
    new: str


GROUNDER: Final = [
    Mutant(
        "constants-of-a-part-unread",
        "grounder/moves_in_parts.py",
        "if not isinstance(arg, Variable) or arg in read or arg in often",
        "if arg in read or arg in often",
    ),
    Mutant(
        "decided-by-another-rule",
        "grounder/moves_in_parts.py",
        "decided &= set(_first(other, parts.split) or ()) if _told(other, parts.split) == known else set()",
        "pass",
    ),
    Mutant(
        "first-part-told-twice",
        "grounder/moves_in_parts.py",
        " or arg in often",
        "",
    ),
    Mutant(
        "facts-lost-between-both-parts",
        "grounder/moves_in_parts.py",
        "if _hands_on(rule) and _is_general(rule.head.args[0]):",
        "if _hands_on(rule):",
    ),
    Mutant(
        "free-without-limits",
        "grounder/free_columns.py",
        "for other in (kind.rest(atom), *(_on(limit, atom) for limit in sorted(kind.limits)))",
        "for other in (kind.rest(atom),)",
    ),
    Mutant(
        "free-where-something-is-asked",
        "grounder/free_columns.py",
        "if limits and len(limits) == len(asked) and all(limits):",
        "if any(limits):",
    ),
    Mutant(
        "kinds-with-limits-of-others",
        "grounder/free_columns.py",
        " and kind.limits == {limit for limit in most.limits if not kind.free.isdisjoint(limit[1])}",
        "",
    ),
    Mutant(
        "fact-set-by-others",
        "grounder/constant_facts.py",
        " and not any(overlap(other, atom) for other in others)",
        "",
    ),
    Mutant(
        "fact-kept-on-a-condition",
        "grounder/constant_facts.py",
        "if rule.body == (Literal(fact),) else",
        "if Literal(fact) in rule.body else",
    ),
    Mutant(
        "fact-kept-in-part",
        "grounder/constant_facts.py",
        "any(subsumes(other, atom) for other in handed_on)",
        "any(overlap(other, atom) for other in handed_on)",
    ),
    Mutant(
        "breaks-if-satisfied",
        "grounder/projection.py",
        "body: list[Condition] = [move, replace(condition, negated=not condition.negated)]",
        "body: list[Condition] = [move, replace(condition, negated=condition.negated)]",
    ),
    Mutant(
        "any-role-breaks",
        "grounder/projection.py",
        '"needs", (move,), {*role, inside}, static=False',
        '"needs", (move,), {inside}, static=False',
    ),
    Mutant(
        "columns-by-name",
        "grounder/projection.py",
        "return Literal(Atom(name, tuple(args)))",
        "return Literal(Atom(name, tuple(sorted(args, key=str))))",
    ),
    Mutant(
        "wider-part-keeps-its-own",
        "grounder/projection.py",
        "[*wider.conditions, *taken] if wider is not None else taken",
        "list(wider.conditions) if wider is not None else taken",
    ),
    Mutant(
        "graph-without-questions",
        "grounder/magic_sets.py",
        "graph = DependencyGraph([*rules, *asking])",
        "graph = DependencyGraph(rules)",
    ),
    Mutant(
        "rows-not-asked-by-negations",
        "grounder/magic_sets.py",
        "for literal in rule.literals() if literal.atom.signature in large]",
        "for literal in rule.literals() if literal.atom.signature in large and not literal.negated]",
    ),
    Mutant(
        "columns-not-wanted-by-negations",
        "grounder/magic_sets.py",
        "enumerate(literal.atom.args if relation in self._wide else ())",
        "enumerate(literal.atom.args if relation in self._wide and not literal.negated else ())",
    ),
    Mutant(
        "unlimited-wish-forgotten",
        "grounder/magic_sets.py",
        "                    self._needed[relation, column] = None",
        "                    continue",
    ),
    Mutant(
        "domain-is-empty",
        "grounder/aspif.py",
        "true = reader.facts | (reader.choices - open_atoms)",
        "true = set(reader.facts)",
    ),
    Mutant(
        "negated-fact-dropped",
        "grounder/aspif.py",
        "any(-literal in true if literal < 0 else literal in false for literal in body)",
        "any(literal in false for literal in body)",
    ),
    Mutant(
        "facts-have-no-names",
        "grounder/aspif.py",
        "self.names[symbol.decode()] = numbers(atoms[0]) if atoms else ALWAYS",
        "self.names.update({symbol.decode(): numbers(atom) for atom in atoms})",
    ),
    Mutant(
        "rules-of-percepts-dropped",
        "grounder/tables.py",
        "*goal.values(), *sees.values(), *following.values()",
        "*goal.values(), *following.values()",
    ),
    Mutant(
        "roles-by-name",
        "grounder/tables.py",
        "dict.fromkeys([*declared, *derived])",
        "dict.fromkeys([*derived, *declared])",
    ),
    Mutant(
        "variable-captured",
        "language/resolution.py",
        "for number in count()) if new not in taken)",
        "for number in count()))",
    ),
    Mutant(
        "first-definition-only",
        "grounder/unfolding.py",
        "if len(own) == 1 and len({arg",
        "if len({arg",
    ),
    Mutant(
        "one-more-not-counted",
        "grounder/counts.py",
        "return Count(before | {last}, same | {number + 1 for number in more})",
        "return Count(before | {last}, same | more)",
    ),
    Mutant(
        "never-all-of-them",
        "grounder/counts.py",
        "frozenset(range(len(count.atoms) + 1)) - count.numbers",
        "frozenset(range(len(count.atoms))) - count.numbers",
    ),
    Mutant(
        "symmetry-but-for-goals",
        "grounder/symmetry_graph.py",
        "tables = (program.next, program.legal, program.goal)",
        "tables = (program.next, program.legal)",
    ),
]

CIRCUIT: Final = [
    Mutant(
        "stronger-literal-dropped",
        "circuit/gates.py",
        "found.discard(follows)",
        "found.discard(literal)",
    ),
    Mutant(
        "some-of-any-group",
        "circuit/gates.py",
        "if group.exact and 2 * count > len(group.nodes)]",
        "if 2 * count > len(group.nodes)]",
    ),
    Mutant(
        "one-round-too-few",
        "circuit/build/ground_program.py",
        "            for _ in atoms:\n",
        "            for _ in atoms[1:]:\n",
    ),
    Mutant(
        "or-taken-for-and",
        "circuit/build/ground_program.py",
        "conjuncts = () if literal & 1 else circuit.fanins[literal >> 1]",
        "conjuncts = circuit.fanins[literal >> 1]",
    ),
    Mutant(
        "greatest-fixpoint",
        "circuit/sampling.py",
        "found = [0] * len(loop.variables)",
        "found = [full] * len(loop.variables)",
    ),
    Mutant(
        "wrong-carry",
        "circuit/build/counting.py",
        "circuit.and_([odd ^ 1, a])",
        "circuit.and_([odd, a])",
    ),
    Mutant(
        "last-row-of-pairs-lost",
        "circuit/build/counting.py",
        "sum(self.pairs << a * width for a in range(len(first) + 1))",
        "sum(self.pairs << a * width for a in range(len(first)))",
    ),
    Mutant(
        "highest-bit-lost",
        "circuit/build/counting.py",
        "bits[: len(atoms).bit_length()]",
        "bits[: (len(atoms) - 1).bit_length()]",
    ),
    Mutant(
        "absorbed-by-opposite",
        "circuit/build/factoring.py",
        "if not product.isdisjoint(singles):",
        "if not product.isdisjoint(single ^ 1 for single in singles):",
    ),
    Mutant(
        "constants-are-false",
        "circuit/proofs/invariants.py",
        "replaced = {1 + number: TRUE if holds else FALSE for",
        "replaced = {1 + number: FALSE for",
    ),
    Mutant(
        "every-group-is-exact",
        "circuit/proofs/invariants.py",
        "groups = [Group(nodes, nodes in least) for nodes in most]",
        "groups = [Group(nodes, exact=True) for nodes in most]",
    ),
    Mutant(
        "first-facts-stay",
        "circuit/proofs/closure.py",
        "            self._follow(literal ^ 1, game.fact(number) + 1)\n",
        "",
    ),
    Mutant(
        "proved-by-what-was-dropped",
        "circuit/proofs/induction.py",
        " and due.isdisjoint(broken)}",
        "}",
    ),
    Mutant(
        "ends-unproved",
        "circuit/proofs/ends.py",
        "proved = holding(game, (), claims, None, Effort(), math.inf, step=True)",
        "proved = claims",
    ),
    Mutant(
        "or-needs-all",
        "circuit/move_rows.py",
        "frozenset.intersection(*sets) if top & 1 else frozenset().union(*sets)",
        "frozenset().union(*sets)",
    ),
    Mutant(
        "two-choose-at-once",
        "circuit/move_rows.py",
        "if len(parts) < 2 or max(busy) > 1:",
        "if len(parts) < 2:",
    ),
    Mutant(
        "known-but-not-of-images",
        "circuit/movers_side.py",
        "sided = replace(\n        common,",
        "sided = replace(\n        known,",
    ),
    Mutant(
        "phases-always-strict",
        "circuit/phases.py",
        "after = (*games[1:], games[0]) if strict else (game,) * len(games)",
        "after = (*games[1:], games[0])",
    ),
    Mutant(
        "exact-without-a-member",
        "circuit/playout_step.py",
        "Group(nodes, group.exact and len(nodes) == len(group.nodes))",
        "Group(nodes, group.exact)",
    ),
    Mutant(
        "row-without-keys",
        "circuit/playout_step.py",
        "append((literal, *keys))",
        "append((literal,))",
    ),
    Mutant(
        "all-facts-persist",
        "circuit/playout_step.py",
        "if rebuilding.literal(literal) == 2 * (1 + fact)}",
        "if rebuilding.literal(literal) >= FALSE}",
    ),
    Mutant(
        "facts-of-goals-lost",
        "circuit/analysis/dependence.py",
        "_facts_of(game.circuit, [game.terminal, *game.goals.values()], count, set())",
        "_facts_of(game.circuit, [game.terminal], count, set())",
    ),
    Mutant(
        "all-of-a-false-and",
        "circuit/analysis/dependence.py",
        "        if literal & 1:  # the AND holds, so all its inputs hold\n            stack += [fanin ^ 1 for",
        "        stack += [fanin ^ (literal & 1) for",
    ),
    Mutant(
        "wrong-field-read",
        "circuit/serialization.py",
        'always_moves=frozenset(numbers["always_moves"])',
        'always_moves=frozenset(numbers["one_goal"])',
    ),
]

CODEGEN: Final = [
    Mutant("wrong-majority", "codegen/netlist.py", "(A & B) | (A & C) | (B & C)", "(A & B) | (A & C)"),
    Mutant(
        "equal-arguments",
        "codegen/netlist.py",
        "low = cofactor(cofactor(table, left, 0), right, 0)",
        "low = cofactor(cofactor(table, left, 0), right, 1)",
    ),
    Mutant(
        "negation-of-update-lost",
        "codegen/technology_mapping.py",
        "self.netlist.close_loop(variables, [self.signal(literal) for literal in loop.updates])",
        "self.netlist.close_loop(variables, [self.signal(literal & ~1) for literal in loop.updates])",
    ),
    Mutant("last-move-never-drawn", "codegen/random_choice.py", "        fits = ONES\n", "        fits = ZEROS\n"),
    Mutant(
        "wrong-borrow",
        "codegen/random_choice.py",
        "borrow = netlist.operation(((A ^ NOT) & (B | C)) | (B & C), mine, theirs, borrow)",
        "borrow = netlist.operation((A ^ NOT) & (B | C), mine, theirs, borrow)",
    ),
    Mutant(
        "third-for-second",
        "codegen/random_choice.py",
        "A & (B ^ C ^ NOT), rows[1], rows[0], drawn[0]",
        "A & (B ^ C), rows[1], rows[0], drawn[0]",
    ),
    Mutant(
        "ends-that-do-not-count",
        "codegen/playout_netlist.py",
        "part.ended = ended = netlist.and_(over, places.active)",
        "part.ended = ended = over",
    ),
    Mutant(
        "resting-lane-is-stuck",
        "codegen/playout_netlist.py",
        "netlist.operation(A | (B & (C ^ NOT)), state.stuck, stuck, state.over)",
        "netlist.or_(state.stuck, stuck)",
    ),
    Mutant(
        "end-in-another-phase",
        "codegen/playout_netlist.py",
        "return terminal if ply.phase is None else self.netlist.and_(terminal, moved)",
        "return terminal",
    ),
    Mutant(
        "side-without-a-move",
        "codegen/playout_netlist.py",
        "netlist.operation(A ^ B, before.side, moved) if self.sides",
        "netlist.not_(before.side) if self.sides",
    ),
    Mutant(
        "goals-of-the-other-role",
        "codegen/playout_netlist.py",
        "rows[1 - role, value], row)",
        "row, rows[1 - role, value])",
    ),
    Mutant(
        "two-goals-count",
        "codegen/playout_netlist.py",
        "valid = netlist.operation(A & B & (C ^ NOT), finished, some, twice)",
        "valid = netlist.operation(A & B, finished, some, twice)",
    ),
    Mutant(
        "limit-one-ply-early",
        "codegen/playout_netlist.py",
        "carry, longer = moved, ZEROS",
        "carry, longer = moved, ONES",
    ),
    Mutant(
        "sign-of-coefficient",
        "codegen/coefficients.py",
        "ones, zeros = (off, on) if negated else (on, off)",
        "ones, zeros = (on, off) if negated else (off, on)",
    ),
    Mutant(
        "coefficients-exchanged",
        "codegen/coefficients.py",
        "body.operation(CHOOSE, leaves[place], one, zero)",
        "body.operation(CHOOSE, leaves[place], zero, one)",
    ),
    Mutant(
        "slice-skipped-if-unsure",
        "codegen/cutting.py",
        "all(known.get(signal) is False for signal in following)",
        "all(known.get(signal) is not True for signal in following)",
    ),
    Mutant(
        "facts-replaced-before-read",
        "codegen/cutting.py",
        "(inside | own if slicing.in_place else inside) & (read_late | finals)",
        "inside & (read_late | finals)",
    ),
    Mutant(
        "mark-stays",
        "codegen/llvm/slice_loops.py",
        "run:\n{body}\n  store i8 0, ptr %mark.at\n",
        "run:\n{body}\n",
    ),
    Mutant(
        "home-of-another-value",
        "codegen/straight_line.py",
        "            self._homes.pop(owner, None)\n",
        "",
    ),
    Mutant(
        "stores-of-constants-lost",
        "codegen/instruction_order.py",
        "    for others in stores.values():\n        order += others\n",
        "",
    ),
    Mutant(
        "loop-not-evaluated-anew",
        "codegen/changes.py",
        "    read.update(literal >> 1 for literal in loop.updates)\n",
        "",
    ),
    Mutant(
        "terminal-taken-for-a-move",
        "codegen/evaluation.py",
        "enumerate(look.outputs[1 : 1 + moving.moves])",
        "enumerate(look.outputs[: moving.moves])",
    ),
    Mutant(
        "row-reused-too-early",
        "codegen/interpreter/allocation.py",
        "all(self.last.get(other, -1) <= number for",
        "all(self.last.get(other, -1) <= number + 1 for",
    ),
    Mutant(
        "input-that-matters-dropped",
        "codegen/truth_tables.py",
        "if low_on & high_off or low_off & high_on:",
        "if low_on & high_off:",
    ),
]

MUTANTS: Final = [*GROUNDER, *CIRCUIT, *CODEGEN]

# Games

_N: Final = range(1, 17)

#: Small games, most of which need one kind of rewrite.
TOYS: Final = {
    # Facts that are kept in part, or until something happens; two roles that move at once; relations of many columns.
    "frames": """
(role white) (role black) (col 1) (col 2) (col 3) (init (cell 1 p)) (init (cell 2 q)) (init (cell 3 e)) (init (step 1))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (init (token ?x)) (col ?x)) (init (mark 1)) (init (mark 2)) (init fixed) (init (owner white))
(<= (next (mark 1)) (true (mark 1)))
(<= (next fixed) (true fixed))
(<= (next (token ?x)) (true (token ?x)) (not (taken ?x)))
(<= (taken ?x) (does white (go ?x ?x)))
(<= (next (owner ?r)) (true (owner ?r)))
(<= (next (owner black)) (does black (go 3 1)))
(<= (legal ?r (go ?x ?y)) (role ?r) (col ?x) (col ?y) (true (mark 1)))
(<= (legal ?r rest) (role ?r) (true (mark ?x)) (true fixed))
(<= (next (cell ?x ?p)) (true (cell ?x ?p)) (does ?r (go ?a ?b)) (distinct ?x ?a) (distinct ?x ?b))
(<= (next (cell ?x ?p)) (true (cell ?x ?p)) (does white rest) (does black rest))
(<= (next (cell ?b ?p)) (true (cell ?a ?p)) (does black (go ?a ?b)))
(<= (next (zone ?x ?p)) (true (cell ?x ?p)) (does ?r (go ?a ?b)) (apart ?x ?a ?b))
(<= (apart ?x ?a ?b) (col ?x) (col ?a) (col ?b) (distinct ?x ?a) (distinct ?x ?b))
(<= (beside ?y ?x ?p ?q) (true (cell ?y ?p)) (true (cell ?x ?q)) (less ?y ?x))
(less 1 2) (less 2 3) (less 1 3)
(<= (next (pair ?p ?q)) (beside 1 ?z ?p ?q))
(<= (next (pair ?q ?p)) (beside ?y ?x ?p ?q) (not (beside 2 3 ?p ?q)))
(<= (next (lone ?x)) (col ?x) (not (beside 1 2 p q)) (true (cell ?x p)))
(kind p big) (kind q big) (kind q small) (kind e small)
(<= (alike ?a ?b ?c) (kind ?a ?k) (kind ?b ?k) (kind ?c ?k))
(<= same (true (cell 1 ?s)) (true (cell 2 ?q)) (true (cell 3 ?r)) (alike ?s ?q ?r) (true (pair ?s ?t)) (alike ?t ?q ?s))
(<= (next (seen ?y ?x)) (true (cell ?x ?p)) (true (zone ?y ?p)) (true (step ?s)) (succ ?s ?z) (true (token ?x)))
(<= (next (used ?x)) (true (mark ?x)) (does white rest))
(<= (row ?x ?y ?p) (true (cell ?x ?p)) (true (cell ?y ?p)) (less ?x ?y))
(<= (next (deep ?x)) (true (cell ?x ?q)) (row ?x ?y ?p) (true (token ?y)))
(<= (next (level ?p)) (row 1 2 ?p)) (<= (next (steep ?p)) (kind ?p ?k) (not (row 2 3 ?p)))
(<= (far ?x ?y ?z) (col ?x) (col ?y) (col ?z) (distinct ?x ?y) (distinct ?y ?z))
(<= (next (seen 0 ?y)) (does white (go 1 ?y)) (far 1 ?y 2))
(<= (next (near ?x ?z)) (does black (go ?x ?z)) (not (far ?x 3 ?z)))
(<= (four ?a ?b ?c ?d) (kind ?a ?k) (kind ?b ?k) (kind ?c ?k) (kind ?d ?k))
(par 1 odd) (par 2 even) (par 3 odd) (<= (triple ?a ?b ?c) (par ?a ?k) (par ?b ?k) (par ?c ?k))
(<= (next boast) (true (cell 1 ?a)) (true (cell 2 ?b)) (true (cell 2 ?c)) (true (cell 1 ?d)) (four ?a ?b ?c ?d)
    (true (token ?e)) (true (token ?f)) (true (token ?g)) (triple ?e ?f ?g))
(<= (run ?a ?b ?c) (succ ?a ?b) (succ ?b ?c)) (<= (run ?a ?b ?c) (succ ?c ?b) (succ ?b ?a))
(<= (next ran) (true (step ?a)) (true (token ?b)) (true (token ?c)) (run ?a ?b ?c))
(<= terminal (true (step 6)))
(<= (goal ?r 100) (role ?r) same) (<= (goal ?r 10) (role ?r) (not same))
""",
    # Sixteen lights, whose number is counted along a path.
    "numbers": f"""
(role left) (role right) (init (turn left)) (init (step 0))
{" ".join(f"(light {n})" for n in _N)} {" ".join(f"(succ {n - 1} {n})" for n in _N)} (succ 16 17)
(<= (legal ?r (light ?n)) (true (turn ?r)) (light ?n) (not (true (red ?n))))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (turn right)) (true (turn left))) (<= (next (turn left)) (true (turn right)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (red ?n)) (does ?r (light ?n))) (<= (next (red ?n)) (true (red ?n)))
(<= (next (blue ?n)) (does right (light ?n))) (<= (next (blue ?n)) (true (blue ?n)))
(count red 0 0) (count blue 0 0)
(<= (count red ?n ?k) (succ ?m ?n) (count red ?m ?k) (light ?n) (not (true (red ?n))))
(<= (count red ?n ?l) (succ ?m ?n) (count red ?m ?k) (succ ?k ?l) (true (red ?n)))
(<= (count blue ?n ?k) (succ ?m ?n) (count blue ?m ?k) (light ?n) (not (true (blue ?n))))
(<= (count blue ?n ?l) (succ ?m ?n) (count blue ?m ?k) (succ ?k ?l) (true (blue ?n)))
(<= none (count red 16 0)) (<= some (not none))
(<= terminal (true (step 16)))
(<= more (count red 16 ?a) (count blue 16 ?b) (greater ?a ?b))
(<= (greater ?a ?b) (succ ?b ?a)) (<= (greater ?a ?c) (greater ?a ?b) (succ ?c ?b))
(<= (goal left 100) more) (<= (goal left 50) (not more) some) (<= (goal left 75) some)
(<= (goal left 0) (not more) none)
(<= (goal right ?k) (count blue 16 ?k))
""",
    # Which cells of a ring can be reached from one that moves.
    "ring": f"""
(role walker) (init (at 1)) (init (step 0)) {" ".join(f"(next-to {n} {n % 7 + 1})" for n in range(1, 8))}
{" ".join(f"(succ {n} {n + 1})" for n in range(12))}
(<= (init (open ?x)) (next-to ?x ?y))
(<= (reached ?x) (true (at ?x))) (<= (reached ?y) (reached ?x) (next-to ?x ?y) (true (open ?y)))
(<= (legal walker (jump ?y)) (reached ?y)) (<= (legal walker (close ?y)) (true (open ?y)))
(<= (legal walker stay) (true (at ?x)))
(<= (next (at ?y)) (does walker (jump ?y))) (<= (next (at ?x)) (true (at ?x)) (not jumps))
(<= jumps (does walker (jump ?y))) (<= jumps (does walker leave)) (<= (legal walker leave) (true (at ?x)))
(<= (next (open ?x)) (true (open ?x)) (not (does walker (close ?x))))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 12))) (<= terminal (not (reached 2)))
(<= (goal walker 100) (reached 7)) (<= (goal walker 30) (not (reached 7)))
""",
    # Turns that follow each other; what the first role begins with, the other one may get.
    "sides": """
(role one) (role two) (init (turn one)) (init (gun two)) (init (at one 1)) (init (at two 1)) (opponent one two)
(opponent two one) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (legal ?r (walk ?n)) (true (turn ?r)) (true (at ?r ?m)) (succ ?m ?n)) (<= (legal ?r wait) (true (turn ?r)))
(<= (legal ?r shoot) (true (turn ?r)) (true (gun ?r)))
(<= (legal ?r noop) (true (turn ?o)) (opponent ?o ?r))
(<= (next (turn two)) (true (turn one))) (<= (next (turn one)) (true (turn two)))
(<= (next (gun ?r)) (true (gun ?r)) (not (does ?r shoot)))
(<= (next (gun ?r)) (does ?r wait) (true (at ?r 1)) (true (at ?r 2)))
(<= (next (at ?r ?n)) (does ?r (walk ?n)))
(<= (next (at ?r ?n)) (true (at ?r ?n)) (not (walks ?r)) (not (shot ?r)))
(<= (next (at ?r 1)) (true (at ?r ?n)) (shot ?r))
(<= (walks ?r) (does ?r (walk ?n))) (<= (shot ?r) (opponent ?o ?r) (does ?o shoot))
(<= terminal (true (at ?r 5)))
(<= (goal ?r 100) (true (at ?r 5))) (<= (goal ?r 0) (role ?r) (not (true (at ?r 5))))
""",
    # A role that may be left without a move.
    "ways": """
(role r) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal r up) (true (at ?n)) (succ ?n ?m)) (<= (legal r off) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?m)) (does r up) (true (at ?n)) (succ ?n ?m)) (<= (next lost) (does r off))
(<= terminal (true (at 3))) (<= (goal r 100) (true (at 3))) (<= (goal r 0) (not (true (at 3))))
""",
    # A move that is legal for either of two reasons, and one that is legal if one of them is not given.
    "either": """
(role r) (init p) (init (ply 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal r m) (true p)) (<= (legal r m) (true q)) (<= (legal r n) (not (true p))) (legal r add)
(<= (next p) (does r n)) (<= (next p) (true p) (does r add)) (<= (next q) (does r add)) (<= (next q) (true q))
(<= (next got) (does r m)) (<= (next got) (true got) (not (does r add)))
(<= (next (ply ?m)) (true (ply ?n)) (succ ?n ?m))
(<= terminal (true (ply 6))) (<= (goal r 100) (true got) (true p)) (<= (goal r 50) (true got) (not (true p)))
(<= (goal r 0) (not (true got)))
""",
    # One of three states does not matter.
    "spare": """
(role r) (init (is x)) (init (ply 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal r go) (not (true (is y)))) (<= (legal r run) (true (is y))) (<= (legal r (wait ?n)) (true (ply ?n)))
(<= (legal r reset) (true (ply ?n)))
(<= (next (is y)) (does r go) (true (is x))) (<= (next (is z)) (does r run))
(<= (next (is z)) (does r go) (not (true (is x)))) (<= (next (is x)) (does r reset))
(<= (next (is y)) (does r (wait ?n)) (true (is y))) (<= (next (is x)) (does r (wait ?n)) (not (true (is y))))
(<= (next won) (does r go) (not (true (is x)))) (<= (next won) (true won))
(<= (next (ply ?m)) (true (ply ?n)) (succ ?n ?m))
(<= terminal (true (ply 6))) (<= (goal r 100) (true won)) (<= (goal r 0) (not (true won)))
""",
    # Phases that mostly follow each other; in one of them both roles choose; two goals at once.
    "phases": """
(role one) (role two) (init (phase a)) (init (is 1 x)) (init (is 2 y)) (init (is 3 z)) (init (age 0))
(after a b) (after b c) (after c a) (colour x) (colour y) (colour z) (num 1) (num 2) (num 3)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(<= (legal one (set ?n ?k)) (true (phase a)) (num ?n) (colour ?k) (not (true (is ?n x))) (not (true (is ?n y))))
(<= (legal one (set ?n ?k)) (true (phase a)) (num ?n) (colour ?k) (true (is ?n x)))
(<= (legal one again) (true (phase a))) (<= (legal one again) (true (phase c)))
(<= (legal one skip) (true (phase c))) (<= (next held) (does two hold))
(<= (legal one noop) (true (phase b))) (<= (legal one (mark ?n)) (true (phase c)) (num ?n))
(<= (legal two noop) (true (phase a))) (<= (legal two (turn ?n)) (true (phase b)) (num ?n) (true (is ?n y)))
(<= (legal two pass) (true (phase b)))
(<= (legal two (mark ?n)) (true (phase c)) (num ?n)) (<= (legal two hold) (true (phase c)))
(<= (next (phase ?q)) (true (phase ?p)) (after ?p ?q) (not (does one again)))
(<= (next (phase ?p)) (true (phase ?p)) (does one again))
(<= (next (age ?m)) (true (age ?n)) (succ ?n ?m))
(<= (next (is ?n ?k)) (does one (set ?n ?k))) (<= (next (is ?n z)) (does two (turn ?n)))
(<= (next (is ?n ?k)) (true (is ?n ?k)) (not (changed ?n)))
(<= (changed ?n) (does one (set ?n ?k))) (<= (changed ?n) (does two (turn ?n)))
(<= (next (marked ?r ?n)) (does ?r (mark ?n))) (<= (next (marked ?r ?n)) (true (marked ?r ?n)))
(<= terminal (true (age 9))) (<= terminal (true (marked two 2)) (true (phase c)))
(<= (goal one 100) (true (marked one 1))) (<= (goal one 50) (true (marked one 2)))
(<= (goal one 0) (not (true (marked one 1))) (not (true (marked one 2))))
(<= (goal two 90) (true (marked two 3)) (not (true (is 3 z)))) (<= (goal two 5) (not (true (marked two 3))))
(<= (goal two 33) (true held)) (<= (goal two 44) (true (marked two 1)))
""",
}


#: The same phases, always one after the other.
STRICT: Final = (
    TOYS["phases"]
    .replace(" (not (does one again))", "")
    .replace("(<= (next (phase ?p)) (true (phase ?p)) (does one again))", "")
)

#: As `sides`, but for the goals.
UNEVEN: Final = (
    TOYS["sides"]
    .replace("(goal ?r 0) (role ?r)", "(goal one 100) (true (at one 4))) (<= (goal ?r 0) (bad ?r)")
    .replace("(role two)", "(role two) (<= (bad two) (true (turn ?x))) (<= (bad one) (not (true (at one 4))))")
)


def toys() -> dict[str, str]:
    """Return the small games that are compiled in every way."""
    from codegen.test_slices import PICTURES, TRACES
    from grounder.test_magic_sets import ARRIVE, JOURNEY

    from support import toy_rules
    from support.random_games import random_game

    shared = {name.lower(): getattr(toy_rules, name) for name in ("NIM", "STUCK", "ENDLESS", "COIN")}
    drawn = {f"random game {number}": random_game(Random(number)) for number in (1, 2, 5)}
    journey = f"{JOURNEY}{ARRIVE} (<= (next (from 1 2)) (start ?x ?y 2))"
    journey += "(<= (start ?x ?y ?z) (true (from ?x ?y)) (does you (go ?z)))"
    return {
        **shared,
        **TOYS,
        "journey": journey,
        "uneven": UNEVEN,
        "strict": STRICT,
        "pictures": PICTURES,
        "traces": TRACES,
        **drawn,
    }


#: Games of which the circuit is compared, and those of which all code is.
SHIPPED: Final = ("classics/tic_tac_toe", "classics/breakthrough")


#: What stands for large games, as these take minutes: thresholds with which small ones are treated like them.
WAYS: Final[dict[str, dict[str, Any]]] = {
    "": {},
    "as a large game": {
        "gdl.grounder.magic_sets._LARGE": 10,
        "gdl.circuit.build.ground_program._UNFOLDED": 0,
        "gdl.circuit.build.counting._FEWEST": 2,
        "gdl.codegen.slices._SMALLEST": 0,
        "gdl.codegen.slices._SHARE": 0.2,
        "gdl.codegen.playout_netlist._LONG": -1,
        "gdl.codegen.playout_netlist._FEWER": 9.0,
        "gdl.codegen.playout_netlist._PHASED": 0.0,
        "gdl.codegen.straight_line.REGISTERS": (6, 6),
        "gdl.simulator.single_states.LARGEST_SINGLE": 0,
    },
    "in phases, interpreted": {
        "gdl.codegen.playout_netlist._LONG": -1,
        "gdl.codegen.playout_netlist._SMALLER": 9.0,
        "gdl.codegen.playout_netlist._FEWER": 0.0,
        "gdl.codegen.playout_netlist._PHASED": 9.0,
        "gdl.simulator.compiler.affordable": lambda *_: False,
    },
}


def compile_all() -> None:
    """Compile games in every way, with the check of each game; say what it finds first, and end.

    All circuits come first, as these take the least time.
    """
    import gdl

    texts = {**toys(), **{name: (ROOT / "games" / f"{name}.kif").read_text() for name in SHIPPED}}
    with tempfile.TemporaryDirectory() as folder:
        for ask, (way, settings) in product((ask_circuit, ask_code), WAYS.items()):
            with ExitStack() as stack:
                for target, value in settings.items():
                    stack.enter_context(patch(target, value))
                for name in [name for name in texts if not way or name not in SHIPPED]:
                    try:
                        ask(gdl.compile(texts[name], cache=f"{folder}/{way}")._compiler)
                    except gdl.MiscompiledError as error:
                        print(f"caught: {name}{way and ', '}{way}: {error.part}: {error.atom}")
                        return
    print("missed")


def ask_circuit(compiler: Any) -> None:
    """Make the circuit, unless it is cached."""
    _ = compiler.game


def ask_code(compiler: Any) -> None:
    """Make code of every kind."""
    compiler.states()
    compiler.arrays(percepts=True)
    compiler.columns()
    compiler.once()
    compiler.playouts(6, given=False)
    compiler.playouts(6, given=True)


# Runs


def mutated(mutant: Mutant, folder: Path) -> None:
    """Copy the package into a folder, with a mutant."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "gdl", folder / "gdl", ignore=ignored)
    module = folder / "gdl" / mutant.path
    text = module.read_text()
    if text.count(mutant.old) != 1:
        raise ValueError(
            f"{mutant.name}: {mutant.path} has the text to replace {text.count(mutant.old)} times, not once"
        )
    module.write_text(text.replace(mutant.old, mutant.new))


def by_net(mutant: Mutant, cache: Path) -> str:
    """Return what the check of each compiled game finds."""
    with tempfile.TemporaryDirectory() as folder:
        mutated(mutant, Path(folder))
        run = child([sys.executable, "-m", "support.mutants", "--games"], folder, {"GDL_CACHE": str(cache)})
    lines = (run.stdout.strip() or run.stderr.strip()).splitlines()
    last = lines[-1] if lines else f"ended with {run.returncode}"
    return last if run.returncode == 0 else f"crashed: {last}"


def by_tests(mutant: Mutant, _: Path) -> str:
    """Return the first test that fails, of those next to the module and of all games."""
    package, *_, module = Path(mutant.path).with_suffix("").parts
    own = sorted((ROOT / "tests" / package).rglob(f"test_{module}*.py"))
    near = (package, "simulator", "test_random_games.py", "codegen", "circuit", "grounder")
    tests = dict.fromkeys([*own, *(ROOT / "tests" / name for name in near)])
    with tempfile.TemporaryDirectory() as folder:
        mutated(mutant, Path(folder))
        # Where pytest finds its configuration, it looks for the tests' modules, too.
        shutil.copytree(ROOT / "tests", Path(folder) / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        for name in ("ggp", "games"):
            (Path(folder) / name).symlink_to(ROOT / name)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no"]
        others: list[str] = []
        while True:
            run = child([*command, *others, *(str(one.relative_to(ROOT)) for one in tests)], folder, {})
            failed = re.search(r"^(?:FAILED|ERROR) (tests/.*?)(?: - |$)", run.stdout, re.MULTILINE)
            if failed is None:
                return "missed" if run.returncode == 0 else f"crashed: {run.stdout[-200:]}"
            if child([*command, failed[1]], str(ROOT), {}).returncode == 0:
                return f"caught: {failed[1]}"
            others.append(f"--deselect={failed[1]}")  # the mutant has nothing to do with it


def child(command: list[str], folder: str, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command on the copy in a folder."""
    path = os.pathsep.join([folder, str(ROOT / "tests")] if "--games" in command else [folder])
    environment = {**os.environ, "PYTHONPATH": path, **more}
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", "it took too long")


def main() -> None:
    """Try mutants, and say how many were caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these mutants; all by default")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--net", action="store_const", dest="how", const=by_net)
    how.add_argument("--tests", action="store_const", dest="how", const=by_tests)
    how.add_argument("--games", action="store_true", help="compile the games with the package that is imported")
    options = parser.parse_args()
    if options.games:
        compile_all()
        return
    chosen = [mutant for mutant in MUTANTS if options.only is None or mutant.name in options.only]
    caught = 0
    with tempfile.TemporaryDirectory() as cache:
        for mutant in chosen:
            begun = perf_counter()
            found = options.how(mutant, Path(cache))
            caught += found != "missed"
            print(f"{mutant.name:34} {perf_counter() - begun:4.0f} s  {found}", flush=True)
    print(f"{caught} of {len(chosen)} caught")


if __name__ == "__main__":
    main()
