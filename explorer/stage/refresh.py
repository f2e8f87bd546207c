"""What is drawn, and when: 25 times a second a tick looks at the current run and brings the page up to date.

Figures are only touched in a tick: an upload, for one, is handled without the lock that they need. So whoever wants
something drawn asks for it, and the next tick does it.
"""

import html
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from panel.io import unlocked

from explorer.figures.charts import Charts
from explorer.figures.scene import Scene
from explorer.figures.view import View
from explorer.replay.lookup import Replay
from explorer.sketch import SHEET
from explorer.stage.browser_window import Window
from explorer.stage.current_run import CurrentRun
from explorer.stage.data_panel import DataPanel
from explorer.stage.presentation import Presentation
from explorer.stage.screen import Screen
from explorer.stage.transport import Transport

PERIOD = 40  # milliseconds between two looks at the run
IN_FLIGHT = 3  # frames sent and not yet drawn: more would only pile up
PATIENCE = 1.0  # seconds after which a frame counts as drawn
# Seconds between two drawings of a part while there is something to see.
PACE = {"scene": 0.0, "transport": 0.15, "story": 0.35, "charts": 0.7, "view": 0.7}
ALIVE = 3  # frames of the scene after which the parts that are not seen first join, one with each frame
IN_ANY_CASE = 4.0  # seconds after which they do so in any case: a first run may have to wait for its kernels
ADDRESS_PERIOD = 1.0  # seconds between two changes of the address bar
Wish = Literal[
    "scene", "transport", "story", "charts", "view", "window", "style", "layers", "axis", "load", "sketch", "pin"
]
CHANGES = {"window", "style", "layers", "axis", "load", "sketch", "pin"}  # what comes before any drawing


@dataclass(frozen=True)
class Parts:
    """What a stage is made of, as far as it is drawn."""

    screen: Screen
    scene: Scene
    charts: Charts
    view: View
    transport: Transport
    data: DataPanel
    window: Window


