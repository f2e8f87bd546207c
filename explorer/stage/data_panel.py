"""The data panel: choose a set by name, draw one, or upload a file; download what is on the stage."""

import io
from collections.abc import Callable, Mapping
from typing import Any

import panel_material_ui as pmui

from engine import datasets
from engine.datasets import Dataset
from engine.datasets.dataset import Task
from engine.runtime.errors import invalid
from explorer.server.limits import Limits
from explorer.sketch import Sketch
from explorer.stage.controls import COMPACT, NUMBER, SMALL, WHOLE
from explorer.style.icons import icon
from explorer.style.layout import column, row, words

TAPS = ("tap", "doubletap")  # two taps in quick succession are two points
PIN = 2
BRUSHES = {"● class −1": -1, "▲ class 1": 1, "erase": 0, "pin": PIN}
MOST_CLASSES = 50
MOST_CELLS = 50_000_000
NOT_YET = "Choose a CSV or LIBSVM file first."


class DataPanel:
    """Widgets that say which data to run on; `load` gets them.

    `changed` is called when other data are to be run on, `sketched` when a point was drawn. Data that are `given` from
    outside stand beside those that can be chosen.
    """

    def __init__(
        self,
        first: Mapping[str, Any],
        limits: Limits,
        changed: Callable[[], None],
        sketched: Callable[[], None],
        given: Dataset | None = None,
        task: Task = "classification",
    ) -> None:
        self.limits, self.given, self.task = limits, given, task
        self.current: Dataset | None = given
        self.sketch = Sketch()
        self._setting = False  # the widgets are being set, not used
        self._changed, self._sketched = changed, sketched
        self._build(first)
        for widget, act in (
            (self.source, self._switch),
            (self.name, self._suit),
            (self.file, self._upload),
            (self.label, self._relabel),
        ):
            widget.param.watch(act, "value")
        self._suit(None)
        self._show_source()

    def _build(self, first: Mapping[str, Any]) -> None:
        entries = {entry.title: name for name, entry in datasets.catalogue().items() if self._usable(name)}
        draw = ["Draw"] if self.task == "classification" else []  # a sheet has classes
        sources = [*([] if self.given is None else ["Given"]), "Choose", *draw, "Upload"]
        most = self.limits.max_rows
        size = first.get("size", datasets.catalogue()[first["name"]].size)
        self.source = pmui.RadioButtonGroup(label="", options=sources, size="small", margin=(2, 8, 8, 8), sx=COMPACT)
        self.name = pmui.Select(label="Data set", options=entries, value=first["name"], **SMALL)
        self.size = pmui.IntInput(label="Points", value=size, start=2, end=most, step=100, **WHOLE)
        self.noise = pmui.FloatInput(label="Noise", value=None, start=0, step=0.05, **NUMBER)
        self.seed = pmui.IntInput(label="Seed of the data", value=0, start=0, **WHOLE)
        self.smooth = pmui.Switch(label="Smooth the images", value=False, margin=(4, 8))
        self._choices = column(self.name, self.size, self.noise, self.smooth, self.seed)

        self.brush = pmui.RadioButtonGroup(label="", options=BRUSHES, size="small", margin=(6, 8), sx=COMPACT)
        self.undo = pmui.Button(label="Undo", icon=icon("undo"), variant="outlined", size="small", margin=(4, 8))
        self.undo.on_click(lambda event: self._redraw(Sketch.undo))
        self.empty = pmui.Button(label="Clear", icon=icon("clear"), variant="outlined", size="small", margin=(4, 8))
        self.empty.on_click(lambda event: self._redraw(Sketch.clear))
        self.count = words("", 12)
        self._drawing = column(self.brush, row(self.undo, self.empty), self.count)

        self.file = pmui.FileInput(
            label="CSV or LIBSVM file", accept=".csv,.tsv,.txt,.libsvm,.svm", margin=(4, 8),
            max_file_size=self.limits.max_upload_mb * 2**20,
        )  # fmt: skip
        self.label = pmui.Select(label="Label column", options={}, visible=False, **SMALL)
        most_bytes = f"At most {most:,} rows and {self.limits.max_upload_mb} MiB."
        self._uploads = column(self.file, self.label, words(most_bytes, 12))

        self.download = pmui.FileDownload(
            label="Download data", filename="data.csv", callback=self._csv, size="small", variant="text", margin=(2, 8)
        )
        self.view = column(self.source, self.download)

    def _usable(self, name: str) -> bool:
        entry = datasets.catalogue()[name]
        return entry.task == self.task and entry.available()

    # ---- what a person does ----

    @property
    def drawing(self) -> bool:
        """Whether the data are those of the sheet."""
        return bool(self.source.value == "Draw")

    @property
    def painting(self) -> bool:
        """Whether a tap on the scene draws."""
        return self.drawing and self.brush.value != PIN

    def pin_on_tap(self) -> None:
        """Let a tap on the scene pin a point, until a brush is taken up again; what was drawn is run on."""
        self.brush.value = PIN

    def _take_brush(self) -> None:
        if self.brush.value == PIN:
            self.brush.value = -1

    def _switch(self, event: Any) -> None:
        if self.drawing and not len(self.sketch) and self.current is not None:
            self.sketch.trace(self.current)
        self._show_source()
        if self._setting:
            return
        if self.drawing:
            self._take_brush()
            self._sketched()
        elif event.new == "Given" or (event.old == "Draw" and event.new == "Choose"):
            self._changed()

    def _show_source(self) -> None:
        # What is not shown is not on the page: a browser would build it all the same.
        part = {"Choose": self._choices, "Draw": self._drawing, "Upload": self._uploads}.get(self.source.value)
        self.view.objects = [self.source, *([part] if part is not None else []), self.download]
        self._count()

    def _suit(self, event: Any) -> None:
        """Show noise and smoothing only where they mean something."""
        entry = datasets.catalogue()[self.name.value]
        self.noise.visible = entry.noise is not None
        self.noise.value = entry.noise
        self.smooth.visible = "smooth" in entry.options
        self.smooth.value = False

    def _upload(self, event: Any) -> None:
        if event.new is None:
            return
        try:
            found = datasets.columns(event.new, self.file.filename)
        except ValueError:
            found = None  # reading it will say what is wrong
        names, guess = found or ((), 0)
        with_number = {name if names.count(name) == 1 else f"{name} ({j + 1})": j for j, name in enumerate(names)}
        self._setting = True  # the guess is no choice of a person's
        self.label.value = None  # or the browser keeps the name that the same column had in another file
        self.label.param.update(options=with_number, value=guess if names else None, visible=bool(names))
        self._setting = False
        self._changed()

    def _relabel(self, event: Any) -> None:
        if not self._setting and event.new is not None and self.file.value is not None:
            self._changed()

    def touch(self, kind: str, x: float, y: float, reach: float) -> None:
        """A tap or a stroke on the sheet."""
        label = self.brush.value
        if kind in (*TAPS, "panstart"):
            self.sketch.begin()
        if label == 0:
            self.sketch.erase(x, y, reach)
        elif kind in TAPS:
            self.sketch.put(x, y, label)
        elif kind == "pan":
            self.sketch.stroke(x, y, label)
        self._count()
        self._sketched()

    def _redraw(self, act: Callable[[Sketch], None]) -> None:
        self._take_brush()
        act(self.sketch)
        self._count()
        self._sketched()

    def _count(self) -> None:
        ones = int(self.sketch.labels.sum())
        text = f"{len(self.sketch) - ones:,} ● and {ones:,} ▲. Tap or drag on the scene, then press Run."
        if self.sketch.full:
            text += " The sheet is full."
        if self.count.object != text:
            self.count.object = text

    # ---- the data ----

    def load(self) -> tuple[Dataset, dict[str, Any]]:
        """The chosen data and where they come from; a ValueError or OSError says what is wrong with the choice."""
        source = self.choice()
        data: Dataset
        if self.source.value == "Given" and self.given is not None:
            data = self.given
        elif self.drawing:
            data = self.sketch.dataset()
        elif self.source.value == "Upload":
            data, source = self._read(), {"file": self.file.filename, "label_column": self.label.value}
        else:
            most = self.limits.max_rows
            if source.get("size", 0) > most:
                raise invalid("Points", source["size"], f"at most {most:,}, the limit of this server")
            data = datasets.load(**source)
        self._refuse_too_much(data)
        self.current = data
        return data, source

    def _refuse_too_much(self, data: Dataset) -> None:
        """What would keep a server busy for one person."""
        if data.n > self.limits.max_rows:
            raise invalid("Points", data.n, f"at most {self.limits.max_rows:,}, the limit of this server")
        if len(data.classes) > MOST_CLASSES:
            raise invalid(
                "the labels",
                f"{len(data.classes):,} different ones",
                f"at most {MOST_CLASSES}: is it the right column?",
            )
        if data.n * data.d > MOST_CELLS:
            raise invalid("the data", f"{data.n:,} x {data.d:,}", f"at most {MOST_CELLS:,} numbers")

    def _read(self) -> Dataset:
        if self.file.value is None:
            raise ValueError(NOT_YET)
        return datasets.read(
            self.file.value,
            name=self.file.filename,
            label_column=self.label.value,
            task="regression" if self.task == "regression" else None,
            max_rows=self.limits.max_rows,
            max_bytes=self.limits.max_upload_mb * 2**20,
        )

    def choice(self) -> dict[str, Any]:
        """What a link can say of the data: arguments of `datasets.load`, or the points drawn."""
        if self.drawing:
            return {"points": self.sketch.text()}
        if self.source.value != "Choose":
            return {}
        chosen = {
            "name": self.name.value,
            "size": self.size.value,
            "noise": self.noise.value,
            "seed": self.seed.value or 0,
            "smooth": self.smooth.value or None,
        }
        return {key: value for key, value in chosen.items() if value is not None}

    def set(self, choice: Mapping[str, Any]) -> None:
        """Show another choice; a name that nobody knows is refused, values are left for `load` to refuse."""
        self._setting = True
        try:
            if not choice and self.given is not None:
                self.source.value = "Given"
                return
            if "points" in choice and "Draw" in self.source.options:
                self.sketch = Sketch.read(choice["points"])
                self.source.value = "Draw"
                return
            name = choice.get("name", self.name.value)
            if name not in self.name.options.values():
                raise invalid("data", name, f"one of {', '.join(self.name.options.values())}")
            self.source.value = "Choose"
            self.name.value = name
            self.size.value = choice.get("size", self.size.value)
            self.noise.value = choice.get("noise", datasets.catalogue()[name].noise)
            self.seed.value = choice.get("seed", 0)
            self.smooth.value = choice.get("smooth", False)
        finally:
            self._setting = False

    def _csv(self) -> Any:
        whole = self.drawing and len(set(self.sketch.labels)) == 2
        data = self.sketch.dataset() if whole else self.current
        if data is None:
            return None
        text = io.StringIO()
        datasets.write_csv(data, text)
        return io.BytesIO(text.getvalue().encode())
