"""The stage: one screen for every solver. Puts data, settings, run, player and pictures together."""

import html
import time
from collections.abc import Mapping
from typing import Any

from panel.io import unlocked

from engine import SOLVERS, Recording, Run, compile_ahead
from engine.datasets import Dataset
from engine.numerics.kernels import resolve_gamma
from explorer.figures.charts import Charts
from explorer.figures.scene import Scene
from explorer.registry import acts
from explorer.replay.lookup import Replay
from explorer.replay.playback import Player
from explorer.server.pool import SERVER
from explorer.share.link import Link
from explorer.sketch import SHEET
from explorer.stage.browser import Browser
from explorer.stage.controls import SettingsPanel
from explorer.stage.data_panel import DataPanel
from explorer.stage.presets import Preset
from explorer.stage.screen import Screen
from explorer.stage.share_row import TakeAlong
from explorer.stage.transport import Transport
from explorer.style.theme import NEGATIVE, POSITIVE

PERIOD = 40  # milliseconds between two looks at the run
IN_FLIGHT = 3  # frames sent and not yet drawn: more would only pile up
# Seconds between two drawings of a part while there is something to see.
PACE = {"scene": 0.0, "transport": 0.15, "story": 0.35, "charts": 0.7, "own": 0.7}
ALIVE = 3  # frames of the scene after which the parts that are not seen first join, one with each frame
IN_ANY_CASE = 4.0  # seconds after which they do so in any case: a first run may have to wait for its kernels
PATIENCE = 1.0  # seconds after which a frame counts as drawn
ADDRESS_PERIOD = 1.0  # seconds between two changes of the address bar
KEYS = {" ": "toggle", "ArrowLeft": "back", "ArrowRight": "forward", "Home": "to_start", "End": "to_end"}


