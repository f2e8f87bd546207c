"""The data panel: choose a set by name, or upload a file; download what is on the stage."""

import io
from collections.abc import Callable, Mapping
from typing import Any

import panel_material_ui as pmui

from engine import datasets
from engine.datasets import Dataset
from explorer.controls import COMPACT, SMALL

MOST_ROWS = 20_000
MOST_BYTES = 20 * 2**20


class DataPanel:
    """Widgets that say which data to run on; `load` gets them."""

    def __init__(self, first: Mapping[str, Any], changed: Callable[[], None]) -> None:
        self._changed = changed
        self.current: Dataset | None = None
        entries = {entry.title: name for name, entry in datasets.catalogue().items() if _usable(name)}
        self.way = pmui.RadioButtonGroup(
            label="", options=["Choose", "Upload"], size="small", margin=(2, 8), sx=COMPACT
        )
        self.name = pmui.Select(label="Data set", options=entries, value=first["name"], **SMALL)
        self.size = pmui.IntInput(label="Points", value=first["size"], start=2, end=MOST_ROWS, step=100, **SMALL)
        self.noise = pmui.FloatInput(label="Noise", value=None, start=0, step=0.05, **SMALL)
        self.seed = pmui.IntInput(label="Seed of the data", value=0, start=0, **SMALL)
        self.file = pmui.FileInput(label="CSV or LIBSVM file", accept=".csv,.tsv,.txt,.libsvm,.svm", margin=(4, 8))
        self.label_column = pmui.TextInput(label="Label column", placeholder="label, class, … or the last", **SMALL)
        limits = f"At most {MOST_ROWS:,} rows and {MOST_BYTES // 2**20} MiB."
        self.download = pmui.FileDownload(
            label="Download data", filename="data.csv", callback=self._csv, size="small", color="default", margin=(2, 8)
        )
        self._choices = pmui.Column(self.name, self.size, self.noise, self.seed, sizing_mode="stretch_width", margin=0)
        self._uploads = pmui.Column(
            self.label_column, self.file, pmui.Typography(limits, variant="caption", margin=(0, 10)),
            sizing_mode="stretch_width", margin=0, visible=False,
        )  # fmt: skip
        self.view = pmui.Column(
            self.way, self._choices, self._uploads, self.download, sizing_mode="stretch_width", margin=0
        )
        self.way.param.watch(self._switch, "value")
        self.name.param.watch(self._suit, "value")
        self.file.param.watch(self._upload, "value")
        self._suit(None)

    def _switch(self, event: Any) -> None:
        self._choices.visible, self._uploads.visible = event.new == "Choose", event.new == "Upload"

    def _suit(self, event: Any) -> None:
        """Show noise only where it means something."""
        entry = datasets.catalogue()[self.name.value]
        self.noise.visible = entry.noise is not None
        self.noise.value = entry.noise

    def _upload(self, event: Any) -> None:
        if event.new:
            self._changed()

    def load(self) -> tuple[Dataset, dict[str, Any]]:
        """The chosen data and where they come from; a ValueError or OSError says what is wrong with the choice."""
        if self.way.value == "Upload":
            data, source = self._read(), {"file": self.file.filename}
        else:
            source = self.choice()
            data = datasets.load(**source)
        self.current = data
        return data, source

    def _read(self) -> Dataset:
        if not self.file.value:
            raise ValueError("choose a CSV or LIBSVM file first")
        column: Any = (self.label_column.value or "").strip() or None
        if column is not None and column.isdigit():
            column = int(column)
        return datasets.read(
            self.file.value, name=self.file.filename, label_column=column, max_rows=MOST_ROWS, max_bytes=MOST_BYTES
        )

    def choice(self) -> dict[str, Any]:
        """The arguments of `datasets.load`."""
        chosen = {
            "name": self.name.value,
            "size": self.size.value,
            "noise": self.noise.value,
            "seed": self.seed.value or 0,
        }
        return {key: value for key, value in chosen.items() if value is not None}

    def set(self, choice: Mapping[str, Any]) -> None:
        """Show another choice; unknown names and values are left for `load` to refuse."""
        self.way.value = "Choose"
        if choice.get("name") in self.name.options.values():
            self.name.value = choice["name"]
        self.size.value = choice.get("size", self.size.value)
        self.noise.value = choice.get("noise", datasets.catalogue()[self.name.value].noise)
        self.seed.value = choice.get("seed", 0)

    def _csv(self) -> Any:
        if self.current is None:
            return None
        text = io.StringIO()
        datasets.write_csv(self.current, text)
        return io.BytesIO(text.getvalue().encode())


def _usable(name: str) -> bool:
    entry = datasets.catalogue()[name]
    return entry.task == "classification" and entry.available()
