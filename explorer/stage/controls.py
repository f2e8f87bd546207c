"""Widgets from a table of settings: log sliders with typed entry for scales, switches, menus, numbers."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import panel_material_ui as pmui
import param

from engine.learning.settings import Gamma, Settings, accepted
from explorer.style.layout import column

# Of the settings that several systems have: labels, and log10 of the ends of the sliders of those that span decades.
COMMON_LABELS = {"gamma": "γ", "coef0": "coefficient c₀", "tol": "tolerance"}
COMMON_DECADES = {"C": (-3.0, 5.0), "gamma": (-4.0, 4.0), "tol": (-8.0, -1.0)}
OF_KERNELS = {"gamma": ("rbf", "poly", "laplacian"), "degree": ("poly",), "coef0": ("poly",)}
COMPACT = {
    "maxWidth": "100%",
    "flexWrap": "wrap",
    "& button": {
        "width": "auto",
        "flex": "0 0 auto",
        "textTransform": "none",
        "padding": "2px 10px",
        "whiteSpace": "nowrap",
    },
}
NO_OWN: Mapping[str, Any] = {}
NONE = "none"  # what is written where there is no number
SMALL: dict[str, Any] = {"size": "small", "sizing_mode": "stretch_width", "margin": (4, 8)}
# Of numbers: without the buttons for more and less, which have no names; arrow keys do the same.
NUMBER: dict[str, Any] = {**SMALL, "stylesheets": [".MuiIconButton-sizeSmall { display: none !important; }"]}
WHOLE: dict[str, Any] = {**NUMBER, "format": "0"}  # as it can be typed


class ScaleInput:
    """A number on a log scale: a slider for the hand, a field for the exact value or the name of a rule."""

    def __init__(self, label: str, value: Any, decades: tuple[float, float], changed: Callable[[Any], None]) -> None:
        self._changed = changed
        low, high = decades
        positive = isinstance(value, int | float) and value > 0
        place = float(np.clip(np.log10(value), low, high)) if positive else (low + high) / 2
        self.slider = pmui.FloatSlider(
            label=f"{label}, slider", start=low, end=high, step=0.05, value=place, show_value=False, tooltips=False,
            size="small", sizing_mode="stretch_width", margin=(0, 12, 0, 14),
            stylesheets=[".MuiFormLabel-root { display: none; }"],  # it is named for those who do not see it
        )  # fmt: skip
        self.field = pmui.TextInput(label=label, value=_text(value), **SMALL)
        self.slider.param.watch(self._slid, "value")
        self.field.param.watch(self._typed, "value")
        self.view = column(self.field, self.slider)

    def _slid(self, event: Any) -> None:
        shown = self._place(self.field.value)
        if shown is None or abs(shown - event.new) > 0.026:
            self.field.value = f"{10**event.new:.3g}"

    def _typed(self, event: Any) -> None:
        place = self._place(event.new)
        if place is not None:
            self.slider.value = place
        try:
            self._changed(float(event.new))
        except ValueError:
            self._changed(event.new)

    def _place(self, text: str) -> float | None:
        """Where a text is on the slider, if it is a number that can be there."""
        try:
            value = float(text)
        except ValueError:
            return None
        if not (value > 0 and np.isfinite(value)):
            return None
        return float(np.clip(np.log10(value), self.slider.start, self.slider.end))

    def set(self, value: Any) -> None:
        """Show another value."""
        self.field.value = _text(value)


def _text(value: Any) -> str:
    if value is None:
        return NONE
    return f"{value:g}" if isinstance(value, float) else str(value)


class SettingsPanel:
    """Widgets for some settings of a table; `values` has what they say, unchecked.

    A system has `labels` and `decades` of its own; a setting that has no label goes by its name.
    """

    def __init__(
        self,
        table: type[Settings],
        names: tuple[str, ...],
        defaults: dict[str, Any],
        labels: Mapping[str, str] = NO_OWN,
        decades: Mapping[str, tuple[float, float]] = NO_OWN,
    ) -> None:
        self.table = table
        self._labels, self._decades = {**COMMON_LABELS, **labels}, {**COMMON_DECADES, **decades}
        self.usual: dict[str, Any] = {name: table.param[name].default for name in names}
        self.values: dict[str, Any] = {**self.usual, **defaults}
        self._inputs: dict[str, Any] = {}
        self._parts = {name: self._widget(name) for name in names}
        self.view = column()
        self._suit_kernel()

    def _widget(self, name: str) -> Any:
        parameter, value = self.table.param[name], self.values[name]
        label = self._labels.get(name, name)
        is_whole = isinstance(parameter, param.Integer)
        if name in self._decades and isinstance(parameter, param.Number | Gamma) and not is_whole:
            ends = self._decades[name]
            scale = ScaleInput(label, value, ends, lambda new, n=name: self._set(n, new))  # type: ignore[misc]
            self._inputs[name] = scale
            return scale.view
        widget: Any
        is_number = isinstance(parameter, param.Number) and isinstance(value, int | float) and not parameter.allow_None
        if isinstance(parameter, param.Boolean) and not parameter.allow_None:
            widget = pmui.Switch(label=label, value=value, margin=(4, 8))
        elif isinstance(parameter, param.Selector) and not isinstance(parameter, param.ListSelector):
            widget = pmui.Select(label=label, options=list(parameter.objects), value=value, **SMALL)
        elif is_number and is_whole:
            widget = pmui.IntInput(label=label, value=value, description=accepted(parameter), **WHOLE)
        elif is_number:
            widget = pmui.FloatInput(label=label, value=value, **NUMBER)
        else:  # of another kind, or a word may stand for the number
            widget = pmui.TextInput(label=label, value=_text(value), description=accepted(parameter), **SMALL)
        widget.param.watch(lambda event, n=name: self._set(n, event.new), "value")
        self._inputs[name] = widget
        return widget

    def _set(self, name: str, value: Any) -> None:
        if isinstance(self._inputs[name], pmui.TextInput | ScaleInput) and isinstance(value, str):
            with suppress(ValueError):  # what is wrong is told when it is used
                value = self.table.parse(name, value)
        self.values[name] = value
        if name == "kernel":
            self._suit_kernel()

    def _suit_kernel(self) -> None:
        """Show only the numbers that the chosen kernel has."""
        kernel = self.values.get("kernel", "rbf")  # a solver without a choice has the Gaussian
        absent = {name for name, kernels in OF_KERNELS.items() if kernel not in kernels}
        self.view.objects = [part for name, part in self._parts.items() if name not in absent]

    def reset(self, values: Mapping[str, Any]) -> None:
        """Show these values, and what is usual for all others."""
        self.values = {}
        self.set({**self.usual, **values})

    def set(self, values: Mapping[str, Any]) -> None:
        """Show these values; those without a widget are kept all the same."""
        for name, value in values.items():
            widget = self._inputs.get(name)
            if isinstance(widget, ScaleInput):
                widget.set(value)
            elif widget is not None:
                widget.value = _text(value) if isinstance(widget, pmui.TextInput) else value
            self.values[name] = value
