"""What the central path asks of a factorisation of K; systems bring their own.

    product: K~ V          prepare: take in a diagonal D          solve: (K~ + D) U = V

K~ is what the factorisation makes of K. Labels stay outside: Q = Y K Y, so (Q + D) u = r is solved with Y r and Y u.
Vectors come as the rows of a matrix, so that several share one pass. Everything breathes between slices.
"""

from typing import Protocol

from engine.runtime.events import Array, Steps


class Factor(Protocol):
    """A factorisation of K, as an interior-point method uses it."""

    kind: str
    single: bool  # whether it works in float32 now, and could be asked for float64

    @property
    def rank(self) -> int:
        """The rank of K~, as far as it is known."""

    @property
    def bytes(self) -> int:
        """The memory that it takes."""

    def product(self, V: Array) -> Steps[Array]:
        """K~ times the rows of V."""

    def prepare(self, D: Array) -> Steps[None]:
        """Take in a positive diagonal; raises NotPositive if that fails."""

    def solve(self, V: Array) -> Steps[Array]:
        """(K~ + D)^-1 times the rows of V, to a few digits at least."""
