"""Sixteen float32 at a time: operations on vector registers, for the loops that a compiler vectorises poorly.

A compiler vectorises a loop over many numbers, but it does not keep several sums in registers while another loop runs.
Here a value is a vector of LANES numbers, and code reads as if it were a number. The inner products of a row with the
vectors of a panel, for example, need no sum over a register at the end: each has a lane of its own.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models, register_model
from numba.np.arrayobj import make_array

from engine.numerics.jit import FAST
from engine.runtime.events import Array

LANES = 16

intrinsic: Any = numba_intrinsic  # what it makes has not the arguments that are written here

_INTEGERS = ir.VectorType(ir.IntType(32), LANES)
_FLOATS = ir.VectorType(ir.FloatType(), LANES)
_FAST = ("contract", "nnan", "ninf", "nsz", "reassoc")
_EXPONENTIAL = (  # 2**r for r from 0 to 1, as in kernel_loops.exp32
    1.5403530393381608e-4, 1.3333558146428443e-3, 9.618129107628477e-3, 5.550410866482158e-2, 2.402265069591007e-1,
    6.931471805599453e-1, 1.0,
)  # fmt: skip


class SimdVector(types.Type):
    """The type of a vector."""


simd_vector = SimdVector("simd_vector")


@register_model(SimdVector)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _FLOATS)


def panels_of(vectors: Array) -> Array:
    """Vectors (count, d) as panels (panels, d, LANES) of float32, with zeros in the places left over."""
    count, d = vectors.shape
    padded = np.zeros((-(-count // LANES) * LANES, d), np.float32)
    padded[:count] = vectors
    return np.ascontiguousarray(padded.reshape(-1, LANES, d).transpose(0, 2, 1))


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """LANES numbers of a flat array from an index on."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_place(context, builder, signature, arguments), align=4)

    return simd_vector(array, types.intp), code


@intrinsic
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write a vector to LANES numbers of a flat array, from an index on."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _place(context, builder, signature, arguments), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, simd_vector), code


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = make_array(signature.args[0])(context, builder, arguments[0])
    _check_bounds(context, builder, array, arguments[1], LANES)
    return builder.bitcast(builder.gep(array.data, [arguments[1]]), _FLOATS.as_pointer())


def _check_bounds(context: Any, builder: Any, array: Any, index: Any, count: int) -> None:
    """With NUMBA_BOUNDSCHECK, an IndexError unless an array has so many numbers from an index on."""
    if context.enable_boundscheck:
        last = builder.add(index, ir.Constant(index.type, count - 1))
        for end in (index, last):
            cgutils.do_boundscheck(context, builder, end, array.nitems)


@intrinsic
def broadcast(typing: Any, number: Any) -> Any:
    """A number in all places."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _broadcast(builder, arguments[0])

    return simd_vector(types.float32), code


@intrinsic
def broadcast_from(typing: Any, array: Any, index: Any) -> Any:
    """The number at an index of a flat array, in all places."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        flat = make_array(signature.args[0])(context, builder, arguments[0])
        _check_bounds(context, builder, flat, arguments[1], 1)
        return _broadcast(builder, builder.load(builder.gep(flat.data, [arguments[1]])))

    return simd_vector(array, types.intp), code


@intrinsic
def multiply(typing: Any, one: Any, two: Any) -> Any:
    """Their product."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fmul(*arguments, flags=_FAST)

    return simd_vector(simd_vector, simd_vector), code


@intrinsic
def add(typing: Any, one: Any, two: Any) -> Any:
    """Their sum."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments, flags=_FAST)

    return simd_vector(simd_vector, simd_vector), code


