"""`Presentation`: what a system brings to the stage. Its counterpart in the engine is `System`.

Everything but the name, a summary and the settings that are shown has a default, so that a system of another package
starts with little: then its story tells of phases and the end, and its charts show accuracy.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine import System
from engine.runtime.events import Event
from explorer.figures.charts import ACCURACY, RMSE, Chart, Curves
from explorer.figures.overlay import Overlay
from explorer.figures.scene import LAYERS, SHOWN
from explorer.figures.view import View
from explorer.replay.lookup import Replay
from explorer.replay.reader import Reader
from explorer.stage.presets import Preset, presets_of
from explorer.stage.story import common_numbers, common_story

Line = tuple[str, int, str]  # of a listing: its name, how far it is indented, its text with $LaTeX$


def no_line(event: Event | None) -> str:
    """No line of the listing is lit."""
    return ""


@dataclass(frozen=True)
class Presentation:
    """A system on the stage."""

    solver: str  # the name of its system
    summary: str  # one sentence, for the home page
    shown: tuple[str, ...]  # settings that have a widget, in order
    labels: Mapping[str, str] = field(default_factory=dict)  # of its own settings; one without goes by its name
    decades: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # log10 of the ends of logarithmic sliders
    listing: tuple[Line, ...] = ()  # the algorithm
    line: Callable[[Event | None], str] = no_line  # names of the lines of the listing that an event belongs to
    story: Callable[[Replay, int], str] = common_story  # what just happened, as HTML
    numbers: Callable[[Replay, int], dict[str, str]] = common_numbers  # the state of the solver, by name
    reader: type[Reader] = Reader  # how its events become frames
    charts: tuple[Chart, ...] = (ACCURACY,)
    curves: Curves = field(default_factory=Curves)  # what the charts show of an event
    view: Callable[[bool], View] = View  # figures that only this system has; made for a light or a dark page
    overlay: Callable[[Any], Overlay] | None = None  # what it adds to the scene
    layers: tuple[str, ...] = LAYERS  # of the scene
    layers_shown: tuple[str, ...] = SHOWN  # at first
    step_sizes: Mapping[str, tuple[type[Event], ...]] = field(default_factory=dict)  # beside event, iteration, phase
    hint: str = "Click a point to follow its α"  # what can be done
    files: str = ""  # package that has presets.toml and thumbnail.png

    @property
    def presets(self) -> tuple[Preset, ...]:
        """Beginnings worth seeing."""
        return presets_of(self.solver, self.files)


def plain(system: System) -> Presentation:
    """The presentation of a system that brings none."""
    made = Presentation(system.name, f"{system.title}, from another package.", tuple(system.settings.names()))
    if system.task == "regression":
        return replace(made, charts=(RMSE,), layers=("points",), layers_shown=("points",))
    return made
