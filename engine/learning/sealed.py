"""`Sealed`: a model whose arrays belong together, which notices when one was exchanged for that of another model."""

from dataclasses import Field
from operator import is_
from typing import Any, ClassVar


class Sealed:
    """The base of frozen dataclasses of arrays that compiled loops read by one another's widths and indices."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __post_init__(self) -> None:
        self._seal()

    def _seal(self) -> None:
        vars(self)["_sealed"] = self._parts(), {}

    def _parts(self) -> dict[str, Any]:
        """All fields, and those of fields that have some themselves."""
        parts: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            parts[name] = part = vars(self)[name]
            for inner in getattr(part, "__dataclass_fields__", ()):
                parts[f"{name}.{inner}"] = vars(part)[inner]
        return parts

    def derived(self) -> dict[Any, Any]:
        """Where things made from the fields are kept; a ValueError if a field is not the one of the beginning."""
        parts, kept = vars(self)["_sealed"]
        now = self._parts()
        if len(parts) == len(now) and all(map(is_, parts.values(), now.values())):
            return kept
        others = [name for name, part in parts.items() if now.get(name) is not part]
        raise ValueError(f"of another model than the rest of the {type(self).__name__}: {', '.join(others)}")

    # Copies, and what comes out of a pickle, have arrays of their own.

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_sealed"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._seal()