@intrinsic
def multiply_add(typing: Any, one: Any, two: Any, three: Any) -> Any:
    """One times two, plus three."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _multiply_add(builder, *arguments)

    return simd_vector(simd_vector, simd_vector, simd_vector), code


@intrinsic
def exponential(typing: Any, exponents: Any) -> Any:
    """e to these powers; those above zero, by rounding, count as zero."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        t = builder.fmul(arguments[0], _constant(1.4426950408889634), flags=_FAST)
        t = _selected(builder, ">", t, _constant(-126.0))
        t = _selected(builder, "<", t, _constant(0.0))
        k = builder.fptosi(builder.fsub(t, _constant(0.5)), _INTEGERS)
        r = builder.fsub(t, builder.sitofp(k, _FLOATS))
        power = _constant(_EXPONENTIAL[0])
        for coefficient in _EXPONENTIAL[1:]:
            power = _multiply_add(builder, power, r, _constant(coefficient))
        bits = builder.shl(builder.add(k, _whole(127)), _whole(23))
        return builder.fmul(power, builder.bitcast(bits, _FLOATS))

    return simd_vector(simd_vector), code


@intrinsic
def total(typing: Any, value: Any) -> Any:
    """The sum of all places."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.FloatType(), [ir.FloatType(), _FLOATS])
        add = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{LANES}f32")
        return builder.call(add, [ir.Constant(ir.FloatType(), 0.0), arguments[0]], fastmath=_FAST)

    return types.float32(simd_vector), code


@intrinsic
def place_of_largest(typing: Any, value: Any) -> Any:
    """The first place with the largest number."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.FloatType(), [_FLOATS])
        most = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fmax.v{LANES}f32")
        largest = builder.call(most, [arguments[0]], fastmath=_FAST)
        same = builder.fcmp_ordered("==", arguments[0], _broadcast(builder, largest))
        bits = builder.bitcast(same, ir.IntType(LANES))
        first = builder.cttz(bits, ir.Constant(ir.IntType(1), 0))
        within = builder.and_(first, ir.Constant(ir.IntType(LANES), LANES - 1))  # also if none compares as equal
        return builder.zext(within, ir.IntType(64))

    return types.intp(simd_vector), code


def _broadcast(builder: Any, number: Any) -> Any:
    nothing = ir.Constant(_FLOATS, ir.Undefined)
    one = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, nothing, ir.Constant(_INTEGERS, [0] * LANES))


def _multiply_add(builder: Any, one: Any, two: Any, three: Any) -> Any:
    return builder.fadd(builder.fmul(one, two, flags=_FAST), three, flags=_FAST)


def _selected(builder: Any, which: str, one: Any, two: Any) -> Any:
    return builder.select(builder.fcmp_ordered(which, one, two), one, two)


def _constant(value: float) -> Any:
    return ir.Constant(_FLOATS, [float(np.float32(value))] * LANES)


def _whole(value: int) -> Any:
    return ir.Constant(_INTEGERS, [value] * LANES)


@njit(nogil=True, cache=True, fastmath=FAST, inline="always")
def products(Z, a, b, c, e, d, panels, panel, start):  # type: ignore[no-untyped-def]
    """Inner products of four rows, which begin at a, b, c and e, with a panel, added to what there is at the start."""
    one = two = three = four = start
    for k in range(d):
        vectors = load(panels, panel + k * LANES)
        one = multiply_add(broadcast_from(Z, a + k), vectors, one)
        two = multiply_add(broadcast_from(Z, b + k), vectors, two)
        three = multiply_add(broadcast_from(Z, c + k), vectors, three)
        four = multiply_add(broadcast_from(Z, e + k), vectors, four)
    return one, two, three, four


@njit(nogil=True, cache=True, fastmath=FAST, inline="always")
def products_of(Z, a, b, c, e, features, first, last, panels, start):  # type: ignore[no-untyped-def]
    """`products` over some features alone, from the first to the last of a list; each has its vector in the panels."""
    one = two = three = four = start
    for k in range(np.uint64(first), np.uint64(last)):  # unsigned: numba checks no sign
        vectors, feature = load(panels, k * np.uint64(LANES)), features[k]
        one = multiply_add(broadcast_from(Z, a + feature), vectors, one)
        two = multiply_add(broadcast_from(Z, b + feature), vectors, two)
        three = multiply_add(broadcast_from(Z, c + feature), vectors, three)
        four = multiply_add(broadcast_from(Z, e + feature), vectors, four)
    return one, two, three, four
