"""The stage: one screen for every solver. Puts data, settings, run, player and pictures together."""

import time
from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.io import unlocked

from engine import SOLVERS, Recording, Run, warm
from engine.datasets import Dataset
from explorer.browser import Browser
from explorer.charts import AXES, Charts
from explorer.controls import COMPACT, SMALL, SettingsPanel
from explorer.data_panel import DataPanel
from explorer.formulas import with_formulas
from explorer.keep import Link, read_recording, recording_bytes, snippet
from explorer.layout import card, column, grid, heading, pair, picture, row, words
from explorer.player import Player
from explorer.pool import SERVER
from explorer.replay import Replay
from explorer.scene import LAYERS, SHOWN, Scene
from explorer.sketch import SHEET
from explorer.solvers import Preset, acts
from explorer.theme import FONT, NEGATIVE
from explorer.transport import Transport

PERIOD = 40  # milliseconds between two looks at the run
IN_FLIGHT = 3  # frames sent and not yet drawn: more would only pile up
# Seconds between two drawings of a part while there is something to see.
PACE = {"scene": 0.0, "transport": 0.15, "story": 0.35, "charts": 0.7, "own": 0.7}
PATIENCE = 1.0  # seconds after which a frame counts as drawn
ADDRESS_PERIOD = 1.0  # seconds between two changes of the address bar
LIT = (f"color-mix(in srgb, {NEGATIVE} 16%, transparent)", NEGATIVE)  # background and edge of a line of the listing
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
    ) -> None:
        self.act, self.solver = acts()[solver], SOLVERS[solver]
        self.dark = False
        self.run: Run[Any] | None = None
        self.replay: Replay | None = None
        self.player: Player | None = None
        self.pinned: int | None = None
        self._address = ""
        self._timed_out: Run[Any] | None = None  # the run whose end by the clock was told
        # Figures are only touched in a tick: an upload, for one, is handled without the lock they need.
        self._todo: set[str] = set()
        self._seen: tuple[Any, ...] = ()
        self._drawn, self._sent_at = 0, 0.0
        self._drawn_at = dict.fromkeys(PACE, 0.0)
        self._last = self._idle_since = self._address_at = time.monotonic()
        first = self.act.presets[0]
        started = dict(first.settings) if data is None else {}
        self.settings = SettingsPanel(self.solver.settings, self.act.shown, started | (settings or {}))
        self.scene, self.charts, self.own = Scene(self._touch), Charts(), self.act.view()
        self.transport = Transport(self._at_once)
        self.browser = Browser(key=self.press, drawn=self._acknowledge, own_page=own_page)
        self.data = DataPanel(first.data, SERVER.limits, self.begin, lambda: self._todo.add("sketch"), data)
        self._build_widgets(first)
        warm.begin()

    # ---- parts of the screen ----

    def _build_widgets(self, first: Preset) -> None:
        self.presets = pmui.Select(
            label="Preset", options={preset.title: k for k, preset in enumerate(self.act.presets)}, value=0, **SMALL
        )
        self.presets.param.watch(self._choose_preset, "value")
        self.run_button = pmui.Button(label="Run", icon="play_arrow", color="primary", variant="contained", margin=8)
        self.run_button.on_click(lambda event: self.begin())
        self.reset_button = pmui.Button(label="Reset", icon="restart_alt", variant="outlined", margin=8)
        self.reset_button.on_click(lambda event: self._choose_preset(None))
        small: dict[str, Any] = {"variant": "text", "size": "small", "margin": 2}
        self.save = pmui.FileDownload(
            label="Save recording", filename=f"{self.act.solver}.svmrun", callback=self._recording, **small
        )
        self.open = pmui.FileInput(label="Open recording", accept=".svmrun", **small)
        self.open.param.watch(self._open_recording, "value")
        self.share = pmui.Button(label="Share", icon="link", **small)
        self.share.on_click(self._show_link)
        self.python = pmui.Button(label="Show the Python", icon="code", **small)
        self.python.on_click(self._show_python)
        figures = [self.scene.plot, *self.charts.plots.values(), *self.own.plots]
        self.png = pmui.MenuButton(
            label="PNG", icon="image", items=[{"label": plot.name.replace("-", " ")} for plot in figures], **small
        )
        self.png.on_click(self._save_png)
        self.words = pn.pane.Markdown("", sizing_mode="stretch_width")
        self.dialog = pmui.Dialog(self.words, title="", open=False, show_close_button=True, width_option="md")
        self.message = pmui.Alert(object="", severity="error", visible=False, sizing_mode="stretch_width", margin=8)
        self.layers = pmui.CheckButtonGroup(
            label="", options=list(LAYERS), value=list(SHOWN), size="small", margin=(2, 6), color="primary", sx=COMPACT
        )
        self.layers.param.watch(lambda event: self._todo.add("layers"), "value")
        self.axis = pmui.RadioButtonGroup(
            label="", options=list(AXES), value="iterations", size="small", margin=(2, 6), sx=COMPACT
        )
        self.axis.param.watch(lambda event: self._todo.add("axis"), "value")
        self.note = words("", 12)
        self.story = pn.pane.HTML("", sizing_mode="stretch_width", margin=(2, 8), min_height=78)
        self.listing = pn.pane.HTML("", sizing_mode="stretch_width", margin=(2, 4))

    def sidebar(self) -> list[Any]:
        """What stands beside the stage."""
        return [
            row(self.run_button, self.reset_button), self.message,
            heading("Presets"), self.presets,
            heading("Data"), self.data.view,
            heading("Problem and solver"), self.settings.view,
        ]  # fmt: skip

    def main(self) -> Any:
        """The stage itself."""
        first, *others = [picture(plot) for plot in self.own.plots]
        return column(
            card(self.transport),
            grid(
                card(self.layers, picture(self.scene.plot), self.note),
                card(self.axis, *(picture(plot) for plot in self.charts.plots.values())),
                card(self.story, self.listing),
                card(first, pair(*others)),
            ),
            card(row(self.share, self.save, self.open, self.png, self.python, self.dialog)),
            self.browser,
            margin=(8, 12),
            styles={"gap": "10px"},
        )  # fmt: skip

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self.dark = dark
        self._todo.add("style")

    # ---- what a person does ----

    def begin(self) -> None:
        """Run with the data and settings that are chosen; if they are wrong, what is on the stage goes on."""
        limits = SERVER.limits
        try:
            settings = self.solver.settings.checked(self.settings.values)
            data, source = self.data.load()
            run = self.solver.recorded_run(
                data.X,
                data.y,
                settings,
                source=source,
                time_limit=limits.max_seconds,
                recording_mb=limits.max_recording_mb,
            )
        except (ValueError, OSError) as error:
            self.complain(str(error))
            return
        self.message.visible = False
        self.watch_run(run, data)

    def watch_run(self, run: Run[Any], data: Dataset) -> None:
        """Put a run that has not begun on the stage, and let it begin."""
        self.close()
        self.run = run
        if run.recording is not None:
            self._watch(Replay(run.recording, data.X_test, data.y_test))
        SERVER.pool.enter(run)

    def complain(self, text: str, severity: str = "error") -> None:
        """Say what is wrong, where it can be set right."""
        self.message.param.update(object=text, severity=severity, visible=True)

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

    def _touch(self, kind: str, x: float, y: float) -> None:
        """A tap or a stroke on the scene: draw, or pin the point that was meant."""
        if self.data.drawing:
            self.data.touch(kind, x, y, 0.03 * self.scene.side)
        elif kind == "tap":
            near = self.scene.nearest(x, y)
            self.pinned = None if near == self.pinned else near
            self._todo.add("pin")

    def _choose_preset(self, event: Any) -> None:
        preset = self.act.presets[self.presets.value]
        self.data.set(preset.data)
        table = self.solver.settings
        self.settings.set({**{name: table.param[name].default for name in self.act.shown}, **preset.settings})
        self.begin()

    # ---- what is taken along ----

    def restore(self, search: str) -> None:
        """Start from what a link says; what it says wrong is named, and the usual beginning shown."""
        try:
            link = Link.read(search, self.solver.settings)
            if link.data:
                self.data.set({**self.data.choice(), **link.data})
        except ValueError as error:
            self.begin()
            self.complain(str(error))
            return
        self.settings.set(link.settings)
        if link.layers is not None:
            self.layers.value = link.layers
        if link.axis is not None:
            self.axis.value = link.axis
        self.begin()
        if link.cursor is not None and self.player is not None:
            self.player.seek(link.cursor)

    def link(self) -> Link:
        """A link to what is on the stage."""
        cursor = None if self.player is None or self.player.live else self.player.cursor
        return Link(
            self.data.choice(), dict(self.settings.values), cursor, self.axis.value, list(self.layers.value or [])
        )

    def _show_link(self, event: Any) -> None:
        place = pn.state.location
        address = f"{place.href.split('?')[0] if place else ''}?{self.link().query()}"
        text = f"[{address}]({address})"
        if not self.data.choice():
            text = "These data are not in a link: save the recording and send that.\n\nSettings only: " + text
        self._say("Link to this moment", text)

    def _show_python(self, event: Any) -> None:
        if self.replay is not None:
            header = self.replay.recording.header
            self._say("The same in Python", f"```python\n{snippet(header.solver, header.source, header.settings)}```")

    def _save_png(self, event: Any) -> None:
        name = self.png.value["label"].replace(" ", "-")
        self.browser.save_png(name, f"{self.act.solver}-{name}.png")

    def _say(self, title: str, text: str) -> None:
        self.words.object = text
        self.dialog.param.update(title=title, open=True)

    def _recording(self) -> Any:
        return recording_bytes(self.replay.recording) if self.replay is not None else None

    def _open_recording(self, event: Any) -> None:
        if not event.new:
            return
        try:
            recording = read_recording(event.new, self.open.filename or "recording")
            if recording.header.solver != self.act.solver:
                raise ValueError(
                    f"{self.open.filename} is a recording of {recording.header.solver}: open it on that page"
                )
            self.play_recording(recording)
        except (ValueError, OSError) as error:
            self.complain(str(error))

    def play_recording(self, recording: Recording) -> None:
        """Play what was recorded, from its beginning."""
        replay = Replay(recording)
        self.close()
        self.run = None
        self.message.visible = False
        header = recording.header
        self.settings.set({name: value for name, value in header.settings.items() if name in self.act.shown})
        self._watch(replay)
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
        if self.player is None or self.replay is None:
            return
        self._mind_the_limits(now)
        self.player.tick(passed)
        seen = (self.player.cursor, len(self.replay), self.player.playing, self.player.live, self._status())
        if seen != self._seen:
            self._todo |= set(PACE) if seen[:1] != self._seen[:1] else {"charts", "story", "transport"}
            self._seen = seen
        if self.scene.moved:
            self._todo.add("scene")
        if self.charts.pending:
            self._todo.add("charts")
        if self._draw(self.replay, self.player.cursor, now) or changed:
            self.browser.frame += 1
            self._sent_at = now

    def _do_what_was_asked(self) -> bool:
        """Everything about figures that was asked for since the last tick; whether there was something."""
        asked, drawing = self._todo & {"style", "layers", "axis", "load", "sketch", "pin"}, self.data.drawing
        self._todo -= asked
        if "style" in asked:
            for part in (self.scene, self.charts, self.own):
                part.restyle(self.dark)
        if "layers" in asked:
            self.scene.show(self.layers.value or [])
        if "axis" in asked:
            self.charts.axis = self.axis.value
        if "load" in asked and self.replay is not None:
            self.charts.clear()
            self.own.clear()
            self.scene.load(self.replay)
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
        self.own.clear()
        self.transport.rest()
        sheet, sketch = SHEET / 2, self.data.sketch
        reach = sheet if not len(sketch) else max(sheet, float(abs(sketch.places).max()))
        self.scene.load_sketch(sketch.places, sketch.labels, reach, anew)
        self._note()
        self._tell("<b>Draw.</b> Tap or drag on the scene to put points of the chosen class; then press Run.", "")

    def _mind_the_limits(self, now: float) -> None:
        """Say so when time is up; give up a place in the pool that is not used while others wait."""
        if self.run is None or self.player is None:
            return
        if self.run.stopping == "time" and self._timed_out is not self.run:
            self._timed_out = self.run
            self.complain(f"This server ends a run after {SERVER.limits.max_seconds:g} s of solver time.", "info")
        if self.player.playing:
            self._idle_since = now
        elif self.run.state != "done" and SERVER.pool.waiting and now - self._idle_since > SERVER.limits.max_idle:
            SERVER.pool.leave(self.run)
            said = "Others were waiting, so the paused run has ended. What it did can be played; Run starts anew."
            self.complain(said, "info")

    def _status(self) -> str:
        """What holds a run up, in words; empty if nothing does."""
        if self.run is not None and (ahead := SERVER.pool.ahead(self.run)):
            return f"<b>Waiting.</b> All places are taken; {ahead} in line up to and with this run."
        if not len(self.replay or ()):
            return "<b>Getting ready.</b>" + ("" if warm.compiled() else " The kernels are being compiled, once.")
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
            if "story" in due:
                self.scene.tell(replay, frame)
            if "own" in due:
                self.own.draw(replay, frame, self.pinned)
        if "charts" in due:
            self.charts.draw(replay, cursor)
            self._note()
        if "story" in due:
            self._tell(self._status() or self.act.story(replay, cursor), self.act.line(replay.event(cursor)))
        return bool(due)

    def _note(self) -> None:
        """What the scene does not show."""
        notes = [self.scene.note]
        if self.scene.left_out:
            notes.append(f"{self.scene.left_out:,} more support vectors are not drawn")
        if self.replay is not None and self.replay.recording.stride > 1:
            most = self.replay.recording.limit / 2**20
            notes.append(f"one iteration in {self.replay.recording.stride} is kept, for at most {most:.3g} MiB")
        self.note.object = " · ".join(filter(None, notes))

    def _tell(self, story: str, lines: str) -> None:
        look = f"font: 15px/1.5 {FONT}; color: var(--mui-palette-text-primary, inherit)"
        self.story.object = f'<div style="{look}">{story}</div>'
        self.listing.object = _listing(self.act.listing, lines.split())

    def _acknowledge(self, frame: int) -> None:
        self._drawn = max(self._drawn, min(int(frame), self.browser.frame))
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
        """Cancel what runs; nothing is left behind."""
        SERVER.pool.leave(self.run)


def _listing(lines: tuple[tuple[str, int, str], ...], lit: list[str]) -> str:
    """The algorithm, with some lines lit."""
    parts = []
    for name, depth, text in lines:
        shade, edge = LIT if name in lit else ("none", "transparent")
        look = f"background: {shade}; border-left: 3px solid {edge}; padding: 2px 8px 2px {10 + 20 * depth}px"
        current = ' aria-current="step"' if name in lit else ""
        parts.append(f'<div style="{look}"{current}>{with_formulas(text)}</div>')
    look = f"font: 14px/1.6 {FONT}; color: var(--mui-palette-text-primary, inherit)"
    return f'<div style="{look}">{"".join(parts)}</div>'
