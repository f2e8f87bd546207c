"""The stage: one screen for every solver. Puts data, settings, run, player and pictures together."""

import html
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import panel as pn
import panel_material_ui as pmui

from engine import SOLVERS, Run
from explorer.charts import AXES, Charts
from explorer.controls import COMPACT, SMALL, SettingsPanel
from explorer.data_panel import DataPanel
from explorer.keep import query, read_query, read_recording, recording_bytes, snippet
from explorer.keys import Browser
from explorer.page import plain_page
from explorer.player import Player
from explorer.replay import Replay
from explorer.scene import LAYERS, Scene
from explorer.solvers import Preset, acts
from explorer.theme import FONT, NEGATIVE, tone
from explorer.transport import Transport

PERIOD = 60  # milliseconds between two looks at the run
SHOWN_LAYERS = ["field", "margins", "points", "support vectors", "working set"]


class Stage:
    """Everything one person sees of one solver."""

    def __init__(self, solver: str = "kernel-svm", dark: bool = False) -> None:
        self.act, self.estimator = acts()[solver], SOLVERS[solver]
        self.dark = dark
        self.run: Run[Any] | None = None
        self.replay: Replay | None = None
        self.player: Player | None = None
        # Figures are only touched in a tick: an upload, for one, is handled without the lock they need.
        self._seen: tuple[Any, ...] = ()
        self._loaded = False
        self._last = time.monotonic()
        first = self.act.presets[0]
        self.settings = SettingsPanel(self.estimator.settings, self.act.shown, dict(first.settings))
        self.scene, self.charts, self.own = Scene(dark), Charts(dark), self.act.view()
        self.transport = Transport()
        self._build_widgets(first)
        self.begin()

    # ---- parts of the screen ----

    def _build_widgets(self, first: Preset) -> None:
        self.data = DataPanel(first.data, self.begin)
        self.presets = pmui.Select(
            label="Preset", options={preset.title: k for k, preset in enumerate(self.act.presets)}, value=0, **SMALL
        )
        self.presets.param.watch(self._choose_preset, "value")
        self.run_button = pmui.Button(label="Run", icon="play_arrow", color="primary", variant="contained", margin=8)
        self.run_button.on_click(lambda event: self.begin())
        self.reset_button = pmui.Button(label="Reset", icon="restart_alt", variant="outlined", margin=8)
        self.reset_button.on_click(lambda event: self._choose_preset(None))
        self.save = pmui.FileDownload(
            label="Save recording",
            filename="run.svmrun",
            callback=self._recording,
            variant="text",
            size="small",
            margin=2,
        )
        self.open = pmui.FileInput(label="Open recording", accept=".svmrun", variant="text", size="small", margin=2)
        self.open.param.watch(self._open_recording, "value")
        self.share = pmui.Button(label="Share", icon="link", variant="text", size="small", margin=2)
        self.share.on_click(self._show_link)
        self.python = pmui.Button(label="Show the Python", icon="code", variant="text", size="small", margin=2)
        self.python.on_click(self._show_python)
        self.words = pn.pane.Markdown("", sizing_mode="stretch_width")
        self.dialog = pmui.Dialog(self.words, title="", open=False, show_close_button=True, width_option="md")
        self.message = pmui.Alert(object="", severity="error", visible=False, sizing_mode="stretch_width", margin=8)
        self.layers = pmui.CheckButtonGroup(
            label="", options=list(LAYERS), value=SHOWN_LAYERS, size="small", margin=(2, 6), color="primary", sx=COMPACT
        )
        self.layers.param.watch(lambda event: self.scene.show(event.new), "value")
        self.scene.show(SHOWN_LAYERS)
        self.axis = pmui.RadioButtonGroup(
            label="", options=list(AXES), value="iterations", size="small", margin=(2, 6), sx=COMPACT
        )
        self.axis.param.watch(self._choose_axis, "value")
        self.note = pmui.Typography("", variant="caption", margin=(0, 10))
        self.story = pn.pane.HTML("", sizing_mode="stretch_width", margin=(4, 10))
        self.listing = pn.pane.HTML("", sizing_mode="stretch_width", margin=(4, 10))

    def sidebar(self) -> list[Any]:
        """What stands beside the stage."""
        return [
            pmui.Row(self.run_button, self.reset_button, margin=0), self.message,
            _heading("Presets"), self.presets,
            _heading("Data"), self.data.view,
            _heading("Problem and solver"), self.settings.view,
        ]  # fmt: skip

    def main(self) -> Any:
        """The stage itself."""
        wide, narrow = {"xs": 12, "md": 7}, {"xs": 12, "md": 5}
        panes = {name: _pane(plot) for name, plot in self.charts.plots.items()}
        scene = _card(self.layers, _pane(self.scene.plot), self.note)
        charts = _card(self.axis, *panes.values())
        story = _card(self.story, self.listing)
        own = _card(*(_pane(plot) for plot in self.own.plots))
        return pmui.Column(
            _card(self.transport.view),
            pmui.Grid(
                pmui.Grid(scene, size=wide), pmui.Grid(charts, size=narrow),
                pmui.Grid(story, size=wide), pmui.Grid(own, size=narrow),
                container=True, spacing=1.5, sizing_mode="stretch_width",
            ),
            _card(self.footer()),
            sizing_mode="stretch_width", margin=0,
        )  # fmt: skip

    def footer(self) -> Any:
        """What can be taken along."""
        return pmui.FlexBox(self.share, self.save, self.open, self.python, self.dialog, sizing_mode="stretch_width")

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self.dark = dark
        for part in (self.scene, self.charts, self.own):
            part.restyle(dark)
        self._seen = ()

    # ---- what a person does ----

    def begin(self) -> None:
        """Run with the data and settings that are chosen."""
        self.close()
        try:
            settings = self.estimator.settings.checked(self.settings.values)
            data, source = self.data.load()
            self.run = self.estimator.recorded_run(data.X, data.y, settings, source=source)
        except (ValueError, OSError) as error:
            self.message.param.update(object=str(error), visible=True)
            return
        self.message.visible = False
        if self.run.recording is not None:
            self._watch(Replay(self.run.recording, data.X_test, data.y_test))
        self.run.start(paused=True)

    def _watch(self, replay: Replay) -> None:
        """Put another recording on the stage; the next tick draws it."""
        self.replay = replay
        self.player = Player(replay, self.run)
        self.transport.follow(self.player)
        self._loaded = False
        self._seen = ()

    def _load(self, replay: Replay) -> None:
        self._loaded = True
        self.charts.clear()
        self.own.clear()
        self.scene.load(replay)
        self.note.object = self.scene.note

    def press(self, key: str) -> None:
        """What a key does."""
        if self.player is None:
            return
        match key:
            case " ":
                self.player.toggle()
            case "ArrowLeft":
                self.player.step(-1)
            case "ArrowRight":
                self.player.step(1)
            case "Home":
                self.player.to_start()
            case "End":
                self.player.to_end()

    def _choose_preset(self, event: Any) -> None:
        preset = self.act.presets[self.presets.value]
        self.data.set(preset.data)
        defaults = {name: self.estimator.settings.param[name].default for name in ("bias", "kernel", "seed", "tol")}
        self.settings.set({**defaults, **preset.settings})
        self.begin()

    # ---- what is taken along ----

    def restore(self, search: str) -> None:
        """Start from what a link says; what it says wrong is named, and the usual beginning shown."""
        try:
            data, settings, cursor = read_query(search, self.estimator.settings)
        except ValueError as error:
            self.message.param.update(object=str(error), visible=True)
            return
        if data or settings:
            self.data.set({**self.data.choice(), **data})
            self.settings.set(settings)
            self.begin()
        if cursor is not None and self.player is not None and self.run is not None:
            self.run.resume()
            self.run.join(5)
            self.player.pause()
            self.player.go(cursor)

    def link(self) -> str:
        """The query of a link to what is on the stage."""
        return query(self.data.choice(), self.settings.values, self.player.cursor if self.player else 0)

    def _show_link(self, event: Any) -> None:
        place = pn.state.location
        address = f"{place.href.split('?')[0] if place else ''}?{self.link()}"
        self._say("Link to this moment", f"[{address}]({address})")

    def _show_python(self, event: Any) -> None:
        if self.replay is not None:
            header = self.replay.recording.header
            self._say("The same in Python", f"```python\n{snippet(header.solver, header.source, header.settings)}```")

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
            replay = Replay(recording)
        except (ValueError, OSError) as error:
            self.message.param.update(object=str(error), visible=True)
            return
        self.close()
        self.run = None
        self.message.visible = False
        shown = {name: value for name, value in recording.header.settings.items() if name in self.act.shown}
        self.settings.set(shown)
        self._watch(replay)
        if self.player is not None:
            self.player.param.update(live=False, playing=True)

    def _choose_axis(self, event: Any) -> None:
        self.charts.axis = event.new
        self._seen = ()

    # ---- time passes ----

    def tick(self) -> None:
        """Look at the run, and draw what is new."""
        now = time.monotonic()
        passed, self._last = min(now - self._last, 0.5), now
        if self.player is None or self.replay is None:
            return
        self.player.tick(passed)
        cursor = self.player.cursor
        seen = (cursor, len(self.replay), self.player.playing, self.player.live)
        if seen == self._seen and not self.charts.pending:
            return
        moved = not self._seen or self._seen[0] != cursor
        self._seen = seen
        with _one_message():
            if not self._loaded:
                self._load(self.replay)
            self.transport.draw()
            self.charts.draw(self.replay, cursor)
            if moved:
                self._draw(self.replay, cursor)

    def _draw(self, replay: Replay, cursor: int) -> None:
        frame = replay.frame(cursor)
        if frame is None:
            self.scene.clear()
            self.own.clear()
        else:
            self.scene.draw(replay, frame)
            self.own.draw(replay, frame)
        story = self.act.story(replay, cursor)
        self.story.object = f'<div style="font: 15px/1.5 {FONT}; min-height: 4.5em">{story}</div>'
        self.listing.object = self._listing(self.act.line(replay.event(cursor)))

    def _listing(self, current: str) -> str:
        shade = tone(self.dark)
        lines = []
        for name, text in self.act.listing:
            paper, edge = (shade.line, NEGATIVE) if name == current else ("transparent", "transparent")
            look = f"background:{paper};border-left:3px solid {edge};padding:1px 8px;white-space:pre-wrap"
            lines.append(f'<div style="{look}">{html.escape(text)}</div>')
        return f'<div style="font: 13px/1.5 ui-monospace, Menlo, monospace; color:{shade.text}">{"".join(lines)}</div>'

    def close(self) -> None:
        """Cancel what runs; nothing is left behind."""
        if self.run is not None:
            self.run.cancel()


