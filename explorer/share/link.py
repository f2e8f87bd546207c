"""The link to what is on a stage, written into the query of an address and read back."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from engine.learning.settings import Settings
from engine.runtime.errors import invalid
from explorer.figures.charts import AXES

DATA_FIELDS = {"data": str, "size": int, "noise": float, "data_seed": int, "smooth": bool, "points": str}
KINDS = {int: "a whole number", float: "a number", bool: "True or False"}
NAMES = {"data": "name", "data_seed": "seed"}
PANELS_OWN = ("theme",)  # fields that are not ours


@dataclass(frozen=True)
class Link:
    """What a link says: which data, which settings, and which view of them."""

    data: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    cursor: int | None = None  # the number of an event; None is the newest
    axis: str | None = None
    layers: list[str] | None = None

    def query(self) -> str:
        """As the query of an address."""
        names = {inner: outer for outer, inner in NAMES.items()}
        fields = {names.get(key, key): value for key, value in self.data.items()}
        fields |= {key: "none" if value is None else value for key, value in self.settings.items()}
        fields |= {
            "axis": self.axis,
            "layers": None if self.layers is None else ",".join(self.layers),
            "at": self.cursor,
        }
        return urlencode({key: value for key, value in fields.items() if value is not None}, safe=",")

    @classmethod
    def read(cls, text: str, table: type[Settings], layers: Collection[str]) -> "Link":
        """What a query asks for. Untrusted: a wrong field is named, with what is accepted."""
        data: dict[str, Any] = {}
        settings: dict[str, Any] = {}
        view: dict[str, Any] = {}
        for key, value in parse_qsl(text.lstrip("?"), keep_blank_values=True):
            if key == "at":
                view["cursor"] = int(_parsed(key, value, int))
            elif key == "axis":
                view["axis"] = _one_of("axis", value, AXES)
            elif key == "layers":
                view["layers"] = [_one_of("layers", name, layers) for name in value.split(",") if name]
            elif key in DATA_FIELDS:
                data[NAMES.get(key, key)] = _parsed(key, value, DATA_FIELDS[key])
            elif key in table.names():
                settings[key] = table.parse(key, value)
            elif key not in PANELS_OWN:
                known = ["at", "axis", "layers", *DATA_FIELDS, *table.names()]
                raise invalid("the link's field", key, f"one of {', '.join(known)}")
        table.checked(settings)
        return cls(data, settings, **view)


def _one_of(field: str, name: str, known: Collection[str]) -> str:
    if name not in known:
        raise invalid(field, name, f"one of {', '.join(known)}")
    return name


def _parsed(key: str, text: str, kind: Any) -> Any:
    try:
        if kind is bool:
            return ("False", "True").index(text) == 1
        value = kind(text)
        if kind is not str and not abs(value) < 2**53:
            raise ValueError("no browser could show it")
        return value
    except ValueError:
        raise invalid(key, text, KINDS[kind]) from None
