"""The transport: buttons, timeline, speed and step size around a player."""

from collections import deque
from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui

from engine.events import PhaseBegan
from explorer.player import SPEEDS, Player
from explorer.theme import FONT


class Transport:
    """Widgets that move a player, and show where it is."""

    def __init__(self) -> None:
        self.player: Player | None = None
        self._set: deque[int] = deque(maxlen=64)  # positions the timeline was put to, which the browser may echo
        self.start = self._button("To start", "skip_previous", Player.to_start)
        self.back = self._button("Step back", "chevron_left", lambda p: p.step(-1))
        self.play = pmui.IconButton(
            label="Pause", icon="pause", description="Pause", color="primary", variant="contained", margin=(2, 4)
        )
        self.play.on_click(lambda event: self._act(Player.toggle))
        self.forward = self._button("Step forward", "chevron_right", lambda p: p.step(1))
        self.end = self._button("To end", "skip_next", Player.to_end)
        self.timeline = pmui.IntSlider(
            label="Timeline", start=0, end=1, value=0, show_value=False, tooltips=False, size="small",
            sizing_mode="stretch_width", margin=(0, 22, 0, 22), min_width=160, sx={"fontSize": "12px"},
        )  # fmt: skip
        self.timeline.param.watch(self._dragged, "value")
        self.timeline.param.watch(self._dropped, "value_throttled")
        self.where = pn.pane.HTML("", margin=(0, 22), sizing_mode="stretch_width")
        self.speed = pmui.Select(label="Speed", options=SPEEDS, value=10.0, size="small", width=112, margin=4)
        self.speed.param.watch(lambda event: self._tell(speed=event.new), "value")
        self.step_size = pmui.Select(
            label="Step size", options=["event", "iteration", "phase"], size="small", width=112, margin=4
        )
        self.step_size.param.watch(lambda event: self._tell(step_size=event.new), "value")
        self.live = pmui.Button(label="Live", icon="sensors", size="small", variant="outlined", margin=4, width=84)
        self.live.on_click(lambda event: self._act(Player.to_end))
        self.view = pmui.FlexBox(
            pmui.Row(self.start, self.back, self.play, self.forward, self.end, margin=0),
            pmui.Column(self.timeline, self.where, sizing_mode="stretch_width", margin=0, styles={"flex": "1 1 220px"}),
            pmui.Row(self.speed, self.step_size, self.live, margin=0),
            align_items="center", sizing_mode="stretch_width", margin=0,
        )  # fmt: skip

    def _button(self, name: str, icon: str, act: Callable[[Player], None]) -> Any:
        button = pmui.IconButton(label=name, icon=icon, description=name, margin=(2, 2))
        button.on_click(lambda event: self._act(act))
        return button

    def _act(self, act: Callable[[Player], None]) -> None:
        if self.player is not None:
            act(self.player)

    def _tell(self, **values: Any) -> None:
        if self.player is not None:
            self.player.param.update(**values)

    def _dragged(self, event: Any) -> None:
        if event.new not in self._set:
            self._scrub(event.new)

    def _dropped(self, event: Any) -> None:
        self._set.clear()
        self._scrub(event.new)

    def _scrub(self, position: int) -> None:
        if self.player is not None:
            self.player.pause()
            self.player.go(position)

    def follow(self, player: Player) -> None:
        """Work on another player, at the chosen speed and step size."""
        self.player = player
        player.param.update(speed=self.speed.value, step_size=self.step_size.value)

    def draw(self) -> None:
        """Show where the player is."""
        player = self.player
        if player is None:
            return
        playing = player.playing
        name = "Pause" if playing else "Play"
        if self.play.label != name:
            self.play.param.update(label=name, description=name, icon="pause" if playing else "play_arrow")
        self.live.variant = "contained" if player.live else "outlined"
        self._set.append(player.cursor)
        self.timeline.end = max(1, player.end)
        self.timeline.value = player.cursor
        self.where.object = f'<span style="font: 12px {FONT}">{self._sentence(player)}</span>'

    def _sentence(self, player: Player) -> str:
        event = player.replay.event(player.cursor)
        phase = ""
        for position in range(player.cursor, -1, -1):
            before = player.replay.event(position)
            if isinstance(before, PhaseBegan):
                phase = f" · {before.name}"
                break
        path = " / ".join(event.stamp.path) + " · " if event is not None and event.stamp.path else ""
        return f"{path}event {player.cursor + 1:,} of {player.end + 1:,}{phase}"