class Stage:
    """Everything one person sees of one solver. `run` and its kin belong to the person, `tick` to the clock."""

    def __init__(
        self,
        solver: str = "kernel-svm",
        *,
        data: Dataset | None = None,
        settings: dict[str, Any] | None = None,
        own_page: bool = True,
        dark: bool = False,
    ) -> None:
        self.act, self.solver = acts()[solver], SOLVERS[solver]
        self.dark = dark
        self.run: Run[Any] | None = None
        self.replay: Replay | None = None
        self.player: Player | None = None
        self.pinned: int | None = None
        self._address = ""
        self._timed_out: Run[Any] | None = None  # the run whose end by the clock was told
        self._entered: Run[Any] | None = None  # the run in the pool that this stage answers for
        # Figures are only touched in a tick: an upload, for one, is handled without the lock they need.
        self._todo: set[str] = set()
        self._seen: tuple[Any, ...] = ()
        self._drawn, self._sent_at = 0, 0.0
        self._scene_since: int | None = None  # the frame that had a scene for the first time
        self._awake_since: float | None = None
        self.heard_at = 0.0  # when the browser last said what it has drawn
        self._drawn_at = dict.fromkeys(PACE, 0.0)
        self._last = self._idle_since = self._address_at = time.monotonic()
        given = () if data is None else (Preset("Your data", {}, settings or {}),)
        self.beginnings = (*given, *(preset for preset in self.act.presets if preset.available))
        self.settings = SettingsPanel(self.solver.settings, self.act.shown, dict(self.beginnings[0].settings))
        self.scene = Scene(self._touch, dark, self.act.overlay)
        self.charts, self.own = Charts(self.act.charts, self.act.curves, dark), self.act.view(dark)
        self.transport = Transport(self._answer, sizes=list(self.act.step_sizes))
        told: dict[str, Any] = {
            "key": self.press,
            "drawn": self._acknowledge,
            "window": self._fit,
            "dark": self.restyle,
        }
        self.browser = Browser(told, own_page=own_page)
        self.data = DataPanel(
            self.act.presets[0].data,
            SERVER.limits,
            self.begin,
            lambda: self._todo.add("sketch"),
            data,
            self.solver.task,
        )
        self.screen = Screen(self.act, [preset.title for preset in self.beginnings])
        self._listen()
        figures = [self.scene.plot, *self.charts.plots.values(), *self.own.plots]
        self.take_along = TakeAlong(self, [plot.name for plot in figures])
        self._window = (0, 0)
        self.scene.show(self.act.layers_shown)
        self._tell(self._status(), "")
        compile_ahead.begin()

    # ---- parts of the screen ----

    def _listen(self) -> None:
        screen = self.screen
        screen.presets.param.watch(self._choose_preset, "value")
        screen.run_button.on_click(lambda event: self.begin())
        screen.reset_button.on_click(lambda event: self._choose_preset(None))
        screen.layers.param.watch(lambda event: self._todo.add("layers"), "value")
        screen.axis.param.watch(lambda event: self._todo.add("axis"), "value")

    def sidebar(self) -> list[Any]:
        """What stands beside the stage."""
        return self.screen.sidebar(self.data.view, self.settings.view)

    def main(self) -> Any:
        """The stage itself."""
        return self.screen.main(
            self.transport, self.scene.plot, self.charts, self.own, self.take_along.view, self.browser
        )

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self.dark = dark
        self._todo.add("style")

    def _fit(self, window: list[int]) -> None:
        self._window = (int(window[0]), int(window[1]))
        self._todo.add("window")

    # ---- what a person does ----

    def begin(self) -> None:
        """Run with the data and settings that are chosen; if they are wrong, what is on the stage goes on."""
        limits = SERVER.limits
        try:
            settings = self.solver.settings.checked(self.settings.values)
            limits.check(settings)
            data, source = self.data.load()
            run = self.solver.recorded_run(
                data.X,
                data.y,
                settings,
                source=source,
                time_limit=limits.max_seconds,
                recording_mb=limits.max_recording_mb,
                executor=SERVER.executor,
            )
            replay = Replay(run.recorded, data.X_test, data.y_test)
        except (ValueError, OSError) as error:
            self.complain(str(error))
            return
        self.screen.message.visible = False
        self.show_run(run, replay)
        self._entered = run
        SERVER.pool.enter(run)
        self.data.put_brush_down()
        self._say_what_to_look_at()
        self._warn_of_a_narrow_kernel(replay)

    def _say_what_to_look_at(self) -> None:
        preset = self.beginnings[self.screen.presets.value]
        chosen = {**self.data.choice(), **self.settings.values}
        wanted = {**preset.data, **{name: self.settings.usual[name] for name in self.act.shown}, **preset.settings}
        as_it_was = all(chosen.get(name) == value for name, value in wanted.items())
        self.screen.look.object = preset.look if as_it_was else "Changed since: data or settings are your own."

    def _warn_of_a_narrow_kernel(self, replay: Replay) -> None:
        """Say so where hardly any two points have to do with one another: then gamma was meant for other data."""
        if not replay.is_narrow():
            return
        scale = resolve_gamma("scale", replay.X)
        self.inform(
            f"With γ = {replay.kernel.gamma:.3g} the kernel between most of these points and their nearest is near 0: "
            f'each stands for itself alone. γ = "scale" is {scale:.3g} here.'
        )

    def show_run(self, run: Run[Any] | None, replay: Replay) -> None:
        """Put a recording on the stage, and the run that may still add to it; other runs of this stage end."""
        self.close()
        self.run = run
        self._watch(replay)

    def complain(self, text: str) -> None:
        """Say what is wrong."""
        self.screen.message.say(text, POSITIVE)

    def inform(self, text: str) -> None:
        """Say what a person should know."""
        self.screen.message.say(text, NEGATIVE)

    def _watch(self, replay: Replay) -> None:
        """Put another recording on the stage; the next tick draws it."""
        self.replay = replay
        self.player = Player(replay, self.run)
        self.transport.follow(self.player)
        self.pinned = None
        self._idle_since = time.monotonic()
        self._todo.discard("sketch")
        self._todo.add("load")

    def press(self, key: str) -> None:
        """What a key does."""
        if self.player is not None and key in KEYS:
            self.player.act(KEYS[key])
            self._answer()

    def _touch(self, kind: str, x: float, y: float) -> None:
        """A tap or a stroke on the scene: draw, or pin the point that was meant."""
        if self.data.painting:
            self.data.touch(kind, x, y, 0.03 * self.scene.side)
        elif kind == "tap":
            near = self.scene.nearest(x, y)
            self.pinned = None if near == self.pinned else near
            self._todo.add("pin")

    def _choose_preset(self, event: Any) -> None:
        preset = self.beginnings[self.screen.presets.value]
        self.data.set(preset.data)
        self.settings.reset(preset.settings)
        self.begin()

    # ---- what is taken along ----

    def restore(self, search: str) -> None:
        """Start from what a link says; what it says wrong is named, and the usual beginning shown."""
        try:
            link = Link.read(search, self.solver.settings, self.act.layers)
            if link.data:
                self.data.set(link.data)
        except ValueError as error:
            self.begin()
            self.complain(str(error))
            return
        self.settings.set(link.settings)
        if link.layers is not None:
            self.screen.layers.value = link.layers
        if link.axis is not None:
            self.screen.axis.value = link.axis
        self.begin()
        if self.player is None and self.data.drawing:
            self._todo.add("sketch")
        elif self.player is None:
            self._begin_anew()
        elif link.cursor is not None:
            self.player.seek(link.cursor)

    def _begin_anew(self) -> None:
        """The usual beginning, with what was said of another one still to be read."""
        said = self.screen.message.object
        self._choose_preset(None)
        self.screen.message.param.update(object=said, visible=True)

    def link(self) -> Link:
        """A link to what is on the stage."""
        now = None if self.player is None or self.player.live else self.player.replay.event(self.player.cursor)
        cursor = None if now is None else now.stamp.sequence
        data, settings = self.data.choice(), dict(self.settings.values)
        if self.replay is not None:
            header = self.replay.recording.header
            data = dict(header.source) if header.source.keys() & {"name", "points"} else {}
            settings = self._changed(header.settings)
        return Link(data, settings, cursor, self.screen.axis.value, list(self.screen.layers.value or []))

    def _changed(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Those that a person could set, or that are not as usual."""
        table = self.solver.settings
        return {
            name: value
            for name, value in settings.items()
            if name in self.act.shown or value != table.param[name].default
        }

    def play_recording(self, recording: Recording) -> None:
        """Play what was recorded, from its beginning."""
        replay = Replay(recording)
        replay.check()
        header = recording.header
        self.screen.message.visible = False
        self.settings.reset(self._changed(header.settings))
        self.data.current = Dataset("recording", "From a recording", header.X, header.y, task=self.solver.task)
        self.show_run(None, replay)
        if self.player is not None:
            self.player.param.update(live=False, playing=True)

    # ---- time passes ----

    def tick(self) -> None:
        """Look at the run, and draw what is new, if the browser keeps up."""
        now = time.monotonic()
        if self.browser.frame - self._drawn >= IN_FLIGHT and now - self._sent_at < PATIENCE:
            return
        passed, self._last = min(now - self._last, 0.5), now
        with unlocked():  # all changes of a tick in one message
            self._tick(now, passed)
            self._follow_address(now)

    def _tick(self, now: float, passed: float) -> None:
        changed = self._do_what_was_asked()
        self._awake_since = self._awake_since or now
        if self.screen.waiting and (
            self.player is None or self._is_seen_running() or now > self._awake_since + IN_ANY_CASE
        ):
            self.screen.join_next()
        if self.player is None or self.replay is None:
            self.browser.frame += changed
            return
        self.mind_the_limits(now)
        self.player.tick(passed)
        seen = (self.player.cursor, len(self.replay), self.player.playing, self.player.live, self._status())
        if seen != self._seen:
            self._todo |= set(PACE) if seen[:1] != self._seen[:1] else {"charts", "story", "transport"}
            self._seen = seen
        if self.scene.moved or (self.scene.overlay is not None and self.scene.overlay.moving):
            self._todo.add("scene")
        if self.charts.pending:
            self._todo.add("charts")
        if self.own.restless:
            self._todo.add("own")
        if self._draw(self.replay, self.player.cursor, now) or changed:
            self.browser.frame += 1
            self._sent_at = now

    def _is_seen_running(self) -> bool:
        return self._scene_since is not None and self._drawn >= self._scene_since + ALIVE

    def _do_what_was_asked(self) -> bool:
        """Everything about figures that was asked for since the last tick; whether there was something."""
        asked, drawing = self._todo & {"window", "style", "layers", "axis", "load", "sketch", "pin"}, self.data.painting
        self._todo -= asked
        if "window" in asked:
            self.screen.pictures.fit(*self._window)
        if "style" in asked:
            for part in (self.scene, self.charts, self.own):
                part.restyle(self.dark)
        if "layers" in asked:
            self.scene.show(self.screen.layers.value or [])
        if "axis" in asked:
            self.charts.axis = self.screen.axis.value
        if "load" in asked and self.replay is not None:
            self.charts.clear()
            self.own.forget()
            self.scene.load(self.replay)
            self.pinned = None
            self._seen = ()
        if "sketch" in asked:
            self._show_sketch()
        if "pin" in asked:
            self.charts.pinned = self.pinned
        if asked & {"axis", "pin", "style", "layers"}:
            self._todo |= set(PACE) if self.player is not None else set()
        self.scene.let_draw(drawing)
        return bool(asked)

    def _show_sketch(self) -> None:
        """The sheet instead of the run, which ends: its points are no longer those in view."""
        anew = self.player is not None or self.replay is not None
        self.close()
        self.run = self.replay = self.player = None
        self._seen = ()
        self._todo -= set(PACE)
        self.charts.clear()
        self.own.forget()
        self.transport.rest()
        sheet, sketch = SHEET / 2, self.data.sketch
        reach = sheet if not len(sketch) else max(sheet, float(abs(sketch.places).max()))
        self.scene.load_sketch(sketch.places, sketch.labels, reach, anew)
        self._note()
        self._tell("<b>Draw.</b> Tap or drag on the scene to put points of the chosen class; then press Run.", "")

    def mind_the_limits(self, now: float) -> None:
        """Say so when time is up; give up a place in the pool that is not used while others wait."""
        if self.run is None or self.player is None:
            return
        if self.run.stopping == "time" and self._timed_out is not self.run:
            self._timed_out = self.run
            self.inform(f"This server ends a run after {SERVER.limits.max_seconds:g} s of solver time.")
        if self.player.playing:
            self._idle_since = now
        elif (
            self.run is self._entered
            and self.run.state != "done"
            and SERVER.pool.waiting
            and now - self._idle_since > SERVER.limits.max_idle
        ):
            SERVER.pool.leave(self._entered)
            said = "Others were waiting, so the paused run has ended. What it did can be played; Run starts anew."
            self.inform(said)

    def _status(self) -> str:
        """What holds a run up, in words; empty if nothing does."""
        if self.run is not None and (ahead := SERVER.pool.ahead(self.run)):
            return f"<b>Waiting.</b> All places are taken; {ahead} in line up to and with this run."
        if self.replay is None or self.replay.frame(len(self.replay) - 1) is None:
            if not compile_ahead.compiled():
                return "<b>Compiling.</b> The kernels are being made for this computer, once: some ten seconds."
            if not len(self.replay or ()):
                return "<b>Getting ready.</b>"
        return ""

    def _draw(self, replay: Replay, cursor: int, now: float) -> bool:
        """Draw what is due: the scene, and of the other parts the one that has waited longest.

        In play each part has its pace. A frame with all of them would keep the page from answering.
        """
        playing = self.player is not None and self.player.playing
        ready = [part for part in self._todo if not playing or now - self._drawn_at[part] >= PACE[part]]
        if not ready:
            return False
        others = sorted((part for part in ready if part != "scene"), key=lambda part: self._drawn_at[part] + PACE[part])
        due = {*others[:1], *({"scene"} & set(ready))}
        self._todo = self._todo - due
        self._drawn_at |= dict.fromkeys(due, now)
        if "transport" in due:
            self.transport.draw()
        frame = replay.frame(cursor)
        if frame is None and due & {"scene", "own"}:
            self.scene.clear()
            self.own.clear()
        elif frame is not None:
            if "scene" in due:
                self.scene.draw(replay, frame, self.pinned)
                if self._scene_since is None:
                    self._scene_since = self.browser.frame
            if "story" in due:
                self.scene.tell(replay, frame)
            if "own" in due:
                self.own.draw(replay, cursor, frame, self.pinned)
        if "charts" in due:
            self.charts.draw(replay, cursor)
            self._note()
        if "story" in due:
            several = frame is not None and frame.leaves is None and len(replay.tasks) > 1
            whose = {"shown is": html.escape(frame.task.name)} if frame is not None and several else {}
            self._tell(
                self._status() or self.act.story(replay, cursor),
                self.act.line(replay.event(cursor)),
                whose | self.act.numbers(replay, cursor),
            )
        return bool(due)

    def _note(self) -> None:
        """What the scene does not show."""
        notes = [self.scene.note]
        if self.scene.left_out:
            notes.append(f"{self.scene.left_out:,} more support vectors are not drawn")
        if self.replay is not None and self.replay.recording.stride > 1:
            most = self.replay.recording.limit / 2**20
            notes.append(f"one iteration in {self.replay.recording.stride} is kept, for at most {most:.3g} MiB")
        self.screen.note.object = " · ".join(filter(None, notes))

    def _tell(self, story: str, lines: str, numbers: dict[str, str] | None = None) -> None:
        self.screen.tell(story, lines, numbers, keys=self.browser.own_page)

    def _acknowledge(self, frame: int) -> None:
        self.heard_at = time.monotonic()
        self._drawn = max(self._drawn, min(int(frame), self.browser.frame))
        self._at_once()

    def _answer(self) -> None:
        """Whoever presses a button sees it pressed, however much there is to draw."""
        if self.browser.own_page:
            self.transport.draw()
        self._at_once()

    def _at_once(self) -> None:
        """Do not wait for the clock. In a notebook messages come on another thread, and wait for it."""
        if self.browser.own_page and self._drawn:
            self.tick()

    def _follow_address(self, now: float) -> None:
        """Let the address bar say what is on the stage, now and then."""
        if now - self._address_at < ADDRESS_PERIOD or not self.browser.own_page:
            return
        self._address_at = now
        if (address := self.link().query()) != self._address:
            self._address = self.browser.query = address

    def close(self) -> None:
        """Cancel the run that this stage began; nothing is left behind."""
        SERVER.pool.leave(self._entered)
        self._entered = None
        self.own.end()
