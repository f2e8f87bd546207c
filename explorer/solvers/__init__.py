"""What each solver brings to the stage: its story, its listing, its own view, its presets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from engine.events import Event
from explorer.charts import CHARTS, Chart, Numbers, dual_numbers
from explorer.frame import Frame
from explorer.player import STEP_SIZES
from explorer.presets import Preset, presets_of
from explorer.replay import Replay
from explorer.scene import LAYERS, SHOWN, Overlay


class OwnView(Protocol):
    """The picture that only one solver has."""

    plots: list[Any]

    @property
    def widgets(self) -> Mapping[str, list[Any]]:
        """What stands below the plot of a name."""

    @property
    def restless(self) -> bool:
        """Whether it is to be drawn again though nothing happens."""

    def draw(self, replay: Replay, cursor: int, frame: Frame, pinned: int | None) -> None:
        """Show what is known at a cursor, with a point that is to be told from the others."""

    def clear(self) -> None:
        """There is nothing at the cursor."""

    def forget(self) -> None:
        """There will be another run: what was learnt of this one is gone."""

    def end(self) -> None:
        """End what works in the background."""

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""


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


def acts() -> dict[str, Act]:
    """All solvers on the stage, by name."""
    from explorer.solvers import bsgd, clustersvm, dcpred, dcsvm, dual, interior

    return {
        act.solver: act
        for act in (dual.ACT, dcsvm.ACT, clustersvm.ACT, bsgd.ACT, interior.ACT, dcpred.ACT, dcpred.RIDGE)
    }
