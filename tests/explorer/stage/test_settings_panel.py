"""Widgets of settings: labels, logarithmic sliders, and settings of kinds that have no widget of their own."""

import panel_material_ui as pmui
import param
import pytest

from engine import SOLVERS
from engine.learning.common_settings import KernelSettings
from explorer.registry import presentation
from explorer.stage.controls import ScaleInput, SettingsPanel


class OddSettings(KernelSettings):
    """Names that other systems have labels for, and kinds that have no widget."""

    k = param.Integer(3, bounds=(1, None))
    alpha = param.Number(0.0)
    tol = param.Integer(2)
    large = param.Integer(12_345_678, allow_None=True)
    text = param.String("two words")
    pair = param.NumericTuple((1, 2))
    several = param.ListSelector(default=["a"], objects=["a", "b"])
    maybe = param.Boolean(None, allow_None=True)
    where = param.Parameter("here")


NAMES = tuple(OddSettings.names())


def label_of(widget):
    return (widget.field if isinstance(widget, ScaleInput) else widget).label


def test_settings_without_a_label_go_by_their_names():
    panel = SettingsPanel(OddSettings, NAMES, {})
    labels = {name: label_of(widget) for name, widget in panel._inputs.items()}
    common = {"gamma": "γ", "coef0": "coefficient c₀", "tol": "tolerance"}
    assert labels == {name: common.get(name, name) for name in NAMES}
    scales = {name for name, widget in panel._inputs.items() if isinstance(widget, ScaleInput)}
    assert scales == {"C", "gamma"} & set(NAMES)


def test_a_system_has_labels_and_decades_of_its_own():
    panel = SettingsPanel(OddSettings, ("k", "alpha"), {}, {"k": "neighbours"}, {"alpha": (-5.0, 3.0)})
    assert label_of(panel._inputs["k"]) == "neighbours"
    assert isinstance(panel._inputs["alpha"], ScaleInput)
    panel._inputs["alpha"].slider.value = -2.0
    assert panel.values["alpha"] == 0.01


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("text", "three more words", "three more words"),
        ("large", "23456789", 23_456_789),
        ("large", "none", None),
        ("maybe", "yes", True),
        ("where", "there", "there"),
    ],
)
def test_any_other_kind_is_typed(name, text, value):
    panel = SettingsPanel(OddSettings, NAMES, {})
    widget = panel._inputs[name]
    assert isinstance(widget, pmui.TextInput)
    widget.value = text
    assert panel.values[name] == value
    assert getattr(OddSettings.checked(panel.values), name) == value
    panel.reset({})
    assert panel.values == panel.usual


def test_what_cannot_be_typed_is_refused_in_words():
    panel = SettingsPanel(OddSettings, NAMES, {})
    assert OddSettings.checked(panel.values).pair == (1, 2)
    panel._inputs["pair"].value = "1, 2"
    with pytest.raises(ValueError, match="pair must be"):
        OddSettings.checked(panel.values)


@pytest.mark.parametrize("solver", SOLVERS)
def test_labels_and_decades_belong_to_settings_that_are_shown(solver):
    shown = presentation(solver)
    assert {*shown.labels, *shown.decades} <= set(SOLVERS[solver].settings.names())
