"""TODO: what this is."""

from typing import Protocol

from engine.runtime.events import Array, Steps


class Factor(Protocol):
    """A factorisation of K."""

    kind: str
    single: bool  # whether it works in float32 now, and could be asked for float64

    @property
    def rank(self) -> int:
        """Of K~, as far as it is known."""

    @property
    def bytes(self) -> int:
        """What it keeps."""

    def product(self, V: Array) -> Steps[Array]:
        """K~ times the rows of V."""

    def prepare(self, D: Array) -> Steps[None]:
        """Take in a positive diagonal; raises NotPositive if that fails."""

    def solve(self, V: Array) -> Steps[Array]:
        """(K~ + D)^-1 times the rows of V, to a few digits at least."""
