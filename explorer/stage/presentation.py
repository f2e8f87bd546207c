"""What each solver brings to the stage: its story, its listing, its own view, its presets."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.runtime.events import Event
from explorer.figures.charts import Chart, Numbers
from explorer.figures.overlay import Overlay
from explorer.figures.scene import LAYERS, SHOWN
from explorer.figures.view import OwnView
from explorer.replay.lookup import Replay
from explorer.replay.playback import STEP_SIZES
from explorer.stage.presets import Preset, presets_of
from explorer.systems.kernel_svm.curves import CHARTS, dual_numbers


@dataclass(frozen=True)
class Act:
    """A solver on the stage."""

    solver: str
    summary: str
    listing: tuple[tuple[str, int, str], ...]  # name of the line, how far indented, text with $LaTeX$
    line: Callable[[Event | None], str]  # the lines of the listing that an event belongs to, by name
    story: Callable[[Replay, int], str]  # what just happened, as HTML
    numbers: Callable[[Replay, int], dict[str, str]]  # where the solver stands, by name
    view: Callable[[bool], OwnView]  # made for a light or a dark page
    shown: tuple[str, ...]  # settings that have a widget, in order
    charts: tuple[Chart, ...] = CHARTS
    curves: Numbers = dual_numbers  # what the charts show of an event
    overlay: Callable[[Any], Overlay] | None = None  # what it adds to the scene
    layers: tuple[str, ...] = LAYERS  # of the scene
    layers_shown: tuple[str, ...] = SHOWN  # at first
    step_sizes: tuple[str, ...] = STEP_SIZES
    hint: str = "Click a point to follow its α"  # what can be done

    @property
    def presets(self) -> tuple[Preset, ...]:
        """Beginnings worth seeing."""
        return presets_of(self.solver)
