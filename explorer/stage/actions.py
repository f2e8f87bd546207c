"""The stage: one screen for every system. Here is what a person does on it; what is drawn when, is in `refresh`.

`Stage` puts the parts together and changes what they show: data and settings become a run with its recording, which
goes into `CurrentRun`; from there `Refresh` takes it to the figures.
"""

from collections.abc import Mapping
from typing import Any

from engine import SOLVERS, Recording, Run, compile_ahead
from engine.datasets import Dataset
from engine.numerics.kernels import resolve_gamma
from explorer.figures.charts import Charts
from explorer.figures.scene import Scene
from explorer.registry import presentation
from explorer.replay.lookup import Replay
from explorer.replay.playback import STEP_SIZES, Playback
from explorer.server.pool import SERVER
from explorer.share.link import Link
from explorer.stage.browser_window import Window
from explorer.stage.controls import SettingsPanel
from explorer.stage.current_run import CurrentRun
from explorer.stage.data_panel import DataPanel
from explorer.stage.presets import Preset
from explorer.stage.refresh import Parts, Refresh
from explorer.stage.screen import Screen
from explorer.stage.share_row import ShareRow
from explorer.stage.shortcuts import KEYS, Shortcuts
from explorer.stage.transport import Transport


class Stage:
    """Everything one person sees of one system, by default the first.

    `begin` and its kin belong to the person, `tick` to the clock. `page_query` is what the query of the page's address
    begins with, whatever is on the stage.
    """

    def __init__(
        self,
        solver: str | None = None,
        *,
        data: Dataset | None = None,
        settings: dict[str, Any] | None = None,
        own_page: bool = True,
        page_query: str = "",
        dark: bool = False,
    ) -> None:
        self.solver = SOLVERS[next(iter(SOLVERS)) if solver is None else solver]
        self.presentation = shown = presentation(self.solver.name)
        self.page_query = page_query
        self.current = CurrentRun(shown.step_sizes)
        given = () if data is None else (Preset("Your data", {}, settings or {}),)
        self.beginnings = (*given, *(preset for preset in shown.presets if preset.available))
        self.settings = SettingsPanel(
            self.solver.settings, shown.shown, dict(self.beginnings[0].settings), shown.labels, shown.decades
        )
        self.scene = Scene(self._touch, dark, shown.overlay)
        self.charts, self.view = Charts(shown.charts, shown.curves, dark), shown.view(dark)
        self.transport = Transport(lambda: self.refresh.draw_controls_now(), sizes=[*STEP_SIZES, *shown.step_sizes])
        self.shortcuts = Shortcuts(self.press, own_page=own_page)
        heard: dict[str, Any] = {
            "drawn": lambda frame: self.refresh.acknowledge(frame),
            "window": lambda size: self.refresh.fit(size),
            "dark": self.restyle,
        }
        self.window = Window(heard, own_page=own_page)
        first = shown.presets[0].data
        self.data = DataPanel(first, SERVER.limits, self.begin, self._show_sketch, data, self.solver.task)
        self.screen = Screen(shown, [preset.title for preset in self.beginnings])
        self._listen()
        figures = [self.scene.plot, *self.charts.plots.values(), *self.view.plots]
        self.share_row = ShareRow(self, [plot.name for plot in figures])
        parts = Parts(self.screen, self.scene, self.charts, self.view, self.transport, self.data, self.window)
        self.refresh: Refresh = Refresh(shown, parts, self.current, self.query, dark)
        compile_ahead.start()

    # ---- what is on the stage ----

    @property
    def run(self) -> Run[Any] | None:
        """The run that may still add to the recording."""
        return self.current.run

    @property
    def replay(self) -> Replay | None:
        """The recording."""
        return self.current.replay

    @property
    def playback(self) -> Playback | None:
        """Its cursor."""
        return self.current.playback

    @property
    def pinned(self) -> int | None:
        """The point that is followed."""
        return self.current.pinned

    # ---- parts of the screen ----

    def _listen(self) -> None:
        screen = self.screen
        screen.presets.param.watch(self._choose_preset, "value")
        screen.run_button.on_click(lambda event: self.begin())
        screen.reset_button.on_click(lambda event: self._choose_preset(None))
        screen.layers.param.watch(lambda event: self.refresh.ask("layers"), "value")
        screen.axis.param.watch(lambda event: self.refresh.ask("axis"), "value")

    def sidebar(self) -> list[Any]:
        """What stands beside the stage."""
        return self.screen.sidebar(self.data.view, self.settings.view)

    def main(self) -> Any:
        """The stage itself."""
        unseen = [self.window, self.shortcuts]
        return self.screen.main(self.transport, self.scene.plot, self.charts, self.view, self.share_row.view, unseen)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self.refresh.restyle(dark)

    def tick(self) -> None:
        """Look at the run, and draw what is new."""
        self.refresh.tick()

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
        self.current.enter()
        self.data.pin_on_tap()
        self._say_what_to_look_at()
        self._warn_of_a_narrow_kernel(replay)

    def _say_what_to_look_at(self) -> None:
        preset = self.beginnings[self.screen.presets.value]
        chosen = {**self.data.choice(), **self.settings.values}
        usual = {name: self.settings.usual[name] for name in self.presentation.shown}
        wanted = {**preset.data, **usual, **preset.settings}
        as_it_was = all(chosen.get(name) == value for name, value in wanted.items())
        self.screen.look.object = preset.look if as_it_was else "Changed since: data or settings are your own."

    def _warn_of_a_narrow_kernel(self, replay: Replay) -> None:
        """Say so where hardly any two points have to do with one another: then gamma was meant for other data."""
        if not replay.is_narrow():
            return
        scale = resolve_gamma("scale", replay.X)
        self.screen.inform(
            f"With γ = {replay.kernel.gamma:.3g} the kernel between most of these points and their nearest is near 0: "
            f'each stands for itself alone. γ = "scale" is {scale:.3g} here.'
        )

    def show_run(self, run: Run[Any] | None, replay: Replay) -> None:
        """Put a recording on the stage, and the run that may still add to it; other runs of this stage end."""
        self.close()
        self.transport.follow(self.current.show(run, replay))
        self.refresh.show_run()

    def complain(self, text: str) -> None:
        """Say what is wrong."""
        self.screen.complain(text)

    def press(self, key: str) -> None:
        """What a key does."""
        if self.playback is not None and key in KEYS:
            self.playback.act(KEYS[key])
            self.refresh.draw_controls_now()

    def _touch(self, kind: str, x: float, y: float) -> None:
        """A tap or a stroke on the scene: draw, or pin the point that was meant."""
        if self.data.painting:
            self.data.touch(kind, x, y, 0.03 * self.scene.side)
        elif kind == "tap":
            near = self.scene.nearest(x, y)
            self.current.pinned = None if near == self.pinned else near
            self.refresh.ask("pin")

    def _show_sketch(self) -> None:
        """Show the sheet instead of the run, which ends: its points are no longer those in view."""
        self.current.clear()
        self.view.end()
        self.refresh.ask("sketch")

    def _choose_preset(self, event: Any) -> None:
        preset = self.beginnings[self.screen.presets.value]
        self.data.set(preset.data)
        self.settings.reset(preset.settings)
        self.begin()

    def close(self) -> None:
        """Cancel the run that this stage began; nothing is left behind."""
        self.current.leave()
        self.view.end()

    # ---- links and recordings ----

    def restore(self, search: str) -> None:
        """Start from what a link says; what it says wrong is named, and the usual beginning shown."""
        try:
            link = Link.read(search, self.solver.settings, self.presentation.layers)
            if link.data:
                self.data.set(link.data)
        except ValueError as error:
            self.begin()
            self.complain(str(error))
            return
        # What a link leaves out it leaves to the page, as the page was when links began.
        self.settings.set({**self.solver.settings.formerly, **self.beginnings[0].settings, **link.settings})
        if link.layers is not None:
            self.screen.layers.value = link.layers
        if link.axis is not None:
            self.screen.axis.value = link.axis
        self.begin()
        if self.playback is None and self.data.drawing:
            self.refresh.ask("sketch")
        elif self.playback is None:
            self._begin_anew()
        elif link.cursor is not None:
            self.playback.seek(link.cursor)

    def _begin_anew(self) -> None:
        """The usual beginning, with what was said of another one still to be read."""
        said = self.screen.message.object
        self._choose_preset(None)
        self.screen.message.param.update(object=said, visible=True)

    def link(self) -> Link:
        """A link to what is on the stage."""
        playback = self.playback
        now = None if playback is None or playback.live else playback.replay.event(playback.cursor)
        cursor = None if now is None else now.stamp.sequence
        data, settings = self.data.choice(), dict(self.settings.values)
        if self.replay is not None:
            header = self.replay.recording.header
            data = dict(header.source) if header.source.keys() & {"name", "points"} else {}
            settings = self._changed(header.settings)
        return Link(data, settings, cursor, self.screen.axis.value, list(self.screen.layers.value or []))

    def query(self) -> str:
        """The link as the query of an address."""
        return "&".join(filter(None, (self.page_query, self.link().query())))

    def _changed(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Those that a person could set, or that are not as usual."""
        table = self.solver.settings
        return {
            name: value
            for name, value in settings.items()
            if name in self.presentation.shown or value != table.param[name].default
        }

    def play_recording(self, recording: Recording) -> None:
        """Play what was recorded, from its beginning."""
        replay = Replay(recording)
        replay.reader.check()
        header = recording.header
        self.screen.message.visible = False
        self.settings.reset(self._changed(header.settings))
        self.data.current = Dataset("recording", "From a recording", header.X, header.y, task=self.solver.task)
        self.show_run(None, replay)
        if self.playback is not None:
            self.playback.param.update(live=False, playing=True)