@contextmanager
def _one_message() -> Iterator[None]:
    """Let all changes of a tick reach the browser together."""
    document = pn.state.curdoc
    if document is None:
        yield
        return
    document.hold("combine")
    try:
        yield
    finally:
        document.unhold()


def _heading(text: str) -> Any:
    return pmui.Typography(text.upper(), variant="overline", margin=(8, 10, 0, 10))


def _card(*parts: Any) -> Any:
    return pmui.Paper(*parts, variant="outlined", sizing_mode="stretch_width", margin=0, sx={"padding": "6px"})


def _pane(plot: Any) -> Any:
    return pn.pane.Bokeh(plot, sizing_mode="stretch_width", height=plot.height, margin=0)


def stage_page(solver: str) -> Any:
    """The page of a solver, alive."""
    stage = Stage(solver)
    page = plain_page(sidebar=stage.sidebar(), main=[stage.main()], sidebar_width=300)
    if pn.state.location is not None:
        stage.restore(pn.state.location.search)
    browser = Browser(width=0, height=0, margin=0)
    page.main = [*page.main, browser]
    browser.param.watch(lambda event: stage.press(event.new.split("|")[0]), "pressed")
    page.param.watch(lambda event: stage.restyle(event.new), "dark_theme")
    pn.state.on_session_destroyed(lambda context: stage.close())

    def wake() -> None:  # what is sent before the page is there would only pile up
        pn.state.add_periodic_callback(stage.tick, PERIOD)

    pn.state.onload(wake)
    return page
