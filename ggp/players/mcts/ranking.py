"""Rank eight edges by UCT or PUCT at once, with vector instructions. This module loads Numba."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ggp.players.mcts.tree import BLOCK, EDGE_PROOF, GAP, PRIOR_ONE

_FLOAT = ir.FloatType()
_LOWEST = -1e30


def _of(kind: Any, number: float) -> Any:
    """Return a vector constant whose elements are all this number."""
    return ir.Constant(ir.VectorType(kind, BLOCK), [number] * BLOCK)


def _splat(builder: Any, number: Any) -> Any:
    kind = ir.VectorType(number.type, BLOCK)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK))


def _called(builder: Any, name: str, result: Any, *arguments: Any, flags: tuple[str, ...] = ()) -> Any:
    """Emit a call of an LLVM intrinsic. Without flags, its result is the same on every machine."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments, fastmath=flags)


def _loaded(builder: Any, address: Any, kind: Any) -> Any:
    pointer = builder.inttoptr(address, ir.VectorType(kind, BLOCK).as_pointer())
    return builder.load(pointer, align=8, typ=ir.VectorType(kind, BLOCK))


def _bits(builder: Any, truths: Any) -> Any:
    return builder.zext(builder.bitcast(truths, ir.IntType(BLOCK)), ir.IntType(64))


def _logarithm(builder: Any, number: Any) -> Any:
    """Emit the base-2 logarithm of a positive int32, to two digits: the exponent plus a parabola in the mantissa."""
    integer = ir.IntType(32)
    bits = builder.bitcast(builder.sitofp(number, _FLOAT), integer)
    exponent = builder.sitofp(builder.lshr(bits, ir.Constant(integer, 23)), _FLOAT)
    rest = builder.or_(builder.and_(bits, ir.Constant(integer, 0x7FFFFF)), ir.Constant(integer, 127 << 23))
    rest = builder.bitcast(rest, _FLOAT)
    curve = builder.fadd(builder.fmul(rest, ir.Constant(_FLOAT, -1 / 3)), ir.Constant(_FLOAT, 2))
    return builder.fadd(builder.fadd(exponent, ir.Constant(_FLOAT, -127 - 5 / 3)), builder.fmul(curve, rest))


def _bonus(builder: Any, proofs: Any, visits: Any, all_visits: Any, weight: Any) -> Any:
    """Emit what PUCT adds to the values of edges, whose priors are in place of proofs."""
    vector = ir.VectorType(_FLOAT, BLOCK)
    root = _called(builder, "llvm.sqrt.f32", _FLOAT, builder.sitofp(all_visits, _FLOAT), flags=("fast",))
    scale = builder.fmul(builder.fmul(root, weight), ir.Constant(_FLOAT, 1 / PRIOR_ONE))
    priors = builder.sitofp(builder.sub(_of(ir.IntType(32), -1), proofs), vector)
    after = builder.fadd(builder.sitofp(visits, vector), _of(_FLOAT, 1.0))
    return builder.fdiv(builder.fmul(priors, _splat(builder, scale)), after, flags=("fast",))


def _ranked(_context: Any, _values: Any, _numbers: Any, _visits: Any, _weights: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at, numbers_at, all_visits, weights = arguments
        weight, by_prior = (builder.extract_value(weights, number) for number in range(2))
        integer = ir.IntType(32)
        spread = builder.fmul(_logarithm(builder, all_visits), weight)
        vector = ir.VectorType(_FLOAT, BLOCK)
        shift = ir.Constant(ir.IntType(64), 4 * EDGE_PROOF)
        total = builder.fptrunc(_loaded(builder, at, ir.DoubleType()), vector)
        visits = _loaded(builder, numbers_at, integer)
        proofs = _loaded(builder, builder.add(numbers_at, shift), integer)
        share = builder.fdiv(_of(_FLOAT, 1.0), builder.sitofp(visits, vector))
        wide = _called(builder, f"llvm.sqrt.v{BLOCK}f32", vector, builder.fmul(_splat(builder, spread), share))
        upper = builder.fadd(builder.fmul(total, share), wide)
        upper = builder.fadd(upper, _bonus(builder, proofs, visits, all_visits, by_prior))
        real = builder.icmp_signed("!=", proofs, _of(integer, GAP))
        open_ = builder.and_(real, builder.icmp_signed("<", proofs, _of(integer, 0)))
        tried = builder.icmp_signed(">", visits, _of(integer, 0))
        ranks = builder.select(builder.and_(open_, tried), upper, _of(_FLOAT, _LOWEST))
        top = _called(builder, f"llvm.vector.reduce.fmax.v{BLOCK}f32", _FLOAT, ranks, flags=("nnan", "nsz"))
        best = builder.cttz(
            _bits(builder, builder.fcmp_ordered("==", ranks, _splat(builder, top))), ir.Constant(ir.IntType(1), 0)
        )
        untried = _bits(builder, builder.and_(open_, builder.not_(tried)))
        known = _bits(builder, builder.and_(real, builder.not_(open_)))
        return context.make_tuple(builder, signature.return_type, [top, best, untried, known])

    result: Any = types.Tuple([types.float32, types.uint64, types.uint64, types.uint64])  # type: ignore[no-untyped-call]
    weights: Any = types.UniTuple(types.float32, 2)  # type: ignore[no-untyped-call]
    return result(types.int64, types.int64, types.int32, weights), generate


#: Rank a block of eight edges. The arguments are the addresses of their values and of their numbers (int64), the visits
#: of their node (int32) and two weights (float32). Returns a tuple: the highest value / visits + sqrt(first weight *
#: log2(node visits) / visits) + second weight * prior * sqrt(node visits) / (1 + visits) of the edges that are visited
#: and not proven, the index of that edge (uint64), and bit masks (uint64) of the edges that are unvisited and not
#: proven, and of those that are proven.
rank: Any = intrinsic(_ranked)
