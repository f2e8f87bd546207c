"""Tables of settings, one per system: the source of the estimators' checks, the command's flags, widgets and links.

A table knows nothing of any screen. Values from outside are checked here; `accepted` writes the sentence that says
which values are accepted from the table itself.
"""

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import param

from engine.numerics.kernels import GAMMA_ACCEPTED, GAMMA_RULES
from engine.runtime.errors import invalid


class Gamma(param.Parameter):
    """A positive number, or one of the rules that find one: "scale" (1 / (d var X)) and "auto" (1 / d)."""

    accepted = GAMMA_ACCEPTED

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not ((number and value > 0) or (isinstance(value, str) and value in GAMMA_RULES)):
            raise ValueError("not a gamma")


class Count(param.Parameter):
    """A whole number from 1, or the word that is its default and leaves the choice to the solver."""

    accepted = ""  # in words, where it is more than this

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        number = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not ((number and value > 0) or (isinstance(value, str) and value == self.default)):
            raise ValueError("not a count")


class Share(param.Parameter):
    """A share above 0 and up to 1, or the word that is its default and leaves the choice to the solver."""

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not ((number and 0 < value <= 1) or (isinstance(value, str) and value == self.default)):
            raise ValueError("not a share")


class Settings(param.Parameterized):
    """A table of settings; make one from untrusted values with `checked`."""

    # What a setting that is not named meant in files and links of earlier versions, where that is another value now.
    formerly: ClassVar[Mapping[str, Any]] = {}

    @classmethod
    def names(cls) -> list[str]:
        """The names of all settings, in the order of the table."""
        return [name for name in cls.param if name != "name"]

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        """Settings with these values; an unknown name or a refused value gets an error that says what is accepted."""
        table = cls()
        for name, given in values.items():
            if name not in cls.names():
                raise invalid("setting", name, f"one of {', '.join(cls.names())}")
            value = given.item() if isinstance(given, np.generic) else given  # bounds are beyond some of its types
            try:
                if isinstance(value, float | np.floating) and not math.isfinite(value):
                    raise ValueError("not finite")
                if isinstance(cls.param[name], param.Number) and isinstance(value, bool):
                    raise ValueError("not a number")
                setattr(table, name, value)
            except (ValueError, TypeError):
                raise invalid(name, value, accepted(cls.param[name])) from None
        return table

    @classmethod
    def parse(cls, name: str, text: str) -> Any:
        """The value that a text, from a command line or a URL, stands for."""
        parameter = cls.param[name]
        try:
            if isinstance(parameter, param.Boolean):
                return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
            if parameter.allow_None and text.lower() == "none":
                return None
            if isinstance(parameter, param.Integer) or (isinstance(parameter, Count) and text != parameter.default):
                return int(text)
            if isinstance(parameter, Share) and text != parameter.default:
                return float(text)
            if isinstance(parameter, param.Selector):
                return {str(item): item for item in parameter.objects}.get(text, text)
            if isinstance(parameter, param.Number) or (isinstance(parameter, Gamma) and text not in GAMMA_RULES):
                return float(text)
        except (KeyError, ValueError):
            raise invalid(name, text, accepted(parameter)) from None
        return text

    def values_by_name(self) -> dict[str, Any]:
        """All settings as plain values."""
        return {name: getattr(self, name) for name in self.names()}


def accepted(parameter: param.Parameter) -> str:
    """What a parameter accepts, in words."""
    none = " or None" if parameter.allow_None else ""
    if isinstance(parameter, Gamma):
        return parameter.accepted
    if isinstance(parameter, Count):
        return parameter.accepted or f'a whole number from 1, or "{parameter.default}"'
    if isinstance(parameter, Share):
        return f'a number above 0 to 1, or "{parameter.default}"'
    if isinstance(parameter, param.Selector):
        return f"one of {', '.join(map(str, parameter.objects))}{none}"
    if isinstance(parameter, param.Boolean):
        return "True or False"
    if isinstance(parameter, param.Number):
        kind = "a whole number" if isinstance(parameter, param.Integer) else "a finite number"
        least, most = parameter.bounds or (None, None)
        from_word = "from" if parameter.inclusive_bounds[0] else "above"
        lower = f" {from_word} {least}" if least is not None else ""
        upper = f" to {most}".replace("e+", "e") if most is not None else ""
        return f"{kind}{lower}{upper}{none}"
    return parameter.doc or "of another type"
