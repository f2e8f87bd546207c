"""The row of buttons below a stage: share a link, save or open a recording, PNG, show the Python."""

import html
from typing import Any, Protocol

import panel as pn
import panel_material_ui as pmui

from engine import Recording, System
from explorer.replay.lookup import Replay
from explorer.share.link import Link
from explorer.share.python_code import snippet
from explorer.share.recording_file import read_recording, recording_bytes
from explorer.stage.browser_window import Window
from explorer.style.icons import icon
from explorer.style.layout import row, words

SMALL: dict[str, Any] = {"variant": "text", "size": "small", "margin": 2}


class OnStage(Protocol):
    """What the row needs of a stage."""

    solver: System
    window: Window

    @property
    def replay(self) -> Replay | None:
        """The recording on it."""

    def link(self) -> Link:
        """A link to what is on it."""

    def query(self) -> str:
        """The link as the query of an address."""

    def play_recording(self, recording: Recording) -> None:
        """Put a recording on it."""

    def complain(self, text: str) -> None:
        """Say what is wrong."""


class ShareRow:
    """Takes a link, a recording, pictures or code from a stage, and brings it a recording from a file."""

    def __init__(self, stage: OnStage, figures: list[str]) -> None:
        self.stage = stage
        self.code = ""  # the Python that was last shown
        name = stage.solver.name
        self.share = pmui.Button(label="Share", icon=icon("link"), visible=stage.window.own_page, **SMALL)
        self.share.on_click(self._show_link)
        self.save = pmui.FileDownload(
            label="Save recording", filename=f"{name}.svmrun", callback=self.recording, **SMALL
        )
        self.open = pmui.FileInput(label="Open recording", accept=".svmrun", **SMALL)
        self.open.param.watch(self._open, "value")
        items = [{"label": figure.replace("-", " ")} for figure in figures]
        self.png = pmui.MenuButton(label="PNG", icon=icon("picture"), items=items, **SMALL)
        self.png.on_click(self._save_png)
        self.python = pmui.Button(label="Show the Python", icon=icon("code"), **SMALL)
        self.python.on_click(self.show_python)
        self.words = words("", 14)
        self.dialog = pmui.Dialog(
            self.words, title="", open=False, show_close_button=True, close_on_click=True, width_option="md"
        )
        self.view = row(self.share, self.save, self.open, self.png, self.python, self.dialog)

    def _say(self, title: str, text: str) -> None:
        self.words.object = text
        self.dialog.param.update(title=title, open=True)

    def _show_link(self, event: Any) -> None:
        place = pn.state.location
        address = f"{place.href.split('?')[0] if place else ''}?{self.stage.query()}"
        shown = html.escape(address)
        text = f'<a href="{shown}" style="overflow-wrap: anywhere">{shown}</a>'
        if not self.stage.link().data:
            text = f"These data are not in a link: save the recording and send that. The settings alone: {text}"
        self._say("Link to this moment", text)

    def show_python(self, event: Any = None) -> None:
        """Show the run on the stage as code."""
        if self.stage.replay is not None:
            header = self.stage.replay.recording.header
            self.code = snippet(header.solver, header.source, header.settings)
            look = "overflow: auto; font: 13px/1.5 ui-monospace, monospace; color: var(--mui-palette-text-primary)"
            self._say("The same in Python", f'<pre style="{look}">{html.escape(self.code)}</pre>')

    def _save_png(self, event: Any) -> None:
        name = self.png.value["label"].replace(" ", "-")
        self.stage.window.save_png(name, f"{self.stage.solver.name}-{name}.png")

    def recording(self) -> Any:
        """The recording on the stage, as the content of a file."""
        return recording_bytes(self.stage.replay.recording) if self.stage.replay is not None else None

    def _open(self, event: Any) -> None:
        if event.new is None:
            return
        name = self.open.filename or "recording"
        try:
            recording = read_recording(event.new, name)
            if recording.header.solver != self.stage.solver.name:
                raise ValueError(f"{name} is a recording of {recording.header.solver}: open it on that page")
            self.stage.play_recording(recording)
        except (ValueError, OSError) as error:
            self.stage.complain(str(error))
        self.open.value = None  # so that the same file can be opened again