class Refresh:
    """Draws the parts of a stage at their own paces, and no faster than the browser keeps up.

    `query` gives what the address bar should show.
    """

    def __init__(
        self, presentation: Presentation, parts: Parts, current: CurrentRun, query: Callable[[], str], dark: bool
    ) -> None:
        self.presentation, self.parts, self.current, self.dark = presentation, parts, current, dark
        self.drawn = 0  # the newest frame that the browser has drawn
        self.heard_at = 0.0  # when the browser last said so
        self._query = query
        self._todo: set[str] = set()
        self._seen: tuple[object, ...] = ()
        self._size = (0, 0)  # of the window
        self._sent_at = 0.0
        self._loaded = False  # whether the scene has a recording, and not a sheet to draw on
        self._scene_since: int | None = None  # the frame that had a scene for the first time
        self._awake_since: float | None = None
        self._drawn_at = dict.fromkeys(PACE, 0.0)
        self._last = self._address_at = time.monotonic()
        parts.scene.show(presentation.layers_shown)
        self._tell(current.status(), "")

    # ---- what others ask for ----

    def ask(self, wish: Wish) -> None:
        """Have something done by the next tick: a change of the figures, or one more drawing of a part."""
        self._todo.add(wish)

    def show_run(self) -> None:
        """The current run is another one."""
        self._todo.discard("sketch")
        self.ask("load")

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self.dark = dark
        self.ask("style")

    def fit(self, window: list[int]) -> None:
        """Suit the figures to a window of this width and height."""
        self._size = (int(window[0]), int(window[1]))
        self.ask("window")

    def acknowledge(self, frame: int) -> None:
        """The browser has drawn this frame."""
        self.heard_at = time.monotonic()
        self.drawn = max(self.drawn, min(int(frame), self.parts.window.frame))
        self._at_once()

    def draw_controls_now(self) -> None:
        """Draw the transport now, so that whoever presses a button sees it pressed; the rest follows with a tick."""
        if self.parts.window.own_page:
            self.parts.transport.draw()
        self._at_once()

    def _at_once(self) -> None:
        """Do not wait for the clock. In a notebook messages come on another thread, and wait for it."""
        if self.parts.window.own_page and self.drawn:
            self.tick()

    @property
    def pending(self) -> bool:
        """Whether there is something left to draw, though nothing more may happen."""
        return bool(self._todo or self.parts.charts.pending)

    # ---- time passes ----

    def tick(self) -> None:
        """Look at the run, and draw what is new, if the browser keeps up."""
        now = time.monotonic()
        if self.parts.window.frame - self.drawn >= IN_FLIGHT and now - self._sent_at < PATIENCE:
            return
        passed, self._last = min(now - self._last, 0.5), now
        with unlocked():  # all changes of a tick in one message
            self._tick(now, passed)
            self._follow_address(now)

    def _tick(self, now: float, passed: float) -> None:
        parts, current = self.parts, self.current
        changed = self._do_what_was_asked()
        self._awake_since = self._awake_since or now
        if parts.screen.waiting and (
            current.playback is None or self._is_seen_running() or now > self._awake_since + IN_ANY_CASE
        ):
            parts.screen.join_next()
        if current.playback is None or current.replay is None:
            parts.window.frame += changed
            return
        self.enforce_limits(now)
        current.playback.tick(passed)
        playback = current.playback
        seen = (playback.cursor, len(current.replay), playback.playing, playback.live, current.status())
        if seen != self._seen:
            self._todo |= set(PACE) if seen[:1] != self._seen[:1] else {"charts", "story", "transport"}
            self._seen = seen
        if parts.scene.moved or (parts.scene.overlay is not None and parts.scene.overlay.needs_redraw):
            self.ask("scene")
        if parts.charts.pending:
            self.ask("charts")
        if parts.view.needs_redraw:
            self.ask("view")
        if self._draw(current.replay, playback.cursor, now) or changed:
            parts.window.frame += 1
            self._sent_at = now

    def _is_seen_running(self) -> bool:
        return self._scene_since is not None and self.drawn >= self._scene_since + ALIVE

    def enforce_limits(self, now: float) -> None:
        """Say so when a limit of the server is met."""
        if said := self.current.enforce_limits(now):
            self.parts.screen.inform(said)

    def _follow_address(self, now: float) -> None:
        """Let the address bar say what is on the stage, now and then."""
        window = self.parts.window
        if now - self._address_at < ADDRESS_PERIOD or not window.own_page:
            return
        self._address_at = now
        if (query := self._query()) != window.query:
            window.query = query

    # ---- changes of the figures ----

    def _do_what_was_asked(self) -> bool:
        """Everything about figures that was asked for since the last tick; whether there was something."""
        parts, current = self.parts, self.current
        asked, drawing = self._todo & CHANGES, parts.data.painting
        self._todo -= asked
        if "window" in asked:
            parts.screen.pictures.fit(*self._size)
        if "style" in asked:
            for part in (parts.scene, parts.charts, parts.view):
                part.restyle(self.dark)
        if "layers" in asked:
            parts.scene.show(parts.screen.layers.value or [])
        if "axis" in asked:
            parts.charts.axis = parts.screen.axis.value
        if "load" in asked and current.replay is not None:
            self._forget()
            parts.scene.load(current.replay)
            self._loaded = True
            current.pinned = None
        if "sketch" in asked:
            self._show_sketch(anew=self._loaded or "load" in asked)
        if "pin" in asked:
            parts.charts.pinned = current.pinned
        if asked & {"axis", "pin", "style", "layers"}:
            self._todo |= set(PACE) if current.playback is not None else set()
        parts.scene.let_draw(drawing)
        return bool(asked)

    def _forget(self) -> None:
        """What was drawn of the run before is gone."""
        self._seen = ()
        self.parts.charts.clear()
        self.parts.view.forget()

    def _show_sketch(self, anew: bool) -> None:
        """The sheet instead of a run, with all of it in view if there was a run before."""
        self._loaded = False
        self._forget()
        self._todo -= set(PACE)
        self.parts.transport.rest()
        sheet, sketch = SHEET / 2, self.parts.data.sketch
        reach = sheet if not len(sketch) else max(sheet, float(abs(sketch.places).max()))
        self.parts.scene.load_sketch(sketch.places, sketch.labels, reach, anew)
        self._note()
        self._tell("<b>Draw.</b> Tap or drag on the scene to put points of the chosen class; then press Run.", "")

    # ---- drawing ----

    def _draw(self, replay: Replay, cursor: int, now: float) -> bool:
        """Draw what is due: the scene, and of the other parts the one that has waited longest.

        In play each part has its pace. A frame with all of them would keep the page from answering.
        """
        playing = self.current.playback is not None and self.current.playback.playing
        ready = [part for part in self._todo if not playing or now - self._drawn_at[part] >= PACE[part]]
        if not ready:
            return False
        others = sorted((part for part in ready if part != "scene"), key=lambda part: self._drawn_at[part] + PACE[part])
        due = {*others[:1], *({"scene"} & set(ready))}
        self._todo = self._todo - due
        self._drawn_at |= dict.fromkeys(due, now)
        if "transport" in due:
            self.parts.transport.draw()
        if due & {"scene", "view"}:
            self._draw_frame(replay, cursor, due)
        if "charts" in due:
            self.parts.charts.draw(replay, cursor)
            self._note()
        if "story" in due:
            self._tell_story(replay, cursor)
        return bool(due)

    def _draw_frame(self, replay: Replay, cursor: int, due: set[str]) -> None:
        scene, view, frame = self.parts.scene, self.parts.view, replay.frame(cursor)
        if frame is None:
            scene.clear()
            view.clear()
            return
        if "scene" in due:
            scene.draw(replay, frame, self.current.pinned)
            if self._scene_since is None:
                self._scene_since = self.parts.window.frame
        if "view" in due:
            view.draw(replay, cursor, frame, self.current.pinned)

    def _tell_story(self, replay: Replay, cursor: int) -> None:
        frame, whose = replay.frame(cursor), {}
        if frame is not None:
            self.parts.scene.tell(replay, frame)
            if len(replay.tasks) > 1 and not replay.reader.joint:
                whose = {"shown is": html.escape(frame.task.name)}
        story = self.current.status() or self.presentation.story(replay, cursor)
        line = self.presentation.line(replay.event(cursor))
        self._tell(story, line, whose | self.presentation.numbers(replay, cursor))

    def _note(self) -> None:
        """What the scene does not show."""
        scene, replay = self.parts.scene, self.current.replay
        notes = [scene.note]
        if scene.left_out:
            notes.append(f"{scene.left_out:,} more support vectors are not drawn")
        if replay is not None and replay.recording.stride > 1:
            most = replay.recording.limit / 2**20
            notes.append(f"one iteration in {replay.recording.stride} is kept, for at most {most:.3g} MiB")
        self.parts.screen.note.object = " · ".join(filter(None, notes))

    def _tell(self, story: str, lines: str, numbers: dict[str, str] | None = None) -> None:
        self.parts.screen.tell(story, lines, numbers, keys=self.parts.window.own_page)
